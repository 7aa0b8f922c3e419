"""What can influence control flow: the part of a state that exploring a shader must tell apart.

A backward slice, flow-insensitive and by name (restriction 2 makes names unique). What is left out of it is executed
all the same, but neither compared nor chosen: no barrier is reached otherwise for it.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from wgsl_fuzz.oracle.dynamics.states import AtomicUpdate
from wgsl_fuzz.tinywgsl.ast import (
    ARRAY_WRITTEN,
    NODES,
    WRITTEN,
    Barrier,
    Block,
    Call,
    Expr,
    Function,
    If,
    Lid,
    Loop,
    Return,
    Shader,
    Stmt,
    blocks_of,
    expressions_of,
    names_in,
    names_in_expr,
    walk,
    walk_expr,
)
from wgsl_fuzz.tinywgsl.traversal import Holds

_READ = NODES.parts(Holds.READ, Holds.ARRAY_READ)


@dataclass(frozen=True, slots=True)
class Relevance:
    """The locals and arrays whose values can influence control flow, and the loops whose history a barrier can show."""

    names: frozenset[str]
    barrier_loops: frozenset[int]
    setting_apart: frozenset[int]
    """By `id()`: statements that can make equal threads differ: they or what they contain or call let `lid` influence
    control flow, or write to an array that does. Equal threads that are to execute no such statement do the same."""


def relevance(shader: Shader) -> Relevance:
    """The slice of a well-formed shader."""
    slicer = _Slicer(shader)
    slicer.find_setting_apart(shader)
    return Relevance(
        frozenset(slicer.names),
        frozenset(_barrier_loops(shader)),
        frozenset(s for s, does in slicer.apart.items() if does),
    )


def read_by(s: Stmt) -> Iterator[str]:
    """The locals and arrays that the expressions of a statement itself read, and what an atomic update replaces."""
    if isinstance(s, AtomicUpdate):
        yield s.array
    for e in expressions_of(s):
        yield from names_in_expr(e, _READ)


class _Slicer:
    """A least fixpoint: statements that matter make what they read matter, and that makes more statements matter."""

    def __init__(self, shader: Shader) -> None:
        self.functions = {f.name: f for f in shader.functions}
        self.names: set[str] = set()
        self.results: set[str] = set()
        """Functions whose result matters."""
        self.apart: dict[int, bool] = {}
        before = -1
        while before != len(self.names) + len(self.results):
            before = len(self.names) + len(self.results)
            for f in shader.all_functions:
                self._visit(f)

    def _visit(self, f: Function) -> None:
        for s in walk(f.body):
            match s:
                case If():
                    needed = self._matters(s)
                case Call():
                    self._visit_call(s)
                    needed = False
                case Return():
                    needed = f.name in self.results
                case _:
                    needed = self._is_written(s)
            if needed:
                self.names.update(read_by(s))

    def _is_written(self, s: Stmt) -> bool:
        """Whether `s` itself assigns or writes a name that matters."""
        return not self.names.isdisjoint(names_in(s, WRITTEN))

    def _visit_call(self, s: Call) -> None:
        if s.name in self.names:
            self.results.add(s.function)
        for p, e in zip(self.functions[s.function].params, s.arguments):
            if p.name in self.names:
                self.names.update(names_in_expr(e, _READ))

    def _matters(self, s: Stmt) -> bool:
        """Whether skipping `s` could lead to other barriers; jumps and loops (they may not end) always count."""
        match s:
            case If():
                return any(self._matters(inner) for block in blocks_of(s) for inner in block)
            case Call():
                return s.name in self.names or self._body_matters(self.functions[s.function].body)
            case _:
                return not names_in(s, WRITTEN) or self._is_written(s)

    def _body_matters(self, body: Block) -> bool:
        inner = body[:-1] if body and isinstance(body[-1], Return) else body
        return any(self._matters(s) for s in inner)

    def find_setting_apart(self, shader: Shader) -> None:
        """Fills `apart`, callees before callers."""
        bodies: dict[str, bool] = {}

        def visit(s: Stmt) -> bool:
            inner = [visit(inner) for block in blocks_of(s) for inner in block]
            called = isinstance(s, Call) and bodies[s.function]
            self.apart[id(s)] = any(inner) or called or self._sets_apart(s)
            return self.apart[id(s)]

        for f in shader.all_functions:
            bodies[f.name] = any([visit(s) for s in f.body])

    def _sets_apart(self, s: Stmt) -> bool:
        match s:
            case If():
                return self._matters(s) and _reads_lid(s.condition)
            case Call():
                params = self.functions[s.function].params
                return any(p.name in self.names and _reads_lid(e) for p, e in zip(params, s.arguments))
            case _:
                in_memory = not self.names.isdisjoint(names_in(s, ARRAY_WRITTEN))
                return in_memory or (self._is_written(s) and any(map(_reads_lid, expressions_of(s))))


def _reads_lid(e: Expr) -> bool:
    return any(isinstance(part, Lid) for part in walk_expr(e))


def _barrier_loops(shader: Shader) -> Iterator[int]:
    """The loops in which a barrier can be reached, also through calls. Functions come before their callers."""
    with_barrier: set[str] = set()

    def reaches(s: Stmt) -> bool:
        return isinstance(s, Barrier) or (isinstance(s, Call) and s.function in with_barrier)

    for f in shader.all_functions:
        for s in walk(f.body):
            if isinstance(s, Loop) and any(reaches(inner) for inner in walk((s,))):
                yield s.id
        if any(reaches(s) for s in walk(f.body)):
            with_barrier.add(f.name)
