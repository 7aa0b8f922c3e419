"""The rules of section 4.2: graphs, summaries, the changes of section 5, witnesses; verdicts are in `rows.toml`."""

from itertools import chain

import pytest

from tests.oracle.rules.rows import corpus, rows, shader
from tests.quality.paper_mutants import DEPARTURES, REVERSIONS, departing
from wgsl_fuzz.oracle.rules.analysis import analyse
from wgsl_fuzz.oracle.rules.graph import CF_START, MAY_BE_NON_UNIF, MUST_BE_UNIF, VALUE_RETURN, Graph
from wgsl_fuzz.oracle.rules.uniformity.revisions import judge_wgsl
from wgsl_fuzz.oracle.rules.whlsl import analyse_2019
from wgsl_fuzz.oracle.verdict import Verdict
from wgsl_fuzz.strategies.enumerate.families import SINGLE_LOOP
from wgsl_fuzz.tinywgsl.ast import Shader
from wgsl_fuzz.wgsl.lower.raising import raised

A, R = Verdict.ACCEPTS, Verdict.REJECTS


# ---------------------------------------------------------------------------------------------------------- figures


def numbered(graph: Graph) -> dict[int, set[int]]:
    """The edges as the paper has them: nodes numbered from 1."""
    return {v: {w + 1 for w in successors} for v, successors in enumerate(graph.successors, 1)}


def test_fig_7_graph() -> None:
    """Nodes are numbered as in the text of section 4.1."""
    result = analyse(corpus("fig-7")).functions[0]
    assert [CF_START, MAY_BE_NON_UNIF, MUST_BE_UNIF, VALUE_RETURN] == [0, 1, 2, 3]
    assert numbered(result.graph) == {
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


def test_without_the_change_of_fig_10a_values_still_flow_out_of_a_break_if() -> None:
    """What the specification forgot is control flow only."""
    leaving = shader("loop { continuing { x = lid; break if u == 0u; } } if (x == 0u) { barrier; }")
    assert analyse(leaving, REVERSIONS["10a"]).verdict is R


BESIDE = {
    "tint/unbroken-loop-keeps-variables": {"10b"},
    "tint/jumping-statements-keep-variables": {"tint/joins-at-empty-continuing"},
}


@pytest.mark.parametrize("name", DEPARTURES)
def test_every_departure_changes_some_verdict(name: str) -> None:
    """Beside others that let it."""
    beside = BESIDE.get(name, {"10b", "10d"} - {name})
    rules, changed = departing(beside), departing({*beside, name})
    few = chain([corpus("tint-branches-jump-in-the-body")], SINGLE_LOOP.of_size(2), SINGLE_LOOP.of_size(3))
    assert any(analyse(shader, rules).verdict is not analyse(shader, changed).verdict for shader in few)


# --------------------------------- The rows of `rows.toml`: a few statements each, on which a line of the rules decides


ROWS = list(rows())
SAID = {"A": Verdict.ACCEPTS, "R": Verdict.REJECTS}


@pytest.mark.parametrize(("paper", "proposal", "shader"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS])
def test_what_each_analysis_says(paper: str, proposal: str, shader: Shader) -> None:
    assert analyse(shader).verdict is SAID[paper]
    assert judge_wgsl(raised(shader)).verdict is SAID[paper]
    if proposal in SAID:
        assert analyse_2019(shader) is SAID[proposal]
