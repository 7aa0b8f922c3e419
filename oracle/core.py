"""The core of a module: the TinyWGSL shader that it lowers to, statement by statement, where it does.

Both say the same to each analysis and at each run. The paper's analysis and the semantics take it from here.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from wgsl_fuzz.tinywgsl.ast import Loop, Shader, Stmt, walk
from wgsl_fuzz.tinywgsl.behaviour import NEXT, UnionBehaviourAnalysis
from wgsl_fuzz.wgsl.lower.module import Lowered, lower
from wgsl_fuzz.wgsl.lower.raising import raised
from wgsl_fuzz.wgsl.problems import LoweringProblem
from wgsl_fuzz.wgsl.resolution import Resolution


@dataclass(frozen=True)
class Core:
    """A well-formed TinyWGSL shader, or why there is none."""

    shader: Shader | None
    why: str = ""
    """Why the module does not lower; empty if it does."""
    at: int = -1
    """Where that stands in the text; -1: unknown."""
    lowered: Lowered | None = None
    """What it was lowered to; None where the shader was there before the module."""

    @cached_property
    def starts(self) -> Mapping[int, int]:
        """By the identity of a statement, the offset in the text of what it was made from; -1: it has no place."""
        if self.lowered is not None:
            return self.lowered.starts
        functions = () if self.shader is None else self.shader.all_functions
        return {id(s): -1 for f in functions for s in walk(f.body)}

    @cached_property
    def names(self) -> Mapping[str, str]:
        """What the text calls a local, an array, or the element `A[0]` that a scalar has become."""
        if self.lowered is not None:
            return self.lowered.names
        if self.shader is None:
            return {}
        variables = [v.name for f in self.shader.all_functions for v in (*f.params, *f.locals)]
        return {name: name for name in (*variables, *(a.name for a in self.shader.arrays), "lid")}


def core_of(resolution: Resolution) -> Core:
    """The core of a module, worked out once."""
    return resolution.once(core_of, lambda: _core_of(resolution))


def from_core(shader: Shader) -> Resolution:
    """The module of a well-formed shader, which is its core."""
    resolution = raised(shader)
    resolution.once(core_of, lambda: Core(shader))
    return resolution


def _core_of(resolution: Resolution) -> Core:
    try:
        lowered = lower(resolution)
    except LoweringProblem as problem:
        return Core(None, problem.message, problem.start)
    for message, statement in behaviour_faults(lowered.shader):
        return Core(None, f"{message} (wgsl)", -1 if statement is None else lowered.starts.get(id(statement), -1))
    return Core(lowered.shader, lowered=lowered)


def behaviour_faults(shader: Shader) -> Iterator[tuple[str, Stmt | None]]:
    """What WGSL refuses of a shader by its behaviours, and the statement if there is one.

    No loop, live or dead, is without an end; a function with a result does not fall off its end. Revisions of B differ
    on loops that only return (Fig. 10b), so the end of a function is held to the older one.
    """
    for f in shader.all_functions:
        B = UnionBehaviourAnalysis()
        for s in walk(f.body):
            if isinstance(s, Loop) and not B.statement(s):
                yield "a loop that cannot be left", s
        if f.result is not None and NEXT & B.block(f.body):
            yield f"{f.name} can reach its end without a return", None
