"""Declarations inside functions, and types."""

from wgsl_fuzz.tinywgsl.ast import Assign, Literal, Type, Variable
from wgsl_fuzz.tinywgsl.expressions import ExpressionParser
from wgsl_fuzz.tinywgsl.operators import BOOL, I32
from wgsl_fuzz.tinywgsl.surface import ArrayTypeEntity, ConstEntity, PendingEntity, RefusedEntity, TypeEntity
from wgsl_fuzz.tinywgsl.values import U32_MAX

MAX_ARRAY = U32_MAX // 4
"""Elements of an array; Tint refuses arrays of 2^32 bytes."""


class DeclarationParser(ExpressionParser):
    """The part of the parser that declares. A handler starts at its keyword and puts statements into `out`."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.params: list[Variable] = []
        self.copied_params: dict[str, int] = {}
        """The places of the parameters that stand once in the function's body: a `var` may be their copy."""

    def var(self) -> None:
        """`var x: T = e;` in a function."""
        self.pos += 1
        if self.accept("<"):
            if self.tokens[self.pos] != "function":
                self.fail(f"var<{self.tokens[self.pos]}> cannot stand in a function")
            self.pos += 1
            self.expect(">")
        index = self.pos
        name = self.name()
        type = self.scalar_type() if self.accept(":") else None
        if self.accept("="):
            if self.depth == 1 and self.is_param_copy(type):
                self.copy_param(name, index)
            else:
                self.initialised(name, type, index, mutable=True)
        elif type is None:
            self.unexpected("':' or '='")
        else:
            core = self.local(name, type, index, mutable=True)
            if self.loop is not None:  # WGSL initialises it again in each iteration
                self.out.append(Assign(core, Literal(False if type is BOOL else 0, type)))
        self.expect(";")

    def is_param_copy(self, type: Type | None) -> bool:
        """Whether the initialiser is a parameter that stands nowhere else."""
        param = self.copied_params.get(self.tokens[self.pos])
        return param is not None and self.tokens[self.pos + 1] == ";" and type in (None, self.params[param].type)

    def copy_param(self, name: str, index: int) -> None:
        """`var x = x_in;`: the AST's parameter is `x`, which can be assigned, and there is no `x_in`."""
        place = self.copied_params[self.tokens[self.pos]]
        old = self.params[place]
        self.pos += 1
        self.taken.discard(old.name)
        node = self.declare(name, old.type, mutable=True, index=index)
        self.params[place] = Variable(node.name, old.type)

    def let(self) -> None:
        """`let x = e;`."""
        self.pos += 1
        index = self.pos
        name = self.name()
        type = self.scalar_type() if self.accept(":") else None
        self.expect("=")
        self.initialised(name, type, index, mutable=False)
        self.expect(";")

    def initialised(self, name: str, type: Type | None, index: int, *, mutable: bool) -> None:
        """The initialiser, which does not see `name` yet, and then the declaration."""
        start = self.pos
        value = self.whole()
        type = type or self.type or I32
        expression = self.as_type(value, type, start)
        call = self.take_call(expression)
        self.put(self.local(name, type, index, mutable=mutable), expression, call)

    def local(self, name: str, type: Type, index: int, *, mutable: bool) -> str:
        """Declares a local variable; returns its name in the AST."""
        node = self.declare(name, type, mutable=mutable, index=index)
        self.locals.append(Variable(node.name, type))
        return node.name

    def const(self) -> None:
        """`const x = e;`: each use is replaced by the value."""
        self.pos += 1
        index = self.pos
        name = self.name()
        self.bind(name, self.const_value(), index)

    def const_value(self) -> ConstEntity:
        """What follows the name of a `const`."""
        type = self.scalar_type() if self.accept(":") else None
        self.expect("=")
        start = self.pos
        value = self.constant()
        if type is not None:
            value = self.as_type(value, type, start)  # type: ignore[assignment]
        self.expect(";")
        return ConstEntity(value, self.scope)

    def const_assert(self) -> None:
        self.pos += 1
        start = self.pos
        value = self.constant()
        if not isinstance(value, Literal) or value.type is not BOOL:
            self.fail("expected bool", start)
        if not value.value:
            self.fail("const_assert fails", start)
        self.expect(";")

    def scalar_type(self) -> Type:
        start = self.pos
        entity = self.any_type()
        if isinstance(entity, ArrayTypeEntity):
            self.fail("values of array type are outside TinyWGSL", start)
        return entity.type

    def any_type(self) -> TypeEntity | ArrayTypeEntity:
        token = self.tokens[self.pos]
        entity = self.env.get(token)
        if isinstance(entity, PendingEntity):
            entity = self.resolve(token, self.pos)
        if isinstance(entity, (TypeEntity, ArrayTypeEntity)):
            self.pos += 1
            return entity
        if entity is not None:
            self.fail(entity.why if isinstance(entity, RefusedEntity) else f"{token} is no type")
        if token != "array":
            if not token.isidentifier():
                self.unexpected("a type")
            self.unknown(token, self.pos)
        return self.array_type()

    def array_type(self) -> ArrayTypeEntity:
        self.pos += 1
        self.expect("<")
        if self.tokens[self.pos] == "array":
            self.fail("arrays of arrays are outside TinyWGSL")
        element = self.scalar_type()
        size = 0
        if self.accept(",") and self.tokens[self.pos] != ">":
            end = self.mark_template_end()
            start = self.pos
            value = self.constant()
            size = value.value if isinstance(value, Literal) and value.type is not BOOL else value  # type: ignore[assignment]
            if not isinstance(size, int) or not 1 <= size <= MAX_ARRAY:
                self.fail("the size of an array must be a positive integer", start)
            self.accept(",")
            self.expect(end)
        else:
            self.expect(">")
        return ArrayTypeEntity(element, size)

    def mark_template_end(self) -> str:
        """Marks the `>` that closes the template list: there it is no operator. Returns the mark."""
        nesting, i = 0, self.pos
        while nesting or self.tokens[i] != ">":
            if self.tokens[i] in ("", ";", "{"):
                self.pos = i
                self.unexpected("'>'")
            nesting += (self.tokens[i] in "([") - (self.tokens[i] in ")]")
            i += 1
        self.tokens[i] = "> "
        return "> "
