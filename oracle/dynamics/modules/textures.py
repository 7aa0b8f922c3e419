"""Textures: what is read from one is some function of the arguments, the same one for all threads.

A texel is held at its coordinates in a shared array. What sampling gives is not filtered: each set of arguments has a
value of its own. Sizes are any, but one for all threads.
"""

from itertools import pairwise

from wgsl_fuzz.oracle.dynamics.modules import operations as ops
from wgsl_fuzz.oracle.dynamics.modules import types as t
from wgsl_fuzz.oracle.dynamics.modules.expressions import ExpressionLowering
from wgsl_fuzz.oracle.dynamics.modules.output import Cells, stem
from wgsl_fuzz.oracle.dynamics.modules.places import Memory, MemoryRef, Value, element
from wgsl_fuzz.oracle.dynamics.modules.synchronization import StageLowering, scalar_type
from wgsl_fuzz.oracle.dynamics.modules.variables import fitted
from wgsl_fuzz.tinywgsl.ast import Expr, Type
from wgsl_fuzz.tinywgsl.ast import Space as CoreSpace
from wgsl_fuzz.wgsl import types as vt
from wgsl_fuzz.wgsl.syntax import Call

_STEPS = (1, 1 << 12, 1 << 24, 1 << 28, 1 << 30)
"""Of coordinates, array element and level: texels nearer than 4,096 are told apart."""
_PRIMES = (1, 2654435761, 2246822519, 3266489917, 668265263, 374761393, 3144134277, 2870177450, 1540483477)


class TextureLowering:
    """Lowers the built-in functions of textures."""

    def __init__(self, expressions: ExpressionLowering, stages: StageLowering) -> None:
        self.expressions = expressions
        self.out = expressions.out
        self.stages = stages
        self._texels: dict[str, _Texels] = {}

    def called(self, e: Call, name: str) -> Value | None:
        """The result of a texture function."""
        handles = [i for i, argument in enumerate(e.arguments) if self.expressions.is_handle(argument)]
        if not handles:
            raise t.CannotRun(f"{e.callee.name} without a texture", e)
        texture = self.expressions.place(e.arguments[handles[0]])
        assert isinstance(texture.type, vt.Handle), "a texture is a handle"
        assert isinstance(texture.root, Memory), "a texture is in memory"
        values = self.expressions.values([a for i, a in enumerate(e.arguments) if i not in handles])
        values = [fitted(v, vt.concrete(v.type)) for v in values]
        if name.startswith(("textureDimensions", "textureNum")):
            return self._size(name, texture.root, texture.type, values)
        if name == "textureStore":
            place = self._texel(texture.root, texture.type, self._linear(values[:-1], _STEPS))
            self.expressions.variables.assign(place, values[-1])
            return None
        self.stages.meet(name)
        sampled = name != "textureLoad"
        place = self._texel(texture.root, texture.type, self._linear(values, _PRIMES if sampled else _STEPS), sampled)
        found = self.out.named(self.expressions.variables.read(place))
        scalar = t.scalar_of(found.type)
        depth = "depth" in texture.type.name and "Gather" not in name
        return Value(scalar, found.cells[:1]) if depth or ("Compare" in name and "Gather" not in name) else found

    def _texel(self, root: Memory, type: vt.Handle, linear: Expr, sampled: bool = False) -> MemoryRef:
        scalar = self._scalar(type)
        self.out.array(root, scalar, CoreSpace.STORAGE, 0)
        texel = vt.Vector(4, scalar)
        texels = self._texels.setdefault(root.name, _Texels(stem(root.name), type.name))
        texels.sampled |= sampled
        self.out.variables[root.name] = Cells(texels.name, texel, 4, of_threads=False, element=texels)
        return element(MemoryRef(root, vt.Array(texel, None)), linear)

    def _scalar(self, type: vt.Handle) -> vt.Scalar:
        """The type of a texel's components."""
        if not type.arguments:
            return vt.F32
        word = type.arguments[0]
        return scalar_type(word) if type.name.startswith("texture_storage") else vt.SCALAR_OF[word]

    def _linear(self, values: list[Value], steps: tuple[int, ...]) -> Expr:
        """One number for arguments."""
        found: Expr = ops.u32(0)
        cells = [ops.convert(Type.U32, cell) for value in values for cell in value.cells]
        for i, cell in enumerate(cells):
            scaled = ops.binary("*", cell, ops.u32(steps[min(i, len(steps) - 1)]))
            found = scaled if i == 0 else ops.binary("+", found, scaled)
        return self.out.named_cell(found)

    def _size(self, name: str, texture: Memory, type: vt.Handle, values: list[Value]) -> Value:
        """`textureDimensions` and its like; it depends on the level, if one is given."""
        of: vt.Type = vt.U32
        if name == "textureDimensions" and "1d" not in type.name:
            of = vt.Vector(3 if "3d" in type.name else 2, vt.U32)
        root = Memory(f"{texture.name}:{name}", constant=True)
        self.out.array(root, vt.U32, CoreSpace.STORAGE, 0)
        called = f"{name}({stem(texture.name)}"
        self.out.variables[root.name] = Cells(
            called, of, t.size(of), of_threads=False, element=lambda at: f"{called}{f', {at}' * bool(at)})"
        )
        level = values[0].scalar if values else ops.u32(0)
        return self.expressions.variables.read(element(MemoryRef(root, vt.Array(of, None)), level))


class _Texels:
    """What the texels of a texture are called: by their coordinates, unless some are sampled."""

    def __init__(self, name: str, type: str) -> None:
        self.name = name
        self.sampled = False
        dimensions = next((n for n in (1, 2, 3) if f"_{n}d" in type), 2)
        self.coordinates = dimensions + type.endswith("_array")
        self.last = "sample" if "multisampled" in type else "level"

    def __call__(self, number: int) -> str:
        """`image[3, 4]`, `image[3, 4, level 1]`; or `a sample of image`: by what arguments is not known."""
        if self.sampled:
            return f"a sample of {self.name}"
        at = []
        for step, following in pairwise(_STEPS[: self.coordinates + 1]):
            base = following // step
            digit = number % base
            digit -= base * (step < _STEPS[2] and digit >= base // 2)  # coordinates may be negative
            at.append(str(digit))
            number = (number - digit) // base
        last = number % ((1 << 30) // _STEPS[self.coordinates])
        return f"{self.name}[{', '.join([*at, *[f'{self.last} {last}'] * bool(last)])}]"
