"""Rule coverage: which branches of the rules decide a verdict, not merely are reached (docs/paper-notes.md, note 8).

A branch decides a shader if breaking it changes the shader's verdict. Whether it does is asked of the branch's mutants
(`oracle.rules.mutants`), each known by its name.
"""

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from functools import cache
from typing import NamedTuple

from oracle.rules.analysis import analyse
from oracle.rules.mutants import KILLABLE, Analyse, Effect, Mutant, loaded, mutated_behaviours
from oracle.rules.mutants.model import BEHAVIOUR
from oracle.verdict import Verdict
from tinywgsl.ast import Block, Shader, Stmt, blocks_of, walk
from tinywgsl.behaviour import BehaviourAnalysis, Behaviours


def deciding(shader: Shader, verdict: Verdict | None = None, *, only: Collection[str] | None = None) -> list[str]:
    """The names of the mutants whose verdict on `shader` is not the paper's, in the order of the paper's rules.

    `verdict` is the paper's, if it is known already; of the mutants only those named in `only` are asked, if given.
    `shader` must be well-formed; its `main` may return.
    """
    verdict = analyse(shader).verdict if verdict is None else verdict
    context = _Context(shader)
    return [
        m.name
        for m in _able_to_change(verdict)
        if (only is None or m.name in only) and context.can_tell(m) and m.analyse(shader).verdict is not verdict
    ]


class _Ready(NamedTuple):
    """A mutant made ready to run."""

    name: str
    analyse: Analyse
    needs: tuple[type[Stmt], ...]
    only_behaviours: type[BehaviourAnalysis] | None
    """Its B if that is all it changes."""


@cache
def _able_to_change(verdict: Verdict) -> tuple[_Ready, ...]:
    unable = Effect.STRICTER if verdict is Verdict.REJECTS else Effect.LAXER
    return tuple(_ready(m) for m in KILLABLE if m.effect is not unable)


def _ready(mutant: Mutant) -> _Ready:
    only_behaviours = all(patch.module == BEHAVIOUR for patch in mutant.patches)
    return _Ready(mutant.name, loaded(mutant), mutant.needs, mutated_behaviours(mutant) if only_behaviours else None)


class _Context:
    """What tells cheaply that a mutant cannot differ: a statement is missing, or B is as it was on all that is there.

    Both are safe: what is patched is then never asked for, or answers as before (B is all that Fig. 8 is used for).
    """

    def __init__(self, shader: Shader) -> None:
        self.statements: list[Stmt] = [s for f in shader.all_functions for s in walk(f.body)]
        self.blocks: list[Block] = [ss for s in self.statements for ss in blocks_of(s)]
        self.kinds: set[type[Stmt]] = {type(s) for s in self.statements}
        self.behaviours = self._all(BehaviourAnalysis())

    def _all(self, B: BehaviourAnalysis) -> list[Behaviours]:
        return [*map(B.statement, self.statements), *map(B.block, self.blocks)]

    def can_tell(self, mutant: _Ready) -> bool:
        if mutant.needs and self.kinds.isdisjoint(mutant.needs):
            return False
        return mutant.only_behaviours is None or self._all(mutant.only_behaviours()) != self.behaviours


@dataclass(slots=True)
class Coverage:
    """How many shaders each branch decided."""

    shaders: int = 0
    decided: Counter[str] = field(default_factory=Counter)
    """By the mutant's name; one that decided none is not in it."""

    def add(self, shader: Shader, verdict: Verdict | None = None) -> list[str]:
        """Counts one shader; the branches that decide it. `verdict` as in `deciding`."""
        names = deciding(shader, verdict)
        self.shaders += 1
        self.decided.update(names)
        return names

    def extend(self, shaders: Iterable[Shader]) -> "Coverage":
        """Counts each of `shaders`; itself."""
        for shader in shaders:
            self.add(shader)
        return self

    def rows(self) -> list[tuple[Mutant, int]]:
        """Every branch and how many shaders it decided; those that decided none first, then the rarest."""
        return sorted(((m, self.decided[m.name]) for m in KILLABLE), key=lambda row: row[1])

    def never(self) -> list[Mutant]:
        """The branches that decided no shader."""
        return [mutant for mutant, count in self.rows() if not count]
