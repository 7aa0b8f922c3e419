"""The picture of a uniformity graph: Fig. 7's nodes and edges, and what is drawn of any shader's."""

import re
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from wgsl_fuzz.oracle.explain.dot import LONGEST, draw, drawn
from wgsl_fuzz.oracle.explain.path import witness_path
from wgsl_fuzz.oracle.rules.analysis import analyse
from wgsl_fuzz.oracle.rules.graph import MAY_BE_NON_UNIF, MUST_BE_UNIF, VALUE_RETURN
from wgsl_fuzz.strategies import DEFAULT, draw_shader
from wgsl_fuzz.wgsl.reading import parse_with_positions

FIGURE = Path(__file__).parents[3] / "corpus" / "fig-7" / "shader.wgsl"
HOT = replace(DEFAULT, doses=(60, 100))
_NODE = re.compile(r"^ +\w*?(\d+) \[label=\"\d+ +(.*?)\"(.*)\]$", re.MULTILINE)
_EDGE = re.compile(r"^ +\w*?(\d+) -> \w*?(\d+)(.*)$", re.MULTILINE)


def test_fig_7() -> None:
    parsed = parse_with_positions(FIGURE.read_text(encoding="utf-8"))
    (f,) = analyse(parsed.shader).functions
    assert {n.number: (n.name, n.line, set(n.successors)) for n in drawn(f, parsed.positions)} == {
        1: ("CfStart", 0, set()),
        2: ("MayBeNonUnif", 0, set()),
        3: ("MustBeUnif", 0, {7}),
        4: ("ValueReturn", 0, {13}),
        5: ("x_param", 0, set()),
        6: ("y_param", 0, set()),
        7: ("arr[0] == 0", 5, {1, 2}),
        8: ("y", 8, {6, 7}),
        9: ("x_after", 5, {5, 8}),
        10: ("y_after", 5, {6}),
        11: ("x", 10, {1, 9}),
        12: ("y", 10, {1, 10}),
        13: ("x + y", 10, {11, 12}),
    }


def test_fig_7_as_dot() -> None:
    parsed = parse_with_positions(FIGURE.read_text(encoding="utf-8"))
    text = draw(analyse(parsed.shader).functions, parsed.positions)
    assert re.search(r'n7 \[label="7 +arr\[0\] == 0\\nline 5", .*class="path"\]', text)
    red = [(int(a), int(b)) for a, b, attributes in _EDGE.findall(text) if 'class="path"' in attributes]
    assert red == [(3, 7), (7, 2)]
    for setting in ("rankdir=TB", 'fontname="Arial,DejaVu Sans,sans-serif"', 'margin="0.18,0.07"'):
        assert setting in text


@given(st.integers(0, 2**32))
def test_what_is_drawn(seed: int) -> None:
    """Every node once, every edge between drawn nodes, the path in red, and pale exactly what decides nothing."""
    analysis = analyse(draw_shader(seed, HOT))
    result = analysis.functions[-1]
    decides = [a or b for a, b in zip(result.graph.reachable(MUST_BE_UNIF), result.graph.reachable(VALUE_RETURN))]
    full, brief = draw([result], {}, full=True), draw([result], {})
    nodes = drawn(result, {})
    assert (
        [int(number) for number, *_ in _NODE.findall(full)]
        == [n.number for n in nodes]
        == list(range(1, len(nodes) + 1))
    )
    assert all(len(n.name) <= LONGEST and n.name for n in nodes)
    kept = {number for number, *_ in _NODE.findall(brief)}
    assert "pale" not in brief
    assert {number for number, _, rest in _NODE.findall(full) if "pale" not in rest} - kept <= {"4"}
    assert all(a in kept and b in kept for a, b, _ in _EDGE.findall(brief))
    sources = sum(yes for yes, label in zip(decides, result.graph.labels) if label.role.name == "SOURCE")
    special = sum(not decides[v] for v in (0, 1))
    assert len(kept | {"4"}) == sum(decides) - sources + special
    red = {(int(a), int(b)) for a, b, rest in _EDGE.findall(brief) if 'class="path"' in rest}
    path = witness_path(analysis)
    assert bool(red) is bool(path)
    if path:
        ends = {MUST_BE_UNIF + 1, MAY_BE_NON_UNIF + 1}
        touched = [v for edge in red for v in edge]
        assert all(touched.count(v) == (1 if v in ends else 2) for v in touched)
        assert len(red) in (len(path) - 1, len(path) - 2)  # a SOURCE is drawn as MayBeNonUnif
        assert all(a != b for a, b in pairwise(path))


@given(st.integers(0, 2**32))
def test_several_functions_are_clusters_whose_nodes_are_apart(seed: int) -> None:
    results = analyse(draw_shader(seed, HOT)).functions
    text = draw(results, {}, full=True)
    names = re.findall(r"^ +(\w+) \[label=", text, re.MULTILINE)
    assert len(names) == len(set(names)) == sum(len(drawn(r, {})) for r in results)
    assert text.count("subgraph cluster_") == (len(results) if len(results) > 1 else 0)
    assert text.count("{") == text.count("}")
