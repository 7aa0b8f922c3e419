"""Tree of WGSL -> TinyWGSL, for all that TinyWGSL can express, in any usual spelling; the rest is refused by name.

One walk over the tree resolves names, types and desugars. `lower_names`, `lower_output`, `lower_operators`,
`lower_expressions`, `lower_declarations`, `lower_locals` and `lower_statements` have the parts; the module scope is
here. What TinyWGSL's printer prints comes back as the AST it was. Behaviour analysis, restriction (1) and the
compile-time errors of typed constants are left to `tinywgsl.wellformed`.

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
| functions after their callers | sorted, otherwise as in the text (restriction 6) |
"""

from dataclasses import dataclass
from math import prod

from wgsl_fuzz.tinywgsl.ast import Block as CoreBlock
from wgsl_fuzz.tinywgsl.ast import Function as CoreFunction
from wgsl_fuzz.tinywgsl.ast import Literal, Return, Shader, SharedArray, Space, Type, blocks_of
from wgsl_fuzz.tinywgsl.words import HIDING_IN_MODULE
from wgsl_fuzz.wgsl.builtins import ADDRESS_SPACES, SCALARS, TYPES
from wgsl_fuzz.wgsl.deep import deep
from wgsl_fuzz.wgsl.lower_declarations import DeclarationLowering, named_attributes
from wgsl_fuzz.wgsl.lower_expressions import ExpressionLowering
from wgsl_fuzz.wgsl.lower_locals import MAX_BLOCKS, LocalLowering
from wgsl_fuzz.wgsl.lower_names import (
    ArrayEntity,
    ArrayTypeEntity,
    Entity,
    FunctionEntity,
    LidEntity,
    NameTable,
    PendingEntity,
    RefusedEntity,
)
from wgsl_fuzz.wgsl.lower_operators import BOOL, U32
from wgsl_fuzz.wgsl.lower_order import CalledEarly, called_first, mentions
from wgsl_fuzz.wgsl.lower_output import Output
from wgsl_fuzz.wgsl.lower_statements import Marks, StatementLowering, no_attributes
from wgsl_fuzz.wgsl.problems import LoweringProblem
from wgsl_fuzz.wgsl.syntax import (
    Alias,
    Attribute,
    Const,
    ConstAssert,
    Function,
    Identifier,
    Module,
    Node,
    Override,
    Parameter,
    Struct,
    Variable,
)

__all__ = ["Lowered", "lower"]


@dataclass(frozen=True, slots=True)
class Lowered:
    """A shader, and where each statement comes from: `starts[id(statement)]` is an offset into the text.

    What lowering adds stands where the statement stands that it was added for.
    """

    shader: Shader
    starts: dict[int, int]
    names: dict[str, str]
    """What the text calls a local, an array, or the element `A[0]` that a scalar has become."""


def lower(module: Module, *, starts: bool = True) -> Lowered:
    """The shader that a tree stands for, with the canonical IDs; `starts` is empty if nobody asks.

    Raises LoweringProblem, with the place, for everything that is outside TinyWGSL.
    """
    return deep(lambda: _lowered(module, starts=starts))


def _lowered(module: Module, *, starts: bool) -> Lowered:
    try:  # most texts have their functions in order
        return _ModuleLowering(module, starts=starts, sort=False).lowered()
    except CalledEarly:
        return _ModuleLowering(module, starts=starts, sort=True).lowered()


@dataclass(slots=True)
class _Body:
    """A function that is still to be lowered; `parameters` say what holds the thread's ID in the entry point."""

    source: Function
    parameters: list[tuple[Parameter, Type | bool]]
    entity: FunctionEntity | None
    """None for the entry point."""


class _ModuleLowering:
    """Lowers each declaration when it is needed first, and then the bodies, callees before callers."""

    def __init__(self, module: Module, *, starts: bool, sort: bool) -> None:
        self.module = module
        self.sort = sort
        self.marks: Marks | None = [] if starts else None
        self.names = NameTable(self.words)
        self.output = Output(self.names)
        self.declarations = DeclarationLowering(ExpressionLowering(self.names, self.output, self.resolve))
        self.depth = 0
        """Declarations that wait for each other."""
        self.arrays: list[SharedArray] = []
        self.functions: list[_Body] = []
        self.entry: _Body | None = None
        self.workgroup_size = 0
        self._mentioned: dict[int, list[str]] = {}

    def mentioned(self, part: Node) -> list[str]:
        """The names in a declaration or in the body of a function."""
        found = self._mentioned.get(id(part))
        if found is None:
            found = self._mentioned[id(part)] = mentions(part)
        return found

    def words(self) -> set[str]:
        """The names that stand in the text."""
        found: set[str] = set()
        for d in self.module.declarations:
            if isinstance(d, Function):
                found.add(d.name)
                for part in (*d.parameters, d.body):
                    found.update(self.mentioned(part))
            else:
                found.update(self.mentioned(d))
        return found

    def lowered(self) -> Lowered:
        for directive in self.module.directives:
            raise LoweringProblem(f"{type(directive).__name__.lower()} is outside TinyWGSL", directive.start)
        asserts: list[ConstAssert] = []
        for d in self.module.declarations:
            if isinstance(d, ConstAssert):
                asserts.append(d)
            elif isinstance(d, Struct | Override):
                raise LoweringProblem(f"{type(d).__name__.lower()} is outside TinyWGSL", d.start)
            else:
                self.names.bind(d.name, PendingEntity(d, self.names.scope), d)
        for condition in asserts:
            self.declarations.const_assert(condition)
        for d in self.module.declarations:
            if not isinstance(d, ConstAssert):
                self.declared(d.name, d)
        if self.entry is None:
            raise LoweringProblem("no @compute entry point", self.module.end)
        bodies = self.functions
        if self.sort:
            bodies = [bodies[i] for i in called_first([f.source for f in bodies])]
        functions = [self.function(body) for body in bodies]
        shader = Shader(tuple(self.arrays), tuple(functions), self.function(self.entry), self.workgroup_size)
        return Lowered(shader, {} if self.marks is None else _starts(shader, self.marks), self.names.texts)

    # -------------------------------------------------------------------------------------------------- module scope

    def declared(self, name: str, at: Node) -> None:
        """Lowers a declaration unless that is done already."""
        entity = self.names.entities[name]
        if isinstance(entity, PendingEntity):
            self.resolve(name, entity, at)

    def resolve(self, name: str, pending: PendingEntity, at: Node) -> Entity:
        """What a name of the module scope stands for."""
        entities, d = self.names.entities, pending.declaration
        entities[name] = RefusedEntity(f"{name} depends on itself", pending.scope)
        self.depth += 1
        if self.depth > MAX_BLOCKS:
            raise LoweringProblem(f"more than {MAX_BLOCKS} declarations depend on each other", at.start)
        entity: Entity
        match d:
            case Function():
                entity = self.signature(d)
            case Variable():
                entity = self.shared(d)
            case Const():
                entity = self.declarations.const_value(d, pending.scope)
            case Alias():
                entity = self.declarations.any_type(d.type)
            case _:
                raise AssertionError(d)
        entities[name] = entity
        self.depth -= 1
        return entity

    def shared(self, d: Variable) -> ArrayEntity:
        """`var<...> x: T;` at module scope."""
        space = self.address_space(d)
        if d.type is None:
            raise LoweringProblem(f"the shared variable {d.name} needs a type", d.start)
        found = self.declarations.any_type(d.type)
        scalar = not isinstance(found, ArrayTypeEntity)
        size = found.size if isinstance(found, ArrayTypeEntity) else 1
        if d.value is not None:
            raise LoweringProblem("a shared variable has no initialiser", d.value.start)
        if space is Space.STORAGE:
            attributes = named_attributes(d.attributes, "group", "binding")
            if len(attributes) < 2 or any(len(self.declarations.integers(a)) != 1 for a in attributes.values()):
                raise LoweringProblem("a storage variable needs @group and @binding", d.start)
            if found.type is BOOL:
                raise LoweringProblem("bool cannot be in storage", d.start)
        else:
            named_attributes(d.attributes)
            if size == 0:
                raise LoweringProblem("only a storage array is sized at run time", d.start)
        array = SharedArray(self.names.core_name(d.name, HIDING_IN_MODULE), found.type, size, space)
        self.arrays.append(array)
        self.names.texts[f"{array.name}[0]" if scalar else array.name] = d.name
        return ArrayEntity(array.name, array.type, scalar)

    def address_space(self, d: Variable) -> Space:
        """`<workgroup>` or `<storage, read_write>`."""
        if not d.template:
            if d.type is not None and d.type.name in TYPES - SCALARS and d.type.name not in self.names.entities:
                raise LoweringProblem(f"{d.type.name} is outside TinyWGSL", d.type.start)
            raise LoweringProblem("a variable outside functions needs an address space", d.start)
        words = [word.name if isinstance(word, Identifier) and not word.template else "" for word in d.template]
        for word in sorted(self.names.entities.keys() & set(words)):
            raise LoweringProblem(f"{word} is declared in this shader and hides the address space", d.template[0].start)
        match words:
            case ["workgroup"]:
                return Space.WORKGROUP
            case ["storage", "read_write"]:
                return Space.STORAGE
            case ["uniform"] | ["storage"] | ["storage", "read"]:
                why = "is uniform, not a shared variable of TinyWGSL"
                raise LoweringProblem(f"var<{', '.join(words)}> {why}", d.template[0].start)
            case [space] if space in ADDRESS_SPACES:
                raise LoweringProblem(f"var<{space}> is outside TinyWGSL", d.template[0].start)
            case _:
                raise LoweringProblem(f"var<{', '.join(words)}> has no address space of WGSL", d.template[0].start)

    # ----------------------------------------------------------------------------------------------------- functions

    def signature(self, f: Function) -> Entity:
        """What stands before the body."""
        attributes = named_attributes(f.attributes, "compute", "workgroup_size", "must_use")
        entry = "compute" in attributes
        if entry and self.entry is not None:
            raise LoweringProblem("more than one @compute entry point", f.start)
        if entry != ("workgroup_size" in attributes):
            raise LoweringProblem("@compute and @workgroup_size go together", f.start)
        sizes = self.declarations.integers(attributes["workgroup_size"]) if entry else [1]
        if 0 in sizes:
            raise LoweringProblem("@workgroup_size takes one to three positive integers", f.start)
        parameters = [(p, self.parameter(p, entry=entry, linear=sizes[0] == prod(sizes))) for p in f.parameters]
        if f.result is not None and entry:
            raise LoweringProblem("an entry point has no result in TinyWGSL", f.result.start)
        named_attributes(f.result_attributes)
        result = None if f.result is None else self.declarations.scalar_type(f.result)
        if entry:
            self.workgroup_size = prod(sizes)
            self.entry = _Body(f, parameters, None)
            return RefusedEntity(f"{f.name} is the entry point and cannot be called")
        if "must_use" in attributes and result is None:
            raise LoweringProblem("@must_use needs a result", f.start)
        types = [(p.name, type) for p, type in parameters if isinstance(type, Type)]
        name = self.names.core_name(f.name, HIDING_IN_MODULE)
        entity = FunctionEntity(name, types, result or U32, result is None, "must_use" in attributes, self.sort)
        self.functions.append(_Body(f, parameters, entity))
        return entity

    def parameter(self, p: Parameter, *, entry: bool, linear: bool) -> Type | bool:
        """A parameter's type; for the entry point, whether it is the vector `local_invocation_id`."""
        attributes = named_attributes(p.attributes, *(("builtin",) if entry else ()))
        if not entry:
            return self.declarations.scalar_type(p.type)
        if not attributes:
            raise LoweringProblem(f"the parameter {p.name} of the entry point has no @builtin", p.start)
        value = _name_of(attributes["builtin"])
        if value == "local_invocation_index":
            if self.declarations.scalar_type(p.type) is not U32:
                raise LoweringProblem(f"{p.name} must be u32", p.start)
            return False
        if value != "local_invocation_id":
            raise LoweringProblem(f"@builtin({value}) is outside TinyWGSL", p.start)
        if not linear:
            why = "local_invocation_id of a workgroup that is not (N, 1, 1) is outside TinyWGSL"
            raise LoweringProblem(why, p.start)
        if p.type not in (Identifier("vec3u"), Identifier("vec3", (Identifier("u32"),))):
            raise LoweringProblem(f"{p.name} must be vec3<u32>", p.type.start)
        return True

    def function(self, body: _Body) -> CoreFunction:
        """A function with its body."""
        f, entity, output = body.source, body.entity, self.output
        output.statements, output.locals = [], []
        declared = LocalLowering(self.declarations, lambda name: self.mentioned(f.body).count(name))
        void = entity is not None and entity.void
        name, result = ("main", None) if entity is None else (entity.name, entity.result)
        statements = StatementLowering(declared, result, void=void, marks=self.marks)
        scope = self.names.open_scope()
        for p, type in body.parameters:
            if isinstance(type, bool):
                self.names.bind(p.name, LidEntity(type, self.names.scope), p)
                self.names.texts["lid"] = f"{p.name}.x" if type else p.name
            else:
                declared.parameter(p.name, type, p)
        no_attributes(f.body)
        declared.deeper(f.body)
        statements.statements(f.body.statements)
        self.names.close_scope(scope)
        made = output.statements
        if void and not (made and isinstance(made[-1], Return)):
            made.append(Return(Literal(0, U32)))
            if self.marks is not None:
                self.marks.append((made[-1], f.end - 1))  # at the closing brace
        if entity is not None:
            entity.is_ready = True
        return CoreFunction(name, tuple(declared.parameters), tuple(output.locals), tuple(made), result)


def _name_of(attribute: Attribute) -> str:
    """The name in `@builtin(name)`."""
    match attribute.arguments:
        case (Identifier(name=name, template=()),):
            return name
        case _:
            raise LoweringProblem(f"@{attribute.name} takes one name", attribute.start)


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
