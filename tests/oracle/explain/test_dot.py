"""The picture of a uniformity graph: Fig. 7's boxes and edges, and what is drawn of any shader's."""

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import cache

from hypothesis import given
from hypothesis import strategies as st

from tests.wgsl.applications import faults
from wgsl_fuzz.fuzz.present.explanation import Explained, explained
from wgsl_fuzz.fuzz.present.picture import dot_of, pictures
from wgsl_fuzz.oracle.explain.dot import LARGEST, boxes, draw
from wgsl_fuzz.oracle.rules.uniformity.graph import MAY_BE_NON_UNIFORM, VALUE_RETURN, Role
from wgsl_fuzz.strategies import TINY, draw_shader
from wgsl_fuzz.wgsl.lower.raising import print_shader

HOT = replace(TINY, calm=0)
_BOX = re.compile(r"^ +(\w+) \[label=\"(\d+) +(.*?)\"(.*)\]$", re.MULTILINE)
_EDGE = re.compile(r"^ +(\w+) -> (\w+)(.*)$", re.MULTILINE)


def edges(text: str) -> dict[int, set[int]]:
    found: dict[int, set[int]] = {}
    for a, b, _ in _EDGE.findall(text):
        found.setdefault(int(a[1:]), set()).add(int(b[1:]))
    return found


@cache
def all_told() -> Mapping[str, Explained]:
    return {str(change): explained("", change.text) for change in faults()}


@given(st.integers(0, 2**32))
def test_what_is_drawn(seed: int) -> None:
    """Every box once, every edge between boxes, and pale exactly what decides nothing."""
    one = explained("", print_shader(draw_shader(seed, HOT)))
    for result in one.case.analysis.functions:
        full = draw([result], [], one.text, "x", full=True)
        graph, box = result.graph, boxes(result.graph)
        numbers = [int(number) for _, number, *_ in _BOX.findall(full)]
        own = {box[v] for v, label in enumerate(graph.labels) if label.role is not Role.SPECIAL}
        assert len(numbers) == len(set(numbers)) == len(own) + 3 + len({r.severity for r in graph.requirements})
        assert all({a, *targets} <= set(numbers) for a, targets in edges(full).items())
        decides = graph.reachable_from([VALUE_RETURN, *(r.target for r in graph.requirements)])
        assert full.count('fontcolor="#9ca3af", class="pale"]') == sum(not decides[v] for v in own)
        if sum(decides[v] for v in own) <= LARGEST:
            assert "pale" not in draw([result], [], one.text, "x")


def test_each_path_is_red_from_its_first_node_to_its_last() -> None:
    for name, one in all_told().items():
        for trail in (trail for message in one.messages for trails in message.trails for trail in trails):
            text = draw([trail.result], [[replace(trail, caller=None)]], one.text, name)
            red = {a: b for a, b, rest in _EDGE.findall(text) if 'class="path"' in rest}
            first = {*red} - {*red.values()}
            assert len(first) == bool(red), name
            at, steps = "".join(first), 0
            while at in red:
                at, steps = red[at], steps + 1
            assert steps == len(red), name
            assert at == "n2" or trail.nodes[-1] != MAY_BE_NON_UNIFORM, name
            assert trail.requirement is None or first == {"n3"}, name


def test_a_part_of_an_expression_is_drawn_with_the_whole() -> None:
    """What only one node leads to is no box of its own if it is a part of that node's expression; reads are."""
    one = explained("", "fn f(x: u32, y: u32) { if (x + y * 3u) % 2u == x * x { workgroupBarrier(); } }")
    drawn = [name.split("\\n")[0] for *_, name, _ in _BOX.findall(dot_of(one))]
    assert drawn[3:] == ["parameter x", "parameter y", "x", "y", "x", "x", "(x + y * 3u) % 2u == x * x"]


def test_of_a_large_graph_only_the_paths_are_drawn_unless_all_is_asked_for() -> None:
    lines = "".join(f" if x == {n}u {{ x = {n + 1}u; workgroupBarrier(); }}" for n in range(LARGEST))
    text = "@compute @workgroup_size(2) fn main(@builtin(local_invocation_index) i: u32) { var x = i;"
    one = explained("", f"{text}{lines} }}")
    folded, full = dot_of(one), dot_of(one, full=True)
    assert re.search(r'label="\+\d+"', folded)
    assert not re.search(r'label="\+\d+"', full)
    kept, every = ({number for _, number, *_ in _BOX.findall(drawn)} for drawn in (folded, full))
    assert len(every) > LARGEST
    assert kept < every
    on_path = {number for _, number, _, rest in _BOX.findall(full) if "path" in rest}
    assert kept == on_path


def test_several_functions_are_clusters_whose_boxes_are_apart() -> None:
    for name, one in all_told().items():
        text = dot_of(one)
        names = re.findall(r"^ +(\w+) \[label=", text, re.MULTILINE)
        drawn = len({id(result) for results, _ in pictures(one) for result in results})
        assert len(names) == len(set(names)), name
        assert text.count("subgraph cluster_") == (drawn if drawn > 1 else 0), name
        assert text.count("{") == text.count("}"), name
