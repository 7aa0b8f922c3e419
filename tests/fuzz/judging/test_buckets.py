"""What fine keys ignore and what they tell; which causes are found common."""

import random
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.quality.paper_mutants import DOUBLE, KILLABLE, REVERSIONS
from wgsl_fuzz.fuzz.judging.buckets import (
    NEW_CAUSE,
    common_causes,
    constructs,
    explaining,
    fine_key,
    path_rules,
    surprise,
)
from wgsl_fuzz.fuzz.judging.judge import NOT_IMPLEMENTED, Disagreement, Kind
from wgsl_fuzz.fuzz.reduction.rename import with_plain_names
from wgsl_fuzz.oracle.rules.analysis import analyse
from wgsl_fuzz.oracle.rules.uniformity.coverage import arms
from wgsl_fuzz.oracle.verdict import Answer, Verdict
from wgsl_fuzz.strategies import PROFILES, SMALL, draw_shader
from wgsl_fuzz.wgsl.reading import parse

seeds = st.integers(0, 2**32)
BRANCHES = sorted(surprise())
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


def lenient(cause: str = "10a") -> Disagreement:
    return Disagreement("t", Kind.TOO_LENIENT, Answer(Verdict.ACCEPTS), cause)


def strict(cause: str) -> Disagreement:
    return Disagreement("t", Kind.TOO_STRICT, Answer(Verdict.REJECTS, "no"), cause)


# ------------------------------------------------------------------------------------------------------------ fine keys


@pytest.mark.parametrize(
    ("old", "new"), [("lid == 0u", "7u != lid"), ("lid == 0u", "(lid * 2u) < (lid + 3u)"), ("size(2)", "size(64)")]
)
def test_literals_operators_and_sizes_do_not_matter(old: str, new: str) -> None:
    assert fine_key(parse(IN_IF.replace(old, new)), lenient()) == fine_key(parse(IN_IF), lenient())


@given(seeds)
def test_names_do_not_matter(seed: int) -> None:
    shader = draw_shader(seed, SMALL)
    assert fine_key(with_plain_names(shader), lenient()) == fine_key(shader, lenient())


@given(seeds)
def test_a_fine_key_starts_with_the_raw_one(seed: int) -> None:
    assert str(fine_key(draw_shader(seed, SMALL), lenient())).startswith(f"{lenient().key} | ")


@given(seeds)
def test_a_path_is_there_exactly_if_the_shader_is_rejected(seed: int) -> None:
    analysis = analyse(draw_shader(seed, SMALL))
    assert bool(path_rules(analysis)) is (analysis.verdict is Verdict.REJECTS)


def test_the_path_goes_into_called_functions() -> None:
    rules = path_rules(analyse(parse(IN_CALL)))
    assert {"argument", "barrier", "condition", "lid"} <= rules
    assert constructs(parse(IN_CALL)) == {"call", "if", "barrier in a function"}


def test_another_construct_is_another_key() -> None:
    texts = (
        IN_IF,
        IN_CALL,
        IN_IF.replace("lid == 0u", "bool(lid)"),
        IN_IF.replace("workgroupBarrier();", "return;", 1),
    )
    keys = {
        fine_key(parse(text.replace("return;\n  }", "return;\n  }\n  workgroupBarrier();")), lenient())
        for text in texts
    }
    assert len(keys) == len(texts)


def test_what_the_reference_accepts_has_the_path_of_the_cause() -> None:
    shader = parse(BOTH_BREAK)
    assert analyse(shader, REVERSIONS["10c"]).verdict is Verdict.REJECTS
    assert "control flow at the loop head" in str(fine_key(shader, strict("10c")))
    assert "no path" in str(fine_key(shader, strict("no reversal explains it")))


def test_what_is_no_matter_of_the_analysis_has_its_raw_key() -> None:
    for found in (replace(lenient(), kind=Kind.CRASH), lenient(NOT_IMPLEMENTED)):
        assert fine_key(parse(IN_IF), found) == found.key


# --------------------------------------------------------------------------------------------------- what explains them


@given(seeds)
def test_what_explains_a_finding_gives_the_targets_verdict_on_all_its_texts(seed: int) -> None:
    one, other = draw_shader(seed, SMALL), draw_shader(seed + 1, SMALL)
    both = explaining(one, other)
    alone = explaining(other)
    for mutant in KILLABLE:
        changes = analyse(other, mutant.rules).verdict is not analyse(other).verdict
        assert (mutant.name in alone) is changes
    assert both <= alone or not alone


def test_a_text_that_is_no_tinywgsl_is_passed_over() -> None:
    assert explaining(None, parse(IN_IF)) == explaining(parse(IN_IF))
    assert explaining(None) == frozenset()


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
    assert common_causes([explained[i] for i in order]) == [causes[i] for i in order]


@given(evidence)
def test_equal_findings_share_a_bucket(explained: list[frozenset[str]]) -> None:
    causes = dict(zip(explained, common_causes(explained)))
    assert all(causes[branches] == cause for branches, cause in zip(explained, common_causes(explained)))


@given(evidence, evidence)
def test_what_fits_neighbours_names_a_bucket_and_splits_none(
    explained: list[frozenset[str]], fits: list[frozenset[str]]
) -> None:
    fitting = (fits + [frozenset[str]()] * len(explained))[: len(explained)]
    alone, held = common_causes(explained), common_causes(explained, fitting)
    renamed = set(zip(alone, held, strict=True))
    assert len(renamed) == len(set(alone)), "findings of one bucket stay in one"
    for cause, better in renamed - {(None, None)}:
        of_bucket = [i for i, one in enumerate(alone) if one == cause]
        assert all(better in explained[i] for i in of_bucket)
        assert sum(better in fitting[i] for i in of_bucket) >= sum(cause in fitting[i] for i in of_bucket)


@given(st.sampled_from(BRANCHES), evidence)
def test_one_cause_for_all_is_never_split_for_less_than_it_costs(branch: str, others: list[frozenset[str]]) -> None:
    explained = [others_ | {branch} for others_ in others]
    causes = common_causes(explained)
    assert len(set(causes)) <= 1 or _length(causes) <= _length([branch] * len(causes)) + 0.2


def _length(causes: list[str | None]) -> float:
    chosen = [cause for cause in causes if cause is not None]
    return len(set(chosen)) * NEW_CAUSE - sum(surprise()[cause] for cause in chosen)


def test_the_tables_of_rarities_know_every_branch() -> None:
    known = {v.name for v in (*KILLABLE, *arms())}
    assert set(surprise()) == known, "python benchmarks/buckets.py --rarity FILE, see docs/howto/rule-variant.md"


def test_a_change_taken_back_is_one_cause() -> None:
    drawn = (draw_shader(seed, SMALL) for seed in range(4_000))
    shown = [s for s in drawn if analyse(s, REVERSIONS["10a"]).verdict is not analyse(s).verdict][:8]
    assert len(shown) >= 3
    assert len(set(common_causes([explaining(s) for s in shown]))) == 1


def test_a_revision_that_there_was_is_the_likelier_cause() -> None:
    assert common_causes([explaining(parse(BOTH_BREAK))]) == ["10c"]


def test_planted_mutants_are_told_apart() -> None:
    """A small table of confusion; benchmarks/buckets.py prints the whole one."""
    names = {
        "expr/lid/is-uniform",
        "if/line-8/never",
        "call/line-4/no-demand-on-arguments",
        "loop/line-12/always",
        "shared-assign/graph/value-demanded",
        "barrier/edge/dropped-but-not-directly-in-then",
    }
    mutants = [m for m in (*KILLABLE, *DOUBLE) if m.name in names]
    shaders = [draw_shader(seed, PROFILES["plain"]) for seed in range(250)]
    verdicts = [analyse(s).verdict for s in shaders]
    buckets = {}
    for mutant in mutants:
        killers = [s for s, v in zip(shaders, verdicts) if analyse(s, mutant.rules).verdict is not v][:6]
        buckets[mutant.name] = common_causes([explaining(s) for s in killers])
    assert set(buckets) == names
    assert sum(len(set(causes)) == 1 for causes in buckets.values()) >= 4
    largest = {name: Counter(causes).most_common(1)[0] for name, causes in buckets.items()}
    assert min(n / len(buckets[name]) for name, (_, n) in largest.items()) >= 0.5
    assert len({cause for cause, _ in largest.values()}) == len(names)
