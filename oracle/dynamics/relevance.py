"""What can influence control flow: the part of a state that exploring a shader must tell apart.

A backward slice, flow-insensitive and by name (restriction 2 makes names unique). What is left out of it is executed
all the same, but neither compared nor chosen: no barrier is reached otherwise for it.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from wgsl_fuzz.oracle.dynamics.semantics import AtomicUpdate
from wgsl_fuzz.tinywgsl import ast as core
from wgsl_fuzz.tinywgsl.traversal import Holds

_READ = core.NODES.parts(Holds.READ, Holds.ARRAY_READ)


@dataclass(frozen=True, slots=True)
class Relevance:
    """The locals and arrays whose values can influence control flow, and the loops whose history a barrier can show."""

    names: frozenset[str]
    barrier_loops: frozenset[int]
    setting_apart: frozenset[int]
    """By `id()`: statements that can make equal threads differ: they or what they contain or call let `lid` influence
    control flow, or write to an array that does. Equal threads that are to execute no such statement do the same."""


def relevance(shader: core.Shader) -> Relevance:
    """The slice of a well-formed shader."""
    slicer = _Slicer(shader)
    slicer.find_setting_apart(shader)
    return Relevance(
        frozenset(slicer.names),
        frozenset(_barrier_loops(shader)),
        frozenset(s for s, does in slicer.apart.items() if does),
    )


def read_by(s: core.Stmt) -> Iterator[str]:
    """The locals and arrays that the expressions of a statement itself read, and what an atomic update replaces."""
    if isinstance(s, AtomicUpdate):
        yield s.array
    for e in core.expressions_of(s):
        yield from core.names_in_expr(e, _READ)


class _Slicer:
    """A least fixpoint: statements that matter make what they read matter, and that makes more statements matter."""

    def __init__(self, shader: core.Shader) -> None:
        self.functions = {f.name: f for f in shader.functions}
        self.names: set[str] = set()
        self.results: set[str] = set()
        """Functions whose result matters."""
        self.apart: dict[int, bool] = {}
        waiting = [(f.name, s, (*read_by(s),)) for f in shader.all_functions for s in core.walk(f.body)]
        before = -1
        while before != len(self.names) + len(self.results):
            before = len(self.names) + len(self.results)
            waiting = [(f, s, read) for f, s, read in waiting if not self._visit(f, s, read)]

    def _visit(self, function: str, s: core.Stmt, read: tuple[str, ...]) -> bool:
        """Whether nothing that is found later can make more of what a statement reads matter."""
        match s:
            case core.If():
                needed = self._matters(s)
            case core.Call():
                self._visit_call(s)
                return False
            case core.Return():
                needed = function in self.results
            case _:
                needed = self._is_written(s)
        if needed:
            self.names.update(read)
        return needed or not read

    def _is_written(self, s: core.Stmt) -> bool:
        """Whether `s` itself assigns or writes a name that matters."""
        return not self.names.isdisjoint(core.names_in(s, core.WRITTEN))

    def _visit_call(self, s: core.Call) -> None:
        if s.name in self.names:
            self.results.add(s.function)
        for p, e in zip(self.functions[s.function].params, s.arguments):
            if p.name in self.names:
                self.names.update(core.names_in_expr(e, _READ))

    def _matters(self, s: core.Stmt) -> bool:
        """Whether skipping `s` could lead to other barriers; jumps and loops (they may not end) always count."""
        match s:
            case core.If():
                return any(self._matters(inner) for block in core.blocks_of(s) for inner in block)
            case core.Call():
                return s.name in self.names or self._body_matters(self.functions[s.function].body)
            case _:
                return not core.names_in(s, core.WRITTEN) or self._is_written(s)

    def _body_matters(self, body: core.Block) -> bool:
        inner = body[:-1] if body and isinstance(body[-1], core.Return) else body
        return any(self._matters(s) for s in inner)

    def find_setting_apart(self, shader: core.Shader) -> None:
        """Fills `apart`, callees before callers."""
        bodies: dict[str, bool] = {}

        def visit(s: core.Stmt) -> bool:
            inner = [visit(inner) for block in core.blocks_of(s) for inner in block]
            called = isinstance(s, core.Call) and bodies[s.function]
            self.apart[id(s)] = any(inner) or called or self._sets_apart(s)
            return self.apart[id(s)]

        for f in shader.all_functions:
            bodies[f.name] = any([visit(s) for s in f.body])

    def _sets_apart(self, s: core.Stmt) -> bool:
        match s:
            case core.If():
                return self._matters(s) and _reads_lid(s.condition)
            case core.Call():
                params = self.functions[s.function].params
                return any(p.name in self.names and _reads_lid(e) for p, e in zip(params, s.arguments))
            case _:
                in_memory = not self.names.isdisjoint(core.names_in(s, core.ARRAY_WRITTEN))
                return in_memory or (self._is_written(s) and any(map(_reads_lid, core.expressions_of(s))))


def _reads_lid(e: core.Expr) -> bool:
    return any(isinstance(part, core.Lid) for part in core.walk_expr(e))


def _barrier_loops(shader: core.Shader) -> Iterator[int]:
    """The loops in which a barrier can be reached, also through calls. Functions come before their callers."""
    with_barrier: set[str] = set()

    def reaches(s: core.Stmt) -> bool:
        return isinstance(s, core.Barrier) or (isinstance(s, core.Call) and s.function in with_barrier)

    for f in shader.all_functions:
        for s in core.walk(f.body):
            if isinstance(s, core.Loop) and any(reaches(inner) for inner in core.walk((s,))):
                yield s.id
        if any(reaches(s) for s in core.walk(f.body)):
            with_barrier.add(f.name)
