"""Well-formedness of TinyWGSL: the seven restrictions of section 3.2 and what WGSL adds (docs/paper-notes.md, note 5).

Restriction (5), a `continuing` has its loop's ID, holds by construction: the two are one node.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import assert_never

from wgsl_fuzz.oracle.core import behaviour_faults
from wgsl_fuzz.tinywgsl import ast
from wgsl_fuzz.tinywgsl.constants import index_refusal, refusals
from wgsl_fuzz.tinywgsl.values import I32_MAX, I32_MIN, U32_MAX
from wgsl_fuzz.wgsl.lexer import KEYWORDS, RESERVED
from wgsl_fuzz.wgsl.lower.output import HIDING, HIDING_IN_MODULE

MAX_NESTING = 100
"""Blocks within blocks; Tint gives up at about 130."""

MAX_THREADS = 256
"""The limit of WebGPU on a workgroup's threads; `Val` holds their IDs (section 3.1)."""


@dataclass(frozen=True, slots=True)
class Violation:
    """One breach: the rule (`restriction 1` ... `restriction 7`, `wgsl`), what is wrong, and the statement if any."""

    rule: str
    message: str
    statement: ast.Stmt | None = None

    def __str__(self) -> str:
        return f"{self.message} ({self.rule})"


def violations(shader: ast.Shader, *, main_may_return: bool = False) -> list[Violation]:
    """Every breach of the rules by `shader`, in no particular order; empty if it is well-formed.

    `main_may_return` drops restriction (1), as WGSL itself and the paper's Fig. 10 do (docs/paper-notes.md, note 6).
    """
    found = [] if main_may_return else list(_restriction_1(shader.main))
    found += _restriction_2(shader)
    for f in shader.all_functions:
        found += _restriction_3(f)
        found += _places(f.body, in_loop=False, depth=1)
    found += _restriction_4(shader)
    found += _restriction_6(shader)
    found += [Violation("wgsl", message, s) for message, s in type_errors(shader)]
    if not found:  # behaviours need statements in their right places
        found += behaviour_violations(shader)
    return found + list(_declarations(shader))


def _restriction_1(main: ast.Function) -> Iterator[Violation]:
    """(1) `main` has no `return` and ends in a barrier."""
    for s in ast.walk(main.body):
        if isinstance(s, ast.Return):
            yield Violation("restriction 1", "main contains a return", s)
    if not main.body or not isinstance(main.body[-1], ast.Barrier):
        yield Violation("restriction 1", "main does not end in a barrier")


def _restriction_2(shader: ast.Shader) -> Iterator[Violation]:
    """(2) The locals of distinct functions, parameters included, are disjoint."""
    owner: dict[str, str] = {"lid": "main"}
    for f in shader.all_functions:
        for v in (*f.params, *f.locals):
            if v.name in owner:
                yield Violation("restriction 2", f"{v.name} is a local of {owner[v.name]} and of {f.name}")
            owner[v.name] = f.name


def _restriction_3(f: ast.Function) -> Iterator[Violation]:
    """(3) The body of every loop ends with a `continue`."""
    for s in ast.walk(f.body):
        if isinstance(s, ast.Loop) and (not s.body or not isinstance(s.body[-1], ast.Continue)):
            yield Violation("restriction 3", "the body of a loop does not end with a continue", s)


def _restriction_4(shader: ast.Shader) -> Iterator[Violation]:
    """(4) The IDs of barrier, continue, loop and call statements are all distinct."""
    seen: set[int] = set()
    for f in shader.all_functions:
        for s in ast.walk(f.body):
            id = ast.id_of(s)
            if id in seen:
                yield Violation("restriction 4", f"the ID {id} is used twice", s)
            if id is not None:
                seen.add(id)


def _restriction_6(shader: ast.Shader) -> Iterator[Violation]:
    """(6) Every function is declared before all of its callers."""
    declared: set[str] = set()
    for f in shader.all_functions:
        for s in ast.walk(f.body):
            if isinstance(s, ast.Call) and s.function not in declared:
                yield Violation("restriction 6", f"{f.name} calls {s.function}, which is not declared before it", s)
        declared.add(f.name)


def _places(ss: ast.Block, *, in_loop: bool, depth: int) -> Iterator[Violation]:
    """`break` and `continue` stand in loops, and blocks are not nested too deeply."""
    if depth > MAX_NESTING:
        yield Violation("wgsl", f"more than {MAX_NESTING} nested blocks")
        return
    for s in ss:
        if isinstance(s, (ast.Break, ast.Continue)) and not in_loop:
            yield Violation("wgsl", f"a {type(s).__name__.lower()} outside a loop", s)
        if isinstance(s, ast.Loop):
            yield from _restriction_7(s, depth)
            yield from _places(s.body, in_loop=True, depth=depth + 1)
        else:
            for inner in ast.blocks_of(s):
                yield from _places(inner, in_loop=in_loop, depth=depth + 1)


def _outside_loops(block: ast.Block) -> Iterator[ast.Stmt]:
    """The statements of a block without what is inside loops."""
    for s in block:
        yield s
        if not isinstance(s, ast.Loop):
            for inner in ast.blocks_of(s):
                yield from _outside_loops(inner)


def _restriction_7(loop: ast.Loop, depth: int) -> Iterator[Violation]:
    """(7) In a `continuing`, break only as a final `if (e) {break} else {}` or in an inner loop; never a return."""
    ss = loop.continuing
    if ss and ast.is_break_if(ss[-1]):
        ss = ss[:-1]
    for s in _outside_loops(ss):
        if isinstance(s, (ast.Break, ast.Continue)):
            yield Violation("restriction 7", f"a {type(s).__name__.lower()} leaves a continuing", s)
    for s in ast.walk(loop.continuing):
        if isinstance(s, ast.Return):
            yield Violation("restriction 7", "a return in a continuing", s)
    yield from _places(ss, in_loop=True, depth=depth + 1)


def behaviour_violations(shader: ast.Shader) -> list[Violation]:
    """The part of `violations` that lowering leaves open: whether every loop, function and thread can get on."""
    return [Violation("wgsl", message, s) for message, s in behaviour_faults(shader)]


_UNUSABLE = KEYWORDS | RESERVED | HIDING


def _is_name(name: str) -> bool:
    return name.isidentifier() and name != "_" and not name.startswith("__")


def _declarations(shader: ast.Shader) -> Iterator[Violation]:
    """WGSL: names are identifiers, not keywords, and unique in their scope; sizes are in range."""
    module_names = {a.name for a in shader.arrays} | {f.name for f in shader.all_functions}
    local_names = {v.name for f in shader.all_functions for v in (*f.params, *f.locals)}
    for name in sorted(local_names & module_names):
        yield Violation("wgsl", f"the local {name} has the name of a function or a shared array")
    unusable = (module_names & HIDING_IN_MODULE) | ((module_names | local_names) & _UNUSABLE)
    unusable |= {name for name in module_names | local_names if not _is_name(name)}
    for name in sorted(unusable):
        yield Violation("wgsl", f"{name!r} is not a usable name")
    if len(module_names) < len(shader.arrays) + len(shader.functions) + 1:
        yield Violation("wgsl", "two functions or shared arrays have the same name")
    if not 1 <= shader.workgroup_size <= MAX_THREADS:
        yield Violation("wgsl", f"the workgroup size {shader.workgroup_size} is not in 1..{MAX_THREADS}")
    for a in shader.arrays:
        if a.space is ast.Space.STORAGE and a.type is ast.Type.BOOL:
            yield Violation("wgsl", f"{a.name}: booleans cannot be shared with the host")
        if a.size < (1 if a.space is ast.Space.WORKGROUP else 0):
            yield Violation("wgsl", f"{a.name} has no size")
    for f in shader.functions:
        if any(isinstance(e, ast.Lid) for e in ast.expressions_in(f.body)):
            yield Violation("wgsl", f"{f.name} reads lid, which is a parameter of main")


# -------------------------------------------------------------------------------------------------------------- types

TypeError_ = tuple[str, ast.Stmt]
"""A message and the statement it is about."""


def type_errors(shader: ast.Shader) -> Iterator[TypeError_]:
    """Every statement that is not well typed, or that a compiler refuses to evaluate, with the reason."""
    signatures = {f.name: f for f in shader.functions}
    arrays = {a.name: (a.type, a.size) for a in shader.arrays}
    sizes = {a.name: a.size for a in shader.arrays}
    for f in shader.all_functions:
        scope = {v.name: v.type for v in (*f.params, *f.locals)}
        for s in ast.walk(f.body):
            for e in ast.expressions_of(s):
                messages: list[str] = []
                _expression(e, scope, arrays, messages)
                for message in messages + refusals(e, sizes):
                    yield message, s
            for message in _statement(s, f, scope, arrays, signatures):
                yield message, s


_Scope = dict[str, ast.Type]
_Arrays = dict[str, tuple[ast.Type, int]]


def _expression(e: ast.Expr, scope: _Scope, arrays: _Arrays, found: list[str]) -> None:
    """Appends what is wrong in an expression, innermost first."""
    for operand in ast.operands_of(e):
        _expression(operand, scope, arrays, found)
    match e:
        case ast.Literal():
            if not _in_range(e):
                found.append(f"{e.value} is no {e.type.value}")
        case ast.Local():
            if scope.get(e.name) is not e.type:
                found.append(f"{e.name} is not declared as {e.type.value}")
        case ast.SharedRead():
            if e.array not in arrays or arrays[e.array][0] is not e.type:
                found.append(f"{e.array} is not declared as an array of {e.type.value}")
            if ast.type_of(e.index) is ast.Type.BOOL:
                found.append(f"the index of {e.array} is bool")
        case ast.Unary():
            allowed = {"!": {ast.Type.BOOL}, "-": {ast.Type.I32}, "~": {ast.Type.U32, ast.Type.I32}}.get(e.op, set())
            if ast.type_of(e.operand) not in allowed:
                found.append(f"{e.op} does not take {ast.type_of(e.operand).value}")
        case ast.Binary():
            if not _operands_fit(e):
                found.append(f"{e.op} does not take {ast.type_of(e.left).value} and {ast.type_of(e.right).value}")
        case ast.Lid() | ast.Convert():
            pass
        case _:
            assert_never(e)


def _in_range(e: ast.Literal) -> bool:
    match e.type:
        case ast.Type.BOOL:
            return isinstance(e.value, bool)
        case ast.Type.U32:
            return not isinstance(e.value, bool) and 0 <= e.value <= U32_MAX
        case ast.Type.I32:
            return not isinstance(e.value, bool) and I32_MIN <= e.value <= I32_MAX


def _operands_fit(e: ast.Binary) -> bool:
    left, right = ast.type_of(e.left), ast.type_of(e.right)
    if e.op in ast.SHIFTS:
        return left is not ast.Type.BOOL and right is ast.Type.U32
    if left is not right:
        return False
    if e.op in ast.LOGICAL:
        return left is ast.Type.BOOL
    if e.op in ast.ARITHMETIC or e.op == "^" or e.op in ast.COMPARISONS - {"==", "!="}:
        return left is not ast.Type.BOOL
    return e.op in ast.BITWISE or e.op in ("==", "!=")


def _statement(
    s: ast.Stmt, f: ast.Function, scope: _Scope, arrays: _Arrays, signatures: dict[str, ast.Function]
) -> Iterator[str]:
    match s:
        case ast.Assign():
            if scope.get(s.name) is not ast.type_of(s.value):
                yield f"{s.name} cannot be assigned a {ast.type_of(s.value).value}"
        case ast.SharedAssign():
            element, size = arrays.get(s.array, (None, 0))
            if element is not ast.type_of(s.value):
                yield f"an element of {s.array} cannot be assigned a {ast.type_of(s.value).value}"
            if ast.type_of(s.index) is ast.Type.BOOL:
                yield f"the index of {s.array} is bool"
            elif why := index_refusal(s.index, size):
                yield why
        case ast.If():
            if ast.type_of(s.condition) is not ast.Type.BOOL:
                yield "a condition is not bool"
        case ast.Call():
            yield from _call(s, scope, signatures)
        case ast.Return(value):
            if (None if value is None else ast.type_of(value)) is not f.result:
                yield f"{f.name} does not return this type"
        case ast.Loop() | ast.Barrier() | ast.Continue() | ast.Break():
            pass
        case _:
            assert_never(s)


def _call(s: ast.Call, scope: _Scope, signatures: dict[str, ast.Function]) -> Iterator[str]:
    callee = signatures.get(s.function)
    if callee is None:
        yield f"{s.function} is not a function"
        return
    if [v.type for v in callee.params] != [ast.type_of(e) for e in s.arguments]:
        yield f"{s.function} does not take these arguments"
    if scope.get(s.name) is not callee.result:
        yield f"{s.name} cannot be assigned the result of {s.function}"
