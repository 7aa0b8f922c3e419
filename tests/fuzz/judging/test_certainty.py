"""A cause is a fact only if it also fits what the target says of small changes of the text."""

from collections.abc import Callable

import pytest

from tests.fuzz.runs import cause_named
from wgsl_fuzz.fuzz.campaign.reduce_finding import explaining_of
from wgsl_fuzz.fuzz.cases.case import Case, read_module, tiny_case
from wgsl_fuzz.fuzz.judging import certainty
from wgsl_fuzz.fuzz.judging.buckets import explaining
from wgsl_fuzz.fuzz.judging.kinds import NO_ANALYSIS, UNEXPLAINED, Cause, Disagreement, Kind
from wgsl_fuzz.oracle.rules.uniformity.revisions import all_variants
from wgsl_fuzz.oracle.verdict import Answer, Verdict
from wgsl_fuzz.strategies import draw_shader

A, R = Answer(Verdict.ACCEPTS), Answer(Verdict.REJECTS)
SHORT_CIRCUIT = read_module("""var<private> other: u32;

fn f(p: ptr<function, bool>) -> bool {
  *p = true;
  return true;
}

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
  var x = lid == 0u;
  if (false && f(&x)) { }
  if (x) { workgroupBarrier(); }
}
""")
KEEPS_THE_RIGHT, COINCIDENCE = "letter/no-join-after-short-circuit", "name/variable/never-loaded"


def found_on(case: Case, cause: Cause = UNEXPLAINED) -> Disagreement:
    if case.verdict is Verdict.ACCEPTS:
        return Disagreement("fake", Kind.TOO_STRICT, R, cause)
    return Disagreement("fake", Kind.TOO_LENIENT, A, cause)


def by_rules(name: str) -> Callable[[str], Answer]:
    """A target that is the reference with one change."""
    rules = all_variants()[name].rules
    return lambda text: Answer(read_module(text).verdict_under(rules))


@pytest.mark.parametrize("seed", range(2))
def test_a_change_fits_the_neighbours_of_what_it_is_the_cause_of(seed: int) -> None:
    case = tiny_case(draw_shader(seed))
    for name in sorted(name for name in explaining(case) if not name.startswith("B/"))[::20]:
        _, fit = certainty.explanation_of(case, found_on(case), by_rules(name))
        assert name in fit.names
        assert {*fit.names} <= explaining(case)


def test_what_fits_one_text_by_coincidence_is_refuted() -> None:
    assert {KEEPS_THE_RIGHT, COINCIDENCE} <= explaining(SHORT_CIRCUIT)
    found = found_on(SHORT_CIRCUIT)
    branch, fit = certainty.explanation_of(SHORT_CIRCUIT, found, by_rules(KEEPS_THE_RIGHT))
    assert KEEPS_THE_RIGHT in fit.names
    assert COINCIDENCE not in fit.names
    assert branch == KEEPS_THE_RIGHT  # of what fits as well, real texts and compilers have this one
    assert certainty.certainty_of("fake", found.kind, found.cause, fit, branch) is certainty.Certainty.FITS
    (line,) = certainty.explanation_in_words(found.cause, branch, fit)
    words = "Explained by one departure from the specification's rules: it takes the right operand of &&"
    assert line.startswith(words)


def test_of_a_target_that_is_wrong_about_one_text_alone_the_cause_is_unknown() -> None:
    found = found_on(SHORT_CIRCUIT, Cause((KEEPS_THE_RIGHT,)))

    def ask(text: str) -> Answer:
        return A if text == SHORT_CIRCUIT.text else Answer(read_module(text).verdict)

    branch, fit = certainty.explanation_of(SHORT_CIRCUIT, found, ask)
    assert fit.asked == certainty.NEIGHBOURS
    assert KEEPS_THE_RIGHT not in fit.names
    assert certainty.certainty_of("fake", found.kind, found.cause, fit) is certainty.Certainty.UNKNOWN
    (line,) = certainty.explanation_in_words(found.cause, branch, fit)
    assert line.startswith("Cause unknown; on these shaders it behaves as if it ")


def test_what_would_judge_otherwise_what_was_answered_rightly_is_no_cause() -> None:
    found, names = found_on(SHORT_CIRCUIT), explaining(SHORT_CIRCUIT)
    for right, fits in (([], True), ([SHORT_CIRCUIT], False)):
        fit = certainty.fit_of(SHORT_CIRCUIT, found, names, by_rules(KEEPS_THE_RIGHT), right)
        assert (KEEPS_THE_RIGHT in fit.names) == fits


def test_the_signature_is_after_what_the_answer_is_right() -> None:
    """A target that does not look into a `switch`."""
    case = read_module("""
@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
  switch lid { case 0u: { workgroupBarrier(); } default: { } }
}
""")

    def ask(text: str) -> Answer:
        return A if "switch" in text else Answer(read_module(text).verdict)

    fit = certainty.fit_of(case, found_on(case), (), ask, reduced=True)
    assert "if-for-switch" in fit.right
    assert {"alias", "named"} <= {*fit.wrong}


def test_a_refusal_is_explained_by_the_behaviours_that_have_it() -> None:
    case = read_module("fn f() { loop { if true { } else { if true { break; } } } }")
    name, found = "B/if/then-only", Disagreement("fake", Kind.INVALID, Answer(Verdict.INVALID), Cause(told="error: no"))
    branches = explaining_of(found, case, case) or ()
    assert name in branches
    assert all(by_rules(branch)(case.text).verdict is Verdict.INVALID for branch in branches)
    fit = certainty.fit_of(case, found, branches, by_rules(name), reduced=True)
    assert name in fit.names
    assert "negated" in fit.right
    assert "block" in fit.wrong
    assert certainty.certainty_of("fake", found.kind, found.cause, fit) is None  # the words are what is known


def test_a_target_that_dies_says_nothing_and_is_not_asked_for_ever() -> None:
    asked = []

    def dies(text: str) -> Answer:
        asked.append(text)
        return Answer(Verdict.CRASHED)

    _, fit = certainty.explanation_of(SHORT_CIRCUIT, found_on(SHORT_CIRCUIT), dies)
    assert (fit.asked, fit.names) == (0, ())
    assert len(asked) < certainty.FEWEST


@pytest.mark.parametrize("case", [SHORT_CIRCUIT, tiny_case(draw_shader(1))], ids=["read", "drawn"])
def test_neighbours_are_other_texts_each_once_and_the_same_each_time(case: Case) -> None:
    texts = [near.text for near in certainty.neighbours(case)]
    assert len({case.text, *texts}) == certainty.NEIGHBOURS + 1
    assert [near.text for near in certainty.neighbours(case)] == texts


def test_known_departures_of_a_target_are_known_and_other_faults_are_no_matter_of_the_rules() -> None:
    own, of = cause_named("tint/while-always-iterates"), certainty.Certainty
    assert certainty.certainty_of("tint@0.6.2", Kind.TOO_STRICT, own, None) is of.KNOWN
    assert certainty.certainty_of("fake", Kind.TOO_STRICT, own, None) is of.UNKNOWN
    assert certainty.certainty_of("fake", Kind.CRASH, cause_named("panicked at"), None) is None
    assert certainty.certainty_of("fake", Kind.TOO_LENIENT, NO_ANALYSIS, None) is None
