"""Rule coverage: which branches of the rules decide a verdict, not merely are reached (docs/paper-notes.md, note 8).

A branch decides a shader if breaking it changes the shader's verdict. Whether it does is asked of the branch's variants
(`oracle.rules.variants`), each known by its name.
"""

from collections.abc import Collection, Iterable, Sequence
from functools import cache
from typing import NamedTuple

from wgsl_fuzz.oracle.rules.analysis import UniformityAnalysis, analysis_under
from wgsl_fuzz.oracle.rules.bitset.analysis import verdict_of
from wgsl_fuzz.oracle.rules.bitset.lane_analysis import TooManySources, rejecting
from wgsl_fuzz.oracle.rules.bitset.lanes import EVERY, LANES, ONLY
from wgsl_fuzz.oracle.rules.counter import BranchCounter
from wgsl_fuzz.oracle.rules.rule_set import Effect, Variant
from wgsl_fuzz.oracle.rules.variants import KILLABLE
from wgsl_fuzz.oracle.verdict import Verdict
from wgsl_fuzz.tinywgsl.ast import Block, Shader, Stmt, blocks_of, walk
from wgsl_fuzz.tinywgsl.behaviour import BehaviourAnalysis, Behaviours


def deciding(shader: Shader, verdict: Verdict | None = None, *, only: Collection[str] | None = None) -> list[str]:
    """The names of the variants whose verdict on `shader` is not the paper's, in the order of the paper's rules.

    `verdict` is the paper's, if it is known already; of the variants only those named in `only` are asked, if given.
    `shader` must be well-formed; its `main` may return.
    """
    verdict = verdict_of(shader) if verdict is None else verdict
    try:
        rejected_under = rejecting(shader)
    except TooManySources:
        return asked_one_by_one(shader, verdict, KILLABLE, only)
    told = rejected_under if verdict is Verdict.ACCEPTS else EVERY ^ rejected_under
    found = {name for name, lane in ONLY.items() if told & lane and (only is None or name in only)}
    if len(LANES) < len(KILLABLE):  # a variant that has no lane yet
        found.update(asked_one_by_one(shader, verdict, [m for m in KILLABLE if m.name not in ONLY], only))
    return [m.name for m in KILLABLE if m.name in found]


def asked_one_by_one(
    shader: Shader, verdict: Verdict, variants: Iterable[Variant], only: Collection[str] | None
) -> list[str]:
    """Of `variants` those that decide a shader, each asked for its verdict on its own."""
    context = _Context(shader)
    asked = (_ready(m) for m in variants if m.effect is not _UNABLE[verdict] and (only is None or m.name in only))
    return [m.name for m in asked if context.can_tell(m) and m.analysis().shader(shader).verdict is not verdict]


_UNABLE = {Verdict.REJECTS: Effect.STRICTER, Verdict.ACCEPTS: Effect.LAXER}
"""The variants that cannot differ from the paper if this is its verdict."""


class _Ready(NamedTuple):
    """A variant made ready to run."""

    name: str
    analysis: type[UniformityAnalysis]
    needs: tuple[type[Stmt], ...]
    only_behaviours: type[BehaviourAnalysis] | None
    """Its B if that is all it changes."""


@cache
def _ready(variant: Variant) -> _Ready:
    analysis = analysis_under(variant.rules)
    only_behaviours = all(issubclass(cls, BehaviourAnalysis) for cls in variant.replacements)
    return _Ready(variant.name, analysis, variant.needs, analysis.behaviour_analysis if only_behaviours else None)


class _Context:
    """What tells cheaply that a variant cannot differ: a statement is missing, or B is as it was on all that is there.

    Both are safe: what is replaced is then never asked for, or answers as before (B is all that Fig. 8 is used for).
    """

    def __init__(self, shader: Shader) -> None:
        self.statements: list[Stmt] = [s for f in shader.all_functions for s in walk(f.body)]
        self.blocks: list[Block] = [ss for s in self.statements for ss in blocks_of(s)]
        self.kinds: set[type[Stmt]] = {type(s) for s in self.statements}
        self.behaviours = self._all(BehaviourAnalysis())

    def _all(self, B: BehaviourAnalysis) -> list[Behaviours]:
        return [*map(B.statement, self.statements), *map(B.block, self.blocks)]

    def can_tell(self, variant: _Ready) -> bool:
        if variant.needs and self.kinds.isdisjoint(variant.needs):
            return False
        return variant.only_behaviours is None or self._all(variant.only_behaviours()) != self.behaviours


class Coverage(BranchCounter[Shader]):
    """How many shaders each branch decided."""

    __slots__ = ()

    @staticmethod
    def variants() -> Sequence[Variant]:
        """The variants that some shader tells from the paper."""
        return KILLABLE

    @staticmethod
    def deciding(program: Shader) -> list[str]:
        """As `deciding` says."""
        return deciding(program)

    def add(self, program: Shader, verdict: Verdict | None = None) -> list[str]:
        """Counts one shader; the branches that decide it. `verdict` as in `deciding`."""
        return self.count(deciding(program, verdict))
