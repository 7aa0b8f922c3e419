"""Explanations: what is said of the paper's figures, and that every sentence is about a line that there is."""

import re
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wgsl_fuzz.oracle.explain.path import account, explain, facts, path_lines, summaries
from wgsl_fuzz.oracle.rules.analysis import Analysis, analyse
from wgsl_fuzz.oracle.verdict import Verdict
from wgsl_fuzz.strategies import DEFAULT, draw_shader
from wgsl_fuzz.tinywgsl.printer import print_with_positions
from wgsl_fuzz.wgsl.reading import parse_with_positions

CORPUS = Path(__file__).parents[3] / "corpus"
HOT = replace(DEFAULT, doses=(60, 100))
CALLS = """fn g(p: u32) -> u32 {
  if (p == 0u) { workgroupBarrier(); }
  return 0u;
}
fn h(q: u32) -> u32 { return mem[q]; }
"""


def told(text: str) -> list[str]:
    parsed = parse_with_positions(text)
    return explain(analyse(parsed.shader), parsed.positions, text)


def main(body: str, functions: str = "") -> str:
    return (
        f"var<workgroup> mem: array<u32, 4>;\n{functions}@compute @workgroup_size(4)\n"
        f"fn main(@builtin(local_invocation_id) id: vec3<u32>) {{\n{body}\n}}\n"
    )


_TOGETHER = "needs uniform control flow: all threads must reach it together"


@pytest.mark.parametrize(
    ("name", "sentences"),
    [
        (
            "fig-1b",
            [
                f"the barrier on line 7 {_TOGETHER}",
                "it is inside the `if` on line 6, whose condition is `lid < d`",
                "`lid` on line 6 is different in every thread",
            ],
        ),
        (
            "fig-1c",
            [
                f"the barrier on line 6 {_TOGETHER}",
                "it is in the loop on line 5, and threads may be in different iterations of it",
                "because some threads may leave the `if` on line 7 by a continue: its condition is `lid >= d`",
                "`lid` on line 7 is different in every thread",
            ],
        ),
        (
            "fig-7",
            [
                f"the barrier on line 6 {_TOGETHER}",
                "it is inside the `if` on line 5, whose condition is `arr[0] == 0u`",
                "`arr` on line 5 is shared memory, which is never taken to be uniform",
            ],
        ),
        (
            "fig-10a",
            [
                f"the barrier on line 4 {_TOGETHER}",
                "it is in the loop on line 3, and threads may be in different iterations of it",
                "because threads may leave the loop by the `break if` on line 6: its condition is `lid == 0u`",
                "`lid` on line 6 is different in every thread",
            ],
        ),
    ],
)
def test_figures(name: str, sentences: list[str]) -> None:
    assert told((CORPUS / name / "shader.wgsl").read_text(encoding="utf-8")) == sentences


@pytest.mark.parametrize(
    ("body", "sentences"),
    [
        pytest.param(
            "var n = id.x;\nfor (var k = 0u; k < n; k++) {\nworkgroupBarrier();\n}",
            [
                f"the barrier on line 6 {_TOGETHER}",
                "it is in the loop on line 5, whose condition `k < n` reads `n`",
                "`n` was assigned on line 4: `var n = id.x`",
                "`id.x` on line 4 is different in every thread",
            ],
            id="the header of a for",
        ),
        pytest.param(
            "var n = 3u;\nwhile (n > 0u) {\nif (n == 2u) { workgroupBarrier(); }\nn -= id.x;\n}",
            [
                f"the barrier on line 6 {_TOGETHER}",
                "it is inside the `if` on line 6, whose condition `n == 2u` reads `n`",
                "`n` was assigned on line 7, in an earlier iteration: `n -= id.x`",
                "`id.x` on line 7 is different in every thread",
            ],
            id="an earlier iteration",
        ),
        pytest.param(
            "var x = 3u;\nif (id.x == 2u) {\nx = 1u;\n}\nif (x == 1u) { workgroupBarrier(); }",
            [
                f"the barrier on line 8 {_TOGETHER}",
                "it is inside the `if` on line 8, whose condition `x == 1u` reads `x`",
                "`x` was assigned on line 6, perhaps not by all threads together: `x = 1u`",
                "that is inside the `if` on line 5, whose condition is `id.x == 2u`",
                "`id.x` on line 5 is different in every thread",
            ],
            id="a constant assigned by some",
        ),
        pytest.param(
            "if (id.x == 2u) {\nreturn;\n}\nif (mem[0] == mem[0]) { }\nworkgroupBarrier();",
            [
                f"the barrier on line 8 {_TOGETHER}",
                "it comes after the `if` on line 4, which some threads may leave by a return: "
                "its condition is `id.x == 2u`",
                "`id.x` on line 4 is different in every thread",
            ],
            id="after a return",
        ),
        pytest.param(
            "var x = id.x;\n{ var x = 1u; x = 2u; }\nif (x == 1u) { if (true) { workgroupBarrier(); } }",
            [
                f"the barrier on line 6 {_TOGETHER}",
                "it is inside the `if` on line 6, whose condition `x == 1u` reads `x`",
                "`x` was assigned on line 4: `var x = id.x`",
                "`id.x` on line 4 is different in every thread",
            ],
            id="an inner if that only passes on",
        ),
        pytest.param(
            "var u = false;\nif (id.x == 0u) {\nif (u) { workgroupBarrier(); }\n}",
            [
                f"the barrier on line 6 {_TOGETHER}",
                "it is inside the `if` on line 5, whose condition is `id.x == 0u`",
                "`id.x` on line 5 is different in every thread",
            ],
            id="a variable that is not the reason",
        ),
    ],
)
def test_small_shaders(body: str, sentences: list[str]) -> None:
    assert told(main(body)) == sentences


def test_a_shadowing_name_is_the_users() -> None:
    text = main("var x = 1u;\n{ var x = id.x;\nif (x == 1u) { workgroupBarrier(); } }\nx = 2u;")
    assert "`x_1`" not in " ".join(told(text))
    assert "`x` was assigned on line 5: `var x = id.x`" in told(text)


def test_a_call_that_demands_is_explained_by_its_callee() -> None:
    assert told(main("if (id.x == 0u) { _ = g(1u); }", CALLS)) == [
        "the call of g on line 9 needs uniform control flow, because in g",
        f"  the barrier on line 3 {_TOGETHER}",
        "the call is inside the `if` on line 9, whose condition is `id.x == 0u`",
        "`id.x` on line 9 is different in every thread",
    ]


def test_a_demanded_argument_and_a_result_that_differs_are_explained_by_their_callees() -> None:
    assert told(main("let x = h(1u);\n_ = g(x);", CALLS)) == [
        "argument 1 of the call of g on line 10 must be uniform, because in g",
        f"  the barrier on line 3 {_TOGETHER}",
        "  it is inside the `if` on line 3, whose condition `p == 0u` reads `p`",
        "  `p` is a parameter of g",
        "the argument on line 10 reads `x`",
        "`x` was assigned on line 9: `let x = h(1u)`",
        "the result of h may differ between threads, because in h",
        "  the value returned on line 6 may differ: `return mem[q]`",
        "  `mem` on line 6 is shared memory, which is never taken to be uniform",
    ]


def test_summaries_say_the_facts_that_hold() -> None:
    text = main("workgroupBarrier();", CALLS)
    parsed = parse_with_positions(text)
    analysis = analyse(parsed.shader)
    assert summaries(analysis, parsed.positions, text) == [
        "g:",
        "  must be called from uniform control flow, because of the barrier on line 3 (callSiteUnif = true)",
        "  the argument for `p` must be uniform, because of the barrier on line 3 (paramsReqToBeUnif = {1})",
        "h:",
        "  the result may differ between threads, whatever the arguments (returnNonUnif = true)",
        "main:",
        "  must start with all threads together, because of the barrier on line 9 (callSiteUnif = true)",
    ]


def test_summaries_of_functions_of_which_no_fact_holds() -> None:
    parsed = parse_with_positions(main("_ = f();", "fn f() -> u32 { return 0u; }\n"))
    assert summaries(analyse(parsed.shader), parsed.positions) == [
        "f demands nothing of its callers",
        "main demands nothing",
    ]


def test_the_account_of_one_function() -> None:
    text = main("if (id.x == 0u) { _ = g(1u); }", CALLS)
    parsed = parse_with_positions(text)
    analysis = analyse(parsed.shader)
    every = summaries(analysis, parsed.positions, text)
    assert account(analysis, "g", parsed.positions, text) == every[:3]
    assert account(analysis, "h", parsed.positions, text) == every[3:5]
    assert account(analysis, "main", parsed.positions, text) == told(text)
    assert account(analysis, None, parsed.positions, text) == told(text)


LOGICAL = """fn b(x: u32) -> bool { workgroupBarrier(); return x == 1u; }
fn p(x: u32) -> bool { return x == 1u; }
"""
_OF_B = ["the call of b on line 6 needs uniform control flow, because in b", f"  the barrier on line 2 {_TOGETHER}"]
_ID = "`id.x` on line 6 is different in every thread"


@pytest.mark.parametrize(
    ("body", "sign", "when"),
    [
        ("if id.x == 0u && b(1u) { }", "&&", "`id.x == 0u` is true"),
        ("if id.x == 0u || b(1u) { }", "||", "`id.x == 0u` is false"),
        ("if p(1u) { } else if id.x == 0u && b(1u) { }", "&&", "`id.x == 0u` is true"),
        ("if true && (id.x == 0u || b(1u)) { }", "||", "`id.x == 0u` is false"),
        ("if id.x == 0u && (p(1u) || b(1u)) { }", "&&", "`id.x == 0u` is true"),
        ("if p(1u) && id.x == 0u && b(1u) { }", "&&", "`p(1u) && (id.x == 0u)` is true"),
        ("if id.x == 0u && p(1u) && b(1u) { }", "&&", "`id.x == 0u && p(1u)` is true"),
        ("if (id.x == 0u && p(1u)) || b(1u) { }", "||", "`id.x == 0u && p(1u)` is false"),
        ("while id.x == 0u && b(1u) { }", "&&", "`id.x == 0u` is true"),
        ("for (var k = 0u; id.x == k || b(k); k++) { }", "||", "`id.x == k` is false"),
        ("loop { continuing { break if id.x == 0u && b(1u); } }", "&&", "`id.x == 0u` is true"),
        ("let y = id.x == 0u && b(1u);", "&&", "`id.x == 0u` is true"),
        ("mem[0] = u32(id.x == 0u || b(1u));", "||", "`id.x == 0u` is false"),
    ],
)
def test_a_call_on_the_right_of_an_operator(body: str, sign: str, when: str) -> None:
    assert told(main(body, LOGICAL)) == [
        *_OF_B,
        f"the call of b on line 6 is in the right operand of `{sign}`, evaluated only where {when}",
        _ID,
    ]


@pytest.mark.parametrize(
    ("body", "sentences"),
    [
        pytest.param(
            "if id.x == 0u && p(1u) { workgroupBarrier(); }",
            ["it is inside the `if` on line 6, whose condition is `id.x == 0u && p(1u)`", _ID],
            id="the left operand",
        ),
        pytest.param(
            "while p(1u) || p(id.x) { workgroupBarrier(); }",
            [
                "it is in the loop on line 6, whose condition is `p(1u) || p(id.x)`",
                "the result of p was computed on line 6, from `id.x`",
                _ID,
            ],
            id="the right operand",
        ),
        pytest.param(
            "let n = id.x; if p(1u) && p(1u) == (n == 1u) { workgroupBarrier(); }",
            [
                "it is inside the `if` on line 6, whose condition is `p(1u) && p(1u) == (n == 1u)`",
                "`p(1u) == (n == 1u)` on line 6 reads `n`",
                "`n` was assigned on line 6: `let n = id.x`",
                _ID,
            ],
            id="what the right operand reads",
        ),
        pytest.param(
            "var t = id.x == 0u; if t { t = p(1u); workgroupBarrier(); t = p(1u); }",
            [
                "it is inside the `if` on line 6, whose condition is `t`",
                "`t` was assigned on line 6: `var t = id.x == 0u`",
                _ID,
            ],
            id="an if that looks like an operator",
        ),
    ],
)
def test_the_value_of_an_operator_with_a_call(body: str, sentences: list[str]) -> None:
    assert told(main(body, LOGICAL)) == [f"the barrier on line 6 {_TOGETHER}", *sentences]


@given(
    st.recursive(
        st.sampled_from(["p(1u)", "k == 1u", "n == 1u"]), lambda e: st.tuples(e, st.sampled_from(["&&", "||"]), e)
    )
)
def test_what_is_said_of_operators_is_in_the_text(drawn: object) -> None:
    """Every operand that is quoted stands in the text, and `evaluated only where` is said of the operator behind it."""

    def written(e: object) -> str:
        return f"({written(e[0])} {e[1]} {written(e[2])})" if isinstance(e, tuple) else str(e)

    line = f"let n = id.x; var k = 0u; if ({written(drawn)} && b(1u)) {{ }}"
    bare = line.replace("(", "").replace(")", "")
    for sentence in told(main(line, LOGICAL)):
        for quoted in re.findall(r"`(.*?)`", sentence):
            assert sentence.startswith("  ") or quoted.replace("(", "").replace(")", "") in bare
        found = re.search(r"operand of `(.*)`, evaluated only where `(.*)` is (true|false)", sentence)
        if found is not None:
            left = found[2].replace("(", "").replace(")", "")
            assert f"{left} {found[1]} " in bare
            assert (found[1] == "&&") is (found[3] == "true")


def test_the_lines_of_a_path() -> None:
    parsed = parse_with_positions((CORPUS / "fig-1c" / "shader.wgsl").read_text(encoding="utf-8"))
    assert path_lines(analyse(parsed.shader), parsed.positions) == {5: "path", 6: "demand", 7: "source"}


_DEMAND = re.compile(r"(the barrier|the call of \w+|argument \d+ of the call of \w+) on line \d+ (needs|must)")
_SOURCE = re.compile(r" *`.*` on line \d+ is (different in every thread|shared memory, .*)")


def check_sentences(analysis: Analysis, sentences: list[str], lines: list[str]) -> None:
    """Asserts that a rejection is told from a demand to a source, and only of lines that contain what is quoted."""
    assert bool(sentences) is (analysis.verdict is Verdict.REJECTS)
    if sentences:
        assert _DEMAND.match(sentences[0]), sentences
        assert _SOURCE.fullmatch(sentences[-1]), sentences
    for sentence, following in pairwise(sentences):
        read = re.search(r"^( *).* reads (`\w+`)$", sentence)
        assert read is None or following.startswith(read[1] + read[2]), (sentence, following)
    for sentence in sentences:
        for number in map(int, re.findall(r" on line (\d+)", sentence)):
            assert 1 <= number <= len(lines)
            for quoted in re.findall(r"`(.*?)`", sentence):
                assert quoted in lines[number - 1], (sentence, lines[number - 1])
        if re.match(r" *the barrier on line", sentence):
            assert "workgroupBarrier();" in lines[int(re.findall(r"\d+", sentence)[0]) - 1]


@given(st.integers(0, 2**32))
def test_every_rejection_is_told_from_the_demand_to_the_source(seed: int) -> None:
    """Without the text, with it, and with the text parsed again: names and conditions are then the text's."""
    drawn = draw_shader(seed, HOT)
    printed = print_with_positions(drawn)
    lines = printed.text.splitlines()
    analysis = analyse(drawn)
    for text in ("", printed.text):
        check_sentences(analysis, explain(analysis, printed.positions, text), lines)
    parsed = parse_with_positions(printed.text)
    again = analyse(parsed.shader)
    assert explain(again, parsed.positions, printed.text) == explain(analysis, printed.positions, printed.text)


@given(st.integers(0, 2**32))
def test_facts_name_only_barriers_and_calls_that_there_are(seed: int) -> None:
    printed = print_with_positions(drawn := draw_shader(seed, HOT))
    analysis = analyse(drawn)
    lines = printed.text.splitlines()
    for result in analysis.functions:
        rows = facts(analysis, result, printed.positions)
        assert len(rows) == (1 if result.function.result is None else 4)
        assert ("because" in rows[0][2]) is result.summary.callSiteUnif
        for what, number in re.findall(r"(barrier|call of \w+) on line (\d+)", " ".join(words for *_, words in rows)):
            expected = "workgroupBarrier();" if what == "barrier" else f"{what.split()[-1]}("
            assert expected in lines[int(number) - 1]


def test_the_properties_see_rejections_through_calls() -> None:
    """The properties above would say little if no drawn rejection led through a call."""
    stories = [explain(analyse(d), print_with_positions(d).positions) for d in map(draw_shader, range(300))]
    assert sum(any(line.startswith("  ") for line in story) for story in stories) >= 5
