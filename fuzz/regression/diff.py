"""The smallest shaders on which two analyses disagree: the corpus first, then enumeration and random search.

Disagreements are grouped by the rule that decides: the fewest changes that turn the first rule set's verdict into the
second's. The proposal of 2019 has no such changes; its disagreements are grouped by who accepts. A rule set of the
whole language is held against one of TinyWGSL by the printed shaders.
"""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

from wgsl_fuzz.fuzz.cases.case import Case, ConciseCase
from wgsl_fuzz.fuzz.cases.plan import shader_seed
from wgsl_fuzz.fuzz.judging.answers import examine
from wgsl_fuzz.fuzz.reduction.edits import Size, size
from wgsl_fuzz.fuzz.reduction.search import reduce
from wgsl_fuzz.fuzz.shipped import corpus_folder
from wgsl_fuzz.oracle.rules.analyses import Judgement, judgement_named, rules_named, whole_rules
from wgsl_fuzz.oracle.rules.analysis import verdict_of
from wgsl_fuzz.oracle.rules.rule_set import Rules
from wgsl_fuzz.oracle.rules.uniformity.revisions import judge_wgsl
from wgsl_fuzz.oracle.verdict import Verdict
from wgsl_fuzz.strategies import draw_shader
from wgsl_fuzz.strategies.enumerate.families import shaders_of_size
from wgsl_fuzz.tinywgsl.ast import Shader
from wgsl_fuzz.tinywgsl.printer import print_shader
from wgsl_fuzz.wgsl.parser import parse as parse_wgsl
from wgsl_fuzz.wgsl.reading import parse
from wgsl_fuzz.wgsl.resolve import resolve


@dataclass(frozen=True, slots=True)
class Difference:
    """A smallest shader on which the analyses `one` and `other` disagree, for the reason `decides`."""

    decides: str
    shader: Shader
    verdicts: tuple[Verdict, Verdict]
    origin: str

    @property
    def case(self) -> Case:
        """The shader with objects of its own, so that explanations find them, in the shortest plain text."""
        return ConciseCase(parse(print_shader(self.shader)), thorough=True)


def _corpus() -> Iterator[tuple[str, Shader]]:
    """The shipped corpus's shaders that are well-formed TinyWGSL, with the names of their cases."""
    for path in sorted(corpus_folder().glob("*/shader.wgsl")):
        case = examine(path.read_text(encoding="utf-8")).case
        if case is not None:
            yield path.parent.name, case.shader


def accepting(name: str) -> str:
    """What is said to decide where no single change does: who accepts."""
    return f"{name} accepts"


def rules_of(name: str) -> Rules | None:
    """The rule set of this name, of TinyWGSL or of the whole language; None for an analysis that is none."""
    whole = whole_rules(name)
    return rules_named(name) if whole is None else whole


def _judgement(name: str) -> Judgement:
    whole = whole_rules(name)
    return judgement_named(name) if whole is None else lambda shader: _verdict_under(name, whole, shader)


def _verdict_under(name: str, rules: Rules, shader: Shader) -> Verdict:
    """The verdict of rules of the language that those of `name` are about."""
    if whole_rules(name) is None:
        return verdict_of(shader, rules)
    return judge_wgsl(resolve(parse_wgsl(print_shader(shader))), rules).verdict


@dataclass
class Differ:
    """Compares two analyses by name or file; `found` keeps the smallest shader of each group."""

    one: str
    other: str

    def __post_init__(self) -> None:
        """Raises RuleFileError for what names no rule set; the methods do if one in a file fails."""
        self._analyses = _judgement(self.one), _judgement(self.other)
        self._rules = rules_of(self.one), rules_of(self.other)
        self._mixed = whole_rules(self.one) is not None or whole_rules(self.other) is not None
        self.found: dict[str, Difference] = {}

    def compare(self, shader: Shader) -> str | None:
        """The rule that decides if the analyses disagree on `shader`; None if they agree."""
        mine, theirs = self._verdicts(shader)
        return None if mine is theirs else self._decides(shader, mine, theirs)

    def _decides(self, shader: Shader, mine: Verdict, theirs: Verdict) -> str:
        base, goal = self._rules
        if self._mixed or base is None or goal is None:
            accepts = accepting(self.one if mine is Verdict.ACCEPTS else self.other)
            return next(self._departing(shader, mine, theirs), accepts) if self._mixed else accepts
        changes = Rules(base ^ goal)
        some = (
            Rules(some)
            for n in range(1, len(changes))
            for some in combinations(sorted(changes, key=lambda v: v.name), n)
        )
        deciding = (it for it in some if verdict_of(shader, Rules(base ^ it)) is theirs)
        return " + ".join(next(deciding, changes).names)

    def _departing(self, shader: Shader, mine: Verdict, theirs: Verdict) -> Iterator[str]:
        """Between the two languages: the variants of one side without which it has the other side's verdict."""
        for name, verdict in ((self.one, theirs), (self.other, mine)):
            rules = rules_of(name)
            for v in sorted(rules or (), key=lambda v: v.name):
                if _verdict_under(name, Rules((rules or Rules()) - {v}), shader) is verdict:
                    yield v.name

    def _verdicts(self, shader: Shader) -> tuple[Verdict, Verdict]:
        mine, theirs = self._analyses
        return mine(shader), theirs(shader)

    def keep(self, shader: Shader, decides: str, origin: str) -> bool:
        """Keeps a disagreement if it is the first or the smallest of its group."""
        known = self.found.get(decides)
        if known is not None and size(known.shader) <= size(shader):
            return False
        self.found[decides] = Difference(decides, shader, self._verdicts(shader), origin)
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
