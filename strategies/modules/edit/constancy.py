"""Which expressions have their value before the shader runs."""

from wgsl_fuzz.wgsl.resolution import Resolution
from wgsl_fuzz.wgsl.syntax import Call, Expression, Function, Identifier, Let, Parameter, Variable
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
