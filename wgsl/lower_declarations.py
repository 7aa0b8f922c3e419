"""Types, constants and attributes, of the module scope and of functions."""

from wgsl_fuzz.tinywgsl.ast import Literal, Type
from wgsl_fuzz.tinywgsl.values import U32_MAX
from wgsl_fuzz.wgsl.lower_expressions import ExpressionLowering
from wgsl_fuzz.wgsl.lower_names import ArrayTypeEntity, ConstEntity, TypeEntity, unknown
from wgsl_fuzz.wgsl.lower_operators import BOOL, as_type
from wgsl_fuzz.wgsl.problems import LoweringProblem
from wgsl_fuzz.wgsl.syntax import Attribute, Attributes, Const, ConstAssert, Expression, Identifier

MAX_ARRAY = U32_MAX // 4
"""Elements of an array; Tint refuses arrays of 2^32 bytes."""

_ATTRIBUTES = frozenset({"compute", "workgroup_size", "must_use", "group", "binding", "builtin"})


class DeclarationLowering:
    """What declarations say of types and values."""

    def __init__(self, expressions: ExpressionLowering) -> None:
        self.expressions = expressions

    # --------------------------------------------------------------------------------------------------------- types

    def scalar_type(self, e: Identifier) -> Type:
        """`u32`, `i32`, `bool` or an alias of one."""
        found = self.any_type(e)
        if isinstance(found, ArrayTypeEntity):
            raise LoweringProblem("values of array type are outside TinyWGSL", e.start)
        return found.type

    def any_type(self, e: Identifier) -> TypeEntity | ArrayTypeEntity:
        """A scalar type, an array of them, or an alias of one of these."""
        names = self.expressions.names
        if e.name not in names.entities:
            if e.name != "array":
                unknown(e.name, e)
            return self._array_type(e)
        entity = self.expressions.entity(e.name, e)
        if not isinstance(entity, TypeEntity | ArrayTypeEntity):
            raise LoweringProblem(f"{e.name} is no type", e.start)
        if e.template:
            raise LoweringProblem(f"{e.name} takes no template list", e.start)
        return entity

    def _array_type(self, e: Identifier) -> ArrayTypeEntity:
        """`array<T>` or `array<T, N>`."""
        if not 1 <= len(e.template) <= 2:
            raise LoweringProblem("an array has a type of its elements, and a size or none", e.start)
        element = e.template[0]
        if not isinstance(element, Identifier):
            raise LoweringProblem("expected a type", element.start)
        if element.name == "array":
            raise LoweringProblem("arrays of arrays are outside TinyWGSL", element.start)
        type = self.scalar_type(element)
        if len(e.template) == 1:
            return ArrayTypeEntity(type, 0)
        value = self.expressions.constant(e.template[1])
        size = value if isinstance(value, int) else value.value
        if (isinstance(value, Literal) and value.type is BOOL) or not 1 <= size <= MAX_ARRAY:
            raise LoweringProblem("the size of an array must be a positive integer", e.template[1].start)
        return ArrayTypeEntity(type, size)

    # ----------------------------------------------------------------------------------------------------- constants

    def const_value(self, declaration: Const, scope: int) -> ConstEntity:
        """The value of a `const`, which replaces each use."""
        type = None if declaration.type is None else self.scalar_type(declaration.type)
        value = self.expressions.constant(declaration.value)
        if type is not None:
            its_type = None if isinstance(value, int) else value.type
            typed = as_type((value, its_type), type, declaration.value)
            assert isinstance(typed, Literal)
            value = typed
        return ConstEntity(value, scope)

    def const_assert(self, declaration: ConstAssert) -> None:
        """Raises LoweringProblem unless the condition holds."""
        value = self.expressions.constant(declaration.condition)
        if not isinstance(value, Literal) or value.type is not BOOL:
            raise LoweringProblem("expected bool", declaration.condition.start)
        if not value.value:
            raise LoweringProblem("const_assert fails", declaration.condition.start)

    # ---------------------------------------------------------------------------------------------------- attributes

    def integers(self, attribute: Attribute) -> list[int]:
        """The integers in parentheses behind an attribute."""
        return [self._integer(argument) for argument in attribute.arguments]

    def _integer(self, e: Expression) -> int:
        value = self.expressions.constant(e)
        if isinstance(value, Literal):
            if value.type is BOOL:
                raise LoweringProblem("expected an integer", e.start)
            value = value.value
        if not 0 <= value <= U32_MAX:
            raise LoweringProblem(f"{value} does not fit u32", e.start)
        return value


def named_attributes(attributes: Attributes, *allowed: str) -> dict[str, Attribute]:
    """Attributes by name; raises LoweringProblem for one that may not stand here, or stands here twice."""
    found: dict[str, Attribute] = {}
    for attribute in attributes:
        name = attribute.name
        if name not in _ATTRIBUTES:
            raise LoweringProblem(f"@{name} is outside TinyWGSL", attribute.start)
        if name not in allowed:
            raise LoweringProblem(f"@{name} cannot stand here", attribute.start)
        if name in found:
            raise LoweringProblem(f"@{name} is given twice", attribute.start)
        found[name] = attribute
    return found
