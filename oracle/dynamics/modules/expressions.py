"""Expressions of WGSL -> rows of scalar expressions of TinyWGSL, and the statements that their effects need.

The order is that of the specification: operands from left to right, what is loaded when its turn comes. A later operand
with an effect leaves the earlier ones as they were: `Output.kept`.
"""

from collections.abc import Callable, Sequence

from wgsl_fuzz.oracle.dynamics.modules import operations as ops
from wgsl_fuzz.oracle.dynamics.modules import output
from wgsl_fuzz.oracle.dynamics.modules import types as t
from wgsl_fuzz.oracle.dynamics.modules.numeric import combined, literal, of_each, unless_ill_typed
from wgsl_fuzz.tinywgsl import ast as core
from wgsl_fuzz.wgsl import syntax as w
from wgsl_fuzz.wgsl import types as vt
from wgsl_fuzz.wgsl.resolution import Resolution
from wgsl_fuzz.wgsl.types import concrete


class ExecutableExpressionLowering:
    """Lowers expressions into one output. `bound` has the values and places of names in the function at hand."""

    def __init__(self, resolution: Resolution, out: output.ExecutableOutput) -> None:
        self.resolution = resolution
        self.out = out
        self._types = vt.TypeReader(resolution.declaration, self.integer)
        self._named: dict[int, vt.Type] = {}
        self.bound: dict[int, output.Value | output.MemoryRef] = {}
        self.called: Callable[[w.Call], output.Value | None]
        """Lowers a call; None is the result of a function that has none."""
        self.view: Callable[[w.Call], output.MemoryRef]
        """What a view of a buffer stands for."""
        self.module_variable: Callable[[w.Variable], output.MemoryRef]
        self.fixed = False
        """Whether an override without a default is 2, rather than any value."""
        self.prologue: list[core.Stmt] = []
        """What happens before the entry point begins."""
        self._constants: dict[int, output.Value] = {}

    def named(self, name: w.Identifier) -> vt.Type:
        """The type that a name in the text stands for, aliases seen through. Raises CannotRun for one no value has."""
        found = self._named.get(id(name)) or self._types.named(name)
        if found is None and name.name == "buffer":
            found = vt.Array(vt.U32, self.integer(name.template[0]) // 4 if name.template else None)
        if found is None or isinstance(found, vt.Pointer):
            raise t.CannotRun(f"the type {name.name}", name)
        self._named[id(name)] = found
        return found

    # -------------------------------------------------------------------------------------------- whole expressions

    def value(self, e: w.Expression) -> output.Value:
        """The value of an expression; a constant may be of an abstract type."""
        return _VALUES[e.__class__](self, e)

    def concrete(self, e: w.Expression) -> output.Value:
        """The same as a value that a variable can hold."""
        value = self.value(e)
        return output.fitted(value, concrete(value.type))

    def typed(self, e: w.Expression, type: vt.Type) -> output.Value:
        """The same as a value of a type."""
        return output.fitted(self.value(e), type)

    def concrete_for(self, e: w.Expression, type: w.Identifier | None) -> output.Value:
        """The same for a declaration with a type or without."""
        return self.concrete(e) if type is None else self.typed(e, self.named(type))

    def condition(self, e: w.Expression) -> core.Expr:
        """A bool."""
        return self.typed(e, vt.BOOL).scalar

    def integer(self, e: w.Expression) -> int:
        """The value of a constant integer that is a size. Raises CannotRun for what is none."""
        found = self.value(e)
        if len(found.cells) != 1 or not isinstance(found.scalar, core.Literal):
            if not self.fixed:
                raise t.Assumption(t.OVERRIDE_IN_SIZE)
            raise t.CannotRun("a size that is not worked out", e)
        if found.type not in (vt.INT, vt.I32, vt.U32) or found.scalar.value < 1:
            raise t.CannotRun("a size that is no positive integer", e)
        return found.scalar.value

    def values(self, es: Sequence[w.Expression]) -> list[output.Value]:
        """Expressions one behind the other, each as it was at its turn."""
        found: list[output.Value] = []
        for e in es:
            mark = self.out.mark()
            value = self.value(e)
            self.keep(found, mark)
            found.append(value)
        return found

    def keep(self, values: list[output.Value], mark: int) -> None:
        """Has values stay as they were at a mark."""
        for i, value in enumerate(values):
            before = self.out.mark()
            values[i] = self.out.kept(value, mark)
            mark += self.out.mark() - before

    # --------------------------------------------------------------------------------------------------------- names

    def _identifier(self, e: w.Identifier) -> output.Value:
        declared = self.resolution.declaration(e)
        found = self.bound.get(id(declared))
        if isinstance(found, output.Value):
            return found
        return self.constant(declared) if isinstance(declared, w.Const | w.Override) else self.out.read(self.place(e))

    def constant(self, d: w.Const | w.Override) -> output.Value:
        """The value of a constant; an override has its default, or a value that no thread knows."""
        found = self._constants.get(id(d))
        if found is None:
            found = self._constants[id(d)] = self.before_all(lambda: self._constant(d))
        return found

    def before_all(self, work: Callable[[], output.Value]) -> output.Value:
        """A value that is computed once, before the entry point begins."""
        out = self.out
        outer, locals = out.open(), out.locals
        out.locals = []
        value = work()
        self.prologue += out.close(outer)
        out.globals += out.locals
        out.locals = locals
        return value

    def _constant(self, d: w.Const | w.Override) -> output.Value:
        if d.value is None:
            assert d.type is not None
            if self.fixed:
                return output.fitted(output.Value(vt.INT, (core.Literal(2, core.Type.I32),)), self.named(d.type))
            return self.unknown_constant(d.name, self.named(d.type))
        value = self.value(d.value)
        if d.type is not None:
            return output.fitted(value, self.named(d.type))
        return output.fitted(value, concrete(value.type)) if isinstance(d, w.Override) else value

    def unknown_constant(self, name: str, type: vt.Type) -> output.Value:
        """A value that is any, but one for all threads."""
        return self.out.read(self.out.shared(name, type, core.Space.STORAGE, constant=True))

    # -------------------------------------------------------------------------------------------------------- places

    def place(self, e: w.Expression) -> output.MemoryRef:
        """What a reference or a pointer stands for; its indices are evaluated."""
        match e:
            case w.Identifier():
                declared = self.resolution.declaration(e)
                bound = self.bound.get(id(declared))
                if isinstance(bound, output.MemoryRef):
                    return bound
                if isinstance(declared, w.Variable):
                    return self.module_variable(declared)
                raise t.CannotRun(f"the name {e.name}", e)
            case w.Unary():
                return self.place(e.operand)
            case w.Member():
                return output.member(self.place(e.base), e.name)
            case w.Index():
                place = self.place(e.base)
                mark = self.out.mark()
                index = self._index_of(self.value(e.index), e)
                found = output.element(self.out.kept_place(place, mark), index)
                if isinstance(found.root, output.Locals) and not isinstance(found.index, core.Local | core.Lid):
                    return self.out.settled_place(found)  # each choice is held against the index
                return found
            case w.Call():
                return self.view(e)
            case _:
                raise t.CannotRun("a reference that is none", e)

    def target(self, e: w.Expression) -> output.MemoryRef | output.Swizzled:
        """The left side of an assignment."""
        if isinstance(e, w.Member) and self.resolution.is_swizzle(e) and len(e.name) > 1:
            inner = self.target(e.base)
            picked = tuple([output.component(letter) for letter in e.name])
            if isinstance(inner, output.Swizzled):
                return output.Swizzled(inner.place, tuple([inner.components[i] for i in picked]))
            return output.Swizzled(inner, picked) if isinstance(inner.type, vt.Vector) else self.place(e)
        if isinstance(e, w.Member) and isinstance(e.base, w.Member) and self.resolution.is_swizzle(e.base):
            around = self.target(e.base)
            if isinstance(around, output.Swizzled):
                return output.Swizzled(around.place, (around.components[output.component(e.name)],))
        return self.place(e)

    def _index_of(self, value: output.Value, e: w.Index) -> core.Expr:
        if value.type not in ops.INDEX:
            raise t.CannotRun("an index that is no integer", e.index)
        return value.scalar if value.type != vt.INT else output.fitted(value, concrete(vt.INT)).scalar

    # ------------------------------------------------------------------------------------------------------ operators

    def _unary(self, e: w.Unary) -> output.Value:
        if e.operator == "*":
            return self.out.read(self.place(e))
        if e.operator == "&":
            raise t.CannotRun("a pointer as a value", e)
        value = self.value(e.operand)
        return unless_ill_typed(lambda: of_each(e.operator, value), f"`{e.operator}`", e)

    def _binary(self, e: w.Binary) -> output.Value:
        if e.operator in ("&&", "||"):
            return self._logical(e)
        left, right = self.values((e.left, e.right))
        return unless_ill_typed(lambda: combined(self.out, e.operator, left, right), f"`{e.operator}`", e)

    def _logical(self, e: w.Binary) -> output.Value:
        """`a && b`; if b has an effect: `t = a; if (t) { t = b; }`."""
        left = self.condition(e.left)
        outer = self.out.open()
        right = self.condition(e.right)
        if not self.out.statements:
            self.out.close(outer)
            return output.Value(vt.BOOL, (ops.binary(e.operator, left, right),))
        result = self.out.temporary(core.Type.BOOL)
        self.out.put(core.Assign(result.name, right))
        evaluated = self.out.close(outer)
        self.out.put(core.Assign(result.name, left))
        self.out.put(core.If(result if e.operator == "&&" else ops.negated(result), evaluated, ()))
        return output.Value(vt.BOOL, (result,))

    def _index(self, e: w.Index) -> output.Value:
        if self.resolution.root(e) is not None:  # a reference: no value has been loaded on the way
            return self.out.read(self.place(e))
        base, value = self.values((e.base, e.index))
        index = self._index_of(value, e)
        if not isinstance(index, core.Literal):
            index = self.out.named_cell(index)
            base = output.fitted(base, concrete(base.type))
        return output.element_value(base, index)

    def _member(self, e: w.Member) -> output.Value:
        if self.resolution.root(e) is not None:  # a reference: no value has been loaded on the way
            return self.out.read(self.place(e))
        base = self.value(e.base)
        if isinstance(base.type, vt.Vector):
            if max(map(output.component, e.name)) >= base.type.size:
                raise t.CannotRun(f"the member {e.name}", e)
            cells = tuple([base.cells[output.component(letter)] for letter in e.name])
            type = base.type.element if len(cells) == 1 else vt.Vector(len(cells), base.type.element)
            return output.Value(type, cells)
        offset, inner = output.member_of(base.type, e.name)
        return output.Value(inner, base.cells[offset : offset + t.size(inner)])

    def _call(self, e: w.Call) -> output.Value:
        found = self.called(e)
        if found is None:
            raise t.CannotRun(f"the result of {e.callee.name}, which has none", e)
        return found

    def is_handle(self, e: w.Expression) -> bool:
        """Whether an expression is a texture, a sampler, or a texel buffer."""
        found = self.resolution.type(e)
        return (
            found is not None
            and found.struct is None
            and found.name.startswith(("texture_", "sampler", "texel_buffer"))
        )

    def bind(self, d: w.Let | w.Parameter | w.Variable, found: output.Value | output.MemoryRef) -> None:
        """Says what a name of the function at hand stands for."""
        self.bound[id(d)] = found


_VALUES: dict[type, Callable[..., output.Value]] = {
    w.Literal: lambda _, e: literal(e.text),
    w.Identifier: ExecutableExpressionLowering._identifier,
    w.Unary: ExecutableExpressionLowering._unary,
    w.Binary: ExecutableExpressionLowering._binary,
    w.Index: ExecutableExpressionLowering._index,
    w.Member: ExecutableExpressionLowering._member,
    w.Call: ExecutableExpressionLowering._call,
}
