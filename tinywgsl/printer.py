"""AST -> WGSL text that every correct front end accepts, one statement a line.

The canonical form, which `parser.parse` maps back to the same AST:
- locals are declared at the top of their function; an assigned parameter `p` is printed as `p_in`, with `var p = p_in`;
- nested binary expressions are parenthesised, so that no precedence rule of WGSL matters;
- an empty `else` and an empty `continuing` are left out, the `continue` at the end of a loop's body is not;
- `if (e) {break} else {}` at the end of a `continuing` is `break if e` (restriction 7).
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from wgsl_fuzz.tinywgsl import ast as core
from wgsl_fuzz.tinywgsl.values import I32_MIN

_U32, _BOOL = core.Type.U32, core.Type.BOOL  # members are slow to look up
_TYPES = {id(t): t.value for t in core.Type}  # by identity: an enumeration's own hash is slow


def print_shader(shader: core.Shader) -> str:
    """The WGSL text of a well-formed shader."""
    return "\n".join(_Text().shader(shader)) + "\n"


# ---------------------------------------------------------------------------------------------------- expressions


def print_expr(e: core.Expr) -> str:
    """The WGSL text of an expression, without parentheses around it."""
    return _EXPRESSIONS[e.__class__](e)


def _literal(e: core.Literal) -> str:
    if e.type is _U32:
        return f"{e.value}u"
    if e.type is _BOOL:
        return "true" if e.value else "false"
    # `-2147483648i` is a minus before a literal that does not fit; as an abstract integer it does.
    return f"{e.value}i" if e.value != I32_MIN else f"i32({I32_MIN})"


def _binary(e: core.Binary) -> str:
    # Most operands are locals: the look-up is not needed for them.
    left, right = e.left, e.right
    return (
        f"{left.name if left.__class__ is core.Local else _operand(left)} {e.op} "
        f"{right.name if right.__class__ is core.Local else _operand(right)}"
    )


def _shared_read(e: core.SharedRead) -> str:
    return f"{e.array}[{print_expr(e.index)}]"


def _unary(e: core.Unary) -> str:
    # `--x` is a token of its own, and `-5i` is a literal.
    operand = e.operand
    bare = isinstance(operand, (core.Local, core.Lid, core.SharedRead, core.Convert)) or (
        isinstance(operand, core.Literal) and (operand.type is _BOOL or operand.value == I32_MIN)
    )
    return f"{e.op}{print_expr(operand)}" if bare else f"{e.op}({print_expr(operand)})"


def _convert(e: core.Convert) -> str:
    return f"{_TYPES[id(e.type)]}({_operand(e.operand)})"


def _operand(e: core.Expr) -> str:
    # A call's arguments need this too: `f(a < b, c > (d))` reads as a template list.
    return f"({_binary(e)})" if e.__class__ is core.Binary else _EXPRESSIONS[e.__class__](e)


_EXPRESSIONS: dict[type, Callable[[Any], str]] = {
    core.Literal: _literal,
    core.Local: lambda e: e.name,
    core.Lid: lambda _: "lid",
    core.Binary: _binary,
    core.SharedRead: _shared_read,
    core.Unary: _unary,
    core.Convert: _convert,
}


# ----------------------------------------------------------------------------------------------------- statements


def assigned_parameters(f: core.Function) -> list[str]:
    """The names of the parameters that are copied because they are assigned, in order."""
    if not f.params:
        return []
    names = {v.name for v in f.params}
    assigned = names.intersection(core.names_in_block(f.body, core.ASSIGNED))
    return [v.name for v in f.params if v.name in assigned]


def copy_name(parameter: str) -> str:
    """The name of a parameter whose own is that of its copy, if nothing else has that name."""
    return f"{parameter}_in"


def _call(s: core.Call) -> str:
    return f"{s.name} = {s.function}({', '.join([_operand(e) for e in s.arguments])});"


def _return(s: core.Return) -> str:
    return "return;" if s.value is None else f"return {print_expr(s.value)};"


_SIMPLE: dict[type, Callable[[Any], str]] = {
    core.Assign: lambda s: f"{s.name} = {print_expr(s.value)};",
    core.SharedAssign: lambda s: f"{s.array}[{print_expr(s.index)}] = {print_expr(s.value)};",
    core.Call: _call,
    core.Barrier: lambda _: "workgroupBarrier();",
    core.Continue: lambda _: "continue;",
    core.Break: lambda _: "break;",
    core.Return: _return,
}
"""The text of statements without blocks."""


class _Text:
    """Makes the lines of a text."""

    __slots__ = ()

    def shader(self, shader: core.Shader) -> list[str]:
        lines = array_lines(shader.arrays)
        for f, copies in copies_of(shader):
            if lines:
                lines.append("")
            lines += self.function(f, copies)
        if lines:
            lines.append("")
        lines += main_head(shader.workgroup_size)
        lines += [declaration(v) for v in shader.main.locals]
        self.block(shader.main.body, "  ", lines)
        lines.append("}")
        return lines

    def function(self, f: core.Function, copies: Mapping[str, str]) -> list[str]:
        params = ", ".join([f"{copies.get(v.name, v.name)}: {_TYPES[id(v.type)]}" for v in f.params])
        result = f" -> {_TYPES[id(f.result)]}" if f.result else ""
        lines = [f"fn {f.name}({params}){result} {{"]
        if copies:
            lines += [f"  var {v.name}: {_TYPES[id(v.type)]} = {copies[v.name]};" for v in f.params if v.name in copies]
        lines += [declaration(v) for v in f.locals]
        self.block(f.body, "  ", lines)
        lines.append("}")
        return lines

    def block(self, ss: core.Block, indent: str, lines: list[str]) -> None:
        for s in ss:
            cls = s.__class__
            simple = _SIMPLE.get(cls)
            if simple is not None:
                lines.append(indent + simple(s))
            elif cls is core.If:
                self.conditional(s, indent, lines)  # type: ignore[arg-type]
            else:
                self.loop(s, indent, lines)  # type: ignore[arg-type]

    def conditional(self, s: core.If, indent: str, lines: list[str]) -> None:
        lines.append(f"{indent}if ({print_expr(s.condition)}) {{")
        inner = indent + "  "
        self.block(s.then, inner, lines)
        if s.orelse:
            lines.append(indent + "} else {")
            self.block(s.orelse, inner, lines)
        lines.append(indent + "}")

    def loop(self, s: core.Loop, indent: str, lines: list[str]) -> None:
        inner = indent + "  "
        lines.append(indent + "loop {")
        self.block(s.body, inner, lines)
        if s.continuing:
            lines.append(inner + "continuing {")
            last = s.continuing[-1]
            if isinstance(last, core.If) and core.is_break_if(last):
                self.block(s.continuing[:-1], inner + "  ", lines)
                lines.append(f"{inner}  break if {print_expr(last.condition)};")
            else:
                self.block(s.continuing, inner + "  ", lines)
            lines.append(inner + "}")
        lines.append(indent + "}")


# --------------------------------------------------------------------------------------------------- declarations


def array_lines(arrays: Sequence[core.SharedArray]) -> list[str]:
    """The declarations of shared arrays, with the bindings 0, 1, ... of those in storage."""
    lines, binding = [], 0
    for a in arrays:
        element = f"array<{a.type.value}, {a.size}>" if a.size else f"array<{a.type.value}>"
        if a.space is core.Space.STORAGE:
            lines.append(f"@group(0) @binding({binding}) var<storage, read_write> {a.name}: {element};")
            binding += 1
        else:
            lines.append(f"var<workgroup> {a.name}: {element};")
    return lines


def main_head(workgroup_size: int) -> list[str]:
    """What stands before the body of `main`."""
    return [f"@compute @workgroup_size({workgroup_size})", "fn main(@builtin(local_invocation_index) lid: u32) {"]


def declaration(v: core.Variable) -> str:
    """The line that declares a local."""
    return f"  var {v.name}: {_TYPES[id(v.type)]};"


def copies_of(shader: core.Shader) -> list[tuple[core.Function, dict[str, str]]]:
    """Each function but `main`, with the names of the copied parameters: unlike all other names."""
    assigned = [(f, assigned_parameters(f)) for f in shader.functions]
    if not any([names for _, names in assigned]):
        return [(f, {}) for f in shader.functions]
    taken = {v.name for f in shader.all_functions for v in (*f.params, *f.locals)}
    taken |= {a.name for a in shader.arrays} | {f.name for f in shader.functions}
    return [(f, {name: fresh_name(copy_name(name), taken) for name in names}) for f, names in assigned]


def fresh_name(wish: str, taken: set[str]) -> str:
    """`wish`, or `wish_1`, `wish_2`, ... : the first that is not in `taken`, to which it is added."""
    name, count = wish, 0
    while name in taken:
        count += 1
        name = f"{wish}_{count}"
    taken.add(name)
    return name
