"""What stands at module scope beside functions: structures, aliases, constants, overrides and variables."""

from wgsl_fuzz.strategies.choices.source import Table
from wgsl_fuzz.strategies.modules.drawer import Drawer
from wgsl_fuzz.strategies.modules.environment import Name, Role
from wgsl_fuzz.strategies.modules.profile import Weights
from wgsl_fuzz.strategies.modules.statements import constant_truth
from wgsl_fuzz.wgsl.resolution import Access, Space
from wgsl_fuzz.wgsl.syntax import (
    Alias,
    Attribute,
    Attributes,
    Const,
    ConstAssert,
    Declaration,
    Expression,
    Identifier,
    Literal,
    Override,
    Struct,
    StructMember,
    Variable,
)
from wgsl_fuzz.wgsl.types import (
    BOOL,
    F32,
    I32,
    SCALAR_OF,
    U32,
    Array,
    Atomic,
    Matrix,
    Scalar,
    Structure,
    Type,
    Vector,
    is_constructible,
    is_host_shareable,
    written,
)


class ModuleScope:
    """Draws the declarations of a module, and keeps them and the names that functions may see."""

    def __init__(self, drawer: Drawer) -> None:
        self.drawer = drawer
        self.source = drawer.source
        self.declarations: list[Declaration] = []
        self.names: list[Name] = []
        self._scalars = _scalars(drawer.profile.scalars)
        self._shapes = _strings(drawer.profile.shapes)
        self._bindings = 0

    def draw(self) -> None:
        """All of them."""
        source, drawer, profile = self.source, self.drawer, self.drawer.profile
        for _ in range(source.integer(*profile.pool)):
            type = self.type(2)
            if type not in drawer.pool:
                drawer.pool.append(type)
        for _ in range(source.integer(0, 1)):
            self._alias()
        for _ in range(source.pick((0, 0, 1, 2))):
            self._constant()
        for _ in range(0 if profile.core else source.pick((0, 0, 1, 2))):
            self._override()
        if source.percent(10):
            self.declarations.append(ConstAssert(constant_truth(drawer)))
        for kind, most in profile.memory:
            for _ in range(source.integer(0, most)):
                self._variable(kind)

    # ------------------------------------------------------------------------------------------------------- types

    def scalar(self) -> Scalar:
        """A scalar of the profile."""
        return self.source.weighted(self._scalars)

    def type(self, depth: int, *, shareable: bool = False) -> Type:
        """A constructible type; `shareable`: without bools."""
        shape = self.source.weighted(self._shapes) if depth else "scalar"
        scalar = self.scalar()
        if shareable and scalar is BOOL:
            scalar = U32
        if shape == "vector":
            return Vector(self.source.integer(2, 4), scalar)
        if shape == "matrix":
            return Matrix(self.source.integer(2, 4), self.source.integer(2, 4), F32)
        if shape == "array":
            return Array(self.type(depth - 1, shareable=shareable), self.source.pick((2, 4, 3, 1)))
        if shape == "struct":
            return self.structure(depth, shareable=shareable or self.source.percent(60))
        return scalar

    def structure(self, depth: int, *, shareable: bool) -> Structure:
        """A structure of its own, or one that there is already."""
        known = [s for s in self.drawer.structures if is_host_shareable(s) or not shareable]
        if known and self.source.percent(50):
            return self.source.pick(known)
        count = self.source.integer(1, 3)
        members = tuple([(f"m{i}", self.type(depth - 1, shareable=shareable)) for i in range(count)])
        structure = Structure(self.drawer.fresh("S"), members)
        self.drawer.structures.append(structure)
        self._declare_structure(structure)
        return structure

    def _declare_structure(self, structure: Structure) -> None:
        nodes = tuple([StructMember(name, self.drawer.type_name(type)) for name, type in structure.members])
        self.declarations.append(Struct(structure.name, nodes))

    def _alias(self) -> None:
        type = self.drawer.type()
        name = self.drawer.fresh("T")
        self.declarations.append(Alias(name, written(type, suffix="u")))
        self.drawer.type_names.setdefault(type, []).append(name)

    # --------------------------------------------------------------------------------------------------- constants

    def _constant(self) -> None:
        type = self.drawer.type()
        value = self.drawer.literal(type)
        name = Name(self.drawer.fresh("k"), type, Role.CONST, module_scope=True)
        self.declarations.append(Const(name.name, self._maybe(type), value))
        self.names.append(name)
        self.drawer.env.constants.add(name.name)

    def _override(self) -> None:
        type = self.source.pick((U32, U32, I32, BOOL))
        name = Name(self.drawer.fresh("o"), type, Role.OVERRIDE, module_scope=True)
        attributes: Attributes = ()
        if self.source.percent(30):
            attributes = (Attribute("id", (Literal(f"{len(self.names)}"),)),)
        self.declarations.append(Override(name.name, self._maybe(type), self.drawer.literal(type), attributes))
        self.names.append(name)

    def _maybe(self, type: Type) -> Identifier | None:
        return self.drawer.type_name(type) if self.source.percent(50) else None

    # --------------------------------------------------------------------------------------------------- variables

    def _variable(self, kind: str) -> None:
        space = Space.STORAGE if kind in ("storage", "read") else Space(kind)
        writable = kind in ("private", "workgroup", "storage")
        access = Access.READ_WRITE if writable else Access.READ
        type = self.stored(kind)
        name = Name(self.drawer.fresh("g"), type, Role.VARIABLE, space, access, module_scope=True)
        template = [Identifier(space.value)]
        if space is Space.STORAGE and (writable or self.source.percent(30)):
            template.append(Identifier(access.value))
        value: Expression | None = None
        if kind == "private" and is_constructible(type) and self.source.percent(40):
            value = self.drawer.literal(type)
        self.declarations.append(
            Variable(name.name, self.drawer.type_name(type), value, tuple(template), self._resource(space))
        )
        self.names.append(name)

    def _resource(self, space: Space) -> Attributes:
        if space not in (Space.STORAGE, Space.UNIFORM):
            return ()
        binding = Attribute("binding", (Literal(f"{self._bindings}"),))
        self._bindings += 1
        return (Attribute("group", (Literal("0"),)), binding)

    def stored(self, kind: str) -> Type:
        """The type of a variable of module scope."""
        source, drawer = self.source, self.drawer
        if kind == "uniform":
            return self._uniform()
        if drawer.profile.core:
            return self._of_the_core(kind)
        if kind in ("workgroup", "storage") and source.percent(12):
            return self._with_atomic(kind)
        if kind in ("workgroup", "storage") and source.percent(30):
            atomic = Atomic(source.pick((U32, U32, I32)))
            return atomic if source.percent(60) else Array(atomic, source.pick((2, 4)))
        types = [t for t in drawer.pool if kind in ("private", "workgroup") or is_host_shareable(t)]
        type = source.pick(types)
        if source.percent(40):
            runtime = kind in ("storage", "read") and source.percent(40)
            return Array(type, None if runtime else source.pick((2, 4, 8)))
        return type

    def _of_the_core(self, kind: str) -> Type:
        """A scalar, or an array whose size is a power of two: a mask keeps an index in bounds."""
        type = self.source.pick([t for t in self.drawer.pool if kind == "workgroup" or is_host_shareable(t)])
        least = 0 if self.drawer.profile.racy else (self.drawer.profile.threads[1] - 1).bit_length()
        return type if self.source.percent(20) else Array(type, 1 << self.source.integer(least, max(least, 3)))

    def _with_atomic(self, kind: str) -> Type:
        """A structure with an atomic, in a buffer perhaps with an array at its end that is sized at run time."""
        source, drawer = self.source, self.drawer
        kept = [t for t in drawer.pool if is_host_shareable(t)]
        members: list[tuple[str, Type]] = [("m0", Atomic(source.pick((U32, U32, I32)))), ("m1", source.pick(kept))]
        if kind == "storage" and source.percent(50):
            members.append(("m2", Array(source.pick(kept), None)))
        structure = Structure(drawer.fresh("S"), tuple(members))
        self._declare_structure(structure)
        return structure

    def _uniform(self) -> Type:
        """What the layout of uniform buffers takes: no arrays of what is smaller than 16 bytes."""
        shape = self.source.integer(0, 3)
        scalar = self.source.pick((U32, U32, I32))
        if shape <= 1:
            return scalar if shape == 0 else Vector(self.source.integer(2, 4), scalar)
        if shape == 2:
            return Array(Vector(4, scalar), self.source.integer(1, 4))
        members: list[tuple[str, Type]] = [("m0", scalar), ("m1", Vector(self.source.integer(2, 4), scalar))]
        structure = Structure(self.drawer.fresh("S"), tuple(members))
        self._declare_structure(structure)
        return structure


def _scalars(weights: Weights) -> Table[Scalar]:
    return Table([(SCALAR_OF[name], weight) for name, weight in weights])


def _strings(weights: Weights) -> Table[str]:
    return Table(list(weights))
