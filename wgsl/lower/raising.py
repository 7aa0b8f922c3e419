"""TinyWGSL -> tree of WGSL whose names are bound, the inverse of `lower`; and its text.

Locals are declared at the top of their function; an assigned parameter `p` is called `p_in`, with `var p = p_in`.
An empty `else` or `continuing` is left out; `if (e) {break} else {}` at the end of a `continuing` is `break if e`.

A well-formed shader needs none of the checks that `resolve` makes, and one walk builds nodes and binds names. So this
takes a third of the time that building a tree and resolving it takes.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

from wgsl_fuzz.tinywgsl import ast as core
from wgsl_fuzz.tinywgsl.values import I32_MIN
from wgsl_fuzz.wgsl import syntax as w
from wgsl_fuzz.wgsl.printer import CORE, module_text
from wgsl_fuzz.wgsl.resolution import Declared, Extent, MayWrite, Resolution
from wgsl_fuzz.wgsl.rewrite import fresh_name
from wgsl_fuzz.wgsl.walk import with_more_stack


def print_shader(shader: core.Shader) -> str:
    """The WGSL text of a well-formed shader, one statement a line; it lowers to the shader again."""
    return print_core(raised(shader))


def print_core(resolution: Resolution) -> str:
    """The WGSL text of what is raised already. No precedence rule of WGSL matters in it."""
    return with_more_stack(lambda: module_text(resolution.module, CORE))


def raised(shader: core.Shader) -> Resolution:
    """The module of a well-formed shader. No node stands in it twice."""
    return with_more_stack(lambda: Raising(shader).resolution(shader))


class Raising:
    """Builds the nodes of a module, and notes what `resolve` would find out about them."""

    def __init__(self, shader: core.Shader) -> None:
        self.arrays = _arrays(shader.arrays)
        self.lid = w.Parameter("lid", w.Identifier("u32"), _INDEX)
        self.of_main = [w.Variable(v.name, _type(v.type)) for v in shader.main.locals]
        self.uses: dict[int, Declared] = {}
        self.visible: dict[str, Declared] = {}
        """What the names in the current function stand for."""
        self.called: dict[str, w.Function] = {}
        """The functions that the current one calls, by name."""
        self.locals: list[Declared] = []
        self.effects: list[MayWrite] = []
        self.extents: list[Extent] = []
        """The extents of the statements of the current function."""

    def resolution(self, shader: core.Shader) -> Resolution:
        arrays = self.arrays
        functions: list[w.Function] = []
        callees: dict[int, tuple[w.Function, ...]] = {}
        extents: dict[int, list[Extent]] = {}
        known: dict[str, Declared] = {a.name: a for a in arrays}
        for f, copies in (*_copies_of(shader), (shader.main, {})):
            self.visible, self.called, self.extents = known.copy(), {}, []
            start = len(self.effects)
            if f is shader.main:
                self.declare(self.lid, *self.of_main)
                made = self.main(f, shader.workgroup_size)
            else:
                made = self.function(f, copies)
            functions.append(made)
            callees[id(made)] = (*self.called.values(),)
            extents[id(made)] = [(id(made.body), start, len(self.effects)), *self.extents]
            known[f.name] = made
        declared = (*arrays, *self.locals)
        module = w.Module((), (*arrays, *functions))
        return Resolution(module, self.uses, (*functions,), callees, declared, self.effects, extents)

    # ------------------------------------------------------------------------------------------------------- functions

    def main(self, f: core.Function, threads: int) -> w.Function:
        body = w.Block((*self.of_main, *self.statements(f.body)))
        return w.Function(f.name, (self.lid,), body, None, _entry_attributes(threads))

    def function(self, f: core.Function, copies: Mapping[str, str]) -> w.Function:
        parameters = tuple([w.Parameter(copies.get(v.name, v.name), _type(v.type)) for v in f.params])
        self.declare(*parameters)
        copied = [w.Variable(v.name, _type(v.type), self.name(copies[v.name])) for v in f.params if v.name in copies]
        declared = [*copied, *[w.Variable(v.name, _type(v.type)) for v in f.locals]]
        self.declare(*declared)
        body = w.Block((*declared, *self.statements(f.body)))
        return w.Function(f.name, parameters, body, None if f.result is None else _type(f.result))

    def declare(self, *declared: w.Parameter | w.Variable) -> None:
        self.visible.update([(one.name, one) for one in declared])
        self.locals += [one for one in declared if isinstance(one, w.Variable)]

    # ------------------------------------------------------------------------------------------------------ statements

    def block(self, ss: core.Block) -> w.Block:
        return w.Block((*self.statements(ss),))

    def statements(self, ss: Sequence[core.Stmt]) -> list[w.Statement]:
        return [_STATEMENTS[s.__class__](self, s) for s in ss]

    def assigning(self, left: w.Expression, right: w.Expression) -> w.Statement:
        made = w.Assign("=", left, right)
        self.effects.append(made)
        return made

    def call(self, s: core.Call) -> w.Statement:
        left, callee = self.name(s.name), self.name(s.function)
        called = self.uses[id(callee)]
        assert isinstance(called, w.Function), "a well-formed shader"
        self.called[s.function] = called
        return self.assigning(left, self.calling(callee, *s.arguments))

    def conditional(self, s: core.If) -> w.Statement:
        start = len(self.effects)
        condition, then = self.expression(s.condition), self.block(s.then)
        return self.ended(w.If(condition, then, self.block(s.orelse) if s.orelse else None), start)

    def loop(self, s: core.Loop) -> w.Statement:
        start = len(self.effects)
        body = self.block(s.body)
        return self.ended(w.Loop(body, self.continuing(s.continuing) if s.continuing else None), start)

    def continuing(self, ss: core.Block) -> w.Block:
        *before, last = ss
        if not core.is_break_if(last):
            return self.block(ss)
        assert isinstance(last, core.If), "it has that shape"
        return w.Block((*self.statements(before), w.BreakIf(self.expression(last.condition))))

    def ended(self, s: w.If | w.Loop, start: int) -> w.Statement:
        self.extents.append((id(s), start, len(self.effects)))
        return s

    # ----------------------------------------------------------------------------------------------------- expressions

    def expression(self, e: core.Expr) -> w.Expression:
        return _EXPRESSIONS[e.__class__](self, e)

    def name(self, word: str) -> w.Identifier:
        """A use of a name."""
        found = w.Identifier(word)
        self.uses[id(found)] = self.visible[word]
        return found

    def literal(self, e: core.Literal) -> w.Expression:
        if e.type is core.Type.BOOL:
            return w.Literal("true" if e.value else "false")
        if e.type is core.Type.U32:
            return w.Literal(f"{e.value}u")
        if e.value >= 0:
            return w.Literal(f"{e.value}i")
        if e.value > I32_MIN:
            return w.Unary("-", w.Literal(f"{-e.value}i"))
        found = w.Call(w.Identifier("i32"), (w.Unary("-", w.Literal(str(-I32_MIN))),))
        self.effects.append(found)
        return found

    def unary(self, e: core.Unary) -> w.Expression:
        # A negation that ends behind its literal is that of `(1i)`, and no negative literal.
        return w.Unary(e.op, self.expression(e.operand), end=0 if isinstance(e.operand, core.Literal) else -1)

    def binary(self, e: core.Binary) -> w.Expression:
        found = w.Binary(e.op, self.expression(e.left), self.expression(e.right))
        if e.op in core.LOGICAL:
            self.effects.append(found)
        return found

    def calling(self, callee: w.Identifier, *arguments: core.Expr) -> w.Call:
        found = w.Call(callee, tuple([self.expression(e) for e in arguments]))
        self.effects.append(found)
        return found


_INDEX = (w.Attribute("builtin", (w.Identifier("local_invocation_index"),)),)


@cache
def _entry_attributes(threads: int) -> w.Attributes:
    return w.Attribute("compute"), w.Attribute("workgroup_size", (w.Literal(str(threads)),))


def _type(t: core.Type) -> w.Identifier:
    return w.Identifier(t.value)


def _arrays(arrays: Sequence[core.SharedArray]) -> list[w.Variable]:
    """The variables at module scope, with the bindings 0, 1, ... of those in storage."""
    found: list[w.Variable] = []
    binding = 0
    for a in arrays:
        element = w.Identifier("array", (_type(a.type), w.Literal(str(a.size))) if a.size else (_type(a.type),))
        if a.space is core.Space.STORAGE:
            attributes = w.Attribute("group", (w.Literal("0"),)), w.Attribute("binding", (w.Literal(str(binding)),))
            found.append(
                w.Variable(a.name, element, None, (w.Identifier("storage"), w.Identifier("read_write")), attributes)
            )
            binding += 1
        else:
            found.append(w.Variable(a.name, element, None, (w.Identifier("workgroup"),)))
    return found


_STATEMENTS: dict[type, Callable[[Raising, Any], w.Statement]] = {
    core.Assign: lambda walk, s: walk.assigning(walk.name(s.name), walk.expression(s.value)),
    core.SharedAssign: lambda walk, s: walk.assigning(
        w.Index(walk.name(s.array), walk.expression(s.index)), walk.expression(s.value)
    ),
    core.Call: Raising.call,
    core.Barrier: lambda walk, _: w.CallStatement(walk.calling(w.Identifier("workgroupBarrier"))),
    core.If: Raising.conditional,
    core.Loop: Raising.loop,
    core.Break: lambda *_: w.Break(),
    core.Continue: lambda *_: w.Continue(),
    core.Return: lambda walk, s: w.Return(None if s.value is None else walk.expression(s.value)),
}

_EXPRESSIONS: dict[type, Callable[[Raising, Any], w.Expression]] = {
    core.Local: lambda walk, e: walk.name(e.name),
    core.Lid: lambda walk, _: walk.name("lid"),
    core.Literal: Raising.literal,
    core.Binary: Raising.binary,
    core.SharedRead: lambda walk, e: w.Index(walk.name(e.array), walk.expression(e.index)),
    core.Unary: Raising.unary,
    core.Convert: lambda walk, e: walk.calling(_type(e.type), e.operand),
}


# --------------------------------------------------------------------------------------------------------- parameters


def _copies_of(shader: core.Shader) -> list[tuple[core.Function, dict[str, str]]]:
    """Each function but `main`, with the names of the copied parameters: unlike all other names."""
    assigned = [(f, _assigned_parameters(f)) for f in shader.functions]
    if not any([names for _, names in assigned]):
        return [(f, {}) for f in shader.functions]
    taken = {v.name for f in shader.all_functions for v in (*f.params, *f.locals)}
    taken |= {a.name for a in shader.arrays} | {f.name for f in shader.functions}
    return [(f, {name: fresh_name(f"{name}_in", taken) for name in names}) for f, names in assigned]


def _assigned_parameters(f: core.Function) -> list[str]:
    """The names of the parameters that are copied because they are assigned, in order."""
    if not f.params:
        return []
    names = {v.name for v in f.params}
    assigned = names.intersection(core.written_by(s) for s in core.walk(f.body))
    return [v.name for v in f.params if v.name in assigned]
