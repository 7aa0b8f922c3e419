"""Any WGSL -> a TinyWGSL shader that can be executed: entry points, functions and their statements.

`wgsl/lower` keeps what analyses see, or refuses. This lowering keeps runs only: it adds locals and branches.

`switch` is a chain of `if`s, or such a chain in a loop where a `break` leaves it from within. A `continue` out of such
a loop says in a local which one it was, leaves the loop, and happens behind it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import prod
from typing import NamedTuple, TypeVar

from wgsl_fuzz.oracle.core import Core, core_of
from wgsl_fuzz.oracle.dynamics.modules import operations as ops
from wgsl_fuzz.oracle.dynamics.modules import output
from wgsl_fuzz.oracle.dynamics.modules import types as t
from wgsl_fuzz.oracle.dynamics.modules.calls import FILTERED, ZERO_MATRIX, CallLowering, Specialised
from wgsl_fuzz.oracle.dynamics.modules.expressions import ExecutableExpressionLowering
from wgsl_fuzz.oracle.dynamics.modules.numeric import combined
from wgsl_fuzz.oracle.dynamics.symbolic import Relevance
from wgsl_fuzz.oracle.dynamics.witness import Witness
from wgsl_fuzz.tinywgsl import ast as core
from wgsl_fuzz.wgsl import syntax as w
from wgsl_fuzz.wgsl import types as vt
from wgsl_fuzz.wgsl.builtins import Stage, words
from wgsl_fuzz.wgsl.diagnostics import Filters
from wgsl_fuzz.wgsl.resolution import Access, Resolution, Space, attribute_of
from wgsl_fuzz.wgsl.walk import free_jumps, with_more_stack


@dataclass(slots=True)
class _Around:
    """A loop of TinyWGSL around a place: one of the text, or of a switch."""

    switch: bool
    continued: core.Local | None = None
    """In a switch: which `continue` leaves it, from 1; 0 is none."""
    parts: list[int] = field(default_factory=list)
    """Their places in the text."""


@dataclass
class ExecutableStatementLowering:
    """Lowers the statements of one function."""

    expressions: ExecutableExpressionLowering
    calls: CallLowering
    filters: Filters
    result: vt.Type | None
    cells: tuple[core.Local, ...]
    """Where a result of several cells goes."""
    entry: bool
    """Whether it is the entry point."""
    discard: Callable[[], None]
    """Lowers a `discard`."""

    def __post_init__(self) -> None:
        self.out = self.expressions.out
        self._around: list[_Around] = []

    # -------------------------------------------------------------------------------------------------------- blocks

    def statements(self, statements: tuple[w.Statement, ...]) -> None:
        """What stands in a block."""
        out = self.out
        around = out.at
        for s in statements:
            out.at = s.start
            _STATEMENTS[s.__class__](self, s)
        out.at = around

    def flat_block(self, block: w.Block) -> None:
        """`{ ... }`, its statements put into the block around it."""
        self.filters.push(block.attributes)
        self.statements(block.statements)
        self.filters.pop()

    def block(self, block: w.Block) -> core.Block:
        """`{ ... }` as a block of its own."""
        outer = self.out.open()
        self.flat_block(block)
        return self.out.close(outer)

    # ---------------------------------------------------------------------------------------- declarations, assignments

    def _variable(self, s: w.Variable) -> None:
        value = None if s.value is None else self.expressions.concrete_for(s.value, s.type)
        type = self.expressions.named(s.type) if s.type is not None else None
        if type is None:
            assert value is not None
            type = value.type
        if value is None and vt.holds(type, vt.SubgroupMatrix):
            self.calls.meet_for_matrix(ZERO_MATRIX, [])
        place = self.out.variable(s.name, type)
        self.expressions.bind(s, place)
        self.out.assign(place, value or output.zeros(type))

    def _let(self, s: w.Let) -> None:
        expressions = self.expressions
        if expressions.resolution.is_pointer(s.value) or expressions.is_handle(s.value):
            expressions.bind(s, self.out.settled_place(expressions.place(s.value)))
        else:
            expressions.bind(s, self.out.bound(s.name, expressions.concrete_for(s.value, s.type)))

    def _assign(self, s: w.Assign) -> None:
        """`left = right`: the left side first, then the right; `left op= right` also loads before the right side."""
        target = self.expressions.target(s.left)
        mark = self.out.mark()
        old = None if s.operator == "=" else self.out.read(target)
        value = self.expressions.value(s.right)
        # What is kept at the mark stands before what comes later: first the index of the left side.
        if isinstance(target, output.Swizzled):
            target = output.Swizzled(self.out.kept_place(target.place, mark), target.components)
        else:
            target = self.out.kept_place(target, mark)
        if old is not None:
            old = self.out.kept(old, mark)
            value = combined(self.out, s.operator[:-1], old, value)
        self.out.assign(target, value)

    def _increment(self, s: w.Increment) -> None:
        target = self.expressions.target(s.left)
        old = self.out.read(target)
        scalar = t.scalar_of(old.type)
        one = output.Value(vt.with_component(old.type, scalar), (ops.one(scalar),))
        self.out.assign(target, combined(self.out, s.operator[0], old, one))

    def _phony(self, s: w.Phony) -> None:
        """Only side effects are left: of a pointer, the effects of its indices."""
        resolution = self.expressions.resolution
        if resolution.is_pointer(s.value):
            self.expressions.place(s.value)
        elif self.expressions.is_handle(s.value):
            return
        elif resolution.root(s.value) is not None:
            self.expressions.place(s.value)  # loading has no effect
        else:
            self.expressions.value(s.value)

    # -------------------------------------------------------------------------------------------------- control flow

    def _conditional(self, s: w.If) -> None:
        self.filters.push(s.attributes)
        condition = self.expressions.condition(s.condition)
        then = self.block(s.then)
        orelse: core.Block = ()
        if s.orelse is not None:
            outer = self.out.open()
            self.statements((s.orelse,))
            orelse = self.out.close(outer)
        self.filters.pop()
        self.out.put(core.If(condition, then, orelse))

    def _loop(self, s: w.Loop) -> None:
        self.filters.push(s.attributes)
        self.filters.push(s.body.attributes)
        loop, outer = self._open_loop()
        self.statements(s.body.statements)
        continuing = self.out.open()
        if s.continuing is not None:
            self.flat_block(s.continuing)
        update = self.out.close(continuing)
        self._close_loop(loop, outer, update)
        self.filters.pop()
        self.filters.pop()

    def _for(self, s: w.For) -> None:
        self.filters.push(s.attributes)
        if s.initial is not None:
            self.statements((s.initial,))
        loop, outer = self._open_loop()
        if s.condition is not None:
            left = ops.negated(self.expressions.condition(s.condition))
            self.out.put(core.If(left, (core.Break(),), ()))
        self.flat_block(s.body)
        continuing = self.out.open()
        if s.update is not None:
            self.statements((s.update,))
        update = self.out.close(continuing)
        self._close_loop(loop, outer, update)
        self.filters.pop()

    def _open_loop(self) -> tuple[int, list[core.Stmt]]:
        self._around.append(_Around(switch=False))
        return self.out.new_id(), self.out.open()

    def _close_loop(self, loop: int, outer: list[core.Stmt], continuing: core.Block) -> None:
        """Restriction (3): the body ends with a `continue`."""
        if not self.out.statements or not isinstance(self.out.statements[-1], core.Continue):
            self.out.put(core.Continue(self.out.new_id()))
        self._around.pop()
        self.out.put(core.Loop(loop, self.out.close(outer), continuing))

    # ------------------------------------------------------------------------------------------------------- switches

    def _switch(self, s: w.Switch) -> None:
        self.filters.push(s.attributes)
        selector = self.expressions.value(s.selector)
        given = [e for c in s.clauses for e in c.selectors]
        selectors = [self.expressions.value(e) for e in given if not isinstance(e, w.DefaultSelector)]
        type = next(
            (v.type for v in (selector, *selectors) if not t.scalar_of(v.type).is_abstract), vt.concrete(selector.type)
        )
        value = self.out.named_cell(output.fitted(selector, type).scalar)
        self.filters.push(s.body_attributes)
        if any(_breaks_within(c.body) for c in s.clauses):
            self._switch_in_loop(s, value, type)
        else:
            self._chain(s, value, type)
        self.filters.pop()
        self.filters.pop()

    def _chain(self, s: w.Switch, value: core.Expr, type: vt.Type) -> None:
        """`if value == a {} else if value == b {} else {}`, the default last: selectors differ from each other."""
        default = next(
            (c for c in s.clauses if not c.selectors or any(isinstance(e, w.DefaultSelector) for e in c.selectors)),
            None,
        )
        found: core.Block = () if default is None else self._clause(default)
        for clause in reversed([c for c in s.clauses if c is not default]):
            found = (core.If(self._chosen(clause, value, type), self._clause(clause), found),)
        for one in found:
            self.out.put(one)

    def _chosen(self, clause: w.Clause, value: core.Expr, type: vt.Type) -> core.Expr:
        found: core.Expr = ops.FALSE
        for selector in clause.selectors:
            assert not isinstance(selector, w.DefaultSelector), "the default comes last"
            same = ops.binary("==", value, self.expressions.typed(selector, type).scalar)
            found = same if found == ops.FALSE else ops.binary("||", found, same)
        return found

    def _clause(self, clause: w.Clause) -> core.Block:
        outer = self.out.open()
        self.filters.push(clause.body.attributes)
        body = clause.body.statements
        if body and isinstance(body[-1], w.Break):
            body = body[:-1]
        self.statements(body)
        self.filters.pop()
        return self.out.close(outer)

    def _switch_in_loop(self, s: w.Switch, value: core.Expr, type: vt.Type) -> None:
        here = _Around(switch=True)
        if any(not around.switch for around in self._around):
            here.continued = self.out.local(self.out.name("continued"), core.Type.U32, mutable=True)
            self.out.put(core.Assign(here.continued.name, ops.u32(0)))
        loop, outer = self.out.new_id(), self.out.open()
        self._around.append(here)
        self._chain(s, value, type)
        self.out.put(core.Break())
        self._around.pop()
        self.out.put(core.Loop(loop, self.out.close(outer), ()))
        for i, start in enumerate(here.parts):
            assert here.continued is not None, "a continue is in a loop"
            block = self.out.open()
            self.out.at, at = start, self.out.at
            self._continue(w.Continue(start=start))
            self.out.at = at
            there = self.out.close(block)
            self.out.put(core.If(ops.binary("==", here.continued, ops.u32(i + 1)), there, ()))

    # --------------------------------------------------------------------------------------------------------- jumps

    def _continue(self, s: w.Continue) -> None:
        around = self._around[-1]
        if not around.switch:
            self.out.put(core.Continue(self.out.new_id()))
            return
        assert around.continued is not None, "a continue is in a loop"
        around.parts.append(s.start)
        self.out.put(core.Assign(around.continued.name, ops.u32(len(around.parts))))
        self.out.put(core.Break())

    def _return(self, s: w.Return) -> None:
        value: core.Expr | None = None if self.entry else ops.u32(0)
        if s.value is not None and self.entry:
            self.expressions.value(s.value)
        elif s.value is not None:
            assert self.result is not None
            found = self.expressions.typed(s.value, self.result)
            if not self.cells:
                value = found.scalar
            for local, cell in zip(self.cells, found.cells):
                self.out.put(core.Assign(local.name, cell))
        self.out.put(core.Return(value))


def _breaks_within(body: w.Block) -> bool:
    """Whether a `break` leaves the clause of a `switch` from elsewhere than its end."""
    return any(isinstance(jump, w.Break) and jump is not body.statements[-1] for jump in free_jumps(body))


_STATEMENTS: dict[type, Callable[..., None]] = {
    w.Assign: ExecutableStatementLowering._assign,
    w.Block: ExecutableStatementLowering.flat_block,
    w.Break: lambda self, _: self.out.put(core.Break()),
    w.BreakIf: lambda self, s: self.out.put(core.If(self.expressions.condition(s.condition), (core.Break(),), ())),
    w.CallStatement: lambda self, s: self.calls.called(s.call),
    w.Const: lambda *_: None,  # computed where it is used
    w.ConstAssert: lambda *_: None,
    w.Continue: ExecutableStatementLowering._continue,
    w.Discard: lambda self, _: self.discard(),
    w.Empty: lambda *_: None,
    w.For: ExecutableStatementLowering._for,
    w.If: ExecutableStatementLowering._conditional,
    w.Increment: ExecutableStatementLowering._increment,
    w.Let: ExecutableStatementLowering._let,
    w.Loop: ExecutableStatementLowering._loop,
    w.Phony: ExecutableStatementLowering._phony,
    w.Return: ExecutableStatementLowering._return,
    w.Switch: ExecutableStatementLowering._switch,
    w.Variable: ExecutableStatementLowering._variable,
    w.While: lambda self, s: self._for(w.For(None, s.condition, None, s.body, s.attributes)),
}


VEC3U = vt.Vector(3, vt.U32)
RUN_PROPOSALS = words("subgroup_matrix chromium_experimental_subgroup_matrix texel_buffers chromium_print")
"""The proposals that the semantics has a meaning for."""


def workgroup_size(expressions: ExecutableExpressionLowering, entry: w.Function) -> tuple[int, int, int]:
    """The three numbers of `@workgroup_size`."""
    attribute = attribute_of(entry.attributes, "workgroup_size")
    sizes = [] if attribute is None else [expressions.integer(e) for e in attribute.arguments]
    x, y, z = (*sizes, 1, 1, 1)[:3]
    return x, y, z


@dataclass
class Inputs:
    """The values of an entry point's parameters."""

    expressions: ExecutableExpressionLowering
    sizes: tuple[int, int, int]
    threads: int
    subgroup_size: int
    asked: bool = False
    """Whether an input says something of subgroups."""
    _unknown: dict[str, output.Value] = field(default_factory=dict)

    def parameter(self, p: w.Parameter) -> output.Value:
        """The value of a parameter."""
        type = self.expressions.named(p.type)
        struct = self.expressions.resolution.struct(p.type)
        if struct is None or p.attributes:
            return self._value(p, type)
        assert isinstance(type, vt.Structure)
        parts = [self._value(m, inner) for m, (_, inner) in zip(struct.members, type.members, strict=True)]
        return output.Value(type, tuple([cell for part in parts for cell in part.cells]))

    def _value(self, p: w.Parameter | w.StructMember, type: vt.Type) -> output.Value:
        name = self.expressions.resolution.builtin_input(p)
        row = _ROWS.get(name or "")
        self.asked |= name is not None and "subgroup" in name
        if row is not None:
            return output.Value(type, row(self))
        return self.expressions.out.read(self.expressions.out.in_memory(p.name, type, constant=True))

    def any(self, name: str, type: vt.Type) -> tuple[core.Expr, ...]:
        """A value that is one for all threads."""
        if name not in self._unknown:
            self._unknown[name] = self.expressions.unknown_constant(name, type)
        return self._unknown[name].cells

    def local_id(self) -> tuple[core.Expr, ...]:
        """`local_invocation_id`: the thread's number in mixed radix."""
        found: list[core.Expr] = []
        left: int = prod(self.sizes)
        rest: core.Expr = core.Lid()
        for own in self.sizes:
            left //= own
            if own == 1:
                found.append(ops.u32(0))
                continue
            found.append(ops.binary("%", rest, ops.u32(own)) if left > 1 else rest)
            rest = ops.binary("/", rest, ops.u32(own))
        return tuple(found)

    def global_id(self) -> tuple[core.Expr, ...]:
        """`global_invocation_id`."""
        groups = self.any("workgroup_id", VEC3U)
        scaled = [g if n == 1 else ops.binary("*", g, ops.u32(n)) for g, n in zip(groups, self.sizes)]
        added = zip(scaled, self.local_id())
        return tuple([s if own == ops.u32(0) else ops.binary("+", s, own) for s, own in added])

    def global_index(self) -> tuple[core.Expr, ...]:
        """`global_invocation_index`."""
        group = self.any("workgroup_index", vt.U32)[0]
        return (ops.binary("+", ops.binary("*", group, ops.u32(prod(self.sizes))), core.Lid()),)


_ROWS: dict[str, Callable[[Inputs], tuple[core.Expr, ...]]] = {
    "local_invocation_index": lambda _: (core.Lid(),),
    "local_invocation_id": Inputs.local_id,
    "global_invocation_id": Inputs.global_id,
    "global_invocation_index": Inputs.global_index,
    "workgroup_id": lambda inputs: inputs.any("workgroup_id", VEC3U),
    "num_workgroups": lambda inputs: inputs.any("num_workgroups", VEC3U),
    "workgroup_index": lambda inputs: inputs.any("workgroup_index", vt.U32),
    "subgroup_invocation_id": lambda inputs: (ops.binary("%", core.Lid(), ops.u32(inputs.subgroup_size)),),
    "subgroup_size": lambda inputs: (ops.u32(inputs.subgroup_size),),
    "num_subgroups": lambda inputs: (ops.u32(-(-inputs.threads // inputs.subgroup_size)),),
    "subgroup_id": lambda inputs: (ops.binary("/", core.Lid(), ops.u32(inputs.subgroup_size)),),
}
"""By the name of a built-in input; the others differ from thread to thread."""


QUAD = 4
"""The threads of a fragment shader: invocations of one draw, whose derivatives need them all."""
LEAST_SUBGROUP = 4
"""The smallest size of a subgroup that WGSL allows."""
MOST_FUNCTIONS = 500
MOST_THREADS = 256
"""Of a workgroup that is run: as many as WebGPU lets a workgroup have unless a program asks for more."""


class InText(NamedTuple):
    """Where what a lowered module has stands in the text, and what the text calls it."""

    offsets: Mapping[int, int]
    """By the ID of a statement, its place in the text."""
    places: Mapping[int, int]
    """By `id` of a statement, where in the text it comes from."""
    words: output.Words
    """What the text calls locals and cells."""
    meetings: Mapping[int, str] = {}
    """By the ID of a barrier, what people call it."""


@dataclass(frozen=True)
class LoweredModule:
    """A shader that does what an entry point does."""

    shader: core.Shader
    look_up: Callable[[], InText] = field(repr=False, compare=False)
    lenient: frozenset[int] = frozenset()
    """Barriers of calls under a diagnostic filter: where threads do not meet at one, nothing is said of the run."""
    asks_about_subgroups: bool = False
    """Whether their size can matter."""
    subgroup_size: int = 0
    """0: all threads are one."""
    is_core: bool = False
    """Whether it is the core of the module."""

    @cached_property
    def in_text(self) -> InText:
        """What the text has for it: worked out when somebody asks, since most runs have nothing to tell."""
        return self.look_up()

    def counts(self, witness: Witness) -> bool:
        """Whether the threads have to meet where the witness ends."""
        return all(stop.barrier not in self.lenient for stop in witness.stops)


def shader_to_run(resolution: Resolution, entry: w.Function, threads: int = 0, subgroup_size: int = 0) -> LoweredModule:
    """What to run for an entry point: the core, if the module has one, else what `lower_module` makes.

    Raises CannotRun for what the semantics does not have.
    """
    if core_of(resolution).shader is None:
        return lower_module(resolution, entry, threads, subgroup_size)
    return resolution.once(_of_core, lambda: _of_core(core_of(resolution)))


def lower_module(resolution: Resolution, entry: w.Function, threads: int = 0, subgroup_size: int = 0) -> LoweredModule:
    """A shader for an entry point, to be run by so many threads (0: as it declares) in subgroups of such a size.

    Size 0: all threads are one, of 4 at least. A fragment shader has no smaller subgroups than its quad. Both numbers
    matter for subgroup operations and inputs only. Raises CannotRun for what the semantics does not have.
    """
    not_run = resolution.proposals - RUN_PROPOSALS
    if not_run:
        raise t.CannotRun(f"what a proposal adds: {', '.join(sorted(not_run))}")
    run_by = threads, subgroup_size
    return with_more_stack(lambda: _begun_again(resolution, entry, run_by, _ModuleLowering.lowered))


def declared_threads(resolution: Resolution, entry: w.Function) -> int:
    """How many threads an entry point says that it has; of a fragment shader a quad. Raises CannotRun if too many."""
    if (shader := core_of(resolution).shader) is not None:
        return _few(shader.workgroup_size)
    return _begun_again(resolution, entry, (0, 0), lambda lowering: lowering.declared)


def _few(threads: int) -> int:
    """The number of threads, if so many can be run. Raises CannotRun."""
    if threads > MOST_THREADS:
        raise t.CannotRun(f"more than {MOST_THREADS} threads")
    return threads


def _of_core(found: Core) -> LoweredModule:
    """The core as it is."""
    shader = found.shader
    assert shader is not None, "there is one"
    return LoweredModule(shader, lambda: _core_in_text(found, shader), is_core=True)


def _core_in_text(found: Core, shader: core.Shader) -> InText:
    """What the text calls what is in the core."""
    statements = [s for f in shader.all_functions for s in core.walk(f.body)]
    offsets = {number: found.starts.get(id(s), -1) for s in statements if (number := core.id_of(s)) is not None}
    types = {v.name: v.type for f in shader.all_functions for v in (*f.params, *f.locals)} | {"lid": core.Type.U32}
    arrays = {a.name: vt.Array(vt.Scalar(a.type.value), a.size or None) for a in shader.arrays}
    variables = {name: output.Cells(found.names[name], type) for name, type in arrays.items() if name in found.names}
    types |= {f"{a.name}[0]": a.type for a in shader.arrays if a.name not in variables}
    cells = {
        name: (output.Cells(found.names[name], vt.Scalar(type.value)), 0)
        for name, type in types.items()
        if name in found.names
    }
    return InText(offsets, found.starts, output.Words(variables, cells))


_T = TypeVar("_T")


def _begun_again(
    resolution: Resolution, entry: w.Function, run_by: tuple[int, int], work: "Callable[[_ModuleLowering], _T]"
) -> _T:
    """What comes of lowering under the fewest assumptions about the module."""
    assumed: frozenset[str] = frozenset()
    while True:
        try:
            return work(_ModuleLowering(resolution, entry, run_by, assumed))
        except t.Assumption as found:
            assumed |= {*found.args}


class _ModuleLowering:
    def __init__(
        self, resolution: Resolution, entry: w.Function, run_by: tuple[int, int], assumed: frozenset[str]
    ) -> None:
        self.resolution = resolution
        self.entry = entry
        self.out = output.ExecutableOutput()
        self.expressions = ExecutableExpressionLowering(resolution, self.out)
        self.expressions.fixed = t.OVERRIDE_IN_SIZE in assumed
        self.fragment = resolution.entry_stage(entry) is Stage.FRAGMENT
        self.calls = CallLowering(self.expressions, self.specialised)
        self.expressions.module_variable = self.module_variable
        sizes = (QUAD, 1, 1) if self.fragment else workgroup_size(self.expressions, entry)
        self.declared = prod(sizes)
        self.calls.threads = _few(run_by[0] or self.declared)
        self.calls.subgroup_size = self._subgroup_size(run_by[1])
        self.calls.lenient = set() if t.FILTERED_RESULT in assumed else None
        self.inputs = Inputs(self.expressions, sizes, self.calls.threads, self.calls.subgroup_size)
        self.module_variables: dict[int, output.MemoryRef] = {}
        self.private: list[tuple[output.MemoryRef, output.Value]] = []
        self.made: dict[tuple[int, tuple[output.MemoryRef | None, ...]], Specialised] = {}
        self.discarded: core.Local | None = None
        if t.DISCARDS in assumed:
            self.discarded = self.out.global_("discarded", core.Type.BOOL)
            self.out.guard = lambda: None if self.discarded is None else ops.negated(self.discarded)

    def _subgroup_size(self, asked: int) -> int:
        if asked:
            return max(asked, QUAD) if self.fragment else asked
        return int(max(LEAST_SUBGROUP, 1 << (self.calls.threads - 1).bit_length()))

    def lowered(self) -> LoweredModule:
        """The whole shader."""
        entry, out = self.entry, self.out
        for p in entry.parameters:
            self.expressions.bind(p, out.bound(p.name, self.inputs.parameter(p)))
        self._body(entry, None, ())
        body, locals = out.statements, out.locals
        out.statements, out.locals = [], []
        for place, value in self.private:
            self.out.assign(place, value)
        body = self.expressions.prologue + out.statements + body
        main = core.Function("main", (), tuple(out.globals + out.locals + locals), tuple(body), None)
        shader = core.Shader(tuple(out.arrays.values()), tuple(out.functions), main, self.declared)
        self._check_unknown(shader)
        lenient = frozenset(self.calls.lenient or ())
        asks = self.calls.asked or self.inputs.asked
        words = output.Words(out.variables, out.cells)
        in_text = InText(out.offsets, out.places, words, out.meetings)
        return LoweredModule(shader, lambda: in_text, lenient, asks, self.calls.split)

    def _check_unknown(self, shader: core.Shader) -> None:
        """Raises CannotRun if a value that is not known can influence control flow."""
        unknown = [v.name for v in self.out.globals if v.name.startswith(output.UNKNOWN)]
        if not unknown:
            return
        matter = Relevance(shader).names
        for name in unknown:
            what = name.removeprefix(output.UNKNOWN).partition(":")[0]
            if name in matter and what == FILTERED:
                raise t.Assumption(t.FILTERED_RESULT)
            if name in matter:
                raise t.CannotRun(f"what {what} computes")

    # -------------------------------------------------------------------------------------------------- module scope

    def module_variable(self, d: w.Variable) -> output.MemoryRef:
        """Where a variable at module scope is held."""
        found = self.module_variables.get(id(d))
        if found is None:
            found = self.module_variables[id(d)] = self._module_variable(d)
        return found

    def _module_variable(self, d: w.Variable) -> output.MemoryRef:
        space = self.resolution.space(d)
        if space is Space.PRIVATE:
            initial = d.value
            value = None
            if initial is not None:
                value = self.expressions.before_all(lambda: self.expressions.concrete_for(initial, d.type))
            type = self.expressions.named(d.type) if d.type is not None else None
            if type is None:
                assert value is not None, "a variable has a type or a value"
                type = value.type
            place = self.out.variable(d.name, type, private=True)
            self.private.append((place, value or output.zeros(type)))
            return place
        assert d.type is not None, "variables that are shared have a type"
        type = self.expressions.named(d.type)
        if space is Space.HANDLE:
            return output.MemoryRef(output.MemoryLayout(self.out.name(d.name)), type)
        if space is Space.WORKGROUP:
            return self.out.shared(d.name, type, core.Space.WORKGROUP)
        constant = self.resolution.access(d) is Access.READ
        return self.out.shared(d.name, type, core.Space.STORAGE, constant=constant)

    # ------------------------------------------------------------------------------------------------------ functions

    def specialised(self, function: w.Function, shapes: tuple[output.MemoryRef | None, ...]) -> Specialised:
        """A function for pointers of certain shapes."""
        key = id(function), shapes
        found = self.made.get(key)
        if found is None:
            if len(self.made) >= MOST_FUNCTIONS:
                raise t.CannotRun(f"more than {MOST_FUNCTIONS} functions, one for each variable behind a pointer")
            out, expressions = self.out, self.expressions
            kept = out.statements, out.locals, out.at, expressions.bound
            out.statements, out.locals, expressions.bound = [], [], {}
            found = self.made[key] = self._function(function, shapes)
            out.statements, out.locals, out.at, expressions.bound = kept
        return found

    def _function(self, function: w.Function, shapes: tuple[output.MemoryRef | None, ...]) -> Specialised:
        out = self.out
        name = out.name(function.name)
        params: list[core.Variable] = []
        for parameter, shape in zip(function.parameters, shapes, strict=True):
            params += self._parameter(parameter, shape)
        result = None if function.result is None else self.expressions.named(function.result)
        cells: tuple[core.Local, ...] = ()
        if result is not None and t.size(result) != 1:
            unique = out.name("result")
            row = enumerate(t.scalars(result))
            cells = tuple([out.local(f"{unique}.{i}", s.core, mutable=True) for i, s in row])
        self._body(function, result, cells)
        if not out.statements or not isinstance(out.statements[-1], core.Return):
            out.put(core.Return(ops.zero(vt.U32 if result is None or cells else t.scalars(result)[0])))
        kind = core.Type.U32 if result is None or cells else t.scalars(result)[0].core
        out.functions.append(core.Function(name, tuple(params), tuple(out.locals), tuple(out.statements), kind))
        return Specialised(name, result, cells)

    def _parameter(self, p: w.Parameter, shape: output.MemoryRef | None) -> list[core.Variable]:
        """Binds a parameter; returns the parameters of TinyWGSL that hand it over."""
        unique = self.out.name(p.name)
        if shape is None:
            type: vt.Type = self.expressions.named(p.type)
            self.out.variables[unique] = output.Cells(p.name, type)
            held = [core.Variable(f"{unique}.{i}", s.core) for i, s in enumerate(t.scalars(type))]
            self.expressions.bind(p, output.Value(type, tuple([core.Local(v.name, v.type) for v in held])))
            return held
        if shape.index is None:
            self.expressions.bind(p, shape)
            return []
        index = core.Local(unique, core.Type.U32)
        self.expressions.bind(p, replace(shape, index=index))
        return [core.Variable(unique, core.Type.U32)]

    def _body(self, function: w.Function, result: vt.Type | None, cells: tuple[core.Local, ...]) -> None:
        filters = Filters(self.resolution.module.directives)
        filters.push(function.attributes)
        statements = ExecutableStatementLowering(
            self.expressions, self.calls, filters, result, cells, function is self.entry, self._discard
        )
        outer = self.calls.severity
        self.calls.severity = filters.severity
        statements.flat_block(function.body)
        self.calls.severity = outer

    def _discard(self) -> None:
        """The thread goes on as a helper: what it writes to shared memory is lost."""
        if self.discarded is None:
            raise t.Assumption(t.DISCARDS)
        self.out.put(core.Assign(self.discarded.name, ops.TRUE))
