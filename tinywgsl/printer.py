"""AST -> WGSL text that every correct front end accepts, one statement a line.

The canonical form, which `parser.parse` maps back to the same AST:
- locals are declared at the top of their function; an assigned parameter `p` is printed as `p_in`, with `var p = p_in`;
- nested binary expressions are parenthesised, so that no precedence rule of WGSL matters;
- an empty `else` and an empty `continuing` are left out, the `continue` at the end of a loop's body is not;
- `if (e) {break} else {}` at the end of a `continuing` is `break if e` (restriction 7).

The `tacit` form, for people, leaves that last `continue` out wherever `parse` adds it again.
"""

from dataclasses import dataclass
from typing import assert_never

from wgsl_fuzz.tinywgsl.ast import (
    ASSIGNED,
    Assign,
    Barrier,
    Binary,
    Block,
    Break,
    Call,
    Continue,
    Convert,
    Expr,
    Function,
    If,
    Lid,
    Literal,
    Local,
    Loop,
    Return,
    Shader,
    SharedArray,
    SharedAssign,
    SharedRead,
    Space,
    Stmt,
    Type,
    Unary,
    Variable,
    is_break_if,
    names_in_block,
)
from wgsl_fuzz.tinywgsl.values import I32_MIN

Position = tuple[int, int]
"""Line and column, both from 1."""


@dataclass(frozen=True, slots=True)
class PrintedShader:
    """WGSL text, and where each statement stands in it: `positions[id(statement)]`."""

    text: str
    positions: dict[int, Position]


def print_shader(shader: Shader, *, tacit: bool = False) -> str:
    """The WGSL text of a well-formed shader; if `tacit`, without the `continue` that a loop's end implies."""
    return _Printer(tacit=tacit).shader(shader)


def print_with_positions(shader: Shader, *, tacit: bool = False) -> PrintedShader:
    """The WGSL text, with the position of every statement object of `shader`.

    What is left out of a `tacit` text stands where the parser adds it: at the `continuing` or the brace that follows.
    """
    printer = _Printer(tacit=tacit)
    text = printer.shader(shader)
    return PrintedShader(text, printer.positions)


def print_expr(e: Expr) -> str:
    """The WGSL text of an expression, without parentheses around it."""
    match e:
        case Literal():
            return _literal(e)
        case Local():
            return e.name
        case Lid():
            return "lid"
        case Binary():
            return f"{_operand(e.left)} {e.op} {_operand(e.right)}"
        case SharedRead():
            return f"{e.array}[{print_expr(e.index)}]"
        case Unary():
            return f"{e.op}{_unary_operand(e.operand)}"
        case Convert():
            return f"{e.type.value}({_operand(e.operand)})"
        case _:
            assert_never(e)


def _literal(e: Literal) -> str:
    if e.type is Type.U32:
        return f"{e.value}u"
    if e.type is Type.BOOL:
        return "true" if e.value else "false"
    # `-2147483648i` is a minus before a literal that does not fit; as an abstract integer it does.
    return f"{e.value}i" if e.value != I32_MIN else f"i32({I32_MIN})"


def _operand(e: Expr) -> str:
    # A call's arguments need this too: `f(a < b, c > (d))` reads as a template list.
    return f"({print_expr(e)})" if isinstance(e, Binary) else print_expr(e)


def _unary_operand(e: Expr) -> str:
    # `--x` is a token of its own, and `-5i` is a literal.
    bare = isinstance(e, (Local, Lid, SharedRead, Convert)) or (
        isinstance(e, Literal) and (e.type is Type.BOOL or e.value == I32_MIN)
    )
    return print_expr(e) if bare else f"({print_expr(e)})"


def print_head(s: Stmt) -> str:
    """One line for a statement, its blocks left out: for messages."""
    match s:
        case If():
            return f"if ({print_expr(s.condition)})"
        case Loop():
            return "loop"
        case _:
            printer = _Printer()
            printer.statement(s, "")
            return printer.lines[0].rstrip(";")


class _Printer:
    def __init__(self, *, tacit: bool = False) -> None:
        self.tacit = tacit
        self.lines: list[str] = []
        self.positions: dict[int, Position] = {}

    def shader(self, shader: Shader) -> str:
        bindings = 0
        for array in shader.arrays:
            self.lines.append(self.array(array, bindings))
            bindings += array.space is Space.STORAGE
        taken = {v.name for f in shader.all_functions for v in (*f.params, *f.locals)}
        taken |= {a.name for a in shader.arrays} | {f.name for f in shader.functions}
        for f in shader.functions:
            self.blank()
            self.function(f, taken)
        self.blank()
        self.lines.append(f"@compute @workgroup_size({shader.workgroup_size})")
        self.lines.append("fn main(@builtin(local_invocation_index) lid: u32) {")
        self.body(shader.main)
        return "\n".join(self.lines) + "\n"

    def blank(self) -> None:
        if self.lines:
            self.lines.append("")

    @staticmethod
    def array(a: SharedArray, binding: int) -> str:
        element = f"array<{a.type.value}, {a.size}>" if a.size else f"array<{a.type.value}>"
        if a.space is Space.STORAGE:
            return f"@group(0) @binding({binding}) var<storage, read_write> {a.name}: {element};"
        return f"var<workgroup> {a.name}: {element};"

    def function(self, f: Function, taken: set[str]) -> None:
        names = {v.name for v in f.params}
        assigned = names.intersection(names_in_block(f.body, ASSIGNED))
        copies = {v.name: fresh_name(f"{v.name}_in", taken) for v in f.params if v.name in assigned}
        params = ", ".join(f"{copies.get(v.name, v.name)}: {v.type.value}" for v in f.params)
        result = f" -> {f.result.value}" if f.result else ""
        self.lines.append(f"fn {f.name}({params}){result} {{")
        for v in f.params:
            if v.name in copies:
                self.lines.append(f"  var {v.name}: {v.type.value} = {copies[v.name]};")
        self.body(f)

    def body(self, f: Function) -> None:
        self.lines.extend(self.declaration(v) for v in f.locals)
        self.block(f.body, "  ")
        self.lines.append("}")

    @staticmethod
    def declaration(v: Variable) -> str:
        return f"  var {v.name}: {v.type.value};"

    def block(self, ss: Block, indent: str) -> None:
        for s in ss:
            self.positions[id(s)] = (len(self.lines) + 1, len(indent) + 1)
            self.statement(s, indent)

    def statement(self, s: Stmt, indent: str) -> None:
        match s:
            case Assign():
                line = f"{s.name} = {print_expr(s.value)};"
            case SharedAssign():
                line = f"{s.array}[{print_expr(s.index)}] = {print_expr(s.value)};"
            case If():
                self.conditional(s, indent)
                return
            case Loop():
                self.loop(s, indent)
                return
            case Call():
                line = f"{s.name} = {s.function}({', '.join([_operand(e) for e in s.arguments])});"
            case Barrier():
                line = "workgroupBarrier();"
            case Continue():
                line = "continue;"
            case Break():
                line = "break;"
            case Return():
                line = "return;" if s.value is None else f"return {print_expr(s.value)};"
            case _:
                assert_never(s)
        self.lines.append(indent + line)

    def conditional(self, s: If, indent: str) -> None:
        self.lines.append(f"{indent}if ({print_expr(s.condition)}) {{")
        self.block(s.then, indent + "  ")
        if s.orelse:
            self.lines.append(f"{indent}}} else {{")
            self.block(s.orelse, indent + "  ")
        self.lines.append(f"{indent}}}")

    def loop(self, s: Loop, indent: str) -> None:
        self.lines.append(f"{indent}loop {{")
        inner = indent + "  "
        if self.tacit and goes_without_saying(s.body):
            self.block(s.body[:-1], inner)
            self.positions[id(s.body[-1])] = (len(self.lines) + 1, len(inner if s.continuing else indent) + 1)
        else:
            self.block(s.body, inner)
        if s.continuing:
            self.lines.append(f"{inner}continuing {{")
            last = s.continuing[-1]
            if isinstance(last, If) and is_break_if(last):
                self.block(s.continuing[:-1], inner + "  ")
                self.positions[id(last)] = self.positions[id(last.then[0])] = (len(self.lines) + 1, len(inner) + 3)
                self.lines.append(f"{inner}  break if {print_expr(last.condition)};")
            else:
                self.block(s.continuing, inner + "  ")
            self.lines.append(f"{inner}}}")
        self.lines.append(f"{indent}}}")


def goes_without_saying(body: Block) -> bool:
    """Whether the end of a loop's body implies its last `continue`: behind another one the parser would add none."""
    *before, last = [isinstance(s, Continue) for s in body[-2:]] or [False]
    return last and not any(before)


def fresh_name(wish: str, taken: set[str]) -> str:
    """`wish`, or `wish_1`, `wish_2`, ... : the first that is not in `taken`, to which it is added."""
    name, count = wish, 0
    while name in taken:
        count += 1
        name = f"{wish}_{count}"
    taken.add(name)
    return name
