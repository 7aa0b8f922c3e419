"""The rules of section 4.2: the paper's figures, and for each line of each rule a shader whose verdict hangs on it."""

from dataclasses import replace
from itertools import chain, pairwise
from pathlib import Path

import pytest
from hypothesis import given

from tests.quality.paper_mutants import DEPARTURES, REVERSIONS, departing
from tests.wgsl.reading import parse
from wgsl_fuzz.oracle.rules.analysis import Summary, UniformityAnalysis, analyse
from wgsl_fuzz.oracle.rules.graph import CF_START, MAY_BE_NON_UNIF, MUST_BE_UNIF, VALUE_RETURN, Graph, Node, Role
from wgsl_fuzz.oracle.verdict import Verdict
from wgsl_fuzz.strategies import DEFAULT, draw_shader, shaders
from wgsl_fuzz.strategies.enumerate.families import SINGLE_LOOP
from wgsl_fuzz.tinywgsl.ast import Shader

A, R = Verdict.ACCEPTS, Verdict.REJECTS

CORPUS = Path(__file__).parents[3] / "corpus"
HOT = replace(DEFAULT, doses=(60, 100))
"""Plenty of `lid` and shared reads: about half of the shaders are rejected."""
LETTER = departing(["B/loop/case-2-by-the-body-only"])
"""Fig. 8 as printed, "Break ∉ B1"."""


def corpus(name: str) -> Shader:
    return parse((CORPUS / name / "shader.wgsl").read_text(encoding="utf-8"))


def shader(body: str, functions: str = "") -> Shader:
    """`body` in a `main` with two locals, x and u (u is never assigned: uniform); `barrier;` is short for the call."""
    text = (
        f"var<workgroup> mem: array<u32, 4>; {functions} @compute @workgroup_size(4) "
        f"fn main(@builtin(local_invocation_index) lid: u32) {{ var x: u32; var u: u32; {body} }}"
    )
    return parse(text.replace("barrier;", "workgroupBarrier();"))


def verdict(body: str, functions: str = "") -> Verdict:
    return analyse(shader(body, functions)).verdict


def rows(table: dict[str, tuple[str, Verdict]]) -> pytest.MarkDecorator:
    """One test for each row: its name, the body of `main` and the verdict."""
    return pytest.mark.parametrize(("body", "expected"), table.values(), ids=table.keys())


# ---------------------------------------------------------------------------------------------------------- figures


def collapsed(graph: Graph) -> dict[int, set[int]]:
    """The edges as the paper has them: SOURCE nodes merged into MayBeNonUnif, nodes numbered from 1 without gaps."""
    number: dict[Node, int] = {}
    for v, label in enumerate(graph.labels):
        number[v] = number[MAY_BE_NON_UNIF] if label.role is Role.SOURCE else len(set(number.values())) + 1
    edges: dict[int, set[int]] = {n: set() for n in number.values()}
    for v, successors in enumerate(graph.successors):
        edges[number[v]] |= {number[w] for w in successors if number[v] != number[w]}
    return edges


def test_fig_7_graph() -> None:
    """Nodes are numbered as in the text of section 4.1."""
    result = analyse(corpus("fig-7")).functions[0]
    assert [CF_START, MAY_BE_NON_UNIF, MUST_BE_UNIF, VALUE_RETURN] == [0, 1, 2, 3]
    assert collapsed(result.graph) == {
        1: set(),  # CfStart
        2: set(),  # MayBeNonUnif
        3: {7},  # MustBeUnif: the barrier
        4: {13},  # ValueReturn: x + y
        5: set(),  # x_param
        6: set(),  # y_param
        7: {1, 2},  # arr[0] == 0
        8: {7, 6},  # y, read in the `else`
        9: {5, 8},  # x after the `if`
        10: {6},  # y after the `if`, alike on both sides
        11: {1, 9},  # x
        12: {1, 10},  # y
        13: {11, 12},  # x + y
    }


def test_fig_7_summary() -> None:
    """Facts (a) to (c) of section 4.1, and the error; both parameters reach the result."""
    result = analyse(corpus("fig-7")).functions[0]
    assert result.violates
    assert result.summary == Summary(
        callSiteUnif=True,
        paramsReqToBeUnif=frozenset(),
        paramAffectsReturnUnif=frozenset({0, 1}),
        returnNonUnif=True,
    )


@pytest.mark.parametrize(
    ("figure", "expected"),
    [
        ("fig-1a", A),
        ("fig-1b", R),
        ("fig-1c", R),
        ("fig-3", R),
        ("fig-7", R),
        ("fig-10a", R),
        ("fig-10b", A),
        ("fig-10c", A),
        ("fig-10d", A),
        ("tint-empty-statement", A),
        ("trap-call-locals", A),  # locals are tied to CfStart, whatever CALL does (docs/paper-notes.md, note 2)
        ("trap-fig-8", R),
    ],
)
def test_verdicts_of_the_figures(figure: str, expected: Verdict) -> None:
    assert analyse(corpus(figure)).verdict is expected


@pytest.mark.parametrize("change", REVERSIONS)
@pytest.mark.parametrize("figure", ["10a", "10b", "10c", "10d"])
def test_each_change_of_section_5_decides_its_own_figure_only(figure: str, change: str) -> None:
    """The whole table of 4 by 4: only its diagonal differs from the paper's verdict.

    10a: the body continues, so it is not {Return} (10b), the back edge is there anyway (10c), the continuing too (10d).
    10b: code behind the loop stays dead, and that alone counts: the loop holds nothing that demands uniformity.
    10c: no `break if` (10a), no way to break, so {Return} by either case (10b), an empty continuing (10d).
    10d: no `break if` (10a), no way to break (10b), and a back edge, but no barrier that is analysed (10c).
    """
    paper = {"10a": R, "10b": A, "10c": A, "10d": A}[figure]
    other = A if paper is R else R
    assert analyse(corpus(f"fig-{figure}"), REVERSIONS[change]).verdict is (other if figure == change else paper)


@pytest.mark.parametrize("figure", ["10a", "10b", "10c", "10d"])
def test_fig_8_to_the_letter_decides_none_of_the_figures(figure: str) -> None:
    assert analyse(corpus(f"fig-{figure}"), LETTER).verdict is analyse(corpus(f"fig-{figure}")).verdict


def test_fig_8_to_the_letter_leaves_code_behind_a_break_if_unanalysed() -> None:
    """docs/paper-notes.md, note 1: the shader diverges, and the letter accepts it."""
    assert analyse(corpus("trap-fig-8"), LETTER).verdict is A
    assert analyse(corpus("trap-fig-8")).verdict is R


def test_without_the_change_of_fig_10a_values_still_flow_out_of_a_break_if() -> None:
    """What the specification forgot is control flow only."""
    leaving = shader("loop { continuing { x = lid; break if u == 0u; } } if (x == 0u) { barrier; }")
    assert analyse(leaving, REVERSIONS["10a"]).verdict is R


# --------------------------------------------------------------------------------------- Fig. 9, and simple statements


@rows(
    {
        "lid is a source": ("if (lid == 0u) { barrier; }", R),
        "a shared read is a source": ("if (mem[0] == 0u) { barrier; }", R),
        "a shared read is one whatever its index": ("x = mem[u]; if (x == 0u) { barrier; }", R),
        "a literal is uniform": ("if (true) { barrier; }", A),
        "a literal takes its control flow": ("if (lid == 0u) { x = 1u; } if (x == 0u) { barrier; }", R),
        "a local is what was assigned": ("x = lid; if (x == 0u) { barrier; }", R),
        "a local starts uniform": ("if (x == 0u) { barrier; }", A),
        "a read takes its control flow": ("if (lid == 0u) { x = u; } if (x == 0u) { barrier; }", R),
        "an operation depends on its left": ("if (lid == u) { barrier; }", R),
        "an operation depends on its right": ("if (u == lid) { barrier; }", R),
        "a unary operator depends on its operand": ("x = ~lid; if (x == 0u) { barrier; }", R),
        "a conversion depends on its operand": ("if (bool(lid)) { barrier; }", R),
        "the analysis ignores values": ("if (lid == lid) { barrier; } else { barrier; }", R),
        "even false": ("if (false) { if (lid > 0u) { barrier; } }", R),
        "an assignment replaces": ("x = lid; x = u; if (x == 0u) { barrier; }", A),
        "an assignment to shared memory changes nothing": ("mem[lid] = lid; barrier;", A),
        "the tail is analysed": ("x = 0u; if (lid == 0u) { barrier; }", R),
        "a dead tail is not": ("return; if (lid == 0u) { barrier; }", A),
    }
)
def test_expressions_and_simple_statements(body: str, expected: Verdict) -> None:
    assert verdict(body) is expected


# --------------------------------------------------------------------------------------------------------------- if


@rows(
    {
        "2: `then` runs under the condition": ("if (lid == 0u) { barrier; } else {}", R),
        "3: so does `else`": ("if (lid == 0u) {} else { barrier; }", R),
        "5: what neither side assigns is merged": ("x = lid; if (u == 0u) {} if (x == 0u) { barrier; }", R),
        "6: `then` flows on": ("if (u == 0u) { x = lid; } if (x == 0u) { barrier; }", R),
        "6: unless it cannot end": ("if (u == 0u) { x = lid; return; } if (x == 0u) { barrier; }", A),
        "7: `else` flows on": ("if (u == 0u) {} else { x = lid; } if (x == 0u) { barrier; }", R),
        "7: unless it cannot end": ("if (u == 0u) {} else { x = lid; return; } if (x == 0u) { barrier; }", A),
        "7: an empty `else` flows on": ("x = lid; if (u == 0u) { x = 0u; } if (x == 0u) { barrier; }", R),
        "8: {Next} leaves control flow as it was": ("if (lid == 0u) { x = 1u; } barrier;", A),
        "9: {Next, Return} does not": ("if (lid == 0u) { return; } barrier;", R),
        "9: control flow of `then`": ("if (u == 0u) { if (lid == 0u) { return; } } barrier;", R),
        "9: control flow of `else`": ("if (u == 0u) {} else { if (lid == 0u) { return; } } barrier;", R),
        "9: a uniform condition stays uniform": ("if (u == 0u) { return; } barrier;", A),
    }
)
def test_lines_of_the_if_rule(body: str, expected: Verdict) -> None:
    assert verdict(body) is expected


# ------------------------------------------------------------------------------------------------------------- loop


@rows(
    {
        "5: entry flows to the head": ("x = lid; loop { if (x == 0u) { barrier; } break; }", R),
        "6, 9: control flow of a `continue`": (
            "loop { barrier; if (u == 9u) { break; } if (lid == 0u) { continue; } x = 1u; }",
            R,
        ),
        "6: without a `continue` the head keeps its": ("if (lid == 0u) { loop { barrier; break; } }", R),
        "6: a head that cannot be reached again": ("loop { barrier; if (lid == 0u) { return; } break; }", A),
        "7: a `break` flows to the exit": (
            "loop { if (u == 0u) { x = lid; break; } x = u; } if (x == 0u) { barrier; }",
            R,
        ),
        "7: what leaves by no `break` does not": (
            "loop { if (u == 0u) { break; } x = lid; if (u == 1u) { return; } x = u; } if (x == 0u) { barrier; }",
            A,
        ),
        "7: a `continue` flows to the continuing": (
            "loop { if (u == 0u) { break; } x = lid; continuing { if (x == 0u) { barrier; } x = u; } }",
            R,
        ),
        "8: control flow of the continuing": ("loop { if (lid == 0u) { break; } continuing { barrier; } }", R),
        "8: a `break if` flows to the exit": (
            "loop { continuing { x = lid; break if u == 0u; } } if (x == 0u) { barrier; }",
            R,
        ),
        "9: the continuing flows to the head": (
            "loop { if (x == 0u) { barrier; } if (u == 0u) { break; } continuing { x = lid; } }",
            R,
        ),
        "9: an iteration that ends uniform": (
            "loop { if (x == 0u) { barrier; } if (u == 0u) { break; } x = lid; continuing { x = u; } }",
            A,
        ),
        "9: control flow on entry": ("if (lid == 0u) { loop { barrier; if (u == 0u) { break; } } }", R),
        "9: control flow of the continuing": ("loop { barrier; continuing { break if lid == 0u; } }", R),
        "the exit is the innermost loop's": (
            "loop { loop { x = lid; if (u == 0u) { break; } } x = u; if (u == 1u) { break; } } "
            "if (x == 0u) { barrier; }",
            A,
        ),
    }
)
def test_lines_5_to_9_of_the_loop_rule(body: str, expected: Verdict) -> None:
    assert verdict(body) is expected


@rows(
    {
        "10: {Break} gives control flow back": ("loop { if (lid == 0u) { break; } else { break; } } barrier;", A),
        "10: the continuing is not analysed": (
            "loop { break; continuing { if (lid == 0u) { barrier; } } } barrier;",
            A,
        ),
        "10: nor are its assignments": (
            "loop { break; continuing { x = lid; break if u == 0u; } } if (x == 0u) { barrier; }",
            A,
        ),
        "11: {Break, Return} does not": ("loop { if (lid == 0u) { break; } else { return; } } barrier;", R),
        "11: the continuing is not analysed": (
            "loop { if (u == 0u) { break; } else { return; } continuing { if (lid == 0u) { barrier; } } }",
            A,
        ),
        "11: {Return} ends the shader": (
            "loop { return; continuing { break if u == 0u; } } if (lid == 0u) { barrier; }",
            A,
        ),
        "12: {Break, Continue, Return} taints": (
            "loop { if (u == 0u) { break; } if (lid == 0u) { return; } } barrier;",
            R,
        ),
        "12: so does {Continue, Return}": (
            "loop { if (lid == 0u) { return; } continuing { break if u == 0u; } } barrier;",
            R,
        ),
        "12: a uniform return does not": ("loop { if (u == 0u) { break; } if (u == 1u) { return; } } barrier;", A),
        "13: {Break, Continue} gives control flow back": ("loop { if (lid == 0u) { break; } } barrier;", A),
        "13: so does {Continue}": ("loop { continuing { break if lid == 0u; } } barrier;", A),
        "13: but not what the loop assigned": (
            "loop { if (lid == 0u) { break; } x = 1u; } if (x == 0u) { barrier; }",
            R,
        ),
    }
)
def test_lines_10_to_13_of_the_loop_rule(body: str, expected: Verdict) -> None:
    assert verdict(body) is expected


# ------------------------------------------------------------------------------------------------------------- call

_BARRIER = "fn f(p: u32) -> u32 { barrier; return 0u; }"
_BARRIER_UNDER_P = "fn f(p: u32) -> u32 { if (p == 0u) { barrier; } return 0u; }"
_IDENTITY = "fn f(p: u32) -> u32 { return p; }"
_SHARED = "fn f(p: u32) -> u32 { return mem[0]; }"
_CONSTANT = "fn f(p: u32) -> u32 { return 0u; }"
_USE = "if (x == 0u) { barrier; }"


_NOTHING = Summary(False, frozenset(), frozenset(), False)


@pytest.mark.parametrize(
    ("fact", "functions", "body"),
    [
        ("callSiteUnif", _BARRIER, "if (lid == 0u) { x = f(0u); }"),
        ("paramsReqToBeUnif", _BARRIER_UNDER_P, "x = f(lid);"),
        ("paramAffectsReturnUnif", _IDENTITY, f"x = f(lid); {_USE}"),
        ("returnNonUnif", _SHARED, f"x = f(0u); {_USE}"),
    ],
)
def test_each_fact_of_a_summary_decides_alone(fact: str, functions: str, body: str) -> None:
    """`main` is rejected, and accepted once that one fact of the callee's summary is taken away."""
    f, main = analyse(shader(body, functions)).functions
    assert not f.violates
    assert main.violates
    without = replace(f.summary, **{fact: getattr(_NOTHING, fact)})
    assert without != f.summary
    assert not UniformityAnalysis({"f": without}).function(main.function).violates


@pytest.mark.parametrize(
    ("functions", "expected"),
    [
        (_BARRIER, Summary(True, frozenset(), frozenset(), False)),
        (_BARRIER_UNDER_P, Summary(True, frozenset({0}), frozenset(), False)),
        (_IDENTITY, Summary(False, frozenset(), frozenset({0}), False)),
        (_SHARED, Summary(False, frozenset(), frozenset(), True)),
        (_CONSTANT, _NOTHING),
        (
            "fn f(p: u32, q: u32) -> u32 { if (q == 0u) { barrier; } return p; }",
            Summary(True, frozenset({1}), frozenset({0}), False),
        ),
        (
            "fn f(p: u32, q: u32) -> u32 { if (q == 0u) { return 0u; } return 1u; }",
            Summary(False, frozenset(), frozenset({1}), False),  # a literal depends on control flow
        ),
        (
            "fn f(p: u32) -> u32 { var t: u32; if (mem[0] == mem[1]) { if (t == 0u) { barrier; } } return 0u; }",
            Summary(True, frozenset(), frozenset(), False),  # UG_func, line 3: only t leads to CfStart
        ),
    ],
)
def test_summaries(functions: str, expected: Summary) -> None:
    arguments = "0u, 0u" if "q: u32" in functions else "0u"
    assert analyse(shader(f"x = f({arguments});", functions)).functions[0].summary == expected


@pytest.mark.parametrize(
    ("functions", "body", "expected"),
    [
        (_BARRIER, "if (u == 0u) { x = f(lid); }", A),
        (_BARRIER_UNDER_P, "x = f(u);", A),
        (_IDENTITY, f"x = f(u); {_USE}", A),
        (_CONSTANT, f"x = f(lid); {_USE}", A),
        (
            _CONSTANT,
            f"if (lid == 0u) {{ x = f(0u); }} {_USE}",
            R,
        ),  # line 6: a result depends on its call's control flow
        (_CONSTANT, f"x = lid; x = f(0u); {_USE}", A),  # line 7: the result replaces
        (_SHARED, "x = f(lid); barrier;", A),  # line 7: control flow stays
    ],
)
def test_calls_that_facts_do_not_decide(functions: str, body: str, expected: Verdict) -> None:
    assert verdict(body, functions) is expected


def test_analysis_ends_with_the_function_that_violates() -> None:
    bad = "fn f() -> u32 { if (mem[0] == 0u) { barrier; } return 0u; }"
    analysis = analyse(shader("x = g();", f"fn e() -> u32 {{ return 0u; }} {bad} fn g() -> u32 {{ return f(); }}"))
    assert analysis.verdict is R
    assert [(r.function.name, r.violates) for r in analysis.functions] == [("e", False), ("f", True)]


# ------------------------------------------------------------------------------------------------------- witness paths


def check_witness(drawn: Shader) -> bool:
    """Asserts that the witness is a shortest path of the graph, if there is one; returns whether there is."""
    analysis = analyse(drawn)
    path = analysis.functions[-1].graph.shortest_path(MUST_BE_UNIF, MAY_BE_NON_UNIF)
    if analysis.verdict is A:
        assert path == []
        return False
    successors = analysis.functions[-1].graph.successors
    assert (path[0], path[-1]) == (MUST_BE_UNIF, MAY_BE_NON_UNIF)
    assert all(w in successors[v] for v, w in pairwise(path))
    reached = {MUST_BE_UNIF}
    for _ in path[2:]:
        reached |= {w for v in reached for w in successors[v]}
        assert MAY_BE_NON_UNIF not in reached
    return True


@given(shaders(HOT))
def test_witness_is_a_shortest_path_from_must_be_unif_to_may_be_non_unif(drawn: Shader) -> None:
    check_witness(drawn)


def test_half_of_the_hot_shaders_have_a_witness() -> None:
    """The property above would hold of nothing if no drawn shader were rejected."""
    assert sum(check_witness(draw_shader(seed, HOT)) for seed in range(100)) > 30


BESIDE = {
    "tint/unbroken-loop-keeps-variables": {"10b"},
    "tint/jumping-statements-keep-variables": {"tint/joins-at-empty-continuing"},
}


@pytest.mark.parametrize("name", DEPARTURES)
def test_every_departure_changes_some_verdict(name: str) -> None:
    """Beside others that let it."""
    beside = BESIDE.get(name, {"10b", "10d"} - {name})
    rules, changed = departing(beside), departing({*beside, name})
    few = chain(SINGLE_LOOP.of_size(2), SINGLE_LOOP.of_size(3), [corpus("tint-branches-jump-in-the-body")])
    assert any(analyse(shader, rules).verdict is not analyse(shader, changed).verdict for shader in few)
