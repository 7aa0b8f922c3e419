"""The operands of WGSL's expressions: names, literals, prefix operators, conversions, calls."""

from wgsl_fuzz.tinywgsl.ast import Call, Convert, Expr, Lid, Literal, Local, SharedRead, Type, Unary
from wgsl_fuzz.tinywgsl.lexer import number
from wgsl_fuzz.tinywgsl.operators import BOOL, I32, U32, OperatorParser
from wgsl_fuzz.tinywgsl.surface import (
    MAX_OPERATORS,
    ArrayEntity,
    ArrayTypeEntity,
    BarrierEntity,
    ConstEntity,
    Entity,
    FunctionEntity,
    LidEntity,
    LocalEntity,
    PendingEntity,
    RefusedEntity,
    TypeEntity,
    Value,
)

_NO_TEMPLATE = frozenset({";", "{", ":", "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ""})


class ExpressionParser(OperatorParser):
    """The rest of the expression half of the parser."""

    def unary(self) -> Value:
        token = self.tokens[self.pos]
        entity = self.env.get(token)
        if entity is None:
            return self.nameless(token)
        self.pos += 1
        if self.tokens[self.pos] == "<":
            self.no_template(token)
        if type(entity) is LocalEntity:
            self.type = entity.type
            return entity.node
        return self.named(token, entity)

    def nameless(self, token: str) -> Value:
        """An operand that does not start with a declared name."""
        if token == "(":
            self.pos += 1
            value = self.expression()
            self.expect(")")
            return value
        if token in ("-", "!", "~"):
            return self.prefixed(token)
        if not token[:1].isdigit() and (token[:1] != "." or len(token) == 1):
            if not token[:1].isidentifier():
                self.unexpected("an expression")
            self.unknown(token, self.pos)
        return self.literal(token)

    def literal(self, token: str) -> Literal | int:
        try:
            value = number(token)
        except ValueError as error:
            self.fail(str(error))
        self.pos += 1
        self.type = None if isinstance(value, int) else value.type
        return value

    def prefixed(self, op: str) -> Value:
        """`-e`, `!e`, `~e`; a minus before a literal is part of it."""
        index = self.pos
        self.pos += 1
        token = self.tokens[self.pos]
        if op == "-" and token[:1].isdigit():
            value: Value = self.literal(token)
            if isinstance(value, Literal) and value.type is I32:
                return Literal(-value.value, I32)
        else:
            self.operators_open += 1
            if self.operators_open > MAX_OPERATORS:
                self.too_deep()
            value = self.unary()
            self.operators_open -= 1
        if isinstance(value, int):
            if op == "!":
                self.fail("! does not take an integer", index)
            return self.in_64_bits(-value if op == "-" else ~value, index)
        assert self.type is not None
        if self.type not in {"!": (BOOL,), "-": (I32,), "~": (U32, I32)}[op]:
            self.fail(f"{op} does not take {self.type.value}", index)
        return Unary(op, value)

    def named(self, name: str, entity: Entity) -> Value:
        """An operand that starts with a name, other than a local; the cursor is behind the name."""
        match entity:
            case ArrayEntity():
                index = Literal(0, U32) if entity.scalar else self.index(name)
                self.type = entity.type
                return SharedRead(entity.name, index, entity.type)
            case ConstEntity():
                value = entity.value
                self.type = None if isinstance(value, int) else value.type
                return value
            case LidEntity():
                return self.thread_id(name, entity)
            case TypeEntity():
                return self.conversion(entity.type)
            case FunctionEntity():
                return self.call(entity)
            case BarrierEntity():
                self.fail(f"{name} has no result", self.pos - 1)
            case ArrayTypeEntity():
                self.fail("values of array type are outside TinyWGSL", self.pos - 1)
            case RefusedEntity():
                self.fail(entity.why, self.pos - 1)
            case PendingEntity():
                return self.named(name, self.resolve(name, self.pos - 1))
            case LocalEntity():
                pass
        assert isinstance(entity, LocalEntity)
        self.type = entity.type
        return entity.node

    def index(self, name: str) -> Expr:
        """`[e]` behind the name of a shared array."""
        if self.tokens[self.pos] != "[":
            self.fail(f"{name} is an array: values of array type are outside TinyWGSL", self.pos - 1)
        self.pos += 1
        start = self.pos
        value = self.expression()
        if isinstance(value, int):
            value = self.concrete(value, I32, start)
        elif self.type is BOOL:
            self.fail(f"the index of {name} is bool", start)
        self.expect("]")
        return value

    def thread_id(self, name: str, entity: LidEntity) -> Lid:
        if entity.vector and (self.tokens[self.pos] != "." or self.tokens[self.pos + 1] != "x"):
            self.fail(f"of {name} only {name}.x is inside TinyWGSL", self.pos - 1)
        self.pos += 2 if entity.vector else 0
        self.type = U32
        return Lid()

    def conversion(self, type: Type) -> Expr:
        """`u32(e)` and its like, behind the name of the type; `u32()` is zero."""
        self.expect("(")
        if self.accept(")"):
            self.type = type
            return Literal(False if type is BOOL else 0, type)
        start = self.pos
        value = self.expression()
        self.accept(",")
        self.expect(")")
        if isinstance(value, int):
            result: Expr = Literal(value != 0, BOOL) if type is BOOL else self.concrete(value, type, start)
        else:
            result = Convert(type, value)
        self.type = type
        return result

    def call(self, function: FunctionEntity, *, statement: bool = False) -> Local:
        """A call, behind the function's name: the local that takes its result."""
        index = self.pos - 1
        arguments = self.arguments(function, index)
        if function.void and not statement:
            self.fail(f"{self.tokens[index]} has no result", index)
        result = self.temporary(function.result)
        self.out.append(Call(self.new_id(), result.name, function.name, arguments))
        self.called = result
        self.type = function.result
        return result

    def arguments(self, function: FunctionEntity, index: int) -> tuple[Expr, ...]:
        """`(e1, ..., en)`; an argument that reads shared memory keeps its value when a later one calls."""
        self.expect("(")
        arguments: list[Expr] = []
        wanted = len(function.params)
        while self.tokens[self.pos] != ")":
            if len(arguments) == wanted:
                self.fail(f"{self.tokens[index]} takes {wanted} arguments", index)
            start, before = self.pos, len(self.out)
            value = self.as_type(self.whole(), function.params[len(arguments)][1], start)
            if len(self.out) != before:
                for i, argument in enumerate(arguments):
                    size = len(self.out)
                    arguments[i] = self.keep(argument, function.params[i][1], before)
                    before += len(self.out) - size
            arguments.append(value)
            if not self.accept(","):
                break
        self.expect(")")
        if len(arguments) != wanted:
            self.fail(f"{self.tokens[index]} takes {wanted} arguments, found {len(arguments)}", index)
        return tuple(arguments)

    def no_template(self, name: str) -> None:
        """Fails if the `<` behind a name opens a template list for WGSL, as in `f(a < b, c > (d))`."""
        nesting = 0
        for i in range(self.pos + 1, len(self.tokens)):
            token = self.tokens[i]
            if token in ("(", "["):
                nesting += 1
            elif token in (")", "]"):
                nesting -= 1
                if nesting < 0:
                    return
            elif token in _NO_TEMPLATE or (token in ("&&", "||") and nesting == 0):
                return
            elif token[:1] == ">" and nesting == 0:
                self.fail(f"{name} < ... > reads as a template list: write parentheses", self.pos)
