"""Walking over trees: the short way to the statements finds those that the long way finds."""

from typing import get_args

from hypothesis import given

from tests.wgsl.trees import modules
from wgsl_fuzz.wgsl.syntax import Function, Module, Statement
from wgsl_fuzz.wgsl.walk import descendants, statements_below


@given(modules)
def test_no_statement_is_missed(module: Module) -> None:
    for f in (d for d in module.declarations if isinstance(d, Function)):
        below = [node for node in descendants(f) if type(node) in get_args(Statement)]
        assert {id(s) for s in statements_below(f)} == {id(s) for s in below}
        assert len(statements_below(f)) == len(below)
