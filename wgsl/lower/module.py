"""Tree of WGSL -> TinyWGSL, for all that TinyWGSL can express, in any usual spelling; the rest is refused by name.

Names are resolved already, and what they must not be is refused (`wgsl.resolve`); this checks types and desugars.
`statements`, `expressions`, `operators` and `output` have the parts; the module scope is here. What TinyWGSL's printer
prints comes back as the AST it was. Behaviour analysis, restriction (1) and the compile-time errors of typed constants
are left to `oracle.core`.

| WGSL | TinyWGSL |
| --- | --- |
| `while e {..}` | a loop that starts with `if (!e) {break}`; a double negation is dropped |
| `for (a; e; b) {..}` | `a`, then a loop as for `while`, with `b` as its continuing |
| a loop body without a final `continue` | one is appended; no `continuing` is an empty one, no `else` too |
| `else if` | an `if` in the `else` |
| `x += e`, `x++`, ... | `x = x + e`; the index of an array element is written twice |
| `let x = e`, `var x = e` | a local and `x = e` |
| `var x: T` in a loop | a local and `x = 0`: WGSL initialises it in each iteration |
| `var x = x_in`, `x_in` a parameter used nowhere else | the parameter is `x` |
| `const x = e` | each use is the value |
| `f(e)` inside an expression, `f(e);`, `_ = f(e);` | `t1 = f(e)` before the statement, and before it what comes first |
| `a && f()` | `t1 = a; if (t1) {t1 = f()}`; for a disjunction `if (!t1)` |
| a function without a result | returns 0u |
| `_ = e;` without a call, `;`, a block in a block | nothing, nothing, its statements |
| `var<workgroup> x: u32` | an array of one element |
| `local_invocation_id.x` of a workgroup (N) or (N, 1, 1) | `lid`, as `local_invocation_index` |
| an entry point of another name | `main` |
| a name used twice (restriction 2) | `x_1`, `x_2`, ... for the later ones |
| functions after their callers | before them (restriction 6) |
"""

from dataclasses import dataclass
from functools import cached_property
from math import prod

from wgsl_fuzz.tinywgsl.ast import Block as CoreBlock
from wgsl_fuzz.tinywgsl.ast import Function as CoreFunction
from wgsl_fuzz.tinywgsl.ast import Literal, Return, Shader, SharedArray, Space, blocks_of
from wgsl_fuzz.wgsl.builtins import Stage
from wgsl_fuzz.wgsl.lexer import RESERVED, RESERVED_WORDS
from wgsl_fuzz.wgsl.lower import expressions
from wgsl_fuzz.wgsl.lower.operators import BOOL, U32
from wgsl_fuzz.wgsl.lower.output import HIDING_IN_MODULE, Output
from wgsl_fuzz.wgsl.lower.statements import Marks, StatementLowering, no_attributes
from wgsl_fuzz.wgsl.problems import LoweringProblem
from wgsl_fuzz.wgsl.resolution import Access, Resolution, attribute_of
from wgsl_fuzz.wgsl.resolution import Space as AnySpace
from wgsl_fuzz.wgsl.syntax import Alias, Attributes, Const, ConstAssert, Function, Identifier, Parameter, Variable
from wgsl_fuzz.wgsl.walk import with_more_stack

__all__ = ["Lowered", "lower"]

RESERVED_ONCE = RESERVED - RESERVED_WORDS
"""Words that only the draft of 2023 reserves: compilers that follow it refuse them."""


@dataclass(frozen=True)
class Lowered:
    """A shader, and where each statement comes from."""

    shader: Shader
    marks: Marks
    names: dict[str, str]
    """What the text calls a local, an array, or the element `A[0]` that a scalar has become."""

    @cached_property
    def starts(self) -> dict[int, int]:
        """`starts[id(statement)]` is an offset into the text; what lowering adds stands where its cause stands."""
        return _starts(self.shader, self.marks)


def lower(resolution: Resolution) -> Lowered:
    """The shader that a module stands for, with the canonical IDs.

    Raises LoweringProblem, with the place, for everything that is outside TinyWGSL.
    """
    return with_more_stack(lambda: _ModuleLowering(resolution).lowered())


class _ModuleLowering:
    """Lowers the declarations, each after those that it refers to, and then the bodies, callees before callers."""

    def __init__(self, resolution: Resolution) -> None:
        self.resolution = resolution
        self.module = resolution.module
        self.marks: Marks = []
        self.output = Output({name for name, _ in self.declared()})
        self.expressions = expressions.ExpressionLowering(resolution, self.output)
        self.workgroup_size = 0

    def declared(self) -> list[tuple[str, int]]:
        """The names that the text declares, and where."""
        functions = self.resolution.functions
        parameters = [p for f in functions for p in f.parameters]
        return [(d.name, d.start) for d in (*self.resolution.declared, *functions, *parameters)]

    def lowered(self) -> Lowered:
        for directive in self.module.directives:
            raise LoweringProblem(f"{type(directive).__name__.lower()} is outside TinyWGSL", directive.start)
        for name, start in self.declared():
            if name in RESERVED_ONCE:
                raise LoweringProblem(f"{name} was reserved in the draft of 2023, and is outside TinyWGSL", start)
        arrays = self.module_scope()
        entries = [f for f in self.resolution.functions if self.resolution.entry_stage(f) is not None]
        called = [f for f in self.resolution.functions if self.resolution.entry_stage(f) is None]
        if len(entries) != 1:
            at = entries[1].start if entries else self.module.end
            raise LoweringProblem("more than one entry point" if entries else "no @compute entry point", at)
        signatures = [self.signature(f) for f in called]
        functions = [self.function(f, entity) for f, entity in zip(called, signatures, strict=True)]
        shader = Shader(tuple(arrays), tuple(functions), self.entry(entries[0]), self.workgroup_size)
        return Lowered(shader, self.marks, self.output.texts)

    # -------------------------------------------------------------------------------------------------- module scope

    def module_scope(self) -> list[SharedArray]:
        """All but functions."""
        arrays: list[SharedArray] = []
        outer = {id(d) for d in self.module.declarations}
        for d in self.resolution.declared:
            if id(d) not in outer:
                continue
            if isinstance(d, Const):
                self.expressions.bind(d, self.expressions.const(d))
            elif isinstance(d, Alias):
                self.expressions.bind(d, self.expressions.any_type(d.type))
            elif isinstance(d, Variable):
                arrays.append(self.shared(d))
            else:
                raise LoweringProblem(f"{type(d).__name__.lower()} is outside TinyWGSL", d.start)
        for item in self.module.declarations:
            if isinstance(item, ConstAssert):
                self.expressions.const_assert(item)
        return arrays

    def shared(self, d: Variable) -> SharedArray:
        """`var<...> x: T;` at module scope."""
        space, access = self.resolution.space(d), self.resolution.access(d)
        if space is AnySpace.STORAGE and access is Access.READ:
            raise LoweringProblem("var<storage, read> is outside TinyWGSL", d.start)
        if space is not AnySpace.WORKGROUP and space is not AnySpace.STORAGE:
            raise LoweringProblem(f"{d.name} in the address space {space} is outside TinyWGSL", d.start)
        assert d.type is not None, "variables that are shared have a type"
        only(d.attributes, "group", "binding")
        found = self.expressions.any_type(d.type)
        size = 1 if found.size is None else found.size
        if space is AnySpace.STORAGE and found.type is BOOL:
            raise LoweringProblem("bool cannot be in storage", d.start)
        if space is AnySpace.WORKGROUP and size == 0:
            raise LoweringProblem("only a storage array is sized at run time", d.start)
        for attribute in d.attributes:
            self.expressions.integers(attribute)
        name = self.output.name(d.name, HIDING_IN_MODULE)
        scalar = found.size is None
        self.output.texts[f"{name}[0]" if scalar else name] = d.name
        self.expressions.bind(d, expressions.ArrayEntity(name, found.type, scalar))
        return SharedArray(name, found.type, size, Space.WORKGROUP if space is AnySpace.WORKGROUP else Space.STORAGE)

    # ----------------------------------------------------------------------------------------------------- functions

    def signature(self, f: Function) -> expressions.FunctionEntity:
        """What stands before the body of a function that can be called."""
        only(f.attributes, "must_use")
        for p in f.parameters:
            only(p.attributes)
        only(f.result_attributes)
        types = [self.expressions.scalar_type(p.type) for p in f.parameters]
        result = None if f.result is None else self.expressions.scalar_type(f.result)
        entity = expressions.FunctionEntity(
            self.output.name(f.name, HIDING_IN_MODULE), types, result or U32, result is None
        )
        self.expressions.bind(f, entity)
        return entity

    def entry(self, f: Function) -> CoreFunction:
        """The entry point."""
        only(f.attributes, "compute", "workgroup_size")
        if self.resolution.entry_stage(f) is not Stage.COMPUTE:
            raise LoweringProblem("no @compute entry point", f.start)
        size = attribute_of(f.attributes, "workgroup_size")
        assert size is not None, "a compute shader has a workgroup size"
        sizes = self.expressions.integers(size)
        self.workgroup_size = prod(sizes)
        for p in f.parameters:
            vector = self.is_vector(p, linear=sizes[0] == prod(sizes))
            self.expressions.bind(p, expressions.LidEntity(vector))
            self.output.texts["lid"] = f"{p.name}.x" if vector else p.name
        return self.function(f, None)

    def is_vector(self, p: Parameter, *, linear: bool) -> bool:
        """Whether a parameter of the entry point is the vector `local_invocation_id`."""
        only(p.attributes, "builtin")
        value = self.resolution.builtin_input(p)
        if value == "local_invocation_index":
            if self.expressions.scalar_type(p.type) is not U32:
                raise LoweringProblem(f"{p.name} must be u32", p.start)
            return False
        if value != "local_invocation_id":
            raise LoweringProblem(f"the parameter {p.name} of the entry point is outside TinyWGSL", p.start)
        if not linear:
            why = "local_invocation_id of a workgroup that is not (N, 1, 1) is outside TinyWGSL"
            raise LoweringProblem(why, p.start)
        if p.type not in (Identifier("vec3u"), Identifier("vec3", (Identifier("u32"),))):
            raise LoweringProblem(f"{p.name} must be vec3<u32>", p.type.start)
        return True

    def function(self, f: Function, entity: expressions.FunctionEntity | None) -> CoreFunction:
        """A function with its body; without an entity the entry point."""
        output = self.output
        output.statements, output.locals = [], []
        void = entity is not None and entity.void
        name, result = ("main", None) if entity is None else (entity.name, entity.result)
        lowering = StatementLowering(self.expressions, result, void, self.marks)
        if entity is not None:
            for p, type in zip(f.parameters, entity.parameters, strict=True):
                lowering.parameter(p, type)
        no_attributes(f.body)
        lowering.flat_block(f.body)
        made = output.statements
        if void and not (made and isinstance(made[-1], Return)):
            made.append(Return(Literal(0, U32)))
            self.marks.append((made[-1], f.end - 1))  # at the closing brace
        return CoreFunction(name, tuple(lowering.parameters), tuple(output.locals), tuple(made), result)


def only(attributes: Attributes, *allowed: str) -> None:
    """Raises LoweringProblem for another attribute than those that TinyWGSL has here."""
    for attribute in attributes:
        if attribute.name not in allowed:
            raise LoweringProblem(f"@{attribute.name} is outside TinyWGSL", attribute.start)


def _starts(shader: Shader, marks: Marks) -> dict[int, int]:
    """By statement, where it comes from; what was added without a mark stands where the statement around it stands."""
    found: dict[int, int] = {}
    for s, start in marks:
        found.setdefault(id(s), start)
    todo: list[tuple[CoreBlock, int]] = [(f.body, 0) for f in shader.all_functions]
    while todo:
        block, around = todo.pop()
        for s in block:
            start = found.setdefault(id(s), around)
            todo += [(inner, start) for inner in blocks_of(s)]
    return found
