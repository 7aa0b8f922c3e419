"""The smallest shaders on which two analyses disagree: the corpus first, then enumeration and random search.

Disagreements are grouped by the rule that decides: the fewest changes that turn the first rule set's verdict into the
second's. The proposal of 2019 has no such changes; its disagreements are grouped by who accepts.
"""

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations

from fuzz.cases.case import Case
from fuzz.cases.plan import shader_seed
from fuzz.judging.answers import examine
from fuzz.reduction.edits import Size, size
from fuzz.reduction.search import reduce
from fuzz.shipped import corpus_folder
from oracle.rules.analyses import ANALYSES
from oracle.rules.analysis import analyse
from oracle.rules.revisions import RULE_SETS, differences
from oracle.verdict import Verdict
from strategies import draw_shader
from strategies.enumerate.families import shaders_of_size
from tinywgsl.ast import Shader
from tinywgsl.parser import parse
from tinywgsl.printer import print_shader


@dataclass(frozen=True, slots=True)
class Difference:
    """A smallest shader on which the analyses `one` and `other` disagree, for the reason `decides`."""

    decides: str
    shader: Shader
    verdicts: tuple[Verdict, Verdict]
    origin: str

    @property
    def case(self) -> Case:
        """The shader with objects of its own, as printed, so that explanations find them."""
        return Case(parse(print_shader(self.shader)), thorough=True)


def _corpus() -> Iterator[tuple[str, Shader]]:
    """The shipped corpus's shaders that are well-formed TinyWGSL, with the names of their cases."""
    for path in sorted(corpus_folder().glob("*/shader.wgsl")):
        case = examine(path.read_text(encoding="utf-8")).case
        if case is not None:
            yield path.parent.name, case.shader


@dataclass
class Differ:
    """Compares two analyses by name; `found` keeps the smallest shader of each group."""

    one: str
    other: str

    def __post_init__(self) -> None:
        self.found: dict[str, Difference] = {}

    def compare(self, shader: Shader) -> str | None:
        """The rule that decides if the analyses disagree on `shader`; None if they agree."""
        mine, theirs = ANALYSES[self.one](shader), ANALYSES[self.other](shader)
        return None if mine is theirs else self._decides(shader, mine, theirs)

    def _decides(self, shader: Shader, mine: Verdict, theirs: Verdict) -> str:
        if self.one not in RULE_SETS or self.other not in RULE_SETS:
            return f"{self.one if mine is Verdict.ACCEPTS else self.other} accepts"
        base, goal = RULE_SETS[self.one], RULE_SETS[self.other]
        changes = differences(base, goal)
        for count in range(1, len(changes)):
            for some in combinations(changes, count):
                rules = replace(base, **{field: getattr(goal, field) for field in some})
                if analyse(shader, rules).verdict is theirs:
                    return " + ".join(some)
        return " + ".join(changes)

    def keep(self, shader: Shader, decides: str, origin: str) -> bool:
        """Keeps a disagreement if it is the first or the smallest of its group."""
        known = self.found.get(decides)
        if known is not None and size(known.shader) <= size(shader):
            return False
        verdicts = ANALYSES[self.one](shader), ANALYSES[self.other](shader)
        self.found[decides] = Difference(decides, shader, verdicts, origin)
        return True

    def enumerate(self, most: int, deadline: float) -> Iterator[tuple[int, int]]:
        """Tries every shader up to `most` statements; yields each size done with the number of its shaders."""
        for statements in range(1, most + 1):
            count = 0
            for shader in shaders_of_size(statements):
                if time.monotonic() > deadline:
                    return
                count += 1
                decides = self.compare(shader)
                if decides is not None:
                    self.keep(shader, decides, f"all shaders of {statements} statements")
            yield statements, count

    def corpus(self, deadline: float) -> tuple[int, bool]:
        """Tries the shipped corpus's shaders, and reduces what opens a new group; the number tried, and if all were."""
        count = 0
        for name, shader in _corpus():
            if time.monotonic() > deadline:
                return count, False
            count += 1
            self._try(shader, f"corpus/{name}")
        return count, True

    def search(self, programs: int, seed: int, deadline: float) -> int:
        """Tries random shaders and reduces what opens a new group; the number tried."""
        for index in range(programs):
            if time.monotonic() > deadline:
                return index
            self._try(draw_shader(shader_seed(seed, index)), f"random, seed {seed}, shader {index}")
        return programs

    def _try(self, shader: Shader, origin: str) -> None:
        """Reduces a shader that opens a new group."""
        decides = self.compare(shader)
        if decides is not None and decides not in self.found:
            self.keep(self._reduced(shader, decides), decides, origin)

    def _reduced(self, shader: Shader, decides: str) -> Shader:
        def same(candidate: Shader) -> bool:
            return self.compare(candidate) == decides

        return reduce(shader, same).shader

    def sorted(self) -> list[Difference]:
        """What was found, smallest first."""

        def by_size(difference: Difference) -> tuple[Size, str]:
            return size(difference.shader), difference.decides

        return sorted(self.found.values(), key=by_size)
