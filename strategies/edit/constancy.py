"""Const- and override-expressions: those evaluated before the shader runs."""

from collections.abc import Iterator

from wgsl_fuzz.wgsl import syntax as w
from wgsl_fuzz.wgsl.builtins import function_signatures, is_runtime
from wgsl_fuzz.wgsl.resolution import Resolution
from wgsl_fuzz.wgsl.walk import descendants


def is_constant(resolution: Resolution, expression: w.Expression) -> bool:
    """Whether an expression has its value before the shader runs."""
    for node in descendants(expression):
        if isinstance(node, w.Identifier):
            declared = resolution.declaration(node)
            if isinstance(declared, w.Let | w.Parameter | w.Variable | w.Function):
                return False
        elif isinstance(node, w.Call):
            builtin = resolution.builtin(node)
            if builtin is not None and not builtin.constant:
                return False
    return True


def may_be_refused(resolution: Resolution) -> bool:
    """Whether a compiler may rightly refuse a module, by the value of a constant.

    It may divide or shift, or be an argument of a function that is not defined for all values, as `log2` is not. The
    reference evaluates nothing; what is drawn divides by literals, and gives such functions what is no constant.
    """
    return any(
        is_constant(resolution, constant) and not _is_harmless(resolution, constant, harmless)
        for function in resolution.functions
        for node in descendants(function)
        for constant, harmless in _watched(resolution, node)
    )


def _watched(resolution: Resolution, node: w.Node) -> Iterator[tuple[w.Expression, frozenset[str]]]:
    """What is refused for its value if it is a constant, and the literals for which it is not."""
    if isinstance(node, w.Binary | w.Assign):
        harmless = _HARMLESS.get(node.operator.removesuffix("="))
        if harmless is not None:
            yield node.right, harmless
    elif isinstance(node, w.Call) and (builtin := resolution.builtin(node)) is not None:
        for place in _RUNTIME.get(builtin.name, ()):
            yield node.arguments[place], frozenset()


def _is_harmless(resolution: Resolution, constant: w.Expression, harmless: frozenset[str]) -> bool:
    """Whether a constant is one of these literals, perhaps in a constructor, or known with the pipeline only."""
    nodes = list(descendants(constant))
    if any(isinstance(resolution.declaration(node), w.Override) for node in nodes if isinstance(node, w.Identifier)):
        return True
    literals = [node for node in nodes if isinstance(node, w.Literal)]
    computed = any(isinstance(node, w.Binary | w.Unary) for node in nodes)
    return bool(literals) and not computed and all(node.text.rstrip("iuh") in harmless for node in literals)


_AMOUNTS = frozenset(map(str, range(32)))
_DIVISORS = _AMOUNTS - {"0"}
_HARMLESS = {"/": _DIVISORS, "%": _DIVISORS, "<<": _AMOUNTS, ">>": _AMOUNTS}
"""Literals on the right of an operator that no compiler refuses, but for their suffix; some of them."""
_RUNTIME = {
    signature.function: tuple(i for i, parameter in enumerate(signature.parameters) if is_runtime(parameter))
    for signature in function_signatures()
}
"""By the name of a built-in function: the places of the arguments for which its signature asks for no constant."""
