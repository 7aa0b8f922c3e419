"""Every construct is known wherever all of them must be. `mypy` says so of each `match`; here is the rest, by file."""

from collections.abc import Callable
from functools import cache
from typing import Any, get_args, get_type_hints

import pytest

from tests.wgsl.reading import parse
from wgsl_fuzz.oracle.dynamics.semantics import _RULES
from wgsl_fuzz.strategies import draw_shader
from wgsl_fuzz.tinywgsl import ast
from wgsl_fuzz.tinywgsl.behaviour import CoreBehaviourAnalysis
from wgsl_fuzz.wgsl.lower.raising import print_shader

SAMPLES: dict[Any, Any] = {
    ast.Block: (),
    ast.Expr: ast.Literal(0, ast.Type.U32),
    ast.Expr | None: None,
    tuple[ast.Expr, ...]: (),
    int: 1,
}
"""What stands in the fields of a sample, by their types; a name elsewhere."""


def sample(cls: type) -> Any:
    return cls(*[SAMPLES.get(hint, "x") for hint in get_type_hints(cls).values()])


def has_behaviours(cls: type) -> bool:
    if cls not in get_args(ast.Stmt):
        return True
    try:
        return CoreBehaviourAnalysis().statement(sample(cls)) >= 0
    except (AssertionError, KeyError):
        return False


@cache
def drawn() -> dict[type, ast.Shader]:
    """For each class, a drawn shader that has a node of it."""
    found: dict[type, ast.Shader] = {}
    for seed in range(60):
        shader = draw_shader(seed)
        for f in shader.all_functions:
            for node in (*ast.walk(f.body), *ast.expressions_in(f.body)):
                found.setdefault(type(node), shader)
    return found


def is_read(cls: type) -> bool:
    shader = drawn().get(cls)
    return shader is None or parse(print_shader(shader)) == shader


KNOWN: dict[str, Callable[[type], bool]] = {
    "tinywgsl/behaviour.py": has_behaviours,
    "wgsl/lower/statements.py and wgsl/lower/expressions.py": is_read,
    "oracle/dynamics/semantics.py": lambda cls: cls in _RULES or cls is ast.Barrier or cls in get_args(ast.Expr),
    "the profile TINY of strategies/generate/profile.py": lambda cls: cls in drawn(),
}


@pytest.mark.parametrize("file", KNOWN)
def test_every_construct_is_known(file: str) -> None:
    unknown = [cls.__name__ for cls in (*get_args(ast.Stmt), *get_args(ast.Expr)) if not KNOWN[file](cls)]
    assert not unknown, f"{file} does not know {', '.join(unknown)}"
