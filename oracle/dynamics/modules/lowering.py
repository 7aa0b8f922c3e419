"""Module -> TinyWGSL shader that does the same, for one entry point: its core, or one made for that.

Names of locals are unique in the whole shader and no function recurses, so a thread's store holds every variable of
every function at once. Three things follow. A private variable is a local of `main`. A function that is given a
pointer is made once for each variable that the pointer can lead to, and assigns to the caller's local by its name.
A result of several scalars is left in locals of the callee.

What the steps keep is what the program does; what they change freely is which analysis would accept it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import prod
from typing import TypeVar

from wgsl_fuzz.oracle.core import Core, core_of
from wgsl_fuzz.oracle.dynamics.modules import operations as ops
from wgsl_fuzz.oracle.dynamics.modules.calls import CallLowering, Shape, Specialised
from wgsl_fuzz.oracle.dynamics.modules.expressions import ExpressionLowering
from wgsl_fuzz.oracle.dynamics.modules.output import UNKNOWN, Cells, Output, Words
from wgsl_fuzz.oracle.dynamics.modules.places import Memory, MemoryRef, Value
from wgsl_fuzz.oracle.dynamics.modules.statements import StatementLowering
from wgsl_fuzz.oracle.dynamics.modules.synchronization import FILTERED, StageLowering
from wgsl_fuzz.oracle.dynamics.modules.types import (
    Assumption,
    CannotRun,
    Discards,
    FilteredResult,
    OverrideInSize,
    scalars,
    size,
)
from wgsl_fuzz.oracle.dynamics.modules.variables import Variables, zeros
from wgsl_fuzz.oracle.dynamics.relevance import relevance
from wgsl_fuzz.oracle.dynamics.witness import Witness
from wgsl_fuzz.tinywgsl.ast import Assign, Expr, Lid, Local, Return, Shader, Type, id_of, walk
from wgsl_fuzz.tinywgsl.ast import Function as CoreFunction
from wgsl_fuzz.tinywgsl.ast import Space as CoreSpace
from wgsl_fuzz.tinywgsl.ast import Variable as CoreVariable
from wgsl_fuzz.wgsl import types as vt
from wgsl_fuzz.wgsl.builtins import Stage
from wgsl_fuzz.wgsl.diagnostics import Filters
from wgsl_fuzz.wgsl.resolution import Access, Resolution, Space, attribute_of
from wgsl_fuzz.wgsl.syntax import Expression, Function, Parameter, StructMember, Variable
from wgsl_fuzz.wgsl.walk import deep

VEC3U = vt.Vector(3, vt.U32)


def workgroup_size(expressions: ExpressionLowering, entry: Function) -> tuple[int, int, int]:
    """The three numbers of `@workgroup_size`."""
    attribute = attribute_of(entry.attributes, "workgroup_size")
    sizes = [] if attribute is None else [expressions.integer(e) for e in attribute.arguments]
    x, y, z = (*sizes, 1, 1, 1)[:3]
    return x, y, z


class Inputs:
    """The values of an entry point's parameters."""

    def __init__(
        self, expressions: ExpressionLowering, sizes: tuple[int, int, int], threads: int, subgroup: int
    ) -> None:
        self.expressions = expressions
        self.sizes = sizes
        self.threads = threads
        self.subgroup_size = subgroup
        self.asked = False
        """Whether an input says something of subgroups."""
        self._unknown: dict[str, Value] = {}

    def parameter(self, p: Parameter) -> Value:
        """The value of a parameter."""
        type = self.expressions.types.named(p.type)
        struct = self.expressions.resolution.struct(p.type)
        if struct is None or p.attributes:
            return self._value(p, type)
        assert isinstance(type, vt.Structure)
        parts = [self._value(m, inner) for m, (_, inner) in zip(struct.members, type.members, strict=True)]
        return Value(type, tuple([cell for part in parts for cell in part.cells]))

    def _value(self, p: Parameter | StructMember, type: vt.Type) -> Value:
        name = self.expressions.resolution.builtin_input(p)
        row = _ROWS.get(name or "")
        self.asked |= name is not None and "subgroup" in name
        if row is not None:
            return Value(type, row(self))
        root = Memory(self.expressions.out.name(p.name), stride=size(type), constant=True)
        self.expressions.out.variables[root.name] = Cells(p.name, type, size(type))
        for scalar in dict.fromkeys(scalars(type)):
            self.expressions.out.array(root, scalar, CoreSpace.STORAGE, 0)
        return self.expressions.variables.read(MemoryRef(root, type))

    def any(self, name: str, type: vt.Type) -> tuple[Expr, ...]:
        """A value that is one for all threads."""
        if name not in self._unknown:
            self._unknown[name] = self.expressions.unknown_constant(name, type)
        return self._unknown[name].cells

    def local_id(self) -> tuple[Expr, ...]:
        """`local_invocation_id`: the thread's number in mixed radix."""
        found: list[Expr] = []
        left: int = prod(self.sizes)
        rest: Expr = Lid()
        for own in self.sizes:
            left //= own
            if own == 1:
                found.append(ops.u32(0))
                continue
            found.append(ops.binary("%", rest, ops.u32(own)) if left > 1 else rest)
            rest = ops.binary("/", rest, ops.u32(own))
        return tuple(found)

    def global_id(self) -> tuple[Expr, ...]:
        """`global_invocation_id`."""
        groups = self.any("workgroup_id", VEC3U)
        scaled = [g if n == 1 else ops.binary("*", g, ops.u32(n)) for g, n in zip(groups, self.sizes)]
        added = zip(scaled, self.local_id())
        return tuple([s if own == ops.u32(0) else ops.binary("+", s, own) for s, own in added])

    def global_index(self) -> tuple[Expr, ...]:
        """`global_invocation_index`."""
        group = self.any("workgroup_index", vt.U32)[0]
        return (ops.binary("+", ops.binary("*", group, ops.u32(prod(self.sizes))), Lid()),)


_ROWS: dict[str, Callable[[Inputs], tuple[Expr, ...]]] = {
    "local_invocation_index": lambda _: (Lid(),),
    "local_invocation_id": Inputs.local_id,
    "global_invocation_id": Inputs.global_id,
    "global_invocation_index": Inputs.global_index,
    "workgroup_id": lambda inputs: inputs.any("workgroup_id", VEC3U),
    "num_workgroups": lambda inputs: inputs.any("num_workgroups", VEC3U),
    "workgroup_index": lambda inputs: inputs.any("workgroup_index", vt.U32),
    "subgroup_invocation_id": lambda inputs: (ops.binary("%", Lid(), ops.u32(inputs.subgroup_size)),),
    "subgroup_size": lambda inputs: (ops.u32(inputs.subgroup_size),),
    "num_subgroups": lambda inputs: (ops.u32(-(-inputs.threads // inputs.subgroup_size)),),
    "subgroup_id": lambda inputs: (ops.binary("/", Lid(), ops.u32(inputs.subgroup_size)),),
}
"""By the name of a built-in input; the others differ from thread to thread."""


QUAD = 4
"""The threads of a fragment shader: invocations of one draw, whose derivatives need them all."""
LEAST_SUBGROUP = 4
"""The smallest size of a subgroup that WGSL allows."""
MOST_FUNCTIONS = 500


@dataclass(frozen=True, slots=True)
class LoweredModule:
    """A shader that does what an entry point does; `offsets` has the place in the text by the ID of a statement."""

    shader: Shader
    offsets: dict[int, int]
    lenient: frozenset[int] = frozenset()
    """Barriers of calls under a diagnostic filter: where threads do not meet at one, nothing is said of the run."""
    meetings: Mapping[int, str] = field(default_factory=dict)
    """By the ID of a barrier, what people call it."""
    asks_about_subgroups: bool = False
    """Whether their size can matter."""
    subgroup_size: int = 0
    """0: all threads are one."""
    places: Mapping[int, int] = field(default_factory=dict, repr=False, compare=False)
    """By `id` of a statement, where in the text it comes from."""
    words: Words = field(default_factory=lambda: Words({}, {}), repr=False, compare=False)
    """What the text calls locals and cells."""
    is_core: bool = False
    """Whether it is the core of the module."""

    def counts(self, witness: Witness) -> bool:
        """Whether the threads have to meet where the witness ends."""
        return all(stop.barrier not in self.lenient for stop in witness.stops)


@dataclass(frozen=True, slots=True)
class Threads:
    """By how many threads an entry point is run, and in subgroups of what size."""

    count: int = 0
    """0: as many as it declares."""
    subgroup_size: int = 0
    """0: all threads are one subgroup, of 4 at least. A fragment shader has no smaller ones than its quad."""


def shader_to_run(resolution: Resolution, entry: Function, threads: int = 0, subgroup_size: int = 0) -> LoweredModule:
    """What to run for an entry point: the core, if the module has one, else what `lower_module` makes.

    Raises CannotRun for what the semantics does not have.
    """
    core = core_of(resolution)
    if core.shader is None:
        return lower_module(resolution, entry, threads, subgroup_size)
    notes = resolution.notes
    found: LoweredModule = notes.get(_of_core) or notes.setdefault(_of_core, _of_core(core.shader, core))
    return found


def lower_module(resolution: Resolution, entry: Function, threads: int = 0, subgroup_size: int = 0) -> LoweredModule:
    """A shader for an entry point, to be run by so many threads in subgroups of such a size (`Threads`).

    Both matter for subgroup operations and inputs only. Raises CannotRun for what the semantics does not have.
    """
    run_by = Threads(threads, subgroup_size)
    return deep(lambda: _begun_again(resolution, entry, run_by, _ModuleLowering.lowered))


def declared_threads(resolution: Resolution, entry: Function) -> int:
    """How many threads an entry point says that it has; of a fragment shader a quad."""
    core = core_of(resolution).shader
    if core is not None:
        return core.workgroup_size
    return _begun_again(resolution, entry, Threads(), lambda lowering: lowering.declared)


def _of_core(shader: Shader, core: Core) -> LoweredModule:
    """The core, and what the text calls what is in it."""
    statements = [s for f in shader.all_functions for s in walk(f.body)]
    offsets = {number: core.starts.get(id(s), -1) for s in statements if (number := id_of(s)) is not None}
    types = {v.name: v.type for f in shader.all_functions for v in (*f.params, *f.locals)} | {"lid": Type.U32}
    arrays = {a.name: vt.Array(vt.Scalar(a.type.value), a.size or None) for a in shader.arrays}
    variables = {name: Cells(core.names[name], type) for name, type in arrays.items() if name in core.names}
    types |= {f"{a.name}[0]": a.type for a in shader.arrays if a.name not in variables}
    cells = {name: (Cells(core.names[name], vt.Scalar(t.value)), 0) for name, t in types.items() if name in core.names}
    return LoweredModule(shader, offsets, places=core.starts, words=Words(variables, cells), is_core=True)


_T = TypeVar("_T")


def _begun_again(
    resolution: Resolution, entry: Function, run_by: Threads, work: "Callable[[_ModuleLowering], _T]"
) -> _T:
    """What comes of lowering under the fewest assumptions about the module."""
    assumed: frozenset[type[Assumption]] = frozenset()
    while True:
        try:
            return work(_ModuleLowering(resolution, entry, run_by, assumed))
        except Assumption as found:
            assumed |= {type(found)}


class _ModuleLowering:
    def __init__(
        self, resolution: Resolution, entry: Function, run_by: Threads, assumed: frozenset[type[Assumption]]
    ) -> None:
        self.resolution = resolution
        self.entry = entry
        self.out = Output()
        self.variables = Variables(self.out)
        self.expressions = ExpressionLowering(resolution, self.out, self.variables)
        self.expressions.fixed = OverrideInSize in assumed
        self.fragment = resolution.entry_stage(entry) is Stage.FRAGMENT
        self.stages = StageLowering(self.expressions)
        self.calls = CallLowering(self.expressions, self.stages, self.specialised)
        self.expressions.calls = self.calls
        self.expressions.module_variable = self.module_variable
        sizes = (QUAD, 1, 1) if self.fragment else workgroup_size(self.expressions, entry)
        self.declared = prod(sizes)
        self.stages.threads = run_by.count or self.declared
        self.stages.subgroup_size = self._subgroup_size(run_by)
        self.stages.lenient = set() if FilteredResult in assumed else None
        self.inputs = Inputs(self.expressions, sizes, self.stages.threads, self.stages.subgroup_size)
        self.module_variables: dict[int, MemoryRef] = {}
        self.private: list[tuple[MemoryRef, Value]] = []
        self.made: dict[tuple[int, tuple[Shape | None, ...]], Specialised] = {}
        self.discarded: Local | None = None
        if Discards in assumed:
            self.discarded = self.out.global_("discarded", Type.BOOL)
            self.variables.guard = lambda: None if self.discarded is None else ops.negated(self.discarded)

    def _subgroup_size(self, run_by: Threads) -> int:
        if run_by.subgroup_size:
            return max(run_by.subgroup_size, QUAD) if self.fragment else run_by.subgroup_size
        return int(max(LEAST_SUBGROUP, 1 << (self.stages.threads - 1).bit_length()))

    def lowered(self) -> LoweredModule:
        """The whole shader."""
        entry, out = self.entry, self.out
        for p in entry.parameters:
            self.expressions.bind(p, out.bound(p.name, self.inputs.parameter(p)))
        self._body(entry, None, ())
        body, locals = out.statements, out.locals
        out.statements, out.locals = [], []
        for place, value in self.private:
            self.variables.assign(place, value)
        body = self.expressions.prologue + out.statements + body
        main = CoreFunction("main", (), tuple(out.globals + out.locals + locals), tuple(body), None)
        shader = Shader(tuple(out.arrays.values()), tuple(out.functions), main, self.declared)
        self._check_unknown(shader)
        lenient = frozenset(self.stages.lenient or ())
        asks = self.stages.asked or self.inputs.asked
        words = Words(out.variables, out.cells)
        return LoweredModule(shader, out.offsets, lenient, out.meetings, asks, self.stages.split, out.places, words)

    def _check_unknown(self, shader: Shader) -> None:
        """Raises CannotRun if a value that is not known can influence control flow."""
        unknown = [v.name for v in self.out.globals if v.name.startswith(UNKNOWN)]
        if not unknown:
            return
        matter = relevance(shader).names
        for name in unknown:
            what = name.removeprefix(UNKNOWN).partition(":")[0]
            if name in matter and what == FILTERED:
                raise FilteredResult
            if name in matter:
                raise CannotRun(f"what {what} computes")

    # -------------------------------------------------------------------------------------------------- module scope

    def module_variable(self, d: Variable) -> MemoryRef:
        """Where a variable at module scope is held."""
        found = self.module_variables.get(id(d))
        if found is None:
            found = self.module_variables[id(d)] = self._module_variable(d)
        return found

    def _module_variable(self, d: Variable) -> MemoryRef:
        space = self.resolution.space(d)
        if space is Space.PRIVATE:
            value = None if d.value is None else self._initial(d, d.value)
            type = self.expressions.types.named(d.type) if d.type is not None else None
            if type is None:
                assert value is not None, "a variable has a type or a value"
                type = value.type
            place = self.variables.private(d.name, type)
            self.private.append((place, value or zeros(type)))
            return place
        assert d.type is not None, "variables that are shared have a type"
        type = self.expressions.types.named(d.type)
        if space is Space.HANDLE:
            return MemoryRef(Memory(self.out.name(d.name)), type)
        if space is Space.WORKGROUP:
            return self.variables.shared(d.name, type, CoreSpace.WORKGROUP)
        constant = self.resolution.access(d) is Access.READ
        return self.variables.shared(d.name, type, CoreSpace.STORAGE, constant=constant)

    def _initial(self, d: Variable, value: Expression) -> Value:
        return self.expressions.before_all(lambda: self.expressions.concrete_for(value, d.type))

    # ------------------------------------------------------------------------------------------------------ functions

    def specialised(self, function: Function, shapes: tuple[Shape | None, ...]) -> Specialised:
        """A function for pointers of certain shapes."""
        key = id(function), shapes
        found = self.made.get(key)
        if found is None:
            if len(self.made) >= MOST_FUNCTIONS:
                raise CannotRun(f"more than {MOST_FUNCTIONS} functions, one for each variable behind a pointer")
            out, expressions = self.out, self.expressions
            kept = out.statements, out.locals, out.at, expressions.bound
            out.statements, out.locals, expressions.bound = [], [], {}
            found = self.made[key] = self._function(function, shapes)
            out.statements, out.locals, out.at, expressions.bound = kept
        return found

    def _function(self, function: Function, shapes: tuple[Shape | None, ...]) -> Specialised:
        out = self.out
        name = out.name(function.name)
        params: list[CoreVariable] = []
        for parameter, shape in zip(function.parameters, shapes, strict=True):
            params += self._parameter(parameter, shape)
        result = None if function.result is None else self.expressions.types.named(function.result)
        cells: tuple[Local, ...] = ()
        if result is not None and size(result) != 1:
            unique = out.name("result")
            row = enumerate(scalars(result))
            cells = tuple([out.local(f"{unique}.{i}", s.core, mutable=True) for i, s in row])
        self._body(function, result, cells)
        if not out.statements or not isinstance(out.statements[-1], Return):
            out.put(Return(ops.zero(vt.U32 if result is None or cells else scalars(result)[0])))
        core = Type.U32 if result is None or cells else scalars(result)[0].core
        out.functions.append(CoreFunction(name, tuple(params), tuple(out.locals), tuple(out.statements), core))
        return Specialised(name, result, cells)

    def _parameter(self, p: Parameter, shape: Shape | None) -> list[CoreVariable]:
        """Binds a parameter; returns the parameters of TinyWGSL that hand it over."""
        unique = self.out.name(p.name)
        if shape is None:
            type: vt.Type = self.expressions.types.named(p.type)
            self.out.variables[unique] = Cells(p.name, type)
            held = [CoreVariable(f"{unique}.{i}", s.core) for i, s in enumerate(scalars(type))]
            self.expressions.bind(p, Value(type, tuple([Local(v.name, v.type) for v in held])))
            return held
        if shape.choices is None:
            self.expressions.bind(p, MemoryRef(shape.root, shape.type, shape.offset))
            return []
        index = Local(unique, Type.U32)
        self.expressions.bind(p, MemoryRef(shape.root, shape.type, shape.offset, index, shape.choices))
        return [CoreVariable(unique, Type.U32)]

    def _body(self, function: Function, result: vt.Type | None, cells: tuple[Local, ...]) -> None:
        filters = Filters(self.resolution.module.directives)
        filters.push(function.attributes)
        statements = StatementLowering(self.expressions, self.calls, filters, result, cells)
        statements.entry = function is self.entry
        statements.discard = self._discard
        outer = self.stages.severity
        self.stages.severity = filters.severity
        statements.flat_block(function.body)
        self.stages.severity = outer

    def _discard(self) -> None:
        """The thread goes on as a helper: what it writes to shared memory is lost."""
        if self.discarded is None:
            raise Discards
        self.out.put(Assign(self.discarded.name, ops.TRUE))
