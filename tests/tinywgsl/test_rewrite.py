"""Rewriting: what changes is replaced where it stands, all else is left alone."""

from hypothesis import given

from wgsl_fuzz.strategies import SMALL_TINY, shaders
from wgsl_fuzz.tinywgsl.ast import Binary, Lid, Literal, Shader, Type, expressions_of, walk
from wgsl_fuzz.tinywgsl.rewrite import mapped, with_expressions, with_mapped_expressions


def test_mapped_replaces_the_outermost() -> None:
    e = Binary("+", Lid(), Literal(1, Type.U32))
    assert mapped(e, lambda e: Lid() if isinstance(e, Binary) else None) == Lid()
    two = Literal(2, Type.U32)
    assert mapped(e, lambda e: two if isinstance(e, Lid) else None) == Binary("+", two, Literal(1, Type.U32))


@given(shaders(SMALL_TINY))
def test_what_no_change_is_asked_of_stays_the_same_object(shader: Shader) -> None:
    for f in shader.all_functions:
        assert all(with_mapped_expressions(s, lambda _: None) is s for s in walk(f.body))


@given(shaders(SMALL_TINY))
def test_each_expression_of_a_statement_is_mapped(shader: Shader) -> None:
    for f in shader.all_functions:
        for s in walk(f.body):
            changed = with_mapped_expressions(s, lambda e: Lid())  # noqa: ARG005
            assert changed == with_expressions(s, [Lid() for _ in expressions_of(s)])
