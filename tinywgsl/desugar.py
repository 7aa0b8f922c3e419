"""Statements of WGSL -> statements of TinyWGSL. See the table in `parser`."""

from collections.abc import Callable

from wgsl_fuzz.tinywgsl.ast import (
    Assign,
    Barrier,
    Block,
    Break,
    Continue,
    Expr,
    If,
    Literal,
    Loop,
    Return,
    SharedAssign,
    SharedRead,
    Stmt,
    Type,
    Unary,
)
from wgsl_fuzz.tinywgsl.declarations import DeclarationParser
from wgsl_fuzz.tinywgsl.operators import BOOL, KINDS, U32
from wgsl_fuzz.tinywgsl.surface import (
    MAX_OPERATORS,
    ArrayEntity,
    BarrierEntity,
    FunctionEntity,
    LocalEntity,
    LoopContext,
    RefusedEntity,
    Value,
)

_ENDS = frozenset({"}", "continuing", ""})
_ASSIGNMENTS = {op + "=": op for op in ("+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>")} | {"++": "+", "--": "-"}
_OUTSIDE = ("switch", "discard", "@", "override", "struct", "enable", "requires", "diagnostic")


class StatementParser(DeclarationParser):
    """The statement half of the parser. A handler starts at its keyword and puts statements into `out`."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.continuings = 0
        """How many `continuing` blocks are open: there is no `return` in any of them."""
        self.result: Type | None = None
        self.void = False
        self.marks: list[tuple[Stmt, int]] | None = None
        """Statements with the token they start at, inner ones first; None: nobody asks."""

    # -------------------------------------------------------------------------------------------------- blocks

    def statements(self) -> None:
        """Statements up to the end of the block or a `continuing`."""
        tokens = self.tokens
        while (token := tokens[self.pos]) not in _ENDS:
            start, before = self.pos, len(self.out)
            handler = HANDLERS.get(token)
            if handler is not None:
                handler(self)
            else:
                self.simple()
                self.expect(";")
            if self.marks is not None:
                self.marks += [(s, start) for s in self.out[before:]]

    def block(self) -> Block:
        """`{ ... }` as a block of its own."""
        outer, self.out = self.out, []
        self.flat_block()
        inner, self.out = self.out, outer
        return tuple(inner)

    def flat_block(self) -> None:
        """`{ ... }`, its statements put into the block that is being read."""
        self.open_block()
        scope = self.open_scope()
        self.statements()
        if self.tokens[self.pos] == "continuing":
            self.fail("continuing may only end the body of a loop")
        self.expect("}")
        self.close_scope(scope)
        self.depth -= 1

    def open_block(self) -> None:
        self.expect("{")
        self.deeper(self.pos - 1)

    def empty(self) -> None:
        self.pos += 1

    def outside(self) -> None:
        token = self.tokens[self.pos]
        self.fail(f"{'attributes of statements are' if token == '@' else token + ' is'} outside TinyWGSL")

    # ------------------------------------------------------------------------------- assignments, calls, barriers

    def simple(self) -> None:
        """An assignment, a call or a barrier, up to its semicolon."""
        token = self.tokens[self.pos]
        entity = self.env.get(token)
        self.pos += 1
        match entity:
            case LocalEntity():
                self.assign_local(entity)
            case ArrayEntity():
                self.assign_shared(entity, token)
            case FunctionEntity():
                if entity.must_use:
                    self.fail(f"the result of {token} must be used", self.pos - 1)
                self.call(entity, statement=True)
            case BarrierEntity():
                self.expect("(")
                self.expect(")")
                self.out.append(Barrier(self.new_id()))
            case None if token == "_":
                self.expect("=")
                self.whole()
            case RefusedEntity():
                self.fail(entity.why, self.pos - 1)
            case None:
                self.pos -= 1
                self.no_statement(token)
            case _:
                self.fail(f"{token} cannot be assigned", self.pos - 1)

    def no_statement(self, token: str) -> None:
        if token in ("*", "&"):
            self.fail("pointers are outside TinyWGSL")
        if token[:1].isidentifier() and token != "else":
            self.unknown(token, self.pos)
        self.unexpected("a statement")

    def assign_local(self, entity: LocalEntity) -> None:
        op = self.tokens[self.pos]
        if op != "=" and op not in _ASSIGNMENTS:
            self.unexpected("an assignment")
        if not entity.mutable:
            self.fail(f"{self.tokens[self.pos - 1]} cannot be assigned", self.pos - 1)
        self.pos += 1
        if op == "=":
            value = self.typed(entity.type)
            self.put(entity.node.name, value, self.take_call(value))
        else:
            self.out.append(Assign(entity.node.name, self.updated(op, entity.node, entity.type)))

    def assign_shared(self, entity: ArrayEntity, name: str) -> None:
        start = self.pos
        index: Expr = Literal(0, U32) if entity.scalar else self.index(name)
        index_type = self.type or U32
        if self.pos - start > MAX_OPERATORS:
            self.measure(index, start)
        op = self.tokens[self.pos]
        if op != "=" and op not in _ASSIGNMENTS:
            self.unexpected("an assignment")
        self.pos += 1
        before = len(self.out)
        if op == "=":
            value = self.typed(entity.type)
        else:
            value = self.updated(op, SharedRead(entity.name, index, entity.type), entity.type)
        if len(self.out) != before:
            index = self.keep(index, index_type, before)
        self.out.append(SharedAssign(entity.name, index, value))

    def updated(self, op: str, target: Expr, type: Type) -> Expr:
        """The value of `target op= e`, or of `target++`, behind the operator."""
        index, before = self.pos - 1, len(self.out)
        binary = _ASSIGNMENTS[op]
        value: Value = 1
        if op in ("++", "--"):
            self.type = None
        else:
            value = self.whole()
        result = self.reduce((binary, KINDS[binary], target, type, before, index), value, [])
        return self.as_type(result, type, index)

    # ---------------------------------------------------------------------------------------------- control flow

    def conditional(self) -> None:
        """`if e {} else if e {} else {}`: an `else if` is an `if` in the `else`."""
        self.pos += 1
        condition = self.typed(BOOL)
        then = self.block()
        orelse: Block = ()
        if self.accept("else"):
            orelse = self.else_if() if self.tokens[self.pos] == "if" else self.block()
        self.out.append(If(condition, then, orelse))

    def else_if(self) -> Block:
        self.deeper(self.pos)
        start = self.pos
        outer, self.out = self.out, []
        self.conditional()
        inner, self.out = self.out, outer
        if self.marks is not None:
            self.marks += [(s, start) for s in inner]
        self.depth -= 1
        return tuple(inner)

    def loop_statement(self) -> None:
        """`loop { ... continuing { ... } }`."""
        self.pos += 1
        id = self.new_id()
        outer = self.out, self.loop
        self.out, self.loop = [], LoopContext()
        self.open_block()
        scope = self.open_scope()
        self.loop.scope = self.scope
        self.statements()
        self.end_body(self.pos)
        continuing = self.continuing(self.loop) if self.tokens[self.pos] == "continuing" else ()
        self.expect("}")
        self.close_scope(scope)
        self.depth -= 1
        self.close_loop(outer, id, continuing)

    def end_body(self, index: int) -> None:
        """Restriction (3): the body ends with a `continue`; one that is added stands at the token behind the body."""
        if not self.out or not isinstance(self.out[-1], Continue):
            self.out.append(Continue(self.new_id()))
            if self.marks is not None:
                self.marks.append((self.out[-1], index))

    def close_loop(self, outer: tuple[list[Stmt], LoopContext | None], id: int, continuing: Block) -> None:
        body = tuple(self.out)
        self.out, self.loop = outer
        self.out.append(Loop(id, body, continuing))

    def continuing(self, loop: LoopContext) -> Block:
        """`continuing { ... }`, which sees the body's names, unless a `continue` may have skipped them."""
        self.pos += 1
        if loop.before_continue is not None:
            for name in loop.declared[loop.before_continue :]:
                self.env[name] = RefusedEntity(f"a continue bypasses the declaration of {name}", self.scope)
        body, self.out = self.out, []
        loop.continuing_depth = self.depth + 1
        self.continuings += 1
        self.flat_block()
        self.continuings -= 1
        inner, self.out = self.out, body
        return tuple(inner)

    def while_statement(self) -> None:
        """`while e { ... }`: a loop that starts with `if (!e) { break; }`."""
        self.pos += 1
        id = self.new_id()
        outer = self.out, self.loop
        self.out, self.loop = [], LoopContext()
        self.leave_unless(self.typed(BOOL))
        self.flat_block()
        self.end_body(self.pos - 1)
        self.close_loop(outer, id, ())

    def leave_unless(self, condition: Expr) -> None:
        negated = condition.operand if isinstance(condition, Unary) and condition.op == "!" else Unary("!", condition)
        self.out.append(If(negated, (Break(),), ()))

    def for_statement(self) -> None:
        """`for (init; condition; update) { ... }`: the update is the `continuing`, and is read after the body."""
        self.pos += 1
        self.expect("(")
        scope = self.open_scope()
        self.for_init()
        id = self.new_id()
        outer = self.out, self.loop
        self.out, self.loop = [], LoopContext()
        if self.tokens[self.pos] != ";":
            self.leave_unless(self.typed(BOOL))
        self.expect(";")
        update = self.pos
        self.skip_to_parenthesis()
        self.flat_block()
        self.end_body(self.pos - 1)
        end, self.pos = self.pos, update
        body, self.out = self.out, []
        if self.tokens[self.pos] != ")":
            self.simple()
        if self.marks is not None:
            self.marks += [(s, update) for s in self.out]
        self.expect(")")
        continuing, self.out = tuple(self.out), body
        self.pos = end
        self.close_loop(outer, id, continuing)
        self.close_scope(scope)

    def for_init(self) -> None:
        token = self.tokens[self.pos]
        if token in ("var", "let", "const"):
            self.depth += 1  # a `var` here is no copy of a parameter
            HANDLERS[token](self)
            self.depth -= 1
        else:
            if token != ";":
                self.simple()
            self.expect(";")

    def skip_to_parenthesis(self) -> None:
        """Moves behind the `)` that closes the parenthesis the cursor stands in."""
        nesting = 1
        while nesting:
            token = self.tokens[self.pos]
            if token in ("", "{", ";"):
                self.unexpected("')'")
            nesting += (token == "(") - (token == ")")
            self.pos += 1

    def continue_statement(self) -> None:
        loop = self.loop
        if loop is None:
            self.fail("continue outside a loop")
        if loop.continuing_depth:
            self.fail("continue leaves a continuing")
        if loop.before_continue is None:
            loop.before_continue = len(loop.declared)
        self.out.append(Continue(self.new_id()))
        self.pos += 1
        self.expect(";")

    def break_statement(self) -> None:
        """`break;`, or `break if e;` at the end of a `continuing`."""
        index, loop = self.pos, self.loop
        self.pos += 1
        if self.accept("if"):
            condition = self.typed(BOOL)
            self.expect(";")
            while self.accept(";"):
                pass
            if loop is None or loop.continuing_depth != self.depth or self.tokens[self.pos] != "}":
                self.fail("break if may only end a continuing", index)
            self.out.append(If(condition, (Break(),), ()))
            return
        if loop is None:
            self.fail("break outside a loop", index)
        if loop.continuing_depth:
            self.fail("break leaves a continuing: only break if may, at its end", index)
        self.out.append(Break())
        self.expect(";")

    def return_statement(self) -> None:
        """`return e;`; a void function returns 0u."""
        index = self.pos
        self.pos += 1
        if self.continuings:
            self.fail("return in a continuing", index)
        value: Expr | None = None
        if self.tokens[self.pos] == ";":
            if self.result is not None and not self.void:
                self.unexpected(f"a value of type {self.result.value}")
            value = Literal(0, U32) if self.void else None
        else:
            if self.result is None or self.void:
                self.fail("a value is returned, but the function has no result", index)
            value = self.typed(self.result)
        self.out.append(Return(value))
        self.expect(";")


HANDLERS: dict[str, Callable[[StatementParser], None]] = {
    "{": StatementParser.flat_block,
    ";": StatementParser.empty,
    "var": StatementParser.var,
    "let": StatementParser.let,
    "const": StatementParser.const,
    "const_assert": StatementParser.const_assert,
    "if": StatementParser.conditional,
    "loop": StatementParser.loop_statement,
    "while": StatementParser.while_statement,
    "for": StatementParser.for_statement,
    "break": StatementParser.break_statement,
    "continue": StatementParser.continue_statement,
    "return": StatementParser.return_statement,
    **dict.fromkeys(_OUTSIDE, StatementParser.outside),
}
