"""WGSL text -> AST, for everything that TinyWGSL can express, in any usual spelling; the rest is refused by name.

One pass over the tokens resolves names, types and desugars. A class per file, each built on the one before: `surface`,
`operators`, `expressions`, `declarations`, `desugar`, `module`, and the functions here. What `printer` prints comes
back as the AST it was. Behaviour analysis, restriction (1) and the compile-time errors of typed constants are left to
`wellformed`.

| WGSL | TinyWGSL |
| --- | --- |
| `while e {..}` | a loop that starts with `if (!e) {break}`; a double negation is dropped |
| `for (a; e; b) {..}` | `a`, then a loop as for `while`, with `b` as its continuing |
| a loop body without a final `continue` | one is appended; no `continuing` is an empty one, no `else` too |
| `else if` | an `if` in the `else` |
| `x += e`, `x++`, ... | `x = x + e`; the index of an array element is written twice |
| `let x = e`, `var x = e` | a local and `x = e` |
| `var x: T` in a loop | a local and `x = 0`: WGSL initialises it in each iteration |
| `var x = x_in`, `x_in` a parameter used nowhere else | the parameter is `x` |
| `const x = e` | each use is the value |
| `f(e)` inside an expression, `f(e);`, `_ = f(e);` | `t1 = f(e)` before the statement, and before it what comes first |
| `a && f()` | `t1 = a; if (t1) {t1 = f()}`; for a disjunction `if (!t1)` |
| a function without a result | returns 0u |
| `_ = e;` without a call, `;`, a block in a block | nothing, nothing, its statements |
| `var<workgroup> x: u32` | an array of one element |
| `local_invocation_id.x` of a workgroup (N) or (N, 1, 1) | `lid`, as `local_invocation_index` |
| an entry point of another name | `main` |
| a name used twice (restriction 2) | `x_1`, `x_2`, ... for the later ones |
| functions after their callers | sorted, otherwise as in the text (restriction 6) |
"""

import heapq
import sys
from dataclasses import dataclass
from itertools import pairwise
from typing import NoReturn

from wgsl_fuzz.tinywgsl.ast import Block, Function, Literal, Return, Shader, Variable, blocks_of
from wgsl_fuzz.tinywgsl.lexer import ParseError
from wgsl_fuzz.tinywgsl.module import FunctionText, ModuleParser
from wgsl_fuzz.tinywgsl.operators import U32
from wgsl_fuzz.tinywgsl.surface import LidEntity, PendingEntity

__all__ = ["ParseError", "ParsedShader", "parse", "parse_with_positions"]

_FRAMES = 6000
"""More stack than the deepest text that is not refused can need."""


@dataclass(frozen=True, slots=True)
class ParsedShader:
    """A shader, and where each statement stands: `positions[id(statement)]` is its line and column, both from 1.

    What desugaring adds stands where the statement stands that it was added for.
    """

    shader: Shader
    positions: dict[int, tuple[int, int]]


def parse(text: str) -> Shader:
    """The shader that `text` spells, with the canonical IDs. Raises ParseError for everything else."""
    return _parsed(text, marks=False).shader


def parse_with_positions(text: str) -> ParsedShader:
    """As `parse`, with the position of each statement."""
    return _parsed(text, marks=True)


def _parsed(text: str, *, marks: bool) -> ParsedShader:
    try:
        return _Parser(text, marks=marks).parsed()
    except RecursionError:
        # Nesting is limited, but the caller may have left us less stack than the limit needs.
        limit = sys.getrecursionlimit()
        sys.setrecursionlimit(limit + _FRAMES)
        try:
            return _Parser(text, marks=marks).parsed()
        finally:
            sys.setrecursionlimit(limit)


class _Parser(ModuleParser):
    """The whole: the module scope, then the bodies."""

    def parsed(self) -> ParsedShader:
        names = self.find_declarations()
        for name, index in names:
            if isinstance(self.env[name], PendingEntity):
                self.resolve(name, index)
        entry = self.entry
        if entry is None:
            self.fail("no @compute entry point", len(self.tokens) - 1)
        functions = [self.function(f) for f in self.in_order(self.functions)]
        shader = Shader(tuple(self.arrays), tuple(functions), self.function(entry), self.workgroup_size)
        return ParsedShader(shader, self.positions(shader) if self.marks is not None else {})

    def positions(self, shader: Shader) -> dict[int, tuple[int, int]]:
        indices: dict[int, int] = {}
        for s, index in self.marks or ():
            indices.setdefault(id(s), index)
        todo: list[tuple[Block, int]] = [(f.body, 0) for f in shader.all_functions]
        while todo:
            block, around = todo.pop()
            for s in block:
                index = indices.setdefault(id(s), around)
                todo += [(inner, index) for inner in blocks_of(s)]
        places = self.source.positions(indices.values())
        return {key: places[index] for key, index in indices.items()}

    # ----------------------------------------------------------------------------------------------- functions

    def function(self, text: FunctionText) -> Function:
        """Reads the body of a function."""
        self.open_function(text)
        scope = self.open_scope()
        for name, type, index in text.params:
            if isinstance(type, bool):
                self.bind(name, LidEntity(type, self.scope), index)
            else:
                self.params.append(Variable(self.declare(name, type, mutable=False, index=index).name, type))
        self.pos = text.start
        self.open_block()
        self.statements()
        if self.tokens[self.pos] == "continuing":
            self.fail("continuing may only end the body of a loop")
        self.expect("}")
        self.depth -= 1
        self.close_scope(scope)
        if self.void and not (self.out and isinstance(self.out[-1], Return)):
            self.out.append(Return(Literal(0, U32)))
            if self.marks is not None:
                self.marks.append((self.out[-1], self.pos - 1))  # at the closing brace
        name = "main" if text.entity is None else text.entity.name
        return Function(name, tuple(self.params), tuple(self.locals), tuple(self.out), self.result)

    def open_function(self, text: FunctionText) -> None:
        self.params, self.locals, self.out = [], [], []
        self.result = None if text.entity is None else text.entity.result
        self.void = text.entity is not None and text.entity.void
        body = self.tokens[text.start : text.end]
        self.copied_params = {
            name: i
            for i, (name, type, _) in enumerate(text.params)
            if not isinstance(type, bool) and body.count(name) == 1
        }

    def in_order(self, functions: list[FunctionText]) -> list[FunctionText]:
        """Restriction (6): each function before its callers; what is in order already stays as in the text."""
        unseen = {f.name for f in functions}
        ordered = True
        for f in functions:
            ordered = ordered and unseen.isdisjoint(self.tokens[f.start : f.end])
            unseen.discard(f.name)
        return functions if ordered else self.sorted(functions)

    def sorted(self, functions: list[FunctionText]) -> list[FunctionText]:
        """Again and again the first function in the text whose callees are all there."""
        places = {f.name: i for i, f in enumerate(functions)}
        callees = [self.callees(f, places) for f in functions]
        callers: list[list[int]] = [[] for _ in functions]
        for caller, called in enumerate(callees):
            for callee in called:
                callers[callee].append(caller)
        missing = [len(called) for called in callees]
        ready = [i for i, count in enumerate(missing) if count == 0]
        done: list[int] = []
        while ready:
            done.append(heapq.heappop(ready))
            for caller in callers[done[-1]]:
                missing[caller] -= 1
                if missing[caller] == 0:
                    heapq.heappush(ready, caller)
        if len(done) < len(functions):
            self.recursion(functions, callees, set(range(len(functions))) - set(done))
        return [functions[i] for i in done]

    def callees(self, f: FunctionText, places: dict[str, int]) -> dict[int, int]:
        """The functions called in a body, each with the token of a call."""
        body = enumerate(pairwise(self.tokens[f.start : f.end]), f.start)
        return {places[name]: index for index, (name, after) in body if after == "(" and name in places}

    def recursion(self, functions: list[FunctionText], callees: list[dict[int, int]], stuck: set[int]) -> NoReturn:
        """Fails at a call in a cycle: every function that is stuck calls another."""
        path = [min(stuck)]
        while path[-1] not in path[:-1]:
            path.append(min(stuck & callees[path[-1]].keys()))
        self.fail(f"{functions[path[-1]].name} is recursive", callees[path[-2]][path[-1]])
