"""Expressions as closures, which take a fraction of the time of `semantics.evaluate`: the rules run with them.

An expression is compiled when a thread first comes to it: most runs see a part of the shader.
"""

from collections.abc import Callable
from typing import Any, assert_never

from wgsl_fuzz.oracle.dynamics import semantics as sem
from wgsl_fuzz.tinywgsl import ast as core
from wgsl_fuzz.tinywgsl.values import U32_MAX, binary, convert, unary

Evaluate = Callable[[Any, sem.LocalStore, int], Any]
"""`(σ, τ)(e)` for one e, by σ, τ and `lid`."""


class RunnableProgram(sem.Program):
    """A program as single runs have it: its expressions are closures, and they own τ, which is changed in place."""

    def __init__(self, shader: core.Shader, reset_locals: bool = True) -> None:
        known: dict[int, Evaluate] = {}

        def evaluator(e: core.Expr, σ: Any, τ: sem.LocalStore, lid: int) -> Any:
            run = known.get(id(e))
            if run is None:
                run = known[id(e)] = compiled(e)
            return run(σ, τ, lid)

        super().__init__(shader, reset_locals, evaluator)

    def bound(self, τ: sem.LocalStore, values: sem.LocalStore) -> sem.LocalStore:
        """`τ[x ↦ v]` for each x, in place."""
        τ.update(values)
        return τ


_Operator = Callable[[Evaluate, Evaluate], Evaluate]

_OF_ANY: dict[str, _Operator] = {
    "==": lambda a, b: lambda σ, τ, lid: a(σ, τ, lid) == b(σ, τ, lid),
    "!=": lambda a, b: lambda σ, τ, lid: a(σ, τ, lid) != b(σ, τ, lid),
    "<": lambda a, b: lambda σ, τ, lid: a(σ, τ, lid) < b(σ, τ, lid),
    "<=": lambda a, b: lambda σ, τ, lid: a(σ, τ, lid) <= b(σ, τ, lid),
    ">": lambda a, b: lambda σ, τ, lid: a(σ, τ, lid) > b(σ, τ, lid),
    ">=": lambda a, b: lambda σ, τ, lid: a(σ, τ, lid) >= b(σ, τ, lid),
    "&&": lambda a, b: lambda σ, τ, lid: a(σ, τ, lid) & b(σ, τ, lid),
    "||": lambda a, b: lambda σ, τ, lid: a(σ, τ, lid) | b(σ, τ, lid),
    "&": lambda a, b: lambda σ, τ, lid: a(σ, τ, lid) & b(σ, τ, lid),
    "|": lambda a, b: lambda σ, τ, lid: a(σ, τ, lid) | b(σ, τ, lid),
    "^": lambda a, b: lambda σ, τ, lid: a(σ, τ, lid) ^ b(σ, τ, lid),
    "min": lambda a, b: lambda σ, τ, lid: min(a(σ, τ, lid), b(σ, τ, lid)),
}
"""Operators that Python has too, for operands of any type."""
_OF_U32: dict[str, _Operator] = {
    "+": lambda a, b: lambda σ, τ, lid: (a(σ, τ, lid) + b(σ, τ, lid)) & U32_MAX,
    "-": lambda a, b: lambda σ, τ, lid: (a(σ, τ, lid) - b(σ, τ, lid)) & U32_MAX,
    "*": lambda a, b: lambda σ, τ, lid: (a(σ, τ, lid) * b(σ, τ, lid)) & U32_MAX,
}


def compiled(e: core.Expr) -> Evaluate:
    """`e` as a function of σ, τ and `lid`: what `semantics.evaluate` computes."""
    match e:
        case core.Local():
            name = e.name
            return lambda _σ, τ, _lid: τ[name]
        case core.Literal():
            value = e.value
            return lambda _σ, _τ, _lid: value
        case core.Lid():
            return lambda _σ, _τ, lid: lid
        case core.Binary():
            return _binary(e.op, compiled(e.left), compiled(e.right), core.type_of(e.left))
        case core.SharedRead():
            array, index = e.array, compiled(e.index)
            return lambda σ, τ, lid: σ.get(array, index(σ, τ, lid))
        case core.Unary():
            op, operand, type = e.op, compiled(e.operand), core.type_of(e.operand)
            if op == "!":
                return lambda σ, τ, lid: not operand(σ, τ, lid)
            return lambda σ, τ, lid: unary(op, operand(σ, τ, lid), type)
        case core.Convert():
            to, converted = e.type, compiled(e.operand)
            return lambda σ, τ, lid: convert(converted(σ, τ, lid), to)
        case _:
            assert_never(e)


def _binary(op: str, a: Evaluate, b: Evaluate, type: core.Type) -> Evaluate:
    made = _OF_ANY.get(op) or (_OF_U32.get(op) if type is core.Type.U32 else None)
    if made is not None:
        return made(a, b)
    return lambda σ, τ, lid: binary(op, a(σ, τ, lid), b(σ, τ, lid), type)
