"""Explanations of the whole of WGSL: what holds of each, whatever the text, and that faults are blamed to the line."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.strategies.spelled import spelled
from tests.wgsl.applications import Change, faults, forms, harmless
from tests.wgsl.reading import resolved
from wgsl_fuzz.fuzz.cases.pairs import load, load_combinations
from wgsl_fuzz.oracle.explain.facts import ENTRY_POINT, NOTHING, REJECTED, START, facts_of
from wgsl_fuzz.oracle.explain.narrator import MOST_NODES
from wgsl_fuzz.oracle.explain.path import ANOTHER, Explanation, explanations_of, messages_of
from wgsl_fuzz.oracle.explain.text import ShaderText, Step, StepKind
from wgsl_fuzz.oracle.rules.rule_set import Rules
from wgsl_fuzz.oracle.rules.uniformity.analysis import ModuleAnalysis
from wgsl_fuzz.oracle.rules.uniformity.graph import MAY_BE_NON_UNIFORM, Role
from wgsl_fuzz.oracle.rules.uniformity.revisions import DEPARTURES, WGSL_RULE_SETS, analyse_wgsl
from wgsl_fuzz.oracle.verdict import Verdict
from wgsl_fuzz.strategies import TINY
from wgsl_fuzz.wgsl.problems import Source, WgslError
from wgsl_fuzz.wgsl.resolution import Resolution
from wgsl_fuzz.wgsl.resolve import read
from wgsl_fuzz.wgsl.syntax import For, If, Loop, Switch, While
from wgsl_fuzz.wgsl.walk import descendants

_REJECTED = {pair.name: pair.rejected for pair in load() if pair.refusal is Verdict.REJECTS}
_ACCEPTED = {pair.name: pair.accepted for pair in load()}
_CORPUS = Path(__file__).parents[3] / "corpus"
_OTHERS = {
    **{file.parent.name: file.read_text(encoding="utf-8") for file in sorted(_CORPUS.glob("*/shader.wgsl"))},
    **{shader.name: shader.text for shader in load_combinations()},
    **{str(change): change.text for change in faults()},
    **forms(),
}
_WITH_BLOCKS = If | Switch | Loop | While | For
HOT = replace(TINY, calm=0)
REMAINDERS = ("an argument", "the rules take this", "condition may be", "selector may be", "as told above", "a jump")
"""Words for what has no words of its own; with the newest rules, everything has."""


class Told(NamedTuple):
    """A text, and what is said of it."""

    source: Source
    resolution: Resolution
    analysis: ModuleAnalysis
    explanations: list[Explanation]

    def line(self, step: Step) -> int:
        return self.source.position(step.span[0])[0]


def told(text: str, rules: str = "wgsl") -> Told:
    source, resolution = Source(text), resolved(text)
    assert resolution is not None
    analysis = analyse_wgsl(resolution, WGSL_RULE_SETS[rules])
    return Told(source, resolution, analysis, explanations_of(analysis, resolution, source))


@cache
def all_told() -> Mapping[str, Told]:
    return {name: told(text) for name, text in (_REJECTED | _OTHERS).items()}


def explanations() -> Iterator[tuple[str, Told, Explanation]]:
    for name, one in all_told().items():
        for explanation in one.explanations:
            yield name, one, explanation


def test_every_rejected_text_is_explained() -> None:
    for name, one in all_told().items():
        violations = list(one.analysis.violations)
        assert len(one.explanations) == len(violations), name
        assert any(violations) or name not in _REJECTED, name
        for explanation, (result, r) in zip(one.explanations, violations, strict=True):
            said = explanation.severity, explanation.rules, explanation.scope, explanation.function
            assert said == (r.severity, r.rules, result.scope, result.function), name


def test_what_is_accepted_without_a_message_has_no_explanation() -> None:
    quiet = [pair.accepted for pair in load() if not pair.accepted_messages and not pair.tint]
    quiet += [change.text for change in harmless() if not change.severity]
    assert [text for text in quiet if told(text).explanations] == []


def test_the_first_step_is_the_requirement_and_the_last_one_the_only_source() -> None:
    for name, one, explanation in explanations():
        first, last = explanation.steps[0], explanation.steps[-1]
        calls = {(r.call.start, r.call.end) for result, r in one.analysis.violations}
        assert (first.kind, first.depth) == (StepKind.REQUIREMENT, 0), name
        assert first.span in calls, name
        assert last.kind is StepKind.SOURCE, name
        assert [step.kind for step in explanation.steps].count(StepKind.SOURCE) == 1, name
        assert explanation.trails[0].nodes[-1] == MAY_BE_NON_UNIFORM, name


@pytest.mark.parametrize("often", [50, 5000])
def test_the_middle_of_a_long_path_is_neither_told_nor_drawn(often: int) -> None:
    head = "@compute @workgroup_size(2) fn main(@builtin(local_invocation_index) i: u32) {\nvar a = i;\nvar b = a;\n"
    one = told(f"{head}{'a = b; b = a;' * often} if b == 0u {{ workgroupBarrier(); }} }}").explanations[0]
    assert len(one.steps) < MOST_NODES
    assert len(one.trails[0].nodes) <= MOST_NODES
    assert [step.kind for step in (one.steps[0], one.steps[-1])] == [StepKind.REQUIREMENT, StepKind.SOURCE]
    passed_over = [
        step for step in one.steps if re.fullmatch(r"\.\.\. \d+ steps more of this path lead here", step.sentence)
    ]
    assert len(passed_over) == (often == 5000)


def test_places_lie_in_the_text_and_quotations_are_what_stands_there() -> None:
    for name, one, explanation in explanations():
        for step in explanation.steps:
            start, end = step.span
            assert 0 <= start < end <= len(one.source.text), name
            written = re.sub(r"//[^\n]*|/\*.*?\*/", " ", one.source.text[start:end], flags=re.DOTALL)
            assert " ".join(written.split()).startswith(step.quote.rstrip("…")), name


def test_steps_go_down_into_called_functions_and_come_back() -> None:
    """A step is one level deeper at most than that before it, behind a call; each level is in one function."""
    for name, one, explanation in explanations():
        around = [explanation.function.name]
        before: Step | None = None
        for step in explanation.steps:
            start, end = step.span
            here = [f.name for f in one.resolution.functions if f.start <= start and end <= f.end]
            assert len(here) == 1, (name, step)
            assert before is None or (before.span, before.sentence) != (step.span, step.sentence), name
            if before is not None and step.depth > before.depth:
                assert step.depth == before.depth + 1, (name, step)
                assert before.kind in (StepKind.REQUIREMENT, StepKind.CALL), (name, step)
                around = [*around[: step.depth], here[0]]
            assert around[step.depth] == here[0], (name, step)
            before = step


def test_every_sentence_is_one_and_says_what_it_means() -> None:
    """Lines that it names are in the text."""
    for name, one, explanation in explanations():
        lines = one.source.text.count("\n") + 1
        for step in explanation.steps:
            assert all(1 <= int(n) <= lines for n in re.findall(r"\bline (\d+)", step.sentence)), name
            assert re.fullmatch(r"[`a-z][^\n]*[^ .,:]", step.sentence), (name, step.sentence)
            assert step.sentence.count("`") % 2 == 0, (name, step.sentence)
            assert not any(words in step.sentence for words in REMAINDERS), (name, step.sentence)


PLACES = re.compile(r"on line (\d+) (is inside|is in the `else` of|comes after|is in) this (`if`|`switch`|loop)")


def test_statements_are_around_what_they_are_said_to_be_around() -> None:
    seen = set()
    for name, one, explanation in explanations():
        text = ShaderText(one.resolution, one.source)
        found = {text.span(s)[0]: s for s in descendants(one.resolution.module) if isinstance(s, _WITH_BLOCKS)}
        for step in explanation.steps:
            told = PLACES.search(step.sentence)
            if told is None or step.sentence.startswith("the next iteration"):
                continue
            s = found[step.span[0]]
            first, last = one.source.position(s.start)[0], one.source.position(s.end)[0]
            line, place = int(told[1]), told[2]
            seen.add(place)
            assert last <= line if place == "comes after" else first <= line <= last, (name, step)
            if place == "is in the `else` of":
                assert isinstance(s, If)
                assert s.orelse is not None, (name, step)
    assert len(seen) == 4


def test_every_role_is_told_of() -> None:
    roles = {
        trail.result.graph.labels[node].role
        for _, _, explanation in explanations()
        for trail in explanation.trails
        for node in trail.nodes
    }
    assert roles == set(Role)


@pytest.mark.full
@pytest.mark.parametrize(
    "rules", ["letter", "webkit", min(name for name in WGSL_RULE_SETS if name.startswith("wgsl-"))]
)
def test_other_rule_sets_are_explained_as_well(rules: str) -> None:
    rejected = 0
    for name, text in [*_REJECTED.items(), *_ACCEPTED.items()]:
        try:
            one = told(text, rules)
        except WgslError:
            continue  # Behaviours were others.
        for explanation in one.explanations:
            rejected += 1
            assert explanation.steps[0].kind is StepKind.REQUIREMENT, name
            assert explanation.steps[-1].kind is StepKind.SOURCE, name
    assert rejected > 300


@given(st.integers(0, 2**32))
def test_drawn_shaders_are_explained(seed: int) -> None:
    one = told(spelled(seed, HOT))
    assert len(one.explanations) == len(list(one.analysis.violations))
    for explanation in one.explanations:
        kinds = [step.kind for step in explanation.steps]
        assert (kinds[0], kinds[-1]) == (StepKind.REQUIREMENT, StepKind.SOURCE)
        assert not any(words in step.sentence for step in explanation.steps for words in REMAINDERS)


def test_long_chains_of_calls_and_deep_nesting_are_told() -> None:
    depth = 400
    chain = "".join(f"fn f{i}(v: u32) {{ f{i - 1}(v); }}\n" for i in range(1, depth + 1))
    first, last = "fn f0(v: u32) { if v == 0u { workgroupBarrier(); } }\n", f"fn h() {{ f{depth}(g); }}"
    (explanation,) = told(f"var<private> g: u32;\n{first}{chain}{last}").explanations
    assert max(step.depth for step in explanation.steps) == depth + 1
    kinds = [step.kind for step in explanation.steps]
    assert kinds.count(StepKind.REQUIREMENT) == depth + 2
    assert kinds.count(StepKind.SOURCE) == 1
    nested = "if v == 1u { " * 100 + "return;" + " }" * 100
    (explanation,) = told(f"var<private> g: u32; fn f() {{ let v = g; {nested} workgroupBarrier(); }}").explanations
    assert [step.kind for step in explanation.steps].count(StepKind.JUMP) == 1


def test_one_cause_is_told_once() -> None:
    one = told(
        """@compute @workgroup_size(8) fn main(@builtin(local_invocation_index) i: u32) {
  if i > 4u { workgroupBarrier(); storageBarrier(); }
  if i > 5u { workgroupBarrier(); }
}
"""
    )
    first, second, third = one.explanations
    assert (first.same_as, second.same_as, third.same_as) == (None, first, None)


def test_each_further_cause_of_a_message_begins_with_a_word() -> None:
    many = 0
    for name, one in all_told().items():
        for message in messages_of(one.explanations):
            first, *steps = message.steps
            begins = sum(step.sentence.startswith(f"{ANOTHER}: ") for step in steps)
            assert begins == len(message.trails) - 1, name
            assert ANOTHER not in first.sentence
            many += begins
    assert many > 5


# ---------------------------------------------------------------------------------------------------------- to the line


def deepest(one: Told, explanation: Explanation) -> int:
    """The line of the built-in function that is blamed."""
    requirements = [step for step in explanation.steps if step.kind is StepKind.REQUIREMENT]
    return one.line(max(requirements, key=lambda step: step.depth))


@pytest.mark.parametrize("fault", faults(), ids=str)
def test_faults_are_blamed_to_the_line(fault: Change) -> None:
    one = all_told()[str(fault)]
    assert fault.line in {deepest(one, explanation) for explanation in one.explanations}
    lines = {one.line(step) for explanation in one.explanations for step in explanation.steps}
    named = {int(line) for line in re.findall(r"\bline (\d+)", fault.cause)}
    assert named <= lines
    assert not fault.branches or set(fault.branches) & lines


# ------------------------------------------------------------------------------------------------------------ the text


def test_a_call_that_the_rules_analyse_twice_is_explained() -> None:
    """By the letter of the rules, what a let names is calculated again, with the calls in it."""
    text = """var<private> A: u32;
fn f(p: ptr<function, u32>) -> u32 { *p = A; return 0u; }
@compute @workgroup_size(1) fn main() {
    var x = 0u; var y = array<u32, 1>(); let z = &y[f(&x)];
    x = 0u; *z = 0u;
    if (x == 0u) { workgroupBarrier(); }
}
"""
    source, resolution = Source(text), read(text)
    analysis = analyse_wgsl(resolution, Rules([DEPARTURES["letter/pointers-calculated-again"]]))
    (explanation,) = explanations_of(analysis, resolution, source)
    assert any("`f` writes to `x` through argument 1" in step.sentence for step in explanation.steps)


@pytest.mark.parametrize(
    ("condition", "words"),
    [
        ("x < 3u && (y > 2u || gid.x == 4u)", "depends on `gid.x`, and also on `x` and `y`"),
        ("max(gid.x, cold) + w[y] == x", "depends on `gid.x`, and also on `w[y]` and `x`"),
        ("cold < y", "depends on `y`:"),
        ("both(y, x)", "the result of `both` depends on its argument 1, `y`, and also on its argument 2"),
    ],
)
def test_every_guilty_operand_is_named(condition: str, words: str) -> None:
    text = f"""var<workgroup> w: array<u32, 4>;
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
fn both(a: u32, b: u32) -> bool {{ return a < b; }}
@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) y: u32, @builtin(global_invocation_id) gid: vec3u) {{
    let cold = 1u;
    let x = data[0];
    if ({condition}) {{ workgroupBarrier(); }}
}}"""
    (explanation,) = told(text).explanations
    assert any(words in step.sentence for step in explanation.steps), [step.sentence for step in explanation.steps]


# ------------------------------------------------------- What is said of functions: no more and no less than their tags


def facts(text: str) -> dict[str, list[str]]:
    resolution = read(text)
    found = facts_of(analyse_wgsl(resolution), resolution, Source(text))
    return {one.function.name: [*one.facts] for one in found}


def test_a_fact_for_each_tag() -> None:
    told = facts(
        """var<private> g: u32;
fn a(v: u32) -> u32 { return v; }
fn b(p: ptr<function, u32>, q: ptr<function, u32>, v: u32) { *p = *q + v; *q = g; }
fn c(p: ptr<function, u32>) -> u32 { if *p == 0u { workgroupBarrier(); } return g; }
fn d() -> u32 { return 1u; }
@compute @workgroup_size(1) fn main() { var x: u32; _ = c(&x); }
"""
    )
    barrier = "because of `workgroupBarrier()` on line 4 (error: synchronization)"
    assert told == {
        "a": [NOTHING, "its result depends on `v`"],
        "b": [
            NOTHING,
            "what argument 1, `p`, points to depends after the call on what `q` points to and `v`",
            "what argument 2, `q`, points to may be non-uniform after the call, because of `g` on line 3",
        ],
        "c": [
            f"it must be called in uniform control flow, {barrier}",
            f"what argument 1, `p`, points to must be uniform, {barrier}",
            "its result may be non-uniform whatever its arguments are, because of `g` on line 4",
            "what argument 1, `p`, points to depends after the call on what `p` points to",
        ],
        "d": [NOTHING, "its result depends on no argument"],
        "main": [f"{START}, because of `c(&x)` on line 6 (error: synchronization)"],
    }


def test_what_holds_in_one_scope_only_says_so() -> None:
    told = facts(
        """enable subgroups;
fn f(v: u32) -> u32 { return subgroupAdd(v); }
@compute @workgroup_size(1) fn main() { _ = f(1u); }
"""
    )
    requirement, *results = sorted(told["f"], key=lambda sentence: not sentence.startswith("it must"))
    assert requirement.endswith("(scope: subgroup)")
    assert [result[-17:] for result in results] == ["scope: workgroup)", "(scope: subgroup)"]
    assert NOTHING not in told["f"]


def test_every_function_of_many_texts_has_facts() -> None:
    for pair in load()[::3]:
        for text in (pair.accepted, pair.rejected):
            try:
                told = facts(text)
            except WgslError:
                continue
            assert all(told.values()), pair.name
            main = told.get("main", [ENTRY_POINT])
            assert main[0] in (ENTRY_POINT, REJECTED) or all(fact.startswith(START) for fact in main), pair.name


def test_a_function_that_is_rejected_says_so() -> None:
    told = facts("var<private> g: u32;\nfn f() -> u32 { if g == 0u { workgroupBarrier(); } return 1u; }")
    assert told == {"f": [REJECTED, "its result depends on no argument"]}
