"""What the parser knows while it reads: the cursor, the names in scope and the names it gives, and the error to raise.

A name of the text stands for an *entity*. Names of the AST differ from names of the text only where restriction (2) or
WGSL's own names demand it: then a suffix `_1`, `_2`, ... is added.
"""

from dataclasses import dataclass, field
from typing import NoReturn

from wgsl_fuzz.tinywgsl.ast import Assign, Call, Expr, Literal, Local, SharedRead, Stmt, Type, Variable, operands_of
from wgsl_fuzz.tinywgsl.lexer import TokenStream, shorten
from wgsl_fuzz.tinywgsl.words import BUILTIN_FUNCTIONS, HIDING, KEYWORDS, PREDECLARED, RESERVED

MAX_BLOCKS = 100
"""Blocks within blocks; as in `wellformed`."""

MAX_OPERATORS = 400
"""Operators within operators, parentheses included; Tint gives up at about 600."""

Value = Expr | int
"""An expression; an `int` is a const-expression of WGSL's type AbstractInt, which is no type of TinyWGSL."""


@dataclass(slots=True)
class LocalEntity:
    """A local or a parameter; `scope` is where it was declared."""

    node: Local
    type: Type
    mutable: bool
    scope: int


@dataclass(slots=True)
class ConstEntity:
    """A `const`: its value, which replaces each use."""

    value: Literal | int
    scope: int = 0


@dataclass(slots=True)
class ArrayEntity:
    """A shared variable; a scalar is an array of one element."""

    name: str
    type: Type
    scalar: bool
    scope: int = 0


@dataclass(slots=True)
class FunctionEntity:
    """A function that can be called. `void`: it has no result in the text, and 0u in the AST."""

    name: str
    params: list[tuple[str, Type]]
    result: Type
    void: bool
    must_use: bool
    scope: int = 0


@dataclass(slots=True)
class TypeEntity:
    """A scalar type or an alias of one."""

    type: Type
    scope: int = 0


@dataclass(slots=True)
class ArrayTypeEntity:
    """An alias of an array type (size 0: sized at run time)."""

    type: Type
    size: int
    scope: int = 0


@dataclass(slots=True)
class LidEntity:
    """The parameter that holds the thread's ID; `vector`: as `vec3<u32>`, of which only `.x` may be read."""

    vector: bool
    scope: int


@dataclass(slots=True)
class RefusedEntity:
    """A name that is known but may not be used here, and why."""

    why: str
    scope: int = 0


@dataclass(slots=True)
class BarrierEntity:
    """`workgroupBarrier`, `storageBarrier` or `textureBarrier`: TinyWGSL's one barrier."""

    scope: int = 0


@dataclass(slots=True)
class PendingEntity:
    """A declaration at module scope that has not been read yet; `index` is its first token after the attributes."""

    index: int
    attributes: dict[str, int]
    scope: int = 0


Entity = (
    LocalEntity
    | ConstEntity
    | ArrayEntity
    | FunctionEntity
    | TypeEntity
    | ArrayTypeEntity
    | LidEntity
    | RefusedEntity
    | BarrierEntity
    | PendingEntity
)

PRELUDE: dict[str, Entity] = {
    **{t.value: TypeEntity(t) for t in Type},
    "workgroupBarrier": BarrierEntity(),
    "storageBarrier": BarrierEntity(),
    "textureBarrier": BarrierEntity(),
    "true": ConstEntity(Literal(True, Type.BOOL)),
    "false": ConstEntity(Literal(False, Type.BOOL)),
}
_UNUSABLE = KEYWORDS | RESERVED | {"_"}


@dataclass(slots=True)
class LoopContext:
    """The innermost loop: the names declared in its body, and how many of them came before its first `continue`."""

    scope: int = 0
    declared: list[str] = field(default_factory=list)
    before_continue: int | None = None
    continuing_depth: int = 0
    """The depth of the `continuing` block that is being read; 0 in the body."""


class Surface:
    """A cursor over the tokens, and the names in scope."""

    def __init__(self, text: str) -> None:
        self.source = TokenStream(text)
        self.tokens = self.source.tokens
        self.pos = 0
        self.env: dict[str, Entity] = dict(PRELUDE)
        self.scope = 0
        self.scopes = 0
        self.hidden: list[tuple[str, Entity | None]] = []
        self.taken = {"lid", "main"}
        self.words: set[str] | None = None
        self.temporaries = 0
        self.ids = 0
        self.operators_open = 0
        self.depth = 0
        """The blocks that are open."""
        self.type: Type | None = None
        """The type of the expression read last; None for an AbstractInt."""
        self.locals: list[Variable] = []
        self.out: list[Stmt] = []
        """The statements read so far in the innermost block: expressions put their calls here."""
        self.called: Local | None = None
        """The local that took the result of the call read last."""
        self.loop: LoopContext | None = None

    # ------------------------------------------------------------------------------------------------- cursor

    def fail(self, message: str, index: int | None = None) -> NoReturn:
        """Raises ParseError at a token: the current one, or that of `index`."""
        raise self.source.error(message, self.pos if index is None else index)

    def unexpected(self, wanted: str) -> NoReturn:
        token = self.tokens[self.pos]
        if token in ("&", "*") and wanted == "an expression":
            self.fail("pointers are outside TinyWGSL")
        self.fail(f"expected {wanted}, found {repr(shorten(token)) if token else 'the end of the text'}")

    def expect(self, token: str) -> None:
        if self.tokens[self.pos] != token:
            self.unexpected(f"'{token.strip()}'")
        self.pos += 1

    def accept(self, token: str) -> bool:
        if self.tokens[self.pos] != token:
            return False
        self.pos += 1
        return True

    def new_id(self) -> int:
        self.ids += 1
        return self.ids

    # -------------------------------------------------------------------------------------------------- names

    def name(self) -> str:
        """Reads a name that is being declared."""
        name = self.tokens[self.pos]
        if not name.isidentifier() or name in _UNUSABLE or name.startswith("__"):
            reserved = name in RESERVED or name in KEYWORDS
            self.unexpected(f"a name ({name} is reserved)" if reserved else "a name")
        self.pos += 1
        return name

    def open_scope(self) -> tuple[int, int]:
        """Opens a scope; returns what `close_scope` needs."""
        before = (self.scope, len(self.hidden))
        self.scopes += 1
        self.scope = self.scopes
        return before

    def close_scope(self, before: tuple[int, int]) -> None:
        self.scope, depth = before
        hidden = self.hidden
        while len(hidden) > depth:
            name, entity = hidden.pop()
            if entity is None:
                del self.env[name]
            else:
                self.env[name] = entity

    def bind(self, name: str, entity: Entity, index: int) -> None:
        """Gives `name` a meaning until the scope closes; `index` is its token."""
        old = self.env.get(name)
        if old is not None and old.scope == self.scope:
            self.fail(f"{name} is declared twice", index)
        self.hidden.append((name, old))
        self.env[name] = entity

    def declare(self, name: str, type: Type, *, mutable: bool, index: int) -> Local:
        """Declares a local of the text; returns the AST's, whose name may differ."""
        node = Local(self.core_name(name), type)
        self.bind(name, LocalEntity(node, type, mutable, self.scope), index)
        loop = self.loop
        if loop is not None and loop.scope == self.scope:
            loop.declared.append(name)
        return node

    def core_name(self, name: str, hiding: frozenset[str] = HIDING) -> str:
        """The name in the AST for a name of the text: the same unless it is taken or hides a name of WGSL."""
        if name not in self.taken and name not in hiding:
            self.taken.add(name)
            return name
        return self.invent(name, 1)

    def invent(self, stem: str, count: int, separator: str = "_") -> str:
        """The first of `stem_1`, `stem_2`, ... that stands nowhere in the text."""
        if self.words is None:
            self.words = set(self.tokens)
        while (name := f"{stem}{separator}{count}") in self.taken or name in self.words or name in HIDING:
            count += 1
        self.taken.add(name)
        return name

    def resolve(self, name: str, index: int) -> Entity:
        """What a name of the module scope stands for; the first time, reads its declaration."""
        raise NotImplementedError

    def unknown(self, name: str, index: int) -> NoReturn:
        """Raises the error for a name that stands for nothing here."""
        if name in BUILTIN_FUNCTIONS or name in PREDECLARED:
            self.fail(f"{name} is outside TinyWGSL", index)
        if not name.isidentifier() or name in _UNUSABLE:
            self.pos = index
            self.unexpected("an expression")
        self.fail(f"{shorten(name)} is not declared", index)

    def deeper(self, index: int) -> None:
        self.depth += 1
        if self.depth > MAX_BLOCKS:
            self.fail(f"more than {MAX_BLOCKS} nested blocks", index)

    # -------------------------------------------------------------------------------------------- temporaries

    def temporary(self, type: Type) -> Local:
        """A fresh local, `t1`, `t2`, ... ."""
        name = self.invent("t", self.temporaries + 1, "")
        self.temporaries = int(name[1:])
        self.locals.append(Variable(name, type))
        return Local(name, type)

    def keep(self, value: Expr, type: Type, at: int) -> Expr:
        """`value` for use after a call that was put at `out[at]` or later: what reads shared memory is read before."""
        if not reads_shared(value):
            return value
        self.measure(value, self.pos)
        kept = self.temporary(type)
        self.out.insert(at, Assign(kept.name, value))
        return kept

    def measure(self, value: Expr, index: int) -> None:
        """Fails at a token if an expression is so deep that whoever walks it would run out of stack."""
        if depth(value) > MAX_OPERATORS:
            self.fail(f"more than {MAX_OPERATORS} nested operators", index)

    def take_call(self, value: Value) -> Call | None:
        """If `value` is exactly the result of the last call, takes that call back: it can assign elsewhere."""
        if value is not self.called or self.called is None:
            return None
        call = self.out.pop()
        assert isinstance(call, Call)
        self.locals.pop()
        self.taken.discard(call.name)
        self.temporaries = int(call.name[1:]) - 1
        return call

    def put(self, name: str, value: Expr, call: Call | None) -> None:
        """`name = value`, where `call` is what `take_call` gave for the value."""
        self.out.append(Assign(name, value) if call is None else Call(call.id, name, call.function, call.arguments))


def reads_shared(e: Expr) -> bool:
    """Whether shared memory is read in `e`. Not recursive: `e` may not have been measured yet."""
    todo = [e]
    while todo:
        e = todo.pop()
        if isinstance(e, SharedRead):
            return True
        todo += operands_of(e)
    return False


def depth(e: Expr) -> int:
    """The operators within operators of `e`. Not recursive: its caller fears the answer."""
    deepest, todo = 0, [(e, 0)]
    while todo:
        e, level = todo.pop()
        deepest = max(deepest, level)
        todo += [(operand, level + 1) for operand in operands_of(e)]
    return deepest
