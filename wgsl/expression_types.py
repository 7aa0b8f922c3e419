"""Types of expressions and declarations, as far as edits need them: one expression may take another's place only if
both types are known.

This is no type checker. What is not known here, an edit leaves alone.
"""

from typing import assert_never

from wgsl_fuzz.wgsl.builtin_results import result_type
from wgsl_fuzz.wgsl.builtins import SCALARS
from wgsl_fuzz.wgsl.print_expressions import expression_text
from wgsl_fuzz.wgsl.resolution import Resolution
from wgsl_fuzz.wgsl.syntax import (
    Alias,
    Binary,
    Call,
    Const,
    Expression,
    Function,
    Identifier,
    Index,
    Literal,
    Member,
    Parameter,
    Struct,
    Unary,
)
from wgsl_fuzz.wgsl.types import Declared
from wgsl_fuzz.wgsl.value_types import (
    BOOL,
    FLOAT,
    INT,
    SHORT,
    ValueType,
    combined,
    concrete,
    element,
    joined,
    literal_type,
    pointee,
)

_COMPARISONS = frozenset({"==", "!=", "<", ">", "<=", ">="})


class ValueTypes:
    """The types of the declarations and expressions of a module; None: not known here."""

    def __init__(self, resolution: Resolution) -> None:
        self._resolution = resolution
        self._known: dict[int, ValueType | None] = {}

    def of(self, expression: Expression) -> ValueType | None:
        """The type of an expression."""
        key = id(expression)
        if key not in self._known:
            self._known[key] = self._of(expression)
        return self._known[key]

    def declared(self, declared: Declared) -> ValueType | None:
        """The type of what a name stands for; of a function, of its result."""
        key = id(declared)
        if key not in self._known:
            self._known[key] = self._declared(declared)
        return self._known[key]

    def named(self, name: Identifier | None) -> ValueType | None:
        """The type that is written, aliases seen through."""
        if name is None:
            return None
        declared = self._resolution.declaration(name)
        return _predeclared(self, name) if declared is None else self.declared(declared)

    def member(self, struct: Struct, name: str) -> ValueType | None:
        """The type of a member of a structure."""
        return next((self.named(m.type) for m in struct.members if m.name == name), None)

    def struct(self, type: ValueType) -> Struct | None:
        """The structure of a type."""
        found = (d for d in self._resolution.module.declarations if isinstance(d, Struct) and d.name == type.name)
        return next(found, None)

    def is_constructible(self, type: ValueType | None) -> bool:
        """Whether a variable in a function may have this type."""
        if type is None or type.is_abstract:
            return False
        if type.is_scalar or type.is_vector or type.name.startswith("mat"):
            return True
        if type.name == "array":
            return type.size.isdigit() and type.size != "0" and self.is_constructible(type.element)
        struct = self.struct(type)
        return struct is not None and all(self.is_constructible(self.named(m.type)) for m in struct.members)

    # ----------------------------------------------------------------------------------------------------- in private

    def _declared(self, d: Declared) -> ValueType | None:
        if isinstance(d, Struct):
            return ValueType(d.name)
        if isinstance(d, Function):
            return self.named(d.result)
        if isinstance(d, Alias | Parameter) or d.type is not None:
            return self.named(d.type)
        if d.value is None:
            return None
        found = self.of(d.value)
        return found if found is None or isinstance(d, Const) else concrete(found)

    def _of(self, e: Expression) -> ValueType | None:
        match e:
            case Literal():
                return literal_type(e.text)
            case Identifier():
                declared = self._resolution.declaration(e)
                return None if declared is None else self.declared(declared)
            case Unary():
                return self._unary(e)
            case Binary():
                return self._binary(e)
            case Index():
                return element(pointee(self.of(e.base)))
            case Member():
                return self._member(e)
            case Call():
                return self._call(e)
            case _:
                assert_never(e)

    def _unary(self, e: Unary) -> ValueType | None:
        inner = self.of(e.operand)
        if inner is None or e.operator not in "&*":
            return inner
        if e.operator == "*":
            return pointee(inner)
        root = self._resolution.root(e.operand)
        if isinstance(root, Parameter):
            pointer = self._resolution.pointer(root)
            assert pointer is not None, "a root that is a parameter is a pointer"
            return ValueType("ptr", inner, f"{pointer.space} {pointer.access}")
        if root is None:
            return None
        return ValueType("ptr", inner, f"{self._resolution.space(root)} {self._resolution.access(root)}")

    def _binary(self, e: Binary) -> ValueType | None:
        if e.operator in ("&&", "||"):
            return BOOL
        left, right = self.of(e.left), self.of(e.right)
        if e.operator in ("<<", ">>"):
            return left
        if e.operator not in _COMPARISONS:
            return combined(e.operator, left, right)
        both = joined(left, right)
        return None if both is None else both.with_component(BOOL)

    def _member(self, e: Member) -> ValueType | None:
        if isinstance(e.base, Call) and self._resolution.builtin(e.base) is not None:
            found = self._builtin(e.base, e.name)
            if found is not None:
                return found
        base = pointee(self.of(e.base))
        if base is None:
            return None
        if base.is_vector:
            return base.element if len(e.name) == 1 else ValueType(f"vec{len(e.name)}", base.element)
        struct = self.struct(base)
        return None if struct is None else self.member(struct, e.name)

    def _call(self, e: Call) -> ValueType | None:
        declared = self._resolution.declaration(e.callee)
        if declared is not None:
            return self.declared(declared)
        if self._resolution.builtin(e) is not None:
            return self._builtin(e)
        name = e.callee.name
        if e.callee.template or name in SCALARS or not e.arguments or name[-1] in SHORT:
            return self.named(e.callee)
        return self._inferred(name, [self.of(a) for a in e.arguments])

    def _inferred(self, name: str, types: list[ValueType | None]) -> ValueType | None:
        """The type of a constructor without a template list."""
        is_array = name == "array"
        known = [t if is_array else t.component for t in types if t is not None]
        if len(known) < len(types):
            return None
        inner: ValueType | None = known[0]
        for type in known[1:]:
            inner = joined(inner, type)
        if inner is None or is_array:
            return None if inner is None else ValueType(name, inner, str(len(types)))
        is_matrix = name.startswith("mat")
        return (
            ValueType(name, FLOAT if is_matrix and inner == INT else inner) if is_matrix or name[:3] == "vec" else None
        )

    def _builtin(self, e: Call, member: str = "") -> ValueType | None:
        """The type of a call of a built-in function, or of a member of its result."""
        template = next((t for t in e.callee.template if isinstance(t, Identifier)), None)
        types = [self.of(a) for a in e.arguments]
        return result_type(e.callee.name, types, self.named(template), member)


def _predeclared(types: ValueTypes, name: Identifier) -> ValueType | None:
    word, template = name.name, name.template
    if word[-1] in SHORT and word[:3] in ("vec", "mat"):
        return ValueType(word[:-1], SHORT[word[-1]])
    if not template:
        return ValueType(word)
    if word == "ptr":
        return _written_pointer(types, template)
    if word.startswith("texture_storage_"):
        return ValueType(word, size=" ".join(_text(a) for a in template))
    inner = template[0]
    of_element = types.named(inner) if isinstance(inner, Identifier) else None
    if of_element is None:
        return None
    return ValueType(word, of_element, _text(template[1]) if len(template) > 1 else "")


def _written_pointer(types: ValueTypes, template: tuple[Expression, ...]) -> ValueType | None:
    inner = template[1]
    store = types.named(inner) if isinstance(inner, Identifier) else None
    if store is None:
        return None
    space = _text(template[0])
    usual = "read" if space in ("uniform", "storage") else "read_write"
    return ValueType("ptr", store, f"{space} {_text(template[2]) if len(template) > 2 else usual}")


def _text(e: Expression) -> str:
    """The number of an array's elements, or an enumerant; a number's suffix does not count."""
    return e.text.rstrip("iu") if isinstance(e, Literal) else expression_text(e)
