"""Diagnostic filters (2.3): the smallest enclosing range decides, for each rule by itself."""

from tests.wgsl.current_tint import ask_tint
from wgsl_fuzz.oracle.rules.uniformity.revisions import judge_wgsl
from wgsl_fuzz.oracle.verdict import Verdict
from wgsl_fuzz.wgsl.resolve import read

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
    assert [judge_wgsl(read(text)).verdict for text in texts] == expected
    warned = [f"diagnostic(warning, derivative_uniformity); {text}" for text in texts if ERROR not in text]
    assert {judge_wgsl(read(text)).verdict for text in warned} == {Verdict.ACCEPTS}
    answers = ask_tint(texts)
    assert [
        (text, a.message) for text, a, verdict in zip(texts, answers, expected, strict=True) if a.verdict is not verdict
    ] == []
