"""Types as far as the meaning of names needs them: structures, arrays of them, pointers, atomics and textures.

This is no type checker. A type that is neither named nor inferred here has no structure in it.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from wgsl_fuzz.wgsl import syntax as w
from wgsl_fuzz.wgsl.builtins import FUNCTIONS, TYPES

Declared = w.Variable | w.Let | w.Const | w.Override | w.Parameter | w.Function | w.Struct | w.Alias
"""What a name can stand for, unless it is predeclared."""

VIEWS = frozenset(name for name, row in FUNCTIONS.items() if row.pointer)
_LIKE_FIRST_ARGUMENT = frozenset({"select", "workgroupUniformLoad"})
_LIKE_TEMPLATE = frozenset({"bitcast"}) | VIEWS
_SWIZZLES = frozenset("xyzw"), frozenset("rgba")


@dataclass(slots=True, eq=False)
class Type:
    """The type of a value, or the store type of a reference; a pointer has the type of what it points to."""

    name: str
    """Without a template: `array`, `texture_2d`, the name of a structure."""
    struct: w.Struct | None = None
    element: "Type | None" = None
    """Of an array or a pointer type, if it is known."""
    arguments: tuple[w.Expression, ...] = ()
    """The template as it is written."""


class Types:
    """Types of declarations and expressions, by the declarations that names have."""

    def __init__(self, uses: Mapping[int, Declared]) -> None:
        self._uses = uses
        self._declared: dict[int, Type | None] = {}

    def declared(self, declared: Declared) -> Type | None:
        """The type of a declaration; of a function, its result type. Declare its references first."""
        try:
            return self._declared[id(declared)]
        except KeyError:
            self._declared[id(declared)] = found = self._of(declared)
            return found

    def _of(self, declared: Declared) -> Type | None:
        if isinstance(declared, w.Struct):
            return Type(declared.name, declared)
        if isinstance(declared, w.Function):
            return self.named(declared.result)
        if isinstance(declared, w.Alias | w.Parameter):
            return self.named(declared.type)
        if declared.type is not None:
            return self.named(declared.type)
        return self.expression(declared.value) if declared.value is not None else None

    def named(self, name: w.Identifier | None) -> Type | None:
        """The type that a name in the text stands for, aliases seen through; None where there is no name."""
        if name is None:
            return None
        declared = self._uses.get(id(name))
        if declared is not None:
            return self.declared(declared)
        element = None
        if name.template and (name.name == "array" or name.name == "ptr"):
            inner = name.template[0 if name.name == "array" else -1 if len(name.template) < 2 else 1]
            element = self.named(inner) if isinstance(inner, w.Identifier) else None
        return Type(name.name, None, element, name.template)

    def expression(self, expression: w.Expression | None) -> Type | None:
        """The type of an expression, None if it has no structure in it."""
        path: list[str | None] = []
        found: Type | None = None
        while expression is not None:
            if isinstance(expression, w.Index):
                path.append(None)
                expression = expression.base
            elif isinstance(expression, w.Member):
                path.append(expression.name)
                expression = expression.base
            elif isinstance(expression, w.Unary) and expression.operator in "*&":
                expression = expression.operand
            else:
                found, expression = self._start(expression)
        for step in reversed(path):
            found = _step(self, found, step)
        return _pointee(found)

    def _start(self, expression: w.Expression) -> tuple[Type | None, w.Expression | None]:
        """The type of what a chain of postfixes begins with, or the expression that has the same type."""
        if isinstance(expression, w.Identifier):
            declared = self._uses.get(id(expression))
            return (None if declared is None else self.declared(declared)), None
        if not isinstance(expression, w.Call):
            return None, None
        callee, arguments = expression.callee, expression.arguments
        declared = self._uses.get(id(callee))
        if declared is not None:
            return self.declared(declared), None
        if callee.name in _LIKE_FIRST_ARGUMENT and arguments:
            return None, arguments[0]
        if callee.name in _LIKE_TEMPLATE and callee.template and isinstance(callee.template[0], w.Identifier):
            return self.named(callee.template[0]), None
        if callee.name == "array" and not callee.template and arguments:
            return Type("array", None, self.expression(arguments[0])), None
        return (self.named(callee) if callee.name in TYPES else None), None


def _step(types: Types, base: Type | None, member: str | None) -> Type | None:
    """The type of `base[...]` or `base.member`."""
    base = _pointee(base)
    if base is None or member is None:
        return base.element if base is not None else None
    if base.struct is None:
        return None
    return next((types.named(m.type) for m in base.struct.members if m.name == member), None)


def _pointee(found: Type | None) -> Type | None:
    return found.element if found is not None and found.name == "ptr" and found.struct is None else found


def is_swizzle(name: str) -> bool:
    """Whether a name after a dot is a swizzle of several components, if what stands before it is a vector."""
    return 2 <= len(name) <= 4 and any(letters.issuperset(name) for letters in _SWIZZLES)
