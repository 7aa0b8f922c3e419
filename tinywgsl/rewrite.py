"""Rewriting shaders: where the statements and expressions of a function stand, and the function with some replaced.

Nothing here is well-formed by itself: `checked` says whether the result is, and gives it its canonical numbers.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeVar

from wgsl_fuzz.tinywgsl.ast import (
    BLOCKS,
    NODES,
    OPERANDS,
    Block,
    Continue,
    Expr,
    Function,
    If,
    Literal,
    Local,
    Loop,
    Return,
    Shader,
    Stmt,
    Type,
    blocks_of,
    expressions_of,
    is_break_if,
    operands_of,
    renumbered,
)
from wgsl_fuzz.tinywgsl.traversal import NAMES, Parts
from wgsl_fuzz.tinywgsl.wellformed import violations

_N = TypeVar("_N", Stmt, Expr)

_NAMES = NODES.parts(*NAMES)

Path = tuple[int, ...]
"""From a body to a statement: its index, or an outer statement's index, which of its blocks, and on from there."""

ExprPath = tuple[int, ...]
"""From a statement to an expression: which of `expressions_of`, then which of `operands_of`, and so on."""


class Place(NamedTuple):
    """A statement of a body, or the gap at a block's end; something may be put in front of either."""

    path: Path
    statement: Stmt | None
    """None at the end of a block."""
    in_loop: bool
    """`break` and `continue` may stand here."""
    may_return: bool
    """`return` may stand here: it is not in a `continuing`."""
    fixed: bool
    """The `continue` that ends a loop's body (restriction 3), or a `break if` (7): it stays last."""

    @property
    def nesting(self) -> int:
        """How many blocks are around it, the body not counted."""
        return len(self.path) // 2


def places(body: Block) -> list[Place]:
    """Every place of a body, in source order; none behind a fixed last statement, or inside a `break if`."""
    found: list[Place] = []
    _collect(body, (), True, False, None, found)
    return found


def _collect(
    ss: Block, prefix: Path, may_return: bool, in_loop: bool, last: type[Stmt] | None, found: list[Place]
) -> None:
    """`last` is the class of a statement that is fixed at the end of this block."""
    for i, s in enumerate(ss):
        path = (*prefix, i)
        if i == len(ss) - 1 and last is not None and isinstance(s, last) and (last is Continue or is_break_if(s)):
            found.append(Place(path, s, in_loop, may_return, True))
            return
        found.append(Place(path, s, in_loop, may_return, False))
        if isinstance(s, Loop):
            _collect(s.body, (*path, 0), may_return, True, Continue, found)
            _collect(s.continuing, (*path, 1), False, False, If, found)
        else:
            for j, inner in enumerate(blocks_of(s)):
                _collect(inner, (*path, j), may_return, in_loop, None, found)
    found.append(Place((*prefix, len(ss)), None, in_loop, may_return, False))


# ------------------------------------------------------------------------------------------------------ statements


def block_at(body: Block, path: Path) -> Block:
    """The block in which the statement or gap at `path` stands."""
    for i in range(0, len(path) - 1, 2):
        body = blocks_of(body[path[i]])[path[i + 1]]
    return body


def spliced(body: Block, path: Path, count: int, new: Block) -> Block:
    """The body with `count` statements from `path` on replaced by `new`; 0 of them: `new` is put in front."""
    i = path[0]
    if len(path) == 1:
        return (*body[:i], *new, *body[i + count :])
    blocks = list(blocks_of(body[i]))
    blocks[path[1]] = spliced(blocks[path[1]], path[2:], count, new)
    return (*body[:i], with_blocks(body[i], blocks), *body[i + 1 :])


def with_blocks(s: Stmt, blocks: Sequence[Block]) -> Stmt:
    """`s` with other blocks, as many as `blocks_of` gives."""
    new: Stmt = BLOCKS.put[s.__class__](s, blocks)
    return new


def paths(body: Block, prefix: Path = ()) -> Iterator[Path]:
    """The way to every statement of a body, in the order of `walk`."""
    for i, s in enumerate(body):
        yield (*prefix, i)
        for j, block in enumerate(blocks_of(s)):
            yield from paths(block, (*prefix, i, j))


def edited_inside(ss: Block, i: int, edit: Callable[[Block], Iterator[Block]]) -> Iterator[Block]:
    """The block with one of the blocks of its i-th statement replaced, by each of those that `edit` makes of it."""
    blocks = blocks_of(ss[i])
    for j, block in enumerate(blocks):
        for new in edit(block):
            yield (*ss[:i], with_blocks(ss[i], (*blocks[:j], new, *blocks[j + 1 :])), *ss[i + 1 :])


def edited(ss: Block, edit: Callable[[Block, int], Iterator[Block]]) -> Iterator[Block]:
    """Every block that `edit` makes of one by a statement's index, here and in the blocks inside, in source order."""
    for i in range(len(ss)):
        yield from edit(ss, i)
        yield from edited_inside(ss, i, lambda block: edited(block, edit))


def rewritten(ss: Block, change: Callable[[Stmt], Block]) -> Block:
    """The block with every statement replaced by what `change` makes of it, inner statements first.

    A statement without blocks is given to `change` as the object that it is.
    """
    out: list[Stmt] = []
    for s in ss:
        inner = blocks_of(s)
        out.extend(change(with_blocks(s, [rewritten(block, change) for block in inner]) if inner else s))
    return tuple(out)


# ----------------------------------------------------------------------------------------------------- expressions


def occurrences(s: Stmt) -> Iterator[tuple[ExprPath, Expr]]:
    """Every expression directly in a statement and inside those, outer first, with the way to it."""
    for i, e in enumerate(expressions_of(s)):
        yield from _inside(e, (i,))


def _inside(e: Expr, path: ExprPath) -> Iterator[tuple[ExprPath, Expr]]:
    yield path, e
    for i, operand in enumerate(operands_of(e)):
        yield from _inside(operand, (*path, i))


def with_expressions(s: Stmt, es: Sequence[Expr]) -> Stmt:
    """`s` with other expressions, as many as `expressions_of` gives."""
    new: Stmt = OPERANDS.put[s.__class__](s, es)
    return new


def with_expression(s: Stmt, i: int, new: Expr) -> Stmt:
    """`s` with its i-th expression replaced."""
    es = expressions_of(s)
    return with_expressions(s, (*es[:i], new, *es[i + 1 :]))


def with_operands(e: Expr, es: Sequence[Expr]) -> Expr:
    """`e` with other operands, as many as `operands_of` gives."""
    new: Expr = OPERANDS.put[e.__class__](e, es)
    return new


def with_operand(e: Expr, i: int, new: Expr) -> Expr:
    """`e` with its i-th operand replaced."""
    es = operands_of(e)
    return with_operands(e, (*es[:i], new, *es[i + 1 :]))


def with_expression_at(s: Stmt, path: ExprPath, new: Expr) -> Stmt:
    """`s` with the expression at `path` replaced."""
    i = path[0]
    return with_expression(s, i, _with_operand_at(expressions_of(s)[i], path[1:], new))


def _with_operand_at(e: Expr, path: ExprPath, new: Expr) -> Expr:
    if not path:
        return new
    i = path[0]
    return with_operand(e, i, _with_operand_at(operands_of(e)[i], path[1:], new))


def mapped(e: Expr, change: Callable[[Expr], Expr | None]) -> Expr:
    """`e` with every outermost expression for which `change` gives one replaced by it; `e` itself if there is none."""
    new = change(e)
    if new is not None:
        return new
    for i, operand in enumerate(operands_of(e)):
        inner = mapped(operand, change)
        if inner is not operand:
            e = with_operand(e, i, inner)
    return e


def with_local(e: Expr, name: str, value: Expr) -> Expr:
    """`e` with `value` wherever the local is read."""
    return mapped(e, lambda inner: value if isinstance(inner, Local) and inner.name == name else None)


def with_mapped_expressions(s: Stmt, change: Callable[[Expr], Expr | None]) -> Stmt:
    """`s` with all its own expressions `mapped`, itself if none changes; blocks inside stay as they are."""
    for i, e in enumerate(expressions_of(s)):
        new = mapped(e, change)
        if new is not e:
            s = with_expression(s, i, new)
    return s


# ----------------------------------------------------------------------------------------------- names and shaders


def names_of(shader: Shader) -> set[str]:
    """Every name declared in a shader: what a fresh name must avoid, with `lid`."""
    names = {"lid"} | {a.name for a in shader.arrays}
    for f in shader.all_functions:
        names |= {f.name, *[v.name for v in f.params], *[v.name for v in f.locals]}
    return names


def with_names(ss: Block, names: Mapping[str, str]) -> Block:
    """The block with every local, array and called function that `names` knows renamed, wherever it is used."""

    def expression(e: Expr) -> Expr:
        operands = operands_of(e)
        return own(with_operands(e, [expression(operand) for operand in operands]) if operands else e)

    def own(node: _N) -> _N:
        get = _NAMES.get[node.__class__]
        return node if get is None else _NAMES.put[node.__class__](node, [names.get(x, x) for x in get(node)])

    def statement(s: Stmt) -> Block:
        es = expressions_of(s)
        return (own(with_expressions(s, [expression(e) for e in es]) if es else s),)

    return rewritten(ss, statement)


def with_names_as(node: _N, names: Parts, new: Sequence[str]) -> _N:
    """A statement or an expression with other names of its own, as many as `names_in` gives."""
    return names.put[node.__class__](node, new)  # type: ignore[no-any-return]


def zero(type: Type) -> Literal:
    """The value with which locals start."""
    return Literal(False if type is Type.BOOL else 0, type)


def one(type: Type) -> Literal:
    """One, or true."""
    return Literal(True if type is Type.BOOL else 1, type)


def with_function(shader: Shader, i: int, f: Function) -> Shader:
    """The shader with its i-th function (of `all_functions`) replaced."""
    functions, main = shader.functions, shader.main
    if i == len(functions):
        main = f
    else:
        functions = (*functions[:i], f, *functions[i + 1 :])
    return Shader(shader.arrays, functions, main, shader.workgroup_size)  # `replace` is slow


def with_body(shader: Shader, i: int, body: Block) -> Shader:
    """The shader with the body of its i-th function replaced."""
    f = shader.main if i == len(shader.functions) else shader.functions[i]
    return with_function(shader, i, Function(f.name, f.params, f.locals, body, f.result))


class Site(NamedTuple):
    """A place of a shader's i-th function."""

    function: int
    place: Place

    @property
    def statement(self) -> Stmt:
        """The statement at the place, which is not the end of a block."""
        assert self.place.statement is not None, "the caller wants sites of statements"
        return self.place.statement


def sites(shader: Shader) -> list[Site]:
    """Every place of every function, in the order of `all_functions`."""
    return [site for i, f in enumerate(shader.all_functions) for site in _sites_of(i, f.body)]


def _sites_of(i: int, body: Block) -> list[Site]:
    """The sites of the i-th function: edits leave the other bodies, and the parents of mutations stay for long."""
    known = _SITES.get((i, id(body)))
    if known is None:
        if len(_SITES) >= REMEMBERED:
            _SITES.clear()
        known = _SITES[i, id(body)] = body, [Site(i, place) for place in places(body)]
    return known[1]


REMEMBERED = 512
"""Of how many bodies the sites are kept."""
_SITES: dict[tuple[int, int], tuple[Block, list[Site]]] = {}
"""By the function's index and the `id` of its body, which lives on here, so that no other one gets it."""


def with_spliced(shader: Shader, i: int, path: Path, count: int, new: Block) -> Shader:
    """The shader with `count` statements from `path` on in its i-th function replaced, as by `spliced`."""
    return with_body(shader, i, spliced(shader.all_functions[i].body, path, count, new))


def with_spliced_site(shader: Shader, site: Site, count: int, *new: Stmt) -> Shader:
    """The same, from a site on."""
    return with_spliced(shader, site.function, site.place.path, count, new)


def checked(before: Shader, after: Shader) -> Shader | None:
    """`after` in canonical numbers, or None if it is not well-formed (its `main` may return).

    `before` is well-formed, and `after` has its signatures, arrays and order, or more of them: function objects that
    both share are not looked at again, which is what makes this cheaper than `violations` of the whole.
    """
    known = {id(f) for f in before.all_functions}
    numbered = renumbered(after)
    pairs = zip(after.all_functions, numbered.all_functions, strict=True)
    kept = [_stub(new) if id(f) in known else new for f, new in pairs]
    return None if violations(numbered.with_functions(kept), main_may_return=True) else numbered


def _stub(f: Function) -> Function:
    body = () if f.result is None else (Return(zero(f.result)),)
    return Function(f.name, f.params, f.locals, body, f.result)
