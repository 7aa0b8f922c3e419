"""Types of values, as far as an edit needs them: one expression may take another's place only if both types are known.

This is no type checker. What is not known here, an edit leaves alone.
"""

from dataclasses import dataclass

from wgsl_fuzz.wgsl.builtins import SCALARS, words
from wgsl_fuzz.wgsl.resolution import Resolution, attribute_of
from wgsl_fuzz.wgsl.syntax import (
    Alias,
    Binary,
    Call,
    Const,
    Expression,
    Function,
    Identifier,
    Index,
    Let,
    Literal,
    Member,
    Parameter,
    Struct,
    Unary,
    Variable,
)
from wgsl_fuzz.wgsl.types import Declared
from wgsl_fuzz.wgsl.walk import descendants


@dataclass(frozen=True, slots=True)
class ValueType:
    """A type: of a value, of what a reference stands for, or of a pointer."""

    name: str
    """`u32`, `vec3`, `mat2x2`, `array`, `ptr`, `atomic`, the name of a structure; `int` and `float` are abstract."""
    element: "ValueType | None" = None
    size: str = ""
    """Of an array, the number of its elements as it is written; of a pointer, address space and access mode."""

    @property
    def is_abstract(self) -> bool:
        """Whether it has no type at run time, as `1` and `vec2(1.5)`."""
        return self.name in ("int", "float") or (self.element is not None and self.element.is_abstract)

    @property
    def is_scalar(self) -> bool:
        """Whether it is bool or a number."""
        return self.name in SCALARS

    @property
    def is_vector(self) -> bool:
        """Whether it is a vector."""
        return self.name.startswith("vec")


BOOL, I32, U32, F32, F16 = (ValueType(name) for name in ("bool", "i32", "u32", "f32", "f16"))
_INT, _FLOAT = ValueType("int"), ValueType("float")
_SHORT = {"i": I32, "u": U32, "f": F32, "h": F16}
_CONCRETE = {"int": I32, "float": F32}
_COMPARISONS = frozenset({"==", "!=", "<", ">", "<=", ">="})
_BOOL_RESULT = frozenset({"all", "any", "subgroupAll", "subgroupAny", "subgroupElect"})
_ELEMENT_RESULT = frozenset({"dot", "length", "distance"})
_LIKE_ARGUMENTS = words(
    """abs acos acosh asin asinh atan atanh atan2 ceil clamp cos cosh countLeadingZeros countOneBits countTrailingZeros
    cross degrees exp exp2 faceForward firstLeadingBit firstTrailingBit floor fma fract inverseSqrt log log2 max min
    normalize pow quantizeToF16 radians reflect reverseBits round saturate sign sin sinh smoothstep sqrt step tan tanh
    trunc select dpdx dpdy fwidth dpdxCoarse dpdyCoarse fwidthCoarse dpdxFine dpdyFine fwidthFine subgroupAdd
    subgroupMul subgroupMin subgroupMax subgroupAnd subgroupOr subgroupXor subgroupBroadcast subgroupBroadcastFirst
    subgroupExclusiveAdd subgroupExclusiveMul subgroupInclusiveAdd subgroupInclusiveMul subgroupShuffle
    subgroupShuffleUp subgroupShuffleDown subgroupShuffleXor quadBroadcast quadSwapX quadSwapY quadSwapDiagonal"""
)
_ATOMIC = words("atomicLoad atomicAdd atomicSub atomicMax atomicMin atomicAnd atomicOr atomicXor atomicExchange")


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
                return _literal(e.text)
            case Identifier():
                declared = self._resolution.declaration(e)
                return None if declared is None else self.declared(declared)
            case Unary():
                return self._unary(e)
            case Binary():
                return self._binary(e)
            case Index():
                return _element(_pointee(self.of(e.base)))
            case Member():
                return self._member(e)
            case Call():
                return self._call(e)

    def _unary(self, e: Unary) -> ValueType | None:
        inner = self.of(e.operand)
        if inner is None or e.operator not in "&*":
            return inner
        if e.operator == "*":
            return _pointee(inner)
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
        both = _joined(left, right)
        if e.operator in _COMPARISONS:
            if both is None:
                return None
            return ValueType(both.name, BOOL) if both.is_vector else BOOL
        if both is not None and not both.name.startswith("mat"):
            return both
        return _mixed(e.operator, left, right)

    def _member(self, e: Member) -> ValueType | None:
        base = _pointee(self.of(e.base))
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
        name = e.callee.name
        if self._resolution.builtin(e) is not None:
            return self._builtin(name, e)
        if e.callee.template or name in SCALARS or not e.arguments or name[-1] in _SHORT:
            return self.named(e.callee)
        if name.startswith("vec"):
            found = [t.element if t.is_vector else t for a in e.arguments if (t := self.of(a)) is not None]
            return ValueType(name, found[0]) if len(found) == len(e.arguments) and len(set(found)) == 1 else None
        if name == "array":
            found = [self.of(a) for a in e.arguments]
            return ValueType("array", found[0], str(len(found))) if len(set(found)) == 1 and found[0] else None
        return None

    def _builtin(self, name: str, e: Call) -> ValueType | None:
        types = [self.of(a) for a in e.arguments]
        first = types[0] if types else None
        if name in _BOOL_RESULT:
            return BOOL
        if name == "arrayLength" or name.startswith("pack"):
            return U32
        if name == "subgroupBallot":
            return ValueType("vec4", U32)
        if name == "bitcast":
            argument = e.callee.template[0]
            return self.named(argument) if isinstance(argument, Identifier) else None
        if name == "workgroupUniformLoad" or name in _ATOMIC:
            inner = _pointee(first)
            return inner.element if inner is not None and inner.name == "atomic" else inner
        if first is None:
            return None
        if name in _ELEMENT_RESULT:
            return first.element if first.is_vector else first
        if name in _LIKE_ARGUMENTS:
            concrete_ones = [t for t in types if t is not None and not t.is_abstract and t.name != "bool"]
            return concrete_ones[0] if first.is_abstract and concrete_ones else first
        return _texel(name, first)


def concrete(type: ValueType) -> ValueType:
    """The type that a variable gets from a value of this one."""
    if type.name in _CONCRETE:
        return _CONCRETE[type.name]
    if type.element is not None and type.is_abstract:
        return ValueType(type.name, concrete(type.element), type.size)
    return type


def spelled(type: ValueType) -> Identifier:
    """A type as it is written, in fresh nodes; not for pointers."""
    if type.element is None:
        return Identifier(type.name)
    size = (Literal(type.size),) if type.size else ()
    return Identifier(type.name, (spelled(type.element), *size))


def is_must_use(function: Function) -> bool:
    """Whether a call of a function must not be a statement."""
    return attribute_of(function.attributes, "must_use") is not None


def is_constant(resolution: Resolution, expression: Expression) -> bool:
    """Whether an expression has its value before the shader runs."""
    for node in descendants(expression):
        if isinstance(node, Identifier):
            declared = resolution.declaration(node)
            if isinstance(declared, Let | Parameter | Variable | Function):
                return False
        elif isinstance(node, Call):
            builtin = resolution.builtin(node)
            if builtin is not None and not builtin.constant:
                return False
    return True


def _predeclared(types: ValueTypes, name: Identifier) -> ValueType | None:
    word, template = name.name, name.template
    if word[-1] in _SHORT and word[:3] in ("vec", "mat"):
        return ValueType(word[:-1], _SHORT[word[-1]])
    if not template:
        return ValueType(word)
    if word == "ptr":
        return _written_pointer(types, template)
    if word.startswith("texture_storage_"):
        return ValueType(word, size=" ".join(_text(a) for a in template))
    inner = template[0]
    element = types.named(inner) if isinstance(inner, Identifier) else None
    if element is None:
        return None
    return ValueType(word, element, _text(template[1]) if len(template) > 1 else "")


def _written_pointer(types: ValueTypes, template: tuple[Expression, ...]) -> ValueType | None:
    inner = template[1]
    element = types.named(inner) if isinstance(inner, Identifier) else None
    if element is None:
        return None
    space = _text(template[0])
    usual = "read" if space in ("uniform", "storage") else "read_write"
    return ValueType("ptr", element, f"{space} {_text(template[2]) if len(template) > 2 else usual}")


def _text(e: Expression) -> str:
    """The number of an array's elements, or an enumerant; a number's suffix does not count."""
    if isinstance(e, Literal):
        return e.text.rstrip("iu")
    return e.name if isinstance(e, Identifier) else "?"


def _literal(text: str) -> ValueType:
    if text in ("true", "false"):
        return BOOL
    hexadecimal = text[:2] in ("0x", "0X")
    if text[-1] in "iu":
        return _SHORT[text[-1]]
    if text[-1] in "fh" and (not hexadecimal or "p" in text.lower()):
        return _SHORT[text[-1]]
    floating = "p" in text.lower() or "." in text if hexadecimal else any(c in text for c in ".eE")
    return _FLOAT if floating else _INT


def _pointee(type: ValueType | None) -> ValueType | None:
    return type.element if type is not None and type.name == "ptr" else type


def _element(type: ValueType | None) -> ValueType | None:
    if type is None or not type.name.startswith("mat"):
        return None if type is None else type.element
    return ValueType(f"vec{type.name[-1]}", type.element)


def _joined(one: ValueType | None, other: ValueType | None) -> ValueType | None:
    """The type of two operands that must have the same; an abstract one becomes the other's."""
    if one is None or other is None or one == other:
        return one if one == other else None
    if one.is_abstract and other.is_abstract:
        return _FLOAT if {one.name, other.name} == {"int", "float"} else None
    if one.is_abstract:
        one, other = other, one
    return one if (other.name in ("int", "float") and one.is_scalar) or one.name == other.name else None


def _mixed(operator: str, left: ValueType | None, right: ValueType | None) -> ValueType | None:
    """The type of an operation between vectors, matrices and numbers."""
    if left is None or right is None:
        return None
    if left.is_vector and right.element is None:
        return left
    if right.is_vector and left.element is None:
        return right
    if not (left.name.startswith("mat") or right.name.startswith("mat")):
        return None
    if operator != "*":
        return left if left == right else None
    if left.name.startswith("mat") and right.name.startswith("mat"):
        return ValueType(f"mat{right.name[3]}x{left.name[5]}", left.element)
    if right.is_vector:
        return ValueType(f"vec{left.name[5]}", left.element)
    if left.is_vector:
        return ValueType(f"vec{right.name[3]}", right.element)
    return left if left.name.startswith("mat") else right


def _texel(name: str, texture: ValueType) -> ValueType | None:
    """The type of what a texture is read for."""
    if not texture.name.startswith("texture_") or not name.startswith(("textureSample", "textureLoad")):
        return None
    if texture.name.startswith("texture_depth"):
        return F32
    if texture.name.startswith("texture_storage_"):
        form = texture.size.split()[0]
        return ValueType("vec4", U32 if form.endswith("uint") else I32 if form.endswith("sint") else F32)
    return ValueType("vec4", texture.element or F32)
