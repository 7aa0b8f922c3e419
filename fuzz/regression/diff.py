"""The smallest shaders on which two analyses disagree: what ships with the project, small shaders, and random ones.

Differences are grouped by the variants that decide: one, if changing it alone changes the verdict; else all of a set
from which none can be spared. What two rule sets differ in may decide nothing because they differ in more: such
variants are named. Where no variant decides, as with the proposal of 2019, differences are grouped by who accepts.

Every difference is counted by what it means: the semantics says whether the shader diverges. How many of the pairs,
cases and random shaders differ says what we test, so these stand apart.

An analysis of section 4.2 is asked about the core of a shader; it has nothing to say of a shader without one. Of what
has a core both references say the same, so either stands for the other where variants are added to it.
"""

import math
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import Enum, IntEnum
from functools import cache, cached_property
from itertools import chain, islice

from wgsl_fuzz.fuzz.campaign.garbage import Collector
from wgsl_fuzz.fuzz.cases.case import drawn_case
from wgsl_fuzz.fuzz.cases.pairs import Pair, load, load_applications, load_combinations
from wgsl_fuzz.fuzz.cases.plan import shader_seed
from wgsl_fuzz.fuzz.reduction.search import read, reduce
from wgsl_fuzz.fuzz.reduction.size import size
from wgsl_fuzz.fuzz.shipped import corpus_folder
from wgsl_fuzz.oracle.core import core_of, from_core
from wgsl_fuzz.oracle.dynamics.modules.execution import Effort, Execution
from wgsl_fuzz.oracle.rules.analyses import ANALYSES, SECTION_4_2, rules_named
from wgsl_fuzz.oracle.rules.rule_set import UNCHANGED, Rules
from wgsl_fuzz.oracle.rules.uniformity.revisions import judge_wgsl
from wgsl_fuzz.oracle.verdict import Outcome, Verdict
from wgsl_fuzz.strategies import TINY, draw_shader
from wgsl_fuzz.strategies.choices.source import RandomSource
from wgsl_fuzz.strategies.edit.mutation import randomly_mutated
from wgsl_fuzz.strategies.enumerate.families import USUAL
from wgsl_fuzz.strategies.generate.layout import draw_layout
from wgsl_fuzz.strategies.generate.motifs.modules import draw_module
from wgsl_fuzz.wgsl.parser import parse
from wgsl_fuzz.wgsl.printer import print_module
from wgsl_fuzz.wgsl.problems import WgslError
from wgsl_fuzz.wgsl.resolution import Resolution
from wgsl_fuzz.wgsl.resolve import resolve
from wgsl_fuzz.wgsl.syntax import Literal

Text = tuple[str, str]
"""Where a text comes from, and the text."""
Candidate = Text | tuple[str, Resolution]
"""The same, or the shader itself."""
Verdicts = tuple[Verdict, Verdict]
Order = tuple[int, tuple[int, int], str]
BATCH = 500
"""So many shaders are compared before the best of each new group is reduced."""
LITTLE = Effort(runs=2)
"""How much the other texts are run, of which there are thousands."""
SMALL, APPLICATIONS, GIVEN, OTHERS = "small shaders", "applications", "given shaders", "other texts"
"""What is counted: the shaders of `enumerate`, of real applications, of a folder; pairs, cases and what is drawn."""


class Decides(IntEnum):
    """How far variants decide, the clearest first."""

    ALONE = 0
    """Changed in either rule set, they lead to the verdict of the other: whatever else differs does not matter."""
    ENOUGH = 1
    """Added to the rule set without them, they do; something else that differs would do as well."""
    NEEDED = 2
    """Taken from the rule set with them, they do; but they are not enough without something else that differs."""


class Impact(Enum):
    """What a difference means: a word, and the new verdict with what the semantics says."""

    SOUNDNESS_LOST = "soundness lost", "accepted now, diverges"
    PRECISION_GAINED = "precision gained", "accepted now, proven to converge"
    ENDLESS_GAINED = "precision without an end gained", "accepted now, converges, but some run never ends"
    ACCEPTED_OPEN = "open", "accepted now, neither is shown"
    SOUNDNESS_GAINED = "soundness gained", "rejected now, diverges"
    PRECISION_LOST = "precision lost", "rejected now, proven to converge"
    ENDLESS_LOST = "precision without an end lost", "rejected now, converges, but some run never ends"
    REJECTED_OPEN = "open", "rejected now, neither is shown"

    @classmethod
    def of(cls, now: Verdict, execution: Execution | None) -> "Impact":
        """The impact by the verdict of the second analysis and what the semantics says, if it can run the shader."""
        row = 3
        if execution is not None and execution.outcome is Outcome.DIVERGES:
            row = 0
        elif execution is not None and execution.outcome is Outcome.CONVERGES:
            explored = execution.exploration
            row = 1 if explored is None or explored.endless is None else 2
        return list(cls)[row if now is Verdict.ACCEPTS else row + 4]

    def __str__(self) -> str:
        return ": ".join(self.value)


ENDLESS = (Impact.ENDLESS_GAINED, Impact.ENDLESS_LOST)
OPEN = (Impact.ACCEPTED_OPEN, Impact.REJECTED_OPEN)
DIVERGING = (Impact.SOUNDNESS_LOST, Impact.SOUNDNESS_GAINED)


@dataclass(frozen=True, slots=True)
class Side:
    """An analysis by name, maybe with one more variant."""

    name: str
    rules: Rules | None
    """None: it is no rule set."""
    of_cores: bool = False
    """Whether it is an analysis of TinyWGSL, which is asked about cores."""

    def verdict(self, resolution: Resolution) -> Verdict:
        """INVALID if it takes the behaviours for invalid, or does not know what is in the shader."""
        if not self.of_cores:
            try:
                return judge_wgsl(resolution, self.rules or Rules()).verdict
            except WgslError:
                return Verdict.INVALID
        shader = core_of(resolution).shader
        return Verdict.INVALID if shader is None else ANALYSES[self.name](shader)


def side_named(name: str) -> Side:
    """The analysis of this name or in this file. Raises RuleFileError."""
    rules = rules_named(name)
    return Side(name, UNCHANGED if name == SECTION_4_2 else rules, of_cores=rules is None)


@dataclass(frozen=True)
class Difference:
    """A smallest shader on which two analyses disagree, and the variants that decide it; none: it is who accepts."""

    variants: Rules
    how: Decides
    sides: tuple[Side, Side]
    resolution: Resolution
    """Of what is found, with the places in `text`."""
    verdicts: Verdicts
    origin: str

    @property
    def decides(self) -> str:
        """The names of the variants, else who accepts."""
        accepting = self.sides[self.verdicts.index(Verdict.ACCEPTS)].name
        return " + ".join(self.variants.names) or f"{accepting} accepts"

    @cached_property
    def execution(self) -> Execution | None:
        """The answer of the semantics; None if it cannot run the shader."""
        return execution_of(self.resolution)

    @property
    def outcome(self) -> Outcome | None:
        """What it says in one word."""
        return None if self.execution is None else self.execution.outcome

    @property
    def impact(self) -> Impact:
        """What it means to take the second rule set in place of the first."""
        return Impact.of(self.verdicts[1], self.execution)

    @property
    def text(self) -> str:
        """As the printer writes it."""
        return print_module(self.resolution.module)

    @property
    def order(self) -> Order:
        """The clearest and smallest first."""
        return self.how, size(self.resolution.module), self.decides


def execution_of(resolution: Resolution, effort: Effort | None = None) -> Execution | None:
    """The answer of the semantics to a shader, which it explores; None if it cannot run it."""
    case = replace(drawn_case(resolution), thorough=True, effort=effort)
    done = case.execute()
    return None if case.outcome is None else done


Best = dict[str, Difference]
"""The best difference of each group, by what decides."""


class Differ:
    """Compares two analyses; `found` keeps the smallest shader of each group."""

    def __init__(self, one: Side, other: Side) -> None:
        self.sides = one, other
        self.found: Best = {}
        self.changes = Rules() if one.rules is None or other.rules is None else Rules(one.rules ^ other.rules)
        """The variants that only one of the two has."""
        self.tried: Counter[str] = Counter()
        """How many of the shaders that are counted were compared, by what they are."""
        self.counts: Counter[tuple[Impact, str]] = Counter()
        """On how many of them the two disagree."""
        self.smallest: dict[tuple[str, Impact], Difference] = {}
        """By what decides, and the impact."""
        self.changed: dict[Impact, list[str]] = {}
        """The names of the applications, and of given shaders, that are judged otherwise."""
        self._collector = Collector()
        self._tried: dict[str, Order] = {}
        """Of each group, how what its difference was reduced from compares."""

    @property
    def undecided(self) -> list[str]:
        """The names of the changes that decide nothing that was found, if there are several; cores have few words."""
        deciding = {name for one in self.found.values() for name in one.variants.names}
        return [] if self.of_cores or len(self.changes) < 2 else [n for n in self.changes.names if n not in deciding]

    @property
    def are_equal(self) -> bool:
        """Whether both are the same rules."""
        one, other = self.sides
        return one.rules is not None and (one.rules, one.of_cores) == (other.rules, other.of_cores)

    @property
    def of_cores(self) -> bool:
        """Whether one of the two only knows what has a core."""
        return any(side.of_cores for side in self.sides)

    def deciding(self, resolution: Resolution, verdicts: Verdicts) -> Mapping[Rules, Decides]:
        """What decides a difference: the single changes that do so in the clearest way, or else a set of changes."""
        judged = {v.rules: self._how(resolution, v.rules, verdicts) for v in self.changes}
        found = {rules: how for rules, how in judged.items() if how is not None}
        best = min(found.values(), default=None)
        if best is None:
            return {self.together(resolution, verdicts): Decides.ENOUGH}
        return {rules: how for rules, how in found.items() if how is best}

    def _how(self, resolution: Resolution, change: Rules, verdicts: Verdicts) -> Decides | None:
        """How a single change decides a difference, if it does."""
        one, other = self.sides
        from_one = self._toggled(one, change).verdict(resolution) is verdicts[1]
        from_other = self._toggled(other, change).verdict(resolution) is verdicts[0]
        added, taken = (from_other, from_one) if change <= (one.rules or set()) else (from_one, from_other)
        if added and taken:
            return Decides.ALONE
        return Decides.ENOUGH if added else Decides.NEEDED if taken else None

    def _toggled(self, side: Side, change: Rules) -> Side:
        """A rule set with some variants added or taken away; with some, the paper's are 15.2's."""
        rules = Rules((side.rules or Rules()) ^ change)
        return Side(side.name, rules, side.of_cores and not rules)

    def together(self, resolution: Resolution, verdicts: Verdicts) -> Rules:
        """Changes that decide together, and none of which can be spared."""
        kept, (one, other) = self.changes, self.sides
        side, verdict = (one, verdicts[1]) if len(one.rules or ()) <= len(other.rules or ()) else (other, verdicts[0])
        for v in sorted(kept, key=lambda v: v.name):
            fewer = Rules(kept - {v})
            if self._toggled(side, fewer).verdict(resolution) is verdict:
                kept = fewer
        return kept

    # --------------------------------------------------------------------------------------------------------- search

    def known(self, deadline: float) -> tuple[int, bool]:
        """Tries every text that ships with the project; the number tried, and if all were.

        Where a core is asked for these are the cases of the corpus: few others have one.
        """
        if self.of_cores:
            return self.try_all(corpus_texts(), deadline, OTHERS)
        count, _ = self.try_all(load_applications().items(), deadline, APPLICATIONS)
        more, all_tried = self.try_all(known_texts(), deadline, OTHERS)
        return count + more, all_tried

    def enumerate(self, most: int, deadline: float) -> Iterator[tuple[int, int]]:
        """Tries every small shader up to `most` statements; yields each size done, and how many it has."""
        for statements in range(1, most + 1):
            count, all_tried = self.try_all(enumerated(statements), deadline, SMALL)
            if not all_tried:
                return
            yield statements, count

    def search(self, programs: int, seed: int, deadline: float) -> int:
        """Tries what is drawn; the number tried."""
        return self.try_all((drawn_cores if self.of_cores else drawn)(programs, seed), deadline, OTHERS)[0]

    def try_all(self, candidates: Iterable[Candidate], deadline: float, counted: str) -> tuple[int, bool]:
        """Tries shaders, and reduces the best of what each group has in a batch; how many were tried, and if all.

        Their differences are `counted` by this word for what they are.
        """
        count, remaining = 0, iter(candidates)
        if time.monotonic() > deadline:
            return count, False
        while batch := list(islice(remaining, BATCH)):
            best: Best = {}
            for origin, shader in batch:
                if time.monotonic() > deadline:
                    break
                count += 1
                self._compare(origin, shader, best, counted)
            self._reduce(best, deadline)
            self._collector.count(len(batch))
            if time.monotonic() > deadline:
                return count, False
        return count, True

    def _compare(self, origin: str, shader: str | Resolution, best: Best, counted: str) -> None:
        """Keeps a difference if it is the best of its group so far."""
        resolution = read(shader) if isinstance(shader, str) else shader
        if resolution is None:
            return
        self.tried[counted] += 1
        verdicts = differ(resolution, self.sides)
        if verdicts is None:
            return
        deciding = self.deciding(resolution, verdicts)
        found = [Difference(rules, how, self.sides, resolution, verdicts, origin) for rules, how in deciding.items()]
        for one in found:
            _keep(best, one)
        self._count(found, counted)

    def _count(self, found: list[Difference], counted: str) -> None:
        """Counts a shader by its impact, and keeps it if it is the smallest of what decides it.

        What is open is kept of small shaders alone: others may be open only because they have many threads.
        """
        first = found[0]
        execution = execution_of(first.resolution, LITTLE) if counted == OTHERS else first.execution
        impact = Impact.of(first.verdicts[1], execution)
        self.counts[impact, counted] += 1
        if counted in (APPLICATIONS, GIVEN):
            self.changed.setdefault(impact, []).append(first.origin)
        if counted != SMALL and impact in OPEN:
            return
        for one in found:
            known = self.smallest.get((one.decides, impact))
            if known is None or one.order[1] < known.order[1]:
                self.smallest[one.decides, impact] = one

    def _reduce(self, best: Best, deadline: float) -> None:
        """Reduces what opens a group, or is clearer than what the group has."""
        for decides, one in sorted(best.items(), key=lambda item: item[1].order):
            known = self.found.get(decides)
            if known is None or one.how < known.how or one.order < self._tried[decides]:
                self._tried[decides] = one.order
                smaller = self._reduced(one, deadline)
                if known is None or smaller.order < known.order:
                    self.found[decides] = smaller

    def _reduced(self, one: Difference, deadline: float, impact: Impact | None = None) -> Difference:
        """A smaller shader that the same variants decide and, if an `impact` is given, that has this impact."""

        def same(candidate: Resolution) -> bool:
            return (
                decided(candidate)
                and not is_of_one(candidate)
                and impact in (None, replace(one, resolution=_of_two(candidate)).impact)
            )

        def is_of_one(candidate: Resolution) -> bool:  # that it converges then says nothing
            sizes = [a.arguments for f in candidate.entry_points for a in f.attributes if a.name == "workgroup_size"]
            return (Literal("1"),) in sizes and differ(_of_two(candidate), one.sides) is None

        def decided(candidate: Resolution) -> bool:
            verdicts = differ(candidate, one.sides)
            if verdicts is None:
                return False
            if (impact is not None or not one.variants) and verdicts != one.verdicts:
                return False
            if len(one.variants) != 1:
                return one.variants in self.deciding(candidate, verdicts)
            return self._how(candidate, one.variants, verdicts) in (one.how, Decides.ALONE)

        small = reduce(one.resolution, same, give_up=lambda: time.monotonic() > deadline)
        resolution = _of_two(small.resolution)
        verdicts = differ(resolution, one.sides)
        if verdicts is None:  # it had one thread from the start, and some rule asks for that
            resolution, verdicts = small.resolution, differ(small.resolution, one.sides)
        assert verdicts is not None, "the reduction keeps what it was given"
        return replace(one, resolution=resolution, verdicts=verdicts)

    def sorted(self, deadline: float = math.inf) -> list[Difference]:
        """What was found: by impact, the clearest and smallest first.

        Of each change it has the smallest shader, and the smallest that diverges; and of each impact one.
        """
        shown = sorted(self.found.values(), key=lambda difference: difference.order)
        told = {(one.decides, one.impact) for one in shown}
        for (decides, impact), one in sorted(self.smallest.items(), key=lambda item: item[1].order):
            is_told = (decides, impact) in told if impact in DIVERGING else impact in {other for _, other in told}
            if not is_told:
                shown.append(self._reduced(one, deadline, impact))
                told.add((decides, impact))
        return sorted(shown, key=lambda difference: list(Impact).index(difference.impact))


def differ(resolution: Resolution, sides: tuple[Side, Side]) -> Verdicts | None:
    """The verdicts of two analyses if one accepts a shader, and the other one rejects it."""
    one, other = (side.verdict(resolution) for side in sides)
    return None if one is other or Verdict.INVALID in (one, other) else (one, other)


def _of_two(resolution: Resolution) -> Resolution:
    """A shader as its text, with two threads for one, which never diverges; hardly a rule asks how many there are."""
    again = read(print_module(resolution.module).replace("@workgroup_size(1)", "@workgroup_size(2)"))
    assert again is not None, "it was valid before it was printed"
    return again


def _keep(best: Best, found: Difference) -> None:
    if found.decides not in best or found.order < best[found.decides].order:
        best[found.decides] = found


def known_texts() -> Iterator[Text]:
    """Every text that ships but the applications, those first that are known to differ by rule set; none twice."""
    pairs = sorted(_valid_pairs(), key=lambda pair: not (pair.letter or pair.before or pair.tint or pair.change))
    of_pairs = ((f"pair {pair.name}", text) for pair in pairs for text in (pair.rejected, pair.accepted))
    origins: dict[str, str] = {}
    for origin, text in chain(of_pairs, corpus_texts(), ((one.name, one.text) for one in load_combinations())):
        origins.setdefault(text, origin)
    return ((origin, text) for text, origin in origins.items())


def corpus_texts() -> Iterator[Text]:
    """The shaders of the corpus."""
    for path in sorted(corpus_folder().glob("*/shader.wgsl")):
        yield f"corpus/{path.parent.name}", path.read_text(encoding="utf-8")


@cache
def _valid_pairs() -> tuple[Pair, ...]:
    """Those that are about uniformity on both sides."""
    return tuple(pair for pair in load() if pair.refusal is Verdict.REJECTS)


def enumerated(statements: int) -> Iterator[Candidate]:
    """Every shader with so many statements of the families that `enumerate` covers by itself."""
    for family in USUAL:
        for shader in family.of_size(statements):
            yield f"small shaders, size {statements}", from_core(shader)


def drawn_cores(count: int, seed: int) -> Iterator[Candidate]:
    """Drawn shaders of TinyWGSL."""
    for index in range(count):
        yield f"random, seed {seed}, shader {index}", from_core(draw_shader(shader_seed(seed, index)))


def drawn(count: int, seed: int) -> Iterator[Candidate]:
    """Drawn by turns: a shader of TinyWGSL in surface forms, one in another layout, two mutants of pairs."""
    for index in range(count):
        source = RandomSource(shader_seed(seed, index))
        if index % 4 < 2:
            module = draw_module(shader_seed(seed, index), TINY)
            origin = f"random, seed {seed}, shader {index}"
            yield origin, draw_layout(RandomSource(index), module) if index % 4 else print_module(module)
        else:
            pair, donor = source.pick(_valid_pairs()), source.pick(_valid_pairs())
            parent = resolve(parse(source.pick((pair.accepted, pair.rejected))))
            yield f"a mutant of {pair.name}", randomly_mutated(parent, source, resolve(parse(donor.rejected)))
