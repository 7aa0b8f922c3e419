"""The judge: the table of docs/words.md, row by row, and the departures that are found to be causes."""

import re
from dataclasses import replace
from itertools import combinations

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.fuzz.fakes import Blaming
from tests.fuzz.runs import cause_named, key_named
from wgsl_fuzz.fuzz.cases.case import NOT_RUN, Case, OpaqueCase, read_case, read_module, tiny_case
from wgsl_fuzz.fuzz.judging import kinds
from wgsl_fuzz.fuzz.judging.account import account_of
from wgsl_fuzz.fuzz.judging.buckets import explaining
from wgsl_fuzz.fuzz.judging.departures import are_known, departures_of_all, is_expected, own_departures, rules_of
from wgsl_fuzz.fuzz.judging.judge import cause_of, cause_of_spelling, judge, kind_of
from wgsl_fuzz.fuzz.judging.kinds import NO_ANALYSIS, UNEXPLAINED, VERDICTS_DIFFER, Cause, Disagreement, Kind
from wgsl_fuzz.fuzz.judging.without_reference import differences, judge_unread, sharing, signature
from wgsl_fuzz.fuzz.regression.corpus import CorpusCase, load_cases
from wgsl_fuzz.oracle.dynamics.modules.execution import Execution
from wgsl_fuzz.oracle.rules.rule_set import Rules
from wgsl_fuzz.oracle.rules.uniformity.revisions import DEPARTURES, SECTION_15_2, WGSL_RULE_SETS
from wgsl_fuzz.oracle.rules.uniformity.variants.history import FIGURES
from wgsl_fuzz.oracle.verdict import Answer, Outcome, Verdict
from wgsl_fuzz.strategies import draw_shader

HEAD = "@compute @workgroup_size(2) fn main(@builtin(local_invocation_index) lid: u32)"
ACCEPTED = read_module("@compute @workgroup_size(2) fn main() { workgroupBarrier(); }")
DIVERGING = read_module(HEAD + "{ if (lid == 0u) { workgroupBarrier(); } workgroupBarrier(); }")
BREAK_IF = read_module(HEAD + "{ loop { workgroupBarrier(); continuing { break if lid == 0u; } } workgroupBarrier(); }")

A, R, INV, C, T = Verdict.ACCEPTS, Verdict.REJECTS, Verdict.INVALID, Verdict.CRASHED, Verdict.TIMED_OUT


@pytest.mark.parametrize(
    ("reference", "answer", "diverges", "kind"),
    [
        (A, A, False, None),
        (A, A, True, Kind.UNSOUND),
        (A, R, False, Kind.TOO_STRICT),
        (R, A, False, Kind.TOO_LENIENT),
        (R, A, True, Kind.UNSOUND),
        (R, R, True, None),
        (R, R, False, None),
        (A, INV, False, Kind.INVALID),
        (R, INV, False, Kind.INVALID),
        (A, C, False, Kind.CRASH),
        (R, T, False, Kind.HANG),
    ],
)
def test_kinds(reference: Verdict, answer: Verdict, diverges: bool, kind: Kind | None) -> None:
    assert kind_of(reference, Answer(answer), lambda: diverges) is kind


def test_the_semantics_is_not_asked_when_both_reject() -> None:
    case = replace(DIVERGING)
    assert judge(case, {"x": Answer(R)}, executed=True) == []
    assert case.executed is None


def test_a_departure_that_gives_the_verdict_is_the_cause() -> None:
    (found,) = judge(BREAK_IF, {"x": Answer(A)}, executed=True)
    assert (found.kind, found.cause.explains) == (Kind.UNSOUND, (FIGURES["10a"],))
    assert str(found.key) == "x unsound before-2025-10-14/10a"


def test_a_target_without_uniformity_is_one_bucket_across_kinds() -> None:
    said, runs = ({"naga": Answer(A)}, frozenset({"naga"})), map(Execution, (Outcome.DIVERGES, Outcome.NOT_SEEN))
    found = [one for execution in runs for one in judge(DIVERGING, *said, execution=execution)]
    assert {one.kind for one in found} == {Kind.UNSOUND, Kind.TOO_LENIENT}
    assert {str(one.key) for one in found} == {f"naga {NO_ANALYSIS}"}


def test_an_accepted_shader_that_diverges_is_held_against_the_reference() -> None:
    found = judge(ACCEPTED, {"x": Answer(A)}, execution=Execution(Outcome.DIVERGES))
    assert {(f.kind, f.cause) for f in found} == {(Kind.UNSOUND, kinds.COUNTEREXAMPLE)}
    assert [f.target for f in found] == [SECTION_15_2, "x"]


@pytest.mark.parametrize("text", ["fn", "enable something_new; fn main() { barrier_of_tomorrow(); }"])
def test_a_text_that_the_reference_does_not_know_neither_diverges_nor_is_explained(text: str) -> None:
    case = read_case(text)
    assert isinstance(case, OpaqueCase)
    assert (case.is_read, case.core, case.statements, case.verdicts()) == (False, None, None, {})
    assert case.plain is case.placed is case
    assert case.ask_semantics()[0] == NOT_RUN
    assert case.execute_placed().witness is None
    assert (case.explanations, list(case.entry_points()), explaining(case)) == ([], [], frozenset())


def test_signatures_forget_positions_and_names() -> None:
    one = signature("3:4 warning: x\n12:7 error: expected '}' for loop")
    assert one == signature("1:1 error: expected ')' for loop") == "error: expected for loop"
    assert signature("line 1, column 2: expected ')' for loop") == "expected for loop"
    assert signature("1:2 error: 'ptr<storage, read>' isn't the type of a 'let'") == "error: isn't the type of a"


@given(st.text())
def test_an_exception_is_its_type_and_code_whatever_it_says_and_what_stands_above(text: str) -> None:
    place = 'in call, "int(name)"'
    assert signature(f"ValueError at mine.py:95, {place}: {text}") == f"ValueError at mine.py, {place}"
    assert signature(f"ValueError at mine.py:7, {place}: {text}") == f"ValueError at mine.py, {place}"
    assert signature(f"ValueError at <string>:7, in <module>: {text}") == "ValueError at <string>, in <module>"
    assert signature("Error at line 3:7: no type") == "Error at line no type"


@given(st.text("ab.", min_size=1).map(lambda word: f"error: {word}"), st.lists(st.text("ab.", min_size=1)))
def test_a_signature_is_the_whole_message_or_says_that_it_is_not(start: str, words: list[str]) -> None:
    message = " ".join([start, *words])
    told = signature(message)
    assert told == message or message.startswith(told.removesuffix(" …") + " ")
    assert signature(" ".join([message, *["more"] * 99])).endswith("more …")


# ----------------------------------------------------------------------------------------------- departures as causes

TARGETS = ("fake", "tint@0.6.2", "tint@0.3.8", "tint:/a/compiler", "tint@embedded", "rules:wgsl-2023-01-28")
OLD = ("wgsl-2023-01-28", "wgsl-tint-0.3.8", "wgsl-tint-0.6.2")
CASES = [case for case in load_cases() if case.is_tiny]
SHADERS = st.sampled_from(range(4_000)).map(draw_shader).map(tiny_case)


def other(verdict: Verdict) -> tuple[Kind, Answer]:
    """The finding that a target says otherwise."""
    return (Kind.TOO_STRICT, Answer(R)) if verdict is A else (Kind.TOO_LENIENT, Answer(A))


@given(st.lists(st.sampled_from(sorted(DEPARTURES)), min_size=1, unique=True))
def test_every_combination_of_departures_has_a_name_that_is_read_again(names: list[str]) -> None:
    rules = rules_of(cause_named("+".join(names)).explains)
    assert rules is not None
    assert set(rules.names) == set(names)


@settings(max_examples=12)
@given(SHADERS, st.sampled_from(TARGETS), st.sampled_from(OLD))
def test_a_cause_gives_the_verdict_and_the_targets_own_come_first(case: Case, target: str, name: str) -> None:
    kind, answer = other(case.verdict)
    assume(case.verdict_under(WGSL_RULE_SETS[name]) is answer.verdict)
    found = cause_of(case, target, kind, answer)
    rules = rules_of(found.explains)
    assert rules is not None
    assert case.verdict_under(rules) is answer.verdict
    own = own_departures(target)
    if case.verdict_under(Rules(own)) is answer.verdict:
        assert are_known(target, found.explains)
        fewer = combinations(own, min(len(rules) - 1, 1))
        assert all(case.verdict_under(Rules(some)) is case.verdict for some in fewer)


@pytest.mark.parametrize("target", ["tint@0.6.2", "tint@0.3.8", "fake", "whlsl-2019"])
def test_the_four_changes_of_the_paper_are_causes_by_the_specifications_name(target: str) -> None:
    figures = [(read_module(case.text), case.name) for case in CASES if case.name.removeprefix("fig-") in FIGURES]
    causes = {name: str(cause_of(case, target, *other(case.verdict))) for case, name in figures}
    assert causes == {f"fig-{figure}": cause for figure, cause in FIGURES.items()}


@pytest.mark.parametrize(
    ("target", "rules"),
    [
        ("tint@0.3.3", "wgsl-tint-0.3.8"),
        ("tint@0.3.8", "wgsl-tint-0.3.8"),
        ("tint@embedded", "wgsl-tint-0.3.8"),
        ("tint@0.3.10", "wgsl-tint-0.4.0"),
        ("tint@0.5.0", "wgsl-tint-0.6.2"),
        ("tint@0.10.0", "wgsl-tint-0.6.2"),
        ("tint:/a/compiler", "wgsl-tint-0.6.2"),
        ("rules:10a", "before-2025-10-14/10a"),
        ("rules:wgsl-2023-01-28", "wgsl-2023-01-28"),
        ("wgsl-2023-01-28", "wgsl-2023-01-28"),
        ("rules:/no/such/file.py", "wgsl"),
        ("chromium@156.0.1", "wgsl-tint-0.6.2"),
        ("chromium:/out/chrome", "wgsl-tint-0.6.2"),
        ("browser@edge-156.0.1", "wgsl-tint-0.6.2"),
        ("browser@chrome-ios-140.0", "webkit"),
        ("firefox@153.7.0esr", "wgsl"),
        ("naga@29.0.1.1", "wgsl"),
        ("tinted:/a/compiler", "wgsl"),
    ],
)
def test_the_rules_that_are_known_of_a_target(target: str, rules: str) -> None:
    expected = rules_of([rules]) if "/" in rules else WGSL_RULE_SETS[rules]
    assert Rules(own_departures(target)) == expected


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_what_the_corpus_records_of_tint_is_what_its_rules_say(case: CorpusCase) -> None:
    """But of the embedded one, which was not measured."""
    module = read_module(case.text)
    for target, said in case.verdicts.items():
        if re.fullmatch(r"tint@\d.*", target) and said.verdict in (A, R):
            assert module.verdict_under(Rules(own_departures(target))) is said.verdict, target


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_corpus_has_the_buckets_that_are_given_today(case: CorpusCase) -> None:
    module = read_module(case.text)
    for target, said in case.verdicts.items():
        if said.kind in VERDICTS_DIFFER and said.cause not in (None, NO_ANALYSIS):
            found = cause_of(module, target, said.kind, Answer(said.verdict))
            assert said.cause == found


def test_only_a_targets_own_departures_are_known() -> None:
    names = ["tint/joins-at-empty-continuing", "tint/jumping-statements-keep-variables"]
    assert are_known("tint@0.6.2", names)
    for said in (FIGURES["10b"], "wgsl-2023-01-28", "paper", "", "panicked at"):
        assert not are_known("tint@0.6.2", [said])
    assert not are_known("tint@0.6.2", UNEXPLAINED.explains)
    assert are_known("tint@0.3.8", [FIGURES["10b"]])


TWO_OF_ITS_OWN = """enable subgroups;

fn f(p: ptr<function, u32>) -> u32 {
    *p = 0u;
    return 0u;
}

fn g(q: ptr<function, u32>, r: u32) -> u32 {
    return *q;
}

@fragment
fn main(@builtin(subgroup_size) s: u32) {
    var x = s;
    if (g(&x, f(&x)) == 0u) {
        loop {
            if (subgroupAll(false)) {
                return;
            }
        }
    }
}
"""
"""Tint takes `s` for what `g` reads, and for non-uniform. That requirements once had one scope would fit as well."""


def test_two_departures_of_a_measured_build_come_before_a_foreign_one() -> None:
    two, one = ("letter/unlisted-inputs", "tint/contents-at-argument"), ("before-2025-12-15/one-scope",)  # its own, too
    for target, names in (("tint@0.6.2", two), ("tint@0.3.8", one)):
        assert cause_of(read_module(TWO_OF_ITS_OWN), target, Kind.TOO_STRICT, Answer(R)).explains == names


ALL_AGREE = """var<private> A: u32;

fn f(p: ptr<function, u32>, q: u32) {
}

fn g(r: ptr<function, u32>) -> u32 {
    *r = 0u;
    return 0u;
}

fn h() {
    var x = vec3u(A);
    x.yzx = vec3u();
    var y = x.x;
    f(&y, g(&y));
    if (bool(y)) {
        _ = dpdx(0.0);
    }
}
"""
"""By the rules `y` is uniform since `g` wrote it, by Tint's since a swizzle of all components did; by one of its alone
it is not.
"""


def test_a_part_of_a_measured_builds_departures_is_no_cause_if_all_of_them_give_the_right_verdict() -> None:
    module = read_module(ALL_AGREE)
    cause = {t: cause_of(module, t, Kind.TOO_STRICT, Answer(R)).explains for t in ("tint@main", "tint@0.6.2")}
    assert cause["tint@main"] == ("tint/contents-at-argument",)
    assert not are_known("tint@0.6.2", cause["tint@0.6.2"])
    assert cause_of(module, "tint@0.6.2+mine-1", Kind.TOO_STRICT, Answer(R)).explains == cause["tint@0.6.2"]


OF_MANY = """@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) N: u32, @builtin(workgroup_id) group: vec3u) {
    let U = group.x;
    if (N == 0u) {
        switch U {
            case 0u: { return; }
            default: {}
        }
    }
    workgroupBarrier();
}
"""


@pytest.mark.parametrize("target", ["tint@0.6.2", "tint@0.3.8"])
def test_of_a_builds_own_departures_the_fewest_are_named_as_if_all_had_been_tried(target: str) -> None:
    own, sizes = own_departures(target), set()
    for case in (read_module(one.text) for one in load_cases()):
        verdict = case.verdict_under(Rules(own))
        if verdict is not case.verdict:
            tried = (named for n in (1, 2) for named in combinations(own, n))
            fewest = next(named for named in tried if case.verdict_under(Rules(named)) is verdict)
            assert departures_of_all(target, [(case, verdict)]) == tuple(v.name for v in fewest)
            sizes.add(len(fewest))
    assert sizes == {1, 2}


def test_of_many_departures_of_a_rule_set_those_are_named_that_are_all_needed() -> None:
    names = "names-without-flow", "switch-without-flow", "missing-else-is-no-end"
    cause = Cause(tuple(f"webkit/{name}" for name in names))
    rejected_by_both = OF_MANY.replace("switch U", "switch N")
    for text, said in ((OF_MANY, cause), (rejected_by_both, UNEXPLAINED)):
        assert cause_of(read_module(text), "rules:webkit", Kind.UNSOUND, Answer(Verdict.ACCEPTS)) == said


IN_BLOCK = """@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
    var x: u32;
    loop {
        workgroupBarrier();
        if (x == 0u) { continue; }
        x = lid;
        { x = 0u; return; }
    }
}
"""
TWICE = """@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
    while (!(lid == 0u)) { workgroupBarrier(); return; }
}
"""


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (IN_BLOCK, ": tint/joins-at-empty-continuing+tint/jumping-statements-keep-variables"),
        (TWICE, ""),  # the same verdict on both spellings under all rules
    ],
)
def test_a_verdict_that_the_spelling_changes_has_the_departures_that_change_it(text: str, why: str) -> None:
    case = replace(read_module(text), spelled=True)
    found = Disagreement("tint@0.6.2", Kind.TOO_STRICT, Answer(R), UNEXPLAINED)
    cause = cause_of_spelling(case, found, Answer(A))
    assert str(cause) == f"rejects as drawn, accepts as printed{why}"
    spelled = replace(found, kind=Kind.UNSTABLE, cause=cause)
    assert any("jumping-statements" in line for line in account_of(case, spelled).departures) == bool(why)


# ------------------------------------- Targets compared with each other: who is told of, and that nothing is told twice


NAMES = st.sampled_from(["tint@0.6.2", "tint@0.3.8", "naga@29", "chromium@156", "mine"])
ANSWERS = st.dictionaries(NAMES, st.sampled_from(Verdict).map(lambda verdict: Answer(verdict, "error: some words")))


@given(ANSWERS, st.randoms())
def test_the_order_does_not_matter(answers: dict[str, Answer], choice: object) -> None:
    items = list(answers.items())
    choice.shuffle(items)  # type: ignore[attr-defined]
    assert judge_unread(dict(items)) == judge_unread(answers)


@given(ANSWERS)
def test_no_target_has_two_findings_and_each_key_is_read_back(answers: dict[str, Answer]) -> None:
    found = judge_unread(answers)
    assert len({one.target for one in found}) == len(found)
    assert all(key_named(str(one.key)) == one.key for one in found)


@given(ANSWERS)
def test_of_two_that_differ_one_is_told_of_and_those_that_agree_are_not(answers: dict[str, Answer]) -> None:
    told = {one.target: one for one in differences(answers)}
    for one, first in answers.items():
        for other, second in answers.items():
            if {first.verdict, second.verdict} in ({A, R}, {A, INV}, {R, INV}):
                assert {one, other} & told.keys()
    if len({answer.verdict for answer in answers.values()}) < 2:
        assert not told


@given(ANSWERS)
def test_a_cause_names_those_that_say_otherwise(answers: dict[str, Answer]) -> None:
    for one in differences(answers):
        named = re.split(" and ", re.sub(r"^\w+ where (.*?) (accepts?|rejects?|reads? it).*$", r"\1", one.cause.told))
        assert named
        assert all(answers[name].verdict not in (one.answer.verdict, Verdict.CRASHED) for name in named)


@given(ANSWERS)
def test_a_crash_needs_no_reference(answers: dict[str, Answer]) -> None:
    found = {one.target: one.kind for one in judge_unread(answers)}
    for name, answer in answers.items():
        assert (found.get(name) is Kind.CRASH) == (answer.verdict is Verdict.CRASHED)
        assert (found.get(name) is Kind.HANG) == (answer.verdict is Verdict.TIMED_OUT)


def test_a_target_without_an_analysis_accepts_for_nobody() -> None:
    answers = {"naga": Answer(A), "tint": Answer(R)}
    assert differences(answers, frozenset({"naga"})) == []
    (found,) = differences(answers | {"old": Answer(INV, "error: no")}, frozenset({"naga"}))
    assert (found.target, found.cause.told) == ("old", "refuses where naga and tint read it: error: no")


def test_the_minority_is_told_of() -> None:
    found = differences({"a": Answer(A), "b": Answer(R), "c": Answer(R)})
    assert [(one.target, one.cause.told) for one in found] == [("a", "accepts where b and c reject")]


# ------------------------------------------------------------------------------------------------------------ sharing


@given(st.dictionaries(NAMES, st.tuples(st.sampled_from([v.value for v in Verdict])), min_size=1))
def test_sharing_is_an_equivalence(said: dict[str, tuple[str | None, ...]]) -> None:
    groups = {frozenset({name, *sharing(name, said)}) for name in said}
    assert sum(map(len, groups)) == len(said)
    for name in said:
        assert all(said[other] == said[name] for other in sharing(name, said))


def test_what_is_accepted_without_an_analysis_is_not_shared() -> None:
    accepted = {"naga": ("accepts",), "tint": ("accepts",), "mine": ("accepts",)}
    assert sharing("tint", accepted, frozenset({"naga"})) == ("mine",)
    assert sharing("naga", accepted, frozenset({"naga"})) == ()
    assert sharing("other", accepted) == ()


TINT, MEASURED = "tint@0.6.2", WGSL_RULE_SETS["wgsl-tint-0.6.2"]
KNOWN_OF_TINT = [
    pytest.param(case.text, id=case.name)
    for case in load_cases()
    if (said := case.verdicts.get(TINT)) is not None and said.kind in VERDICTS_DIFFER and case.second is None
]


def as_tint_answers(text: str) -> Answer:
    target = Blaming(Rules(MEASURED), name=TINT)
    target.submit([text])
    return target.collect()[0]


@pytest.mark.parametrize("text", KNOWN_OF_TINT)
def test_measured_rules_predict_known_faults_and_are_asked_where(text: str) -> None:
    """A rejection for another operation, or one that is not named, may have a second cause."""
    case, answer = read_module(text), as_tint_answers(text)
    assert is_expected(TINT, case, answer)
    assert is_expected("chromium@156.0", case, answer)
    assert not is_expected("rules:wgsl-tint-0.6.2", case, answer)
    assert not is_expected(TINT, case, Answer(case.verdict))
    elsewhere = f"1:1 error: {answer.message.partition('error: ')[2]}"
    for message in ("", "error: no place", elsewhere):
        assert is_expected(TINT, case, replace(answer, message=message)) is (answer.verdict is Verdict.ACCEPTS)


def test_what_is_predicted_is_not_executed() -> None:
    text = next(one.values[0] for one in KNOWN_OF_TINT if read_module(str(one.values[0])).verdict is Verdict.REJECTS)
    case = read_module(str(text))
    (found,) = judge(case, {TINT: Answer(Verdict.ACCEPTS)}, known_first=True)
    assert (found.kind, found.expected, case.executed) == (Kind.TOO_LENIENT, True, None)
    assert are_known(TINT, found.cause.explains)
    (full,) = judge(case, {TINT: Answer(Verdict.ACCEPTS)})
    assert (full.cause, full.expected, case.executed is not None) == (found.cause, False, True)
