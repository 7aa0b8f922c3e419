"""Diagnostic filters (2.3): the smallest enclosing range decides, for each rule by itself."""

from itertools import product

import pytest

from tests.wgsl.current_tint import ask_tint
from wgsl_fuzz.oracle.rules.uniformity.revisions import judge_wgsl
from wgsl_fuzz.oracle.verdict import Verdict
from wgsl_fuzz.wgsl import syntax
from wgsl_fuzz.wgsl.builtins import Rule
from wgsl_fuzz.wgsl.diagnostics import Filters, Severity, of_attributes, of_directives
from wgsl_fuzz.wgsl.parser import parse
from wgsl_fuzz.wgsl.problems import ResolveProblem
from wgsl_fuzz.wgsl.resolve import resolve

Found = dict[Rule, Severity]


def attributes_of(found: Found) -> syntax.Attributes:
    return tuple(
        syntax.Attribute("diagnostic", (syntax.Identifier(s.value), syntax.Identifier(r.value)))
        for r, s in found.items()
    )


def test_other_attributes_and_rules_change_nothing() -> None:
    walk = Filters([syntax.Diagnostic("off", "some.rule")])
    walk.push(
        (
            syntax.Attribute("must_use"),
            syntax.Attribute("diagnostic", (syntax.Identifier("off"), syntax.Identifier("unknown"))),
        )
    )
    assert {walk.severity(rule) for rule in Rule} == {Severity.ERROR}


def test_a_dotted_rule_is_one_name() -> None:
    dotted = syntax.Attribute("diagnostic", (syntax.Identifier("info"), syntax.Member(syntax.Identifier("a"), "b")))
    assert of_attributes((dotted,)) == {"a.b": Severity.INFO}
    assert of_directives([syntax.Diagnostic("info", "a.b")]) == {"a.b": Severity.INFO}


@pytest.mark.parametrize(("first", "second"), list(product(Severity, Severity)))
def test_contradictions(first: Severity, second: Severity) -> None:
    directives = [syntax.Diagnostic(s.value, Rule.DERIVATIVE.value) for s in (first, second)]
    if first is second:
        assert of_directives(directives) == {Rule.DERIVATIVE: first}
    else:
        with pytest.raises(ResolveProblem):
            of_directives(directives)
    with pytest.raises(ResolveProblem):
        of_attributes(attributes_of({Rule.DERIVATIVE: first}) + attributes_of({Rule.DERIVATIVE: second}))


OFF = "@diagnostic(off, derivative_uniformity)"
ERROR = "@diagnostic(error, derivative_uniformity)"
PLACES = [
    f"{OFF} fn f() {{ CALL; }}",
    f"fn f() {OFF} {{ CALL; }}",
    f"fn f() {{ {OFF} {{ CALL; }} }}",
    f"fn f() {{ {OFF} if true {{ CALL; }} }}",
    f"fn f() {{ {OFF} if true {{ }} else {{ CALL; }} }}",
    f"fn f() {{ {OFF} if true {{ }} else if VALUE > 0 {{ }} }}",
    f"fn f() {{ if true {OFF} {{ CALL; }} }}",
    f"fn f() {{ if true {{ }} else {OFF} {{ CALL; }} }}",
    f"fn f() {{ {OFF} if VALUE > 0 {{ }} }}",
    f"fn f() {{ {OFF} switch 1 {{ default {{ CALL; }} }} }}",
    f"fn f() {{ {OFF} switch i32(VALUE) {{ default {{ }} }} }}",
    f"fn f() {{ switch 1 {OFF} {{ default {{ CALL; }} }} }}",
    f"fn f() {{ switch 1 {{ default {OFF} {{ CALL; }} }} }}",
    f"fn f() {{ {OFF} loop {{ CALL; break; }} }}",
    f"fn f() {{ loop {OFF} {{ CALL; break; }} }}",
    f"fn f() {{ loop {OFF} {{ continuing {{ CALL; break if true; }} }} }}",
    f"fn f() {{ loop {{ continuing {OFF} {{ CALL; break if true; }} }} }}",
    f"fn f() {{ loop {{ continuing {OFF} {{ break if VALUE > 0; }} }} }}",
    f"fn f() {{ {OFF} while VALUE > 0 {{ }} }}",
    f"fn f() {{ while true {OFF} {{ CALL; break; }} }}",
    f"fn f() {{ {OFF} for (var i = VALUE; i > 0;) {{ }} }}",
    f"fn f() {{ {OFF} for (; VALUE > 0;) {{ }} }}",
    f"fn f() {{ for (;;) {OFF} {{ CALL; break; }} }}",
    f"{ERROR} fn f() {{ {OFF} {{ CALL; }} }}",
]
OUTSIDE = [
    f"fn f() {{ {OFF} {{ }} CALL; }}",
    f"fn f() {{ if VALUE > 0 {OFF} {{ }} }}",
    f"fn f() {{ if true {OFF} {{ }} else {{ CALL; }} }}",
    f"fn f() {{ switch i32(VALUE) {OFF} {{ default {{ }} }} }}",
    f"fn f() {{ switch 1 {{ case 1 {OFF} {{ }} default {{ CALL; }} }} }}",
    f"fn f() {{ loop {{ CALL; break; continuing {OFF} {{ }} }} }}",
    f"fn f() {{ while VALUE > 0 {OFF} {{ }} }}",
    f"fn f() {{ for (; VALUE > 0;) {OFF} {{ }} }}",
    f"{OFF} fn g() {{ }} fn f() {{ CALL; }}",
    f"{OFF} fn f() {{ {ERROR} {{ CALL; }} }}",
    f"{OFF} fn f() {{ if true {ERROR} {{ CALL; }} }}",
]


def _with_call(text: str) -> str:
    return text.replace("CALL", "_ = dpdx(1.0)").replace("VALUE", "dpdx(1.0)")


def test_the_reference_and_current_tint_filter_what_is_in_the_range() -> None:
    """A function that must be called in uniform control flow, and is not."""
    main = "@fragment fn main(@builtin(front_facing) n: bool) { if n { f(); } } "
    texts = [main + _with_call(text) for text in (*PLACES, *OUTSIDE)]
    expected = [Verdict.ACCEPTS] * len(PLACES) + [Verdict.REJECTS] * len(OUTSIDE)
    assert [judge_wgsl(resolve(parse(text))).verdict for text in texts] == expected
    warned = [f"diagnostic(warning, derivative_uniformity); {text}" for text in texts if ERROR not in text]
    assert {judge_wgsl(resolve(parse(text))).verdict for text in warned} == {Verdict.ACCEPTS}
    answers = ask_tint(texts)
    assert [
        (text, a.message) for text, a, verdict in zip(texts, answers, expected, strict=True) if a.verdict is not verdict
    ] == []
