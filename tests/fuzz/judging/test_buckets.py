"""What fine keys ignore and what they tell; which causes are found common."""

import random
from collections.abc import Callable
from dataclasses import replace
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fuzz.runs import cause_named
from wgsl_fuzz.fuzz.campaign.reduce_finding import explaining_of
from wgsl_fuzz.fuzz.cases.case import Case, read_module, tiny_case
from wgsl_fuzz.fuzz.judging import certainty
from wgsl_fuzz.fuzz.judging.buckets import common_causes, constructs, explaining, what_is_left
from wgsl_fuzz.fuzz.judging.kinds import NO_ANALYSIS, UNEXPLAINED, Cause, Disagreement, Kind
from wgsl_fuzz.oracle.rules.uniformity.analysis import analyse_module
from wgsl_fuzz.oracle.rules.uniformity.contexts import Where, confined
from wgsl_fuzz.oracle.rules.uniformity.coverage import arms, deciding_arms
from wgsl_fuzz.oracle.rules.uniformity.places import Places
from wgsl_fuzz.oracle.rules.uniformity.revisions import all_variants
from wgsl_fuzz.oracle.rules.uniformity.variants.history import FIGURES
from wgsl_fuzz.oracle.verdict import Answer, Verdict
from wgsl_fuzz.strategies import TINY, draw_shader

BRANCHES = sorted(v.name for v in arms())
evidence = st.lists(st.frozensets(st.sampled_from(BRANCHES[::9]), max_size=5), max_size=12)

IN_IF = """@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
  if (lid == 0u) {
    workgroupBarrier();
  }
}
"""
IN_CALL = """fn f(x: u32) -> u32 {
  if (x == 0u) {
    workgroupBarrier();
  }
  return 0u;
}

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
  var y: u32;
  y = f(lid);
}
"""
BOTH_BREAK = """@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
  loop {
    workgroupBarrier();
    if (lid == 0u) {
      break;
    } else {
      break;
    }
    continue;
  }
}
"""


TEN_A = Cause((FIGURES["10a"],))


def lenient(cause: Cause = TEN_A) -> Disagreement:
    return Disagreement("t", Kind.TOO_LENIENT, Answer(Verdict.ACCEPTS), cause)


def strict(cause: Cause) -> Disagreement:
    return Disagreement("t", Kind.TOO_STRICT, Answer(Verdict.REJECTS, "no"), cause)


def key(text: str) -> str:
    return str(lenient().key.with_left(what_is_left(read_module(text), lenient())))


def killers(name: str, shaders: list[Case]) -> list[Case]:
    """The shaders that a variant of the rules decides."""
    rules = all_variants()[name].rules
    return [case for case in shaders if case.verdict_under(rules) is not case.verdict]


# ------------------------------------------------------------------------------------------------------------ fine keys


@pytest.mark.parametrize(
    ("old", "new"), [("lid == 0u", "7u != lid"), ("lid == 0u", "(lid * 2u) < (lid + 3u)"), ("size(2)", "size(64)")]
)
def test_literals_operators_and_sizes_do_not_matter(old: str, new: str) -> None:
    assert key(IN_IF.replace(old, new)) == key(IN_IF)
    assert key(IN_CALL.replace("y", "other")) == key(IN_CALL)


def test_another_construct_is_another_key() -> None:
    returns = IN_IF.replace("workgroupBarrier();", "return;").replace("\n}\n", "\n  workgroupBarrier();\n}\n")
    keys = {key(text) for text in (IN_IF, IN_CALL, returns, BOTH_BREAK)}
    assert len(keys) == 4
    assert constructs(read_module(IN_CALL).resolution) == {"call", "if", "return", "workgroupBarrier"}


def test_what_is_no_matter_of_the_analysis_has_its_raw_key() -> None:
    for found in (replace(lenient(), kind=Kind.CRASH), lenient(NO_ANALYSIS)):
        assert not what_is_left(read_module(IN_IF), found)


# ------------------------------------------------------------------------------------------------------- common causes


@given(evidence)
def test_every_finding_gets_a_branch_that_explains_it(explained: list[frozenset[str]]) -> None:
    for branches, cause in zip(explained, common_causes(explained), strict=True):
        assert cause in branches if branches else cause is None


@given(evidence, st.randoms(use_true_random=False))
def test_the_order_of_findings_does_not_matter(explained: list[frozenset[str]], source: random.Random) -> None:
    order = list(range(len(explained)))
    source.shuffle(order)
    causes = common_causes(explained)
    again = common_causes([explained[i] for i in order])
    assert again == [causes[i] for i in order]


@given(evidence)
def test_equal_findings_share_a_bucket(explained: list[frozenset[str]]) -> None:
    causes = dict(zip(explained, common_causes(explained)))
    assert all(causes[branches] == cause for branches, cause in zip(explained, common_causes(explained)))


@given(st.sampled_from(BRANCHES), evidence)
def test_one_cause_for_all_is_never_split(branch: str, others: list[frozenset[str]]) -> None:
    assert len({*common_causes([others_ | {branch} for others_ in others])}) <= 1


def test_of_several_causes_a_departure_is_named_then_what_acts_everywhere() -> None:
    first, second = sorted((FIGURES["10b"], FIGURES["10c"]))
    names = {"x/b", "x/a @ nest:loop", first, second}
    for recorded, expected in ((first, first), (second, second), ("x/b", first)):
        assert common_causes([names] * 2, [recorded] * 2) == [expected] * 2
    assert common_causes([names - {first, second}]) == ["x/b"]


def test_a_revision_that_there_was_is_the_likelier_cause() -> None:
    assert common_causes([explaining(read_module(BOTH_BREAK))]) == [FIGURES["10c"]]


# ---- Which arms explain a finding: asked only where it matters, and of the drawn module only what the reduced one says


HEAD = "@compute @workgroup_size(2) fn main(@builtin(local_invocation_index) lid: u32) "
TEXTS = (
    HEAD + "{ if (lid == 0u) { workgroupBarrier(); } }",
    HEAD + "{ var x: u32; loop { if (x == 1u) { break; } x = lid; } workgroupBarrier(); }",
    HEAD + "{ var x = lid; x = 0u; if (x == 0u) { workgroupBarrier(); } }",
    HEAD + "{ workgroupBarrier(); }",
)


@cache
def module(text: str) -> Case:
    return read_module(text)


@cache
def arms_of(text: str) -> frozenset[str]:
    return frozenset(deciding_arms(module(text).resolution))


@pytest.mark.parametrize("reduced", TEXTS)
@pytest.mark.parametrize("drawn", TEXTS)
def test_what_explains_both_counts_or_else_what_explains_the_reduced(drawn: str, reduced: str) -> None:
    found = explaining(module(drawn), module(reduced))
    assert found == ((arms_of(drawn) & arms_of(reduced)) or arms_of(reduced) or arms_of(drawn))


def test_what_a_known_departure_of_the_target_explains_is_not_looked_for() -> None:
    case, other = module(TEXTS[0]), replace(lenient(cause_named("tint/contents-at-argument")), target="fake")
    assert explaining_of(replace(other, target="tint@0.6.2"), case, case) is None
    assert explaining_of(other, case, case) == tuple(sorted(arms_of(TEXTS[0])))
    crash = Disagreement("fake", Kind.CRASH, Answer(Verdict.CRASHED), cause_named("signal 11"))
    assert explaining_of(crash, case, case) is None


# ----------------------------- A cause is a fact only if it also fits what the target says of small changes of the text


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
        found = found_on(case)
        _, fit = certainty.explanation_of(case, found, by_rules(name))
        assert name in fit.names
        assert explaining(case, verdict=found.answer.verdict) >= {*fit.names}


@pytest.mark.full
def test_planted_faults_are_told_apart() -> None:
    """Six compilers with one fault each; `benchmarks/buckets.py` and `unknown.py` measure more of them."""
    names = (
        FIGURES["10a"],
        "if/after/always-before",
        "if/else/from-start",
        "call/control-flow/always-required",
        "loop/values/no-entry",
        "loop/values/exit-as-before",
    )
    shaders = [tiny_case(draw_shader(seed, TINY)) for seed in range(250)]
    named = set()
    for name in names:
        wrong = killers(name, shaders)[:3]
        fits = [certainty.explanation_of(case, found_on(case), by_rules(name))[1].names for case in wrong]
        causes = set(common_causes(fits))
        assert (len(wrong) > 1, len(causes), all(name in fit for fit in fits)) == (True, 1, True)
        named |= causes
    assert len(named) == len(names)


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
    assert not {"alias", "named"} & {*fit.right}


def test_a_refusal_is_explained_by_the_behaviours_that_have_it() -> None:
    case = read_module("fn f() { loop { if true { } else { if true { break; } } } }")
    name, found = "B/if/then-only", Disagreement("fake", Kind.INVALID, Answer(Verdict.INVALID), Cause(told="error: no"))
    branches = explaining_of(found, case, case) or ()
    assert name in branches
    assert all(by_rules(branch)(case.text).verdict is Verdict.INVALID for branch in branches)
    fit = certainty.fit_of(case, found, branches, by_rules(name), reduced=True)
    assert name in fit.names
    assert "negated" in fit.right
    assert "block" not in fit.right
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
    changed = [len({*case.text.splitlines()} ^ {*text.splitlines()}) for text in texts]
    near, far = changed[: certainty.NEIGHBOURS // 2], changed[certainty.NEIGHBOURS // 2 :]
    assert sum(far) > 1.2 * sum(near), "the second half is further away"


def test_known_departures_of_a_target_are_known_and_other_faults_are_no_matter_of_the_rules() -> None:
    own, of = cause_named("tint/while-always-iterates"), certainty.Certainty
    assert certainty.certainty_of("tint@0.6.2", Kind.TOO_STRICT, own, None) is of.KNOWN
    assert certainty.certainty_of("fake", Kind.TOO_STRICT, own, None) is of.UNKNOWN
    assert certainty.certainty_of("fake", Kind.CRASH, cause_named("panicked at"), None) is None
    assert certainty.certainty_of("fake", Kind.TOO_LENIENT, NO_ANALYSIS, None) is None


LEFT_BY_NOTHING = "fn h(n: u32) -> u32 { loop { return 1u; continuing { break if n > 3u; } } }"


@pytest.mark.parametrize("target", ["tint@0.3.8", "tint@embedded+mine-1", "fake"])
def test_what_is_known_of_a_target_may_refuse_the_text(target: str) -> None:
    case = read_module(LEFT_BY_NOTHING)
    found = Disagreement(target, Kind.INVALID, Answer(Verdict.INVALID), Cause(told="error: no"))
    fit = certainty.fit_of(case, found, (), lambda _: Answer(Verdict.INVALID), reduced=True)
    assert all(name.startswith("B/") for name in fit.names)


def test_a_change_in_a_context_fits_if_it_gives_the_targets_verdict_there_and_nowhere_else() -> None:
    case = read_module(IN_IF)
    where = Where("block:then in entry")
    confined_there = confined(all_variants()["table/workgroupBarrier/no-requirement"], where)

    def ask(text: str) -> Answer:
        resolution = read_module(text).resolution
        where.places, where.here = Places(resolution), None
        return Answer(analyse_module(resolution, confined_there).verdict)

    found = found_on(case)
    fit = certainty.fit_of(case, found, explaining(case, verdict=Verdict.ACCEPTS), ask, reduced=True)
    assert "table/workgroupBarrier/no-requirement @ block:then in entry" in fit.names
    assert "table/workgroupBarrier/no-requirement" not in fit.names
    assert not [name for name in fit.names if name.startswith("B/")]
