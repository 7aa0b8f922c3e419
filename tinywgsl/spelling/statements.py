"""Surface statements -> lines."""

from collections.abc import Callable

from wgsl_fuzz.tinywgsl.ast import (
    Assign,
    Barrier,
    Binary,
    Break,
    Call,
    Continue,
    Expr,
    Literal,
    Local,
    Return,
    SharedAssign,
    SharedRead,
    Type,
    Variable,
)
from wgsl_fuzz.tinywgsl.spelling.choices import Dice
from wgsl_fuzz.tinywgsl.spelling.expressions import ExpressionWriter
from wgsl_fuzz.tinywgsl.spelling.names import Names
from wgsl_fuzz.tinywgsl.spelling.tree import (
    BareBlock,
    Branch,
    BreakIf,
    DiscardedCall,
    EmptyStatement,
    For,
    Leaf,
    Node,
    PhonyAssignment,
    Repeat,
    Scope,
    While,
)

_UPDATES = frozenset({"+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"})
_BARRIERS = ("workgroupBarrier", "storageBarrier", "textureBarrier")


class StatementWriter(ExpressionWriter):
    """Writes the statements of one shader into `lines`."""

    def __init__(self, dice: Dice, names: Names) -> None:
        super().__init__(dice, names)
        self.lines: list[str] = []
        self.updates, self.barriers = dice.rates["updates"], dice.rates["barriers"]
        self.void = False
        """The function at hand has no result in the text."""
        self.variables: dict[str, Type] = {}
        """The types of the locals of the function at hand."""

    # --------------------------------------------------------------------------------------------------- scopes

    def scope(self, scope: Scope, indent: str) -> None:
        """What stands between two braces."""
        lines = self.lines
        if scope.late is not None or scope.fused is not None:
            self.declaring_scope(scope, indent)
            return
        for node in scope.nodes:
            leaf = _LEAVES.get(type(node))
            if leaf is not None:
                lines.append(f"{indent}{leaf(self, node)};")  # type: ignore[arg-type]
            else:
                _BLOCKS[type(node)](self, node, indent)

    def declaring_scope(self, scope: Scope, indent: str) -> None:
        """As `scope`, with declarations in it."""
        late, fused = scope.late or {}, scope.fused or {}
        for i, node in enumerate(scope.nodes):
            if i in late:
                self.lines.extend([indent + self.declaration(v) for v in late[i]])
            if i in fused:
                self.lines.append(f"{indent}{self.initialised(node, fused[i])};")
            elif type(node) in _LEAVES:
                self.lines.append(f"{indent}{self.simple(node)};")  # type: ignore[arg-type]
            else:
                _BLOCKS[type(node)](self, node, indent)

    def declaration(self, v: Variable) -> str:
        """`var x: T;`."""
        return f"var {self.texts.get(v.name, v.name)}: {self.type_name(v.type)};"

    def initialised(self, s: Node, kind: str) -> str:
        """`var x: T = e` or `let x: T = e` for an assignment."""
        assert isinstance(s, (Assign, Call))
        name, type_ = self.texts.get(s.name, s.name), self.variables[s.name]
        if kind == "zero":
            return f"var {name}: {self.type_name(type_)}"
        inferred = self.types and self.flip(self.types)
        if isinstance(s, Call):
            value = self.call(s)
        elif inferred and type_ is not Type.I32:
            value = self.expr(s.value)  # a number without a suffix would be an i32
        else:
            value = self.typed(s.value)
        if inferred:
            self.dice.note("inferred type")
            return f"{kind} {name} = {value}"
        return f"{kind} {name}: {self.type_name(type_)} = {value}"

    # --------------------------------------------------------------------------------------------------- leaves

    def simple(self, s: Leaf | DiscardedCall) -> str:
        """A statement without blocks, and without its semicolon."""
        return _LEAVES[type(s)](self, s)

    def assign(self, s: Assign) -> str:
        value, name = s.value, s.name
        text = self.texts.get(name, name)
        if self.updates and type(value) is Binary:
            left = value.left
            if type(left) is Local and left.name == name and value.op in _UPDATES and self.flip(self.updates):
                return self.update(text, value, "compound assignment")
        return f"{text} = {self.typed(value)}"

    def shared_assign(self, s: SharedAssign) -> str:
        target, value = self.element(s.array, s.index), s.value
        if self.updates and type(value) is Binary and value.op in _UPDATES:
            left = value.left
            if type(left) is SharedRead and left.array == s.array and left.index == s.index and self.flip(self.updates):
                return self.update(target, value, "compound assignment of an element")
        return f"{target} = {self.typed(value)}"

    def update(self, target: str, e: Binary, form: str) -> str:
        """`x op= e`, or `x++`."""
        right = e.right
        if e.op in "+-" and type(right) is Literal and right.value == 1 and self.dice.integer(0, 1) == 0:
            self.dice.note("increment" if e.op == "+" else "decrement")
            return f"{target}{e.op}{e.op}"
        self.dice.note(form)
        return f"{target} {e.op}= {self.typed(right)}"

    def call_result(self, s: Call) -> str:
        return f"{self.texts.get(s.name, s.name)} = {self.call(s)}"

    def discard(self, s: DiscardedCall) -> str:
        return f"{'_ = ' if s.phony else ''}{self.call(s.call)}"

    def barrier(self, _: Barrier) -> str:
        name = _BARRIERS[0]
        if self.barriers and self.flip(self.barriers):
            name = self.dice.pick(_BARRIERS[1:])
            self.dice.note(name)
        return f"{name}()"

    def return_(self, s: Return) -> str:
        return "return" if s.value is None or self.void else f"return {self.typed(s.value)}"

    # --------------------------------------------------------------------------------------------------- blocks

    def condition(self, e: Expr) -> str:
        """A condition with its parentheses, or without."""
        text = self.expr(e)
        if self.parentheses and self.flip(self.parentheses):
            self.dice.note("bare condition")
            return text
        return f"({text})"

    def branch(self, s: Branch, indent: str) -> None:
        lines, inner = self.lines, indent + "  "
        head = f"{indent}if"
        while True:
            lines.append(f"{head} {self.condition(s.condition)} {{")
            self.scope(s.then, inner)
            if not s.else_if:
                break
            assert s.orelse is not None
            (following,) = s.orelse.nodes
            assert isinstance(following, Branch)
            s, head = following, f"{indent}}} else if"
        if s.orelse is not None:
            lines.append(f"{indent}}} else {{")
            self.scope(s.orelse, inner)
        lines.append(f"{indent}}}")

    def repeat(self, s: Repeat, indent: str) -> None:
        inner = indent + "  "
        self.lines.append(f"{indent}loop {{")
        self.scope(s.body, inner)
        if s.continuing is not None:
            self.lines.append(f"{inner}continuing {{")
            self.scope(s.continuing, inner + "  ")
            self.lines.append(f"{inner}}}")
        self.lines.append(f"{indent}}}")

    def while_(self, s: While, indent: str) -> None:
        self.lines.append(f"{indent}while {self.condition(s.condition)} {{")
        self.scope(s.body, indent + "  ")
        self.lines.append(f"{indent}}}")

    def for_(self, s: For, indent: str) -> None:
        init = ""
        for node in s.header.nodes:
            kind = s.header.fused and s.header.fused[0]
            init = self.initialised(node, kind) if kind else self.simple(node)  # type: ignore[arg-type]
        condition = "" if s.condition is None else " " + self.expr(s.condition)
        update = "" if s.update is None else " " + self.simple(s.update)
        self.lines.append(f"{indent}for ({init};{condition};{update}) {{")
        self.scope(s.body, indent + "  ")
        self.lines.append(f"{indent}}}")

    def bare(self, s: BareBlock, indent: str) -> None:
        self.lines.append(f"{indent}{{")
        self.scope(s.body, indent + "  ")
        self.lines.append(f"{indent}}}")

    def break_if(self, s: BreakIf, indent: str) -> None:
        self.lines.append(f"{indent}break if {self.expr(s.condition)};")

    def empty(self, _: EmptyStatement, indent: str) -> None:
        self.lines.append(f"{indent};")

    def phony(self, s: PhonyAssignment, indent: str) -> None:
        self.lines.append(f"{indent}const_assert true;" if s.value is None else f"{indent}_ = {self.expr(s.value)};")


_LEAVES: dict[type, Callable[[StatementWriter, Leaf | DiscardedCall], str]] = {
    Assign: StatementWriter.assign,  # type: ignore[dict-item]
    SharedAssign: StatementWriter.shared_assign,  # type: ignore[dict-item]
    Call: StatementWriter.call_result,  # type: ignore[dict-item]
    DiscardedCall: StatementWriter.discard,  # type: ignore[dict-item]
    Barrier: StatementWriter.barrier,  # type: ignore[dict-item]
    Return: StatementWriter.return_,  # type: ignore[dict-item]
    Continue: lambda *_: "continue",
    Break: lambda *_: "break",
}
_BLOCKS: dict[type, Callable[[StatementWriter, Node, str], None]] = {
    Branch: StatementWriter.branch,  # type: ignore[dict-item]
    Repeat: StatementWriter.repeat,  # type: ignore[dict-item]
    While: StatementWriter.while_,  # type: ignore[dict-item]
    For: StatementWriter.for_,  # type: ignore[dict-item]
    BareBlock: StatementWriter.bare,  # type: ignore[dict-item]
    BreakIf: StatementWriter.break_if,  # type: ignore[dict-item]
    EmptyStatement: StatementWriter.empty,  # type: ignore[dict-item]
    PhonyAssignment: StatementWriter.phony,  # type: ignore[dict-item]
}
