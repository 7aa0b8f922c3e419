"""What names stand for while a tree is lowered, and which names TinyWGSL has instead.

A name of the text stands for an *entity*. Names of TinyWGSL differ from names of the text only where restriction (2) or
WGSL's own names demand it: then a suffix `_1`, `_2`, ... is added.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NoReturn

from wgsl_fuzz.tinywgsl.ast import Expr, Literal, Local, Type
from wgsl_fuzz.tinywgsl.words import HIDING, RESERVED
from wgsl_fuzz.wgsl.builtins import PREDECLARED
from wgsl_fuzz.wgsl.lexer import RESERVED_WORDS
from wgsl_fuzz.wgsl.problems import LoweringProblem
from wgsl_fuzz.wgsl.syntax import Declaration, Node

Value = Expr | int
"""An expression; an `int` is a const-expression of WGSL's type AbstractInt, which is no type of TinyWGSL."""

Typed = tuple[Value, Type | None]
"""A value and its type; None for an AbstractInt."""

RESERVED_ONCE = RESERVED - RESERVED_WORDS
"""Words that only the draft of 2023 reserves: compilers that follow it refuse them."""

_SHOWN = 40
"""How many characters of a name messages show."""


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
    """A function that can be called. `void`: it has no result in the text, and 0u in TinyWGSL."""

    name: str
    parameters: list[tuple[str, Type]]
    result: Type
    void: bool
    must_use: bool
    is_ready: bool
    """Whether it may be called: its body is lowered, or comes before its callers' bodies for sure."""
    scope: int = 0


@dataclass(slots=True)
class TypeEntity:
    """A scalar type or an alias of one."""

    type: Type
    scope: int = 0


@dataclass(slots=True)
class ArrayTypeEntity:
    """An array type or an alias of one (size 0: sized at run time)."""

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
    """A declaration at module scope that has not been lowered yet."""

    declaration: Declaration
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

_OWN: dict[str, Entity] = {
    **{t.value: TypeEntity(t) for t in Type},
    "workgroupBarrier": BarrierEntity(),
    "storageBarrier": BarrierEntity(),
    "textureBarrier": BarrierEntity(),
}
"""What WGSL declares itself, as far as TinyWGSL has it."""


@dataclass(slots=True)
class LoopContext:
    """The innermost loop: the names declared in its body, and how many of them came before its first `continue`."""

    scope: int = 0
    declared: list[str] = field(default_factory=list)
    before_continue: int | None = None
    in_continuing: bool = False


class NameTable:
    """The names in scope, and the names that TinyWGSL has already."""

    def __init__(self, words: Callable[[], set[str]]) -> None:
        self.entities: dict[str, Entity] = dict(_OWN)
        self.scope = self.scopes = 1  # 0 is the scope of WGSL's own names
        self.loop: LoopContext | None = None
        self.taken = {"lid", "main"}
        self.texts: dict[str, str] = {}
        """What the text calls a local, an array, or the element `A[0]` that a scalar has become."""
        self._hidden: list[tuple[str, Entity | None]] = []
        self._find_words = words
        """Finds the names that stand in the text."""
        self._words: set[str] | None = None

    def open_scope(self) -> tuple[int, int]:
        """Opens a scope; returns what `close_scope` needs."""
        before = (self.scope, len(self._hidden))
        self.scopes += 1
        self.scope = self.scopes
        return before

    def close_scope(self, before: tuple[int, int]) -> None:
        """Ends the meaning of all names declared since."""
        self.scope, depth = before
        hidden, entities = self._hidden, self.entities
        while len(hidden) > depth:
            name, entity = hidden.pop()
            if entity is None:
                del entities[name]
            else:
                entities[name] = entity

    def bind(self, name: str, entity: Entity, at: Node) -> None:
        """Gives `name` a meaning until the scope closes; raises LoweringProblem at `at` if it has one here."""
        old = self.entities.get(name)
        if old is not None and old.scope == self.scope:
            raise LoweringProblem(f"{name} is declared twice", at.start)
        if name in RESERVED_ONCE:
            raise LoweringProblem(f"{name} was reserved in the draft of 2023, and is outside TinyWGSL", at.start)
        self._hidden.append((name, old))
        self.entities[name] = entity

    def declare(self, name: str, type: Type, *, mutable: bool, at: Node) -> Local:
        """Declares a local of the text; returns TinyWGSL's, whose name may differ."""
        node = Local(self.core_name(name), type)
        self.bind(name, LocalEntity(node, type, mutable, self.scope), at)
        self.texts[node.name] = name
        loop = self.loop
        if loop is not None and loop.scope == self.scope:
            loop.declared.append(name)
        return node

    def core_name(self, name: str, hiding: frozenset[str] = HIDING) -> str:
        """TinyWGSL's name for a name of the text: the same unless it is taken or hides a name of WGSL."""
        if name not in self.taken and name not in hiding:
            self.taken.add(name)
            return name
        return self.invent(name, 1)[0]

    def invent(self, stem: str, count: int, separator: str = "_") -> tuple[str, int]:
        """The first of `stem_1`, `stem_2`, ... that stands nowhere in the text, from this count on, and its count."""
        if self._words is None:
            self._words = self._find_words()
        while (name := f"{stem}{separator}{count}") in self.taken or name in self._words or name in HIDING:
            count += 1
        self.taken.add(name)
        return name, count


def unknown(name: str, at: Node) -> NoReturn:
    """Raises the error for a name that stands for nothing here."""
    shown = name if len(name) <= _SHOWN else f"{name[:_SHOWN]}..."
    why = "is outside TinyWGSL" if name in PREDECLARED else "is not declared"
    raise LoweringProblem(f"{shown} {why}", at.start)
