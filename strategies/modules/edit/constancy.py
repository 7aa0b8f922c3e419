"""Which expressions have their value before the shader runs."""

from wgsl_fuzz.wgsl.resolution import Resolution
from wgsl_fuzz.wgsl.syntax import (
    Assign,
    Binary,
    Call,
    Expression,
    Function,
    Identifier,
    Let,
    Literal,
    Override,
    Parameter,
    Unary,
    Variable,
)
from wgsl_fuzz.wgsl.walk import descendants


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


def may_be_refused(resolution: Resolution) -> bool:
    """Whether a compiler may rightly refuse a module, by the value of a constant that divides or shifts.

    The reference evaluates nothing; what is drawn divides by literals and by what is no constant.
    """
    return any(
        isinstance(node, Binary | Assign)
        and (harmless := _HARMLESS.get(node.operator.removesuffix("="))) is not None
        and is_constant(resolution, node.right)
        and not _is_harmless(resolution, node.right, harmless)
        for function in resolution.functions
        for node in descendants(function)
    )


def _is_harmless(resolution: Resolution, constant: Expression, harmless: frozenset[str]) -> bool:
    """Whether a constant is one of these literals, perhaps in a constructor, or known with the pipeline only."""
    nodes = list(descendants(constant))
    if any(isinstance(resolution.declaration(node), Override) for node in nodes if isinstance(node, Identifier)):
        return True
    literals = [node for node in nodes if isinstance(node, Literal)]
    computed = any(isinstance(node, Binary | Unary) for node in nodes)
    return bool(literals) and not computed and all(node.text.rstrip("iu") in harmless for node in literals)


_AMOUNTS = frozenset(map(str, range(32)))
_DIVISORS = _AMOUNTS - {"0"}
_HARMLESS = {"/": _DIVISORS, "%": _DIVISORS, "<<": _AMOUNTS, ">>": _AMOUNTS}
"""Literals on the right of an operator that no compiler refuses, but for their suffix; some of them."""
