"""The generator of modules: one function of a source of choices, offered for campaigns and for Hypothesis.

Functions are drawn first, each seeing those before it; then the entry points, which call those that nothing called.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from wgsl_fuzz.strategies.choices.source import ChoiceSource, Odds, RandomSource
from wgsl_fuzz.strategies.generate import builtin_families
from wgsl_fuzz.strategies.generate.drawer import Drawer
from wgsl_fuzz.strategies.generate.entry_points import Head, core_head, draw_handles, draw_head
from wgsl_fuzz.strategies.generate.environment import Callee, Name, NameRole
from wgsl_fuzz.strategies.generate.expressions import EXPRESSIONS
from wgsl_fuzz.strategies.generate.filters import with_filters
from wgsl_fuzz.strategies.generate.loops import LOOPS
from wgsl_fuzz.strategies.generate.motifs.modules import draw_motifs
from wgsl_fuzz.strategies.generate.profile import (
    COMPUTE,
    TINY,
    Constructs,
    ModuleProfile,
    Site,
    Weights,
    draw_module_swarm,
)
from wgsl_fuzz.strategies.generate.statements import (
    STAGE_STATEMENTS,
    STAGE_TRIGGERS,
    STATEMENTS,
    TRIGGERS,
    call_of,
    constant_truth,
    declare_variable,
)
from wgsl_fuzz.tinywgsl.ast import Shader
from wgsl_fuzz.wgsl import syntax as w
from wgsl_fuzz.wgsl.builtins import EXTENSIONS, LANGUAGE_FEATURES, Stage
from wgsl_fuzz.wgsl.lower.module import lower
from wgsl_fuzz.wgsl.resolution import Access, Space
from wgsl_fuzz.wgsl.resolve import resolve
from wgsl_fuzz.wgsl.types import (
    BOOL,
    F32,
    I32,
    SCALAR_OF,
    U32,
    Array,
    Atomic,
    Handle,
    Matrix,
    Pointer,
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
        self.declarations: list[w.Declaration] = []
        self.names: list[Name] = []
        self._scalars = _scalars(drawer.profile.scalars)
        self._shapes = _strings(drawer.profile.shapes)
        self._bindings = 0

    def draw(self) -> None:
        """Draws all declarations."""
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
            self.declarations.append(w.ConstAssert(constant_truth(drawer)))
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
        nodes = tuple([w.StructMember(name, self.drawer.type_name(type)) for name, type in structure.members])
        self.declarations.append(w.Struct(structure.name, nodes))

    def _alias(self) -> None:
        type = self.drawer.type()
        name = self.drawer.fresh("T")
        self.declarations.append(w.Alias(name, written(type, suffix="u")))
        self.drawer.type_names.setdefault(type, []).append(name)

    # --------------------------------------------------------------------------------------------------- constants

    def _constant(self) -> None:
        type = self.drawer.type()
        value = self.drawer.literal(type)
        name = Name(self.drawer.fresh("k"), type, NameRole.CONST, module_scope=True)
        self.declarations.append(w.Const(name.name, self._maybe(type), value))
        self.names.append(name)
        self.drawer.env.constants.add(name.name)

    def _override(self) -> None:
        type = self.source.pick((U32, U32, I32, BOOL))
        name = Name(self.drawer.fresh("o"), type, NameRole.OVERRIDE, module_scope=True)
        attributes: w.Attributes = ()
        if self.source.percent(30):
            attributes = (w.Attribute("id", (w.Literal(f"{len(self.names)}"),)),)
        self.declarations.append(w.Override(name.name, self._maybe(type), self.drawer.literal(type), attributes))
        self.names.append(name)

    def _maybe(self, type: Type) -> w.Identifier | None:
        return self.drawer.type_name(type) if self.source.percent(50) else None

    # --------------------------------------------------------------------------------------------------- variables

    def _variable(self, kind: str) -> None:
        space = Space.STORAGE if kind in ("storage", "read") else Space(kind)
        writable = kind in ("private", "workgroup", "storage")
        access = Access.READ_WRITE if writable else Access.READ
        type = self.stored(kind)
        name = Name(self.drawer.fresh("g"), type, NameRole.VARIABLE, space, access, module_scope=True)
        template = [w.Identifier(space.value)]
        if space is Space.STORAGE and (writable or self.source.percent(30)):
            template.append(w.Identifier(access.value))
        value: w.Expression | None = None
        if kind == "private" and is_constructible(type) and self.source.percent(40):
            value = self.drawer.literal(type)
        self.declarations.append(
            w.Variable(name.name, self.drawer.type_name(type), value, tuple(template), self._resource(space))
        )
        self.names.append(name)

    def _resource(self, space: Space) -> w.Attributes:
        if space not in (Space.STORAGE, Space.UNIFORM):
            return ()
        binding = w.Attribute("binding", (w.Literal(f"{self._bindings}"),))
        self._bindings += 1
        return (w.Attribute("group", (w.Literal("0"),)), binding)

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
        types = [t for t in drawer.pool if is_host_shareable(t) or kind in ("private", "workgroup")]
        type = source.pick(types or [U32])
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


def _scalars(weights: Weights) -> Odds[Scalar]:
    return Odds([(SCALAR_OF[name], weight) for name, weight in weights])


def _strings(weights: Weights) -> Odds[str]:
    return Odds(list(weights))


_EXTENSIONS = sorted(EXTENSIONS)
_FEATURES = sorted(LANGUAGE_FEATURES)


def draw_directives(source: ChoiceSource, extensions: Iterable[str], extras: int) -> tuple[w.Directive, ...]:
    """The extensions that a module uses, enabled; and in `extras` percent what it does not need."""
    needed = sorted(extensions)
    if source.percent(extras):
        needed = sorted({*needed, source.pick(_EXTENSIONS)})
    found: list[w.Directive] = []
    if needed and source.percent(50):
        found = [w.Enable((name,)) for name in needed]
    elif needed:
        found = [w.Enable(tuple(needed))]
    if source.percent(extras):
        found.append(w.Requires((source.pick(_FEATURES),)))
    return tuple(found)


ROWS: Constructs[Drawer] = Constructs(
    (*EXPRESSIONS, *builtin_families.EXPRESSIONS),
    (*STATEMENTS, *LOOPS, *STAGE_STATEMENTS),
    (*TRIGGERS, *STAGE_TRIGGERS),
)
"""All rows. A new row changes what every seed draws: raise GENERATOR_VERSION."""


_FUNCTION = 44  # span label
_SHARE = 40
"""The most of the statements that one function gets, in percent of those that are left."""
_HIDDEN = 8
"""The rate of names of the module that a function does not see, and may have for its own."""
_SPACES = Odds([(Space.FUNCTION, 6), (Space.PRIVATE, 2), (Space.WORKGROUP, 1), (Space.STORAGE, 2)])
"""Of pointers among the parameters of functions."""


def draw_module(seed: int, profile: ModuleProfile = COMPUTE) -> w.Module:
    """The module of a seed: a pure function of (GENERATOR_VERSION, profile, seed)."""
    return draw(RandomSource(seed), profile)


def draw_shader(seed: int, profile: ModuleProfile = TINY) -> Shader:
    """The core of the module of a seed; the profile is one of modules that have a core."""
    return core_from(RandomSource(seed), profile)


def core_from(source: ChoiceSource, profile: ModuleProfile) -> Shader:
    """The core of a module that is drawn."""
    return lower(resolve(draw(source, profile))).shader


def draw(source: ChoiceSource, profile: ModuleProfile, rows: Constructs[Drawer] = ROWS) -> w.Module:
    """Draws one valid module. A profile that swarms is first narrowed by a swarm of its own, from the same source."""
    if source.percent(profile.motif_modules):
        return draw_motifs(source, profile.motif_kinds, profile.newest, core=profile.core)
    if profile.swarm:
        profile = draw_module_swarm(source, profile, rows)
    return ModuleDrawer(source, profile, rows).module()


class ModuleDrawer:
    """Draws the parts of one module, in the order of `module`."""

    def __init__(self, source: ChoiceSource, profile: ModuleProfile, rows: Constructs[Drawer]) -> None:
        self.source = source
        self.profile = profile
        self.drawer = Drawer(source, profile, rows, source.pick(profile.doses))
        self.scope = ModuleScope(self.drawer)
        self.returns = source.percent(profile.returns)
        self.functions: list[w.Function] = []
        self.own: Name | None = None
        """An array that only the entry point sees: its cells belong to one invocation each."""
        self.heads: list[Head] = []
        """Of the entry points so far."""

    def module(self) -> w.Module:
        """Draws the whole module: declarations, then functions, then entry points; their order is drawn last."""
        source, profile = self.source, self.profile
        self.scope.draw()
        if not profile.racy:
            self.rule_out_races()
        self.handles()
        budget = source.integer(*profile.statements)
        entries = self.stages()
        for _ in range(min(source.integer(*profile.functions), budget // 4)):
            share = source.integer(1, max(1, budget * _SHARE // 100))
            self.function(self.reached_from(entries), share)
            budget -= share
        for i, stage in enumerate(entries):
            left = max(1, budget // (len(entries) - i))
            self.entry_point("main" if not i else f"main{i}", stage, left, later=entries[i + 1 :])
            budget -= left
        return self.finished(self.shuffled([*self.scope.declarations, *self.functions]), self.drawer.extensions)

    def stages(self) -> list[Stage]:
        """The stages of the entry points; one at least has something that needs uniform control flow."""
        source, profile = self.source, self.profile
        found = [source.pick(profile.stages) for _ in range(source.pick(profile.entry_points))]
        if not any(self.drawer.triggers_of(frozenset({stage})) for stage in found):
            found[0] = profile.stages[0]
        return found

    def rule_out_races(self) -> None:
        """Each invocation has a cell of its own in one array, and all other shared memory is only read."""
        for name in self.scope.names:
            if self.own is None and isinstance(name.type, Array):
                self.own, self.drawer.own_array = name, w.Identifier(name.name)
            elif name.is_memory:
                name.steady = True

    def handles(self) -> None:
        """The textures and samplers of the module."""
        for name, variable in draw_handles(self.drawer):
            self.scope.names.append(name)
            self.scope.declarations.append(variable)

    def reached_from(self, entries: list[Stage]) -> frozenset[Stage]:
        """The stages that a function is for: all of the module, or one."""
        stages = list(dict.fromkeys(entries))
        if len(stages) == 1 or self.source.percent(40):
            return frozenset(stages)
        return frozenset({self.source.pick(stages)})

    def finished(self, declarations: Sequence[w.Declaration], extensions: Iterable[str]) -> w.Module:
        """The module with diagnostic filters, and with the directives that it needs."""
        source, profile = self.source, self.profile
        module = w.Module((), tuple(declarations))
        rate = source.pick(profile.filters)
        module = with_filters(source, module, rate, 10 * profile.extended)
        directives = draw_directives(source, extensions, 10 * (profile.extended and self.drawer.newest))
        return replace(module, directives=(*directives, *module.directives)) if directives else module

    def shuffled(self, declarations: list[w.Declaration]) -> list[w.Declaration]:
        """Some declarations stand elsewhere than before their uses."""
        if not self.source.percent(40):
            return declarations
        for i in range(len(declarations) - 1):
            j = self.source.integer(i, len(declarations) - 1)
            declarations[i], declarations[j] = declarations[j], declarations[i]
        return declarations

    def enter(self, callee: Callee, budget: int, *, entry_point: bool) -> None:
        """Begins a function, with what it may see of the module."""
        drawer = self.drawer
        drawer.current = callee
        drawer.begin(budget)
        drawer.env.enter()
        seen = [name for name in self.scope.names if not self.source.percent(_HIDDEN)]
        hidden = [name.name for name in self.scope.names if name not in seen]
        callees = [f for f in drawer.functions if f.called]
        drawer.hide([*hidden, *[f.name for f in callees if self.source.percent(_HIDDEN)]])
        for name in seen:
            if name is self.own and not entry_point:
                continue
            if name.space is Space.WORKGROUP and callee.stages != {Stage.COMPUTE}:
                continue
            if Stage.VERTEX in callee.stages and _is_writable_resource(name):
                continue
            drawer.env.declare(name)
        for parameter in callee.parameters:
            drawer.env.declare(parameter)

    def function(self, stages: frozenset[Stage], budget: int) -> None:
        """A function of about `budget` statements."""
        source, drawer = self.source, self.drawer
        source.begin(_FUNCTION)
        drawer.start_function()
        parameters = [self.parameter() for _ in range(source.integer(0, 3))]
        result = drawer.type() if source.percent(75) else None
        must_use = result is not None and source.percent(8)
        callee = Callee(drawer.fresh("f"), tuple(parameters), result, stages, must_use=must_use)
        drawer.function_names.add(callee.name)
        self.enter(callee, budget, entry_point=False)
        place = Site(self.profile.nesting, may_return=True)
        statements = self.locals()
        statements += drawer.statements(place, budget - 1, budget - 1, dead_code=100)
        if result is not None:
            statements.append(drawer.return_())
        drawer.env.leave()
        nodes = tuple([w.Parameter(p.name, drawer.type_name(p.type)) for p in parameters])
        written = None if result is None else drawer.type_name(result)
        attributes = (w.Attribute("must_use"),) if must_use else ()
        self.functions.append(w.Function(callee.name, nodes, w.Block(tuple(statements)), written, attributes))
        drawer.functions.append(callee)
        source.end()

    def parameter(self) -> Name:
        """A value or a pointer to anything in the module."""
        drawer, source = self.drawer, self.source
        handles = [name for name in self.scope.names if isinstance(name.type, Handle)]
        if handles and source.percent(10):
            return Name(drawer.local("t"), source.pick(handles).type, NameRole.PARAMETER)
        if not source.percent(self.profile.pointers):
            return Name(drawer.local("a"), drawer.type(), NameRole.PARAMETER)
        space = source.weighted(_SPACES)
        pointer = self.pointer_type(space)
        return Name(drawer.local("p"), pointer, NameRole.PARAMETER, pointer.space, pointer.access)

    def pointer_type(self, space: Space) -> Pointer:
        """A pointer type for which the module has memory, at least if it is in `function` space."""
        drawer, source = self.drawer, self.source
        memory = [name for name in self.scope.names if name.space is space]
        if space is not Space.FUNCTION and memory:
            name = source.pick(memory)
            parts = drawer.env.addressable_parts(name.store)
            return Pointer(space, source.pick(parts) if source.percent(50) else parts[0], name.access)
        return Pointer(Space.FUNCTION, drawer.type(), Access.READ_WRITE)

    def entry_point(self, name: str, stage: Stage, budget: int, *, later: list[Stage]) -> None:
        """An entry point; it calls what nothing has called yet and none of the `later` ones can call."""
        source, drawer, profile = self.source, self.drawer, self.profile
        source.begin(_FUNCTION)
        head = self.begin_entry_point(name, stage, budget)
        place = Site(profile.nesting, may_return=self.returns)
        statements = self.locals()
        statements += drawer.statements(place, budget, budget, dead_code=100)
        statements += self.closing(place, later)
        drawer.env.leave()
        self.functions.append(self.with_head(name, head, statements))
        self.scope.declarations += head.declarations
        source.end()

    def begin_entry_point(self, name: str, stage: Stage, budget: int) -> Head:
        """Draws the head of an entry point, and brings into scope what its body sees."""
        drawer = self.drawer
        drawer.start_function()
        head = core_head(drawer) if self.profile.core else draw_head(drawer, stage, self.heads)
        self.heads.append(head)
        callee = Callee(name, head.names, head.result, frozenset({stage}))
        drawer.function_names.add(name)
        self.enter(callee, budget, entry_point=True)
        return head

    def with_head(self, name: str, head: Head, statements: Sequence[w.Statement]) -> w.Function:
        """An entry point of a head and the statements of its body."""
        result = None if head.result is None else self.drawer.type_name(head.result)
        body = w.Block(tuple(statements))
        return w.Function(name, head.parameters, body, result, head.attributes, head.result_attributes)

    def locals(self) -> list[w.Statement]:
        """The variables that a function begins with."""
        drawer = self.drawer
        return [declare_variable(drawer, drawer.type()) for _ in range(self.source.integer(1, 3))]

    def closing(self, place: Site, later: list[Stage]) -> list[w.Statement]:
        """Calls of what nothing has called, a trigger if there is none, the result."""
        drawer = self.drawer
        found: list[w.Statement] = []
        for callee in drawer.callees(None):
            if not callee.called and callee.stages.isdisjoint(later):
                found += call_of(drawer, callee)
        if not drawer.triggers and not any(drawer.triggers_of(frozenset({other})) for other in later):
            found += drawer.trigger(place)
        if self.profile.core and (not self.returns or self.source.percent(50)):
            found += drawer.trigger(place)  # the paper's restriction (1): `main` ends in a barrier, if it has no return
        if drawer.current.result is not None:
            found.append(drawer.return_())
        return found


def _is_writable_resource(name: Name) -> bool:
    """Whether a vertex shader may not have it."""
    if isinstance(name.type, Handle):
        return name.type.name.startswith("texture_storage_") and name.type.arguments[-1] != "read"
    return name.space is Space.STORAGE and name.access is not Access.READ
