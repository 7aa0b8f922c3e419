"""What an entry point is given: of a compute shader by the thread's number, of a fragment shader any value."""

from collections.abc import Callable
from math import prod

from wgsl_fuzz.oracle.dynamics.modules import operations as ops
from wgsl_fuzz.oracle.dynamics.modules.expressions import ExpressionLowering
from wgsl_fuzz.oracle.dynamics.modules.output import Cells
from wgsl_fuzz.oracle.dynamics.modules.places import Memory, Place, Value
from wgsl_fuzz.oracle.dynamics.modules.types import U32, Structure, ValueType, Vector, scalars, size
from wgsl_fuzz.tinywgsl.ast import Expr, Lid
from wgsl_fuzz.tinywgsl.ast import Space as CoreSpace
from wgsl_fuzz.wgsl.resolution import attribute_of
from wgsl_fuzz.wgsl.syntax import Function, Parameter, StructMember

VEC3U = Vector(3, U32)


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
        assert isinstance(type, Structure)
        parts = [self._value(m, inner) for m, (_, inner) in zip(struct.members, type.members, strict=True)]
        return Value(type, tuple([cell for part in parts for cell in part.cells]))

    def _value(self, p: Parameter | StructMember, type: ValueType) -> Value:
        name = self.expressions.resolution.builtin_input(p)
        row = _ROWS.get(name or "")
        self.asked |= name is not None and "subgroup" in name
        if row is not None:
            return Value(type, row(self))
        root = Memory(self.expressions.out.name(p.name), stride=size(type), constant=True)
        self.expressions.out.variables[root.name] = Cells(p.name, type, size(type))
        for scalar in dict.fromkeys(scalars(type)):
            self.expressions.out.array(root, scalar, CoreSpace.STORAGE, 0)
        return self.expressions.variables.read(Place(root, type))

    def any(self, name: str, type: ValueType) -> tuple[Expr, ...]:
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
        group = self.any("workgroup_index", U32)[0]
        return (ops.binary("+", ops.binary("*", group, ops.u32(prod(self.sizes))), Lid()),)


_ROWS: dict[str, Callable[[Inputs], tuple[Expr, ...]]] = {
    "local_invocation_index": lambda _: (Lid(),),
    "local_invocation_id": Inputs.local_id,
    "global_invocation_id": Inputs.global_id,
    "global_invocation_index": Inputs.global_index,
    "workgroup_id": lambda inputs: inputs.any("workgroup_id", VEC3U),
    "num_workgroups": lambda inputs: inputs.any("num_workgroups", VEC3U),
    "workgroup_index": lambda inputs: inputs.any("workgroup_index", U32),
    "subgroup_invocation_id": lambda inputs: (ops.binary("%", Lid(), ops.u32(inputs.subgroup_size)),),
    "subgroup_size": lambda inputs: (ops.u32(inputs.subgroup_size),),
    "num_subgroups": lambda inputs: (ops.u32(-(-inputs.threads // inputs.subgroup_size)),),
    "subgroup_id": lambda inputs: (ops.binary("/", Lid(), ops.u32(inputs.subgroup_size)),),
}
"""By the name of a built-in input; the others differ from thread to thread."""
