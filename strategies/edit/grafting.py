"""Grafting: statements of one shader made to fit at a place of another."""

from collections.abc import Sequence
from dataclasses import replace

from wgsl_fuzz.strategies.choices.source import Source
from wgsl_fuzz.tinywgsl.ast import (
    ASSIGNED,
    Assign,
    Block,
    Break,
    Call,
    Continue,
    Expr,
    Function,
    If,
    Lid,
    Local,
    Loop,
    Return,
    Shader,
    SharedArray,
    SharedAssign,
    SharedRead,
    Stmt,
    Type,
    Variable,
    expressions_of,
    is_break_if,
    names_in,
    type_of,
)
from wgsl_fuzz.tinywgsl.constants import index_refusal
from wgsl_fuzz.tinywgsl.printer import fresh_name
from wgsl_fuzz.tinywgsl.rewrite import (
    Place,
    mapped,
    names_of,
    spliced,
    with_expressions,
    with_function,
    with_names_as,
    zero,
)


def grafted(source: Source, ss: Block, donor: Shader, shader: Shader, i: int, place: Place) -> Shader:
    """`shader` with statements of `donor` in front of a place of its i-th function.

    Variables become variables of the same type; arrays and callees likewise. A variable or array without a counterpart
    is declared. A call without one becomes an assignment. Jumps that are not legal at the place are left out. The
    caller must check that every loop can still be left.
    """
    return _Graft(source, donor, shader, i).shader_with(ss, place)


class _Graft:
    def __init__(self, source: Source, donor: Shader, shader: Shader, i: int) -> None:
        self.source = source
        self.donor_arrays = {a.name: a for a in donor.arrays}
        self.donor_types = {v.name: v.type for f in donor.all_functions for v in (*f.params, *f.locals)}
        self.donor_functions = {f.name: f for f in donor.functions}
        self.shader = shader
        self.i = i
        self.function = shader.all_functions[i]
        self.callees = shader.functions[:i]
        self.arrays = list(shader.arrays)
        self.locals: list[Variable] = []
        self._variables = [*self.function.params, *self.function.locals]
        self._names: dict[tuple[str, Type], str] = {}
        self._chosen_arrays: dict[str, SharedArray] = {}
        self._taken: set[str] | None = None

    def shader_with(self, ss: Block, place: Place) -> Shader:
        new = self.block(ss, place.in_loop, place.may_return)
        f = self.function
        changed = replace(f, locals=(*f.locals, *self.locals), body=spliced(f.body, place.path, 0, new))
        return replace(with_function(self.shader, self.i, changed), arrays=tuple(self.arrays))

    # -------------------------------------------------------------------------------------------------- statements

    def block(self, ss: Sequence[Stmt], in_loop: bool, may_return: bool) -> Block:
        out: list[Stmt] = []
        for s in ss:
            out.extend(self.statement(s, in_loop, may_return))
        return tuple(out)

    def statement(self, s: Stmt, in_loop: bool, may_return: bool) -> Block:
        match s:
            case SharedAssign():
                array = self.array(s.array)
                return (SharedAssign(array.name, self.index(array, s.index), self.expr(s.value)),)
            case If():
                then = self.block(s.then, in_loop, may_return)
                return (If(self.expr(s.condition), then, self.block(s.orelse, in_loop, may_return)),)
            case Loop():
                return (Loop(s.id, self.block(s.body, True, may_return), self.continuing(s.continuing)),)
            case Call():
                return (self.call(s),)
            case Break() | Continue():
                return (s,) if in_loop else ()
            case Return():
                return (self.return_(s),) if may_return else ()
            case _:
                names = [self.variable(name, self.donor_types[name]) for name in names_in(s, ASSIGNED)]
                renamed = with_names_as(s, ASSIGNED, names)
                return (with_expressions(renamed, [self.expr(e) for e in expressions_of(s)]),)

    def continuing(self, ss: Block) -> Block:
        if ss and isinstance(last := ss[-1], If) and is_break_if(last):
            return (*self.block(ss[:-1], False, False), replace(last, condition=self.expr(last.condition)))
        return self.block(ss, False, False)

    def return_(self, s: Return) -> Stmt:
        result = self.function.result
        if result is None:
            return Return(None)
        fits = s.value is not None and type_of(s.value) is result
        return Return(self.expr(s.value) if fits and s.value is not None else zero(result))

    def call(self, s: Call) -> Stmt:
        wanted = self.donor_functions[s.function]
        fitting = [f for f in self.callees if _signature(f) == _signature(wanted)]
        assert wanted.result is not None, "main is not called"
        name = self.variable(s.name, wanted.result)
        if not fitting:
            values = [e for e in s.arguments if type_of(e) is wanted.result]
            return Assign(name, self.expr(values[0]) if values else zero(wanted.result))
        same = [f for f in fitting if f.name == s.function]
        callee = same[0] if same else self.source.pick(fitting)
        return Call(s.id, name, callee.name, tuple([self.expr(e) for e in s.arguments]))

    # ------------------------------------------------------------------------------------------------- expressions

    def expr(self, e: Expr) -> Expr:
        return mapped(e, self.leaf)

    def leaf(self, e: Expr) -> Expr | None:
        match e:
            case Local():
                return Local(self.variable(e.name, e.type), e.type)
            case Lid() if self.function.result is not None:  # a variable again, so that no constant comes to be
                return Local(self.variable("lid", Type.U32), Type.U32)
            case SharedRead():
                array = self.array(e.array)
                return SharedRead(array.name, self.index(array, e.index), e.type)
            case _:
                return None

    def index(self, array: SharedArray, index: Expr) -> Expr:
        new = self.expr(index)
        return new if index_refusal(new, array.size) is None else zero(type_of(new))

    def variable(self, name: str, type: Type) -> str:
        """The local that stands for one of the donor's: the one of its name, or any of its type, or a new one."""
        chosen = self._names.get((name, type))
        if chosen is None:
            fitting = [v.name for v in self._variables if v.type is type]
            if name in fitting:
                chosen = name
            elif fitting:
                chosen = self.source.pick(fitting)
            else:
                chosen = self.fresh(f"g_{type.value}")
                self._variables.append(Variable(chosen, type))
                self.locals.append(self._variables[-1])
            self._names[name, type] = chosen
        return chosen

    def array(self, name: str) -> SharedArray:
        """The array that stands for one of the donor's."""
        chosen = self._chosen_arrays.get(name)
        if chosen is None:
            wanted = self.donor_arrays[name]
            fitting = [a for a in self.arrays if a.type is wanted.type]
            same = [a for a in fitting if a.name == name]
            if fitting:
                chosen = same[0] if same else self.source.pick(fitting)
            else:
                chosen = replace(wanted, name=self.fresh("G"))
                self.arrays.append(chosen)
            self._chosen_arrays[name] = chosen
        return chosen

    def fresh(self, wish: str) -> str:
        if self._taken is None:
            self._taken = names_of(self.shader)
        return fresh_name(wish, self._taken)


def _signature(f: Function) -> tuple[Type | None, ...]:
    return (f.result, *[v.type for v in f.params])
