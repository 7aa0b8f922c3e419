"""What a campaign draws: the shader at a place of a run, how it is written, and a related one.

All of it is a pure function of (GENERATOR_VERSION, the plan, the group's recipe, the index); see DESIGN, section 5.
"""

import random
from dataclasses import asdict, dataclass, fields, replace
from functools import lru_cache
from shlex import quote
from typing import Any

from fuzz.oracles import Case
from fuzz.problems import Problem
from fuzz.respelling import Written
from oracle.verdict import Verdict
from strategies import PROFILES, Profile
from strategies.constraints import CONSTRAINTS
from strategies.mutation import mutate
from strategies.relations import Related, related
from strategies.shaders import draw
from strategies.source import RandomSource
from strategies.swarm import Swarm, draw_swarm
from tinywgsl.ast import Shader, renumbered
from tinywgsl.parser import parse
from tinywgsl.spelling import NONE

GROUP = 8
"""Consecutive shaders that share a swarm or a recipe."""
RELATED_EVERY = 16
"""One shader in so many is also transformed, so that a metamorphic relation can be judged."""
TRIES = 96
"""How often a shader is drawn again that does not have what was asked for."""
TRIES_OF_A_SWARM = 4
"""After so many another swarm is drawn: one may never give what was asked for."""


@dataclass(frozen=True, slots=True)
class Plan:
    """The options of a run that decide what is drawn."""

    seed: int
    profile: str = "default"
    changes: tuple[tuple[str, Any], ...] = ()
    """Fields of the profile that the command line replaces."""
    uniform: int | None = None
    """The share of uniform shaders asked for, in percent, by rejection sampling; None: as it comes."""
    require: tuple[str, ...] = ()
    """The constraints (`strategies.constraints`) that every shader fulfils."""
    spelling: bool = True
    """Whether half of the groups are written in drawn surface forms, if the profile draws swarms."""
    relations: bool = True
    """Whether some shaders are transformed, so that metamorphic relations can be judged."""

    @property
    def base(self) -> Profile:
        """The profile with the changes."""
        return replace(PROFILES[self.profile], **dict(self.changes))

    def flags(self) -> str:
        """The options of the command line that give this plan again."""
        words = [f"--seed {self.seed}", f"--profile {self.profile}"]
        for name, value in self.changes:
            match value:
                case (least, most):
                    words.append(f"--{name} {least}-{most}")
                case bool():
                    words.append(f"--{'' if value else 'no-'}{name}")
                case _:
                    words.append(f"--{name.replace('_', '-')} {value}")
        words += [f"--uniform {self.uniform}"] if self.uniform is not None else []
        words += [f"--require {quote(name)}" for name in self.require]
        return " ".join(words)

    def to_json(self) -> dict[str, Any]:
        """For the run's record."""
        return asdict(self)

    @staticmethod
    def from_json(record: dict[str, Any]) -> "Plan":
        """The plan of a run's record; raises Problem if it is none."""
        try:
            given = {f.name: record[f.name] for f in fields(Plan)}
        except (KeyError, TypeError) as error:
            raise Problem(f"the run's record lacks its plan: {error}") from None
        changes = tuple((name, tuple(v) if isinstance(v, list) else v) for name, v in given["changes"])
        return Plan(**given | {"changes": changes, "require": tuple(given["require"])})


@dataclass(frozen=True, slots=True)
class Recipe:
    """What steering asks of one group instead of a fresh swarm."""

    like: int | None = None
    """The group whose swarm is drawn from once more."""
    parents: tuple[str, ...] = ()
    """WGSL texts: the group's shaders are mutations of these."""


FRESH = Recipe()


def shader_seed(run_seed: int, index: int) -> int:
    """The seed of a run's shader: runs with different seeds share none."""
    return (run_seed << 40) + index


class Drawer:
    """Draws the shaders of a plan by their index."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.base = plan.base
        self._constraints = [CONSTRAINTS[name] for name in plan.require]
        self._swarms: dict[tuple[int, int], Swarm] = {}
        self.misses = 0
        """Shaders that do not have what was asked for, because no try had."""

    def case(self, index: int, recipe: Recipe = FRESH) -> Case:
        """The shader at a place of the run, unasked yet."""
        plan = self.plan
        wanted = self._wanted(index)
        for attempt in range(TRIES):
            swarm = self.swarm(index // GROUP if recipe.like is None else recipe.like, attempt // TRIES_OF_A_SWARM)
            source = RandomSource(shader_seed(plan.seed, index) + (attempt << 96))
            shader = _child(recipe.parents, source) if recipe.parents and not attempt else draw(source, swarm.profile)
            written = None
            if plan.spelling and swarm.features != NONE:
                written = Written(swarm.features, index)
            case = Case(shader, shader_seed(plan.seed, index), written=written)
            if self._fits(case, wanted):
                return case
        self.misses += 1
        return case

    def related(self, index: int, case: Case) -> Related | None:
        """A transformation of the shader at a place of the run, for some of the places."""
        if not self.plan.relations or index % RELATED_EVERY:
            return None
        return related(case.shader, RandomSource(shader_seed(self.plan.seed, index) + (1 << 95)))

    def swarm(self, group: int, attempt: int = 0) -> Swarm:
        """What the shaders of a group have in common."""
        if not self.base.swarm:
            return Swarm(self.base, NONE)
        known = self._swarms.get((group, attempt))
        if known is None:
            if len(self._swarms) > 64:
                self._swarms.clear()
            source = RandomSource(shader_seed(self.plan.seed, group) + (1 << 94) + (attempt << 96))
            known = self._swarms[group, attempt] = draw_swarm(source, self.base)
        return known

    def _wanted(self, index: int) -> Verdict | None:
        if self.plan.uniform is None:
            return None
        drawn = random.Random(f"{self.plan.seed}/{index}/uniform").random() * 100
        return Verdict.ACCEPTS if drawn < self.plan.uniform else Verdict.REJECTS

    def _fits(self, case: Case, wanted: Verdict | None) -> bool:
        if any(not c.holds(case.shader) for c in self._constraints):
            return False
        return wanted is None or case.verdict is wanted


def _child(parents: tuple[str, ...], source: RandomSource) -> Shader:
    """A mutation of one of the parents, with another for a donor."""
    mother, father = source.pick(parents), source.pick(parents)
    return mutate(_parsed(mother), source, _parsed(father))


@lru_cache(maxsize=256)
def _parsed(text: str) -> Shader:
    return renumbered(parse(text))
