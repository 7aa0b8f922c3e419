"""Every case of the corpus, against what each oracle is recorded to say."""

import re
from dataclasses import replace

import pytest

from tests.wgsl.current_tint import real_target
from wgsl_fuzz.fuzz.cases.case import read_module
from wgsl_fuzz.fuzz.cases.plan import MIXED, Plan
from wgsl_fuzz.fuzz.cli.runs.campaign import given_shaders
from wgsl_fuzz.fuzz.findings.known import FILE, KnownBuckets, load_known
from wgsl_fuzz.fuzz.judging.judge import judge
from wgsl_fuzz.fuzz.judging.kinds import VERDICTS_DIFFER, Kind
from wgsl_fuzz.fuzz.regression.corpus import CorpusCase, load_cases
from wgsl_fuzz.fuzz.shipped import corpus_folder
from wgsl_fuzz.oracle.rules.analyses import ANALYSES
from wgsl_fuzz.oracle.rules.uniformity.revisions import WGSL_RULE_SETS
from wgsl_fuzz.oracle.rules.uniformity.variants.history import FIGURES
from wgsl_fuzz.oracle.targets.protocol import NAGA, engine_of
from wgsl_fuzz.oracle.verdict import Answer, Verdict

CASES = load_cases()
TINY = [case for case in CASES if case.is_tiny]
OTHER = [case for case in CASES if not case.is_tiny]
TARGETS = ("tint@0.6.2", "tint@0.3.8", "tint@embedded", "naga")
RULES = {"letter", "wgsl-tint-0.6.2"}
OF_TINY = {"wgsl-2023-01-28", "wgsl-tint-0.3.8", "wgsl-tint-0.6.2", "whlsl-2019"}


def test_every_case_says_what_the_targets_and_the_older_rules_say() -> None:
    for case in CASES:
        ours = OF_TINY if "whlsl-2019" in case.verdicts else RULES
        assert ours | {"tint@0.6.2", "tint@0.3.8", "tint@embedded"} <= set(case.verdicts), case.name
        for family in ("naga@", "chromium@", "firefox@"):
            assert any(name.startswith(family) for name in case.verdicts), (case.name, family)
    assert sum("whlsl-2019" in case.verdicts for case in CASES) > 35


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_our_own_analyses_say_what_is_recorded(case: CorpusCase) -> None:
    module = read_module(case.text)
    assert module.verdict is case.expected
    assert module.paper in (None, case.expected)
    for name in case.verdicts.keys() & WGSL_RULE_SETS.keys():
        assert module.verdict_under(WGSL_RULE_SETS[name]) is case.verdicts[name].verdict, name
    for name in case.verdicts.keys() & ANALYSES.keys():
        assert module.core is not None
        assert ANALYSES[name](module.core) is case.verdicts[name].verdict, name


@pytest.mark.parametrize("case", OTHER, ids=lambda case: case.name)
def test_the_buckets_of_other_wgsl_are_those_that_are_given_today(case: CorpusCase) -> None:
    module = replace(read_module(case.text), thorough=True)
    said = case.verdicts.items()
    answers = {name: Answer(one.verdict, str(one.cause) if one.cause is not None else "") for name, one in said}
    without = frozenset(name for name in answers if engine_of(name) == NAGA)
    today = {found.target: found.key for found in judge(module, answers, without, executed=True)}
    module.execute()
    assert module.outcome is case.outcome
    assert today == {name: said.bucket_of(name) for name, said in case.verdicts.items() if said.kind}


@pytest.mark.parametrize("case", TINY, ids=lambda case: case.name)
def test_the_semantics_says_what_is_recorded(case: CorpusCase) -> None:
    assert replace(read_module(case.text), thorough=True).execute().outcome is case.outcome


def test_what_current_tint_gets_wrong_in_other_wgsl_is_recorded_and_known() -> None:
    known = load_known(corpus_folder() / FILE)
    recorded = [case.verdicts["tint@0.6.2"] for case in OTHER]
    recorded = [said for said in recorded if said.kind not in (None, Kind.INVALID)]
    assert len({said.cause for said in recorded if said.kind is Kind.UNSOUND}) == 9
    assert all((key := said.bucket_of("tint@0.6.2")) and known.issue_of(key) for said in recorded)


def test_campaigns_ask_about_all_cases() -> None:
    for plan, cases in ((Plan(0, language=MIXED), CASES), (Plan(0), TINY), (Plan(0, language=MIXED, corpus=False), [])):
        assert [given.text for given in given_shaders([], print, plan)] == [case.text for case in cases]


@pytest.mark.parametrize("name", TARGETS)
def test_targets_say_what_is_recorded(name: str) -> None:
    with real_target(name) as target:
        if target.name not in CASES[0].verdicts:
            pytest.skip(f"nothing is recorded for {target.name}")
        target.submit([case.text for case in CASES])
        said = {case.name: answer.verdict for case, answer in zip(CASES, target.collect(), strict=True)}
        assert said == {case.name: case.verdicts[target.name].verdict for case in CASES}


def _refused(known: KnownBuckets) -> set[str]:
    """The buckets of valid modules that a target refuses, as the case in the note does: records have no bucket then."""
    by_name = {case.name: case for case in CASES}
    refused = set()
    for entry in known.entries:
        target, kind, _ = entry.bucket.split(" ", 2)
        if kind == Kind.INVALID.value and (named := re.search(r"corpus/([a-z0-9-]+)", entry.note)):
            said = by_name[named[1]].verdicts.get(target)
            refused |= {entry.bucket} if said is not None and said.verdict is Verdict.INVALID else set()
    return refused


def test_the_shipped_known_buckets_are_those_of_recorded_disagreements() -> None:
    known = load_known(corpus_folder() / FILE)
    buckets = {key for case in CASES for name, r in case.verdicts.items() if (key := r.bucket_of(name))}
    # A shader that cannot be run is too lenient, not unsound.
    texts = {str(bucket) for bucket in buckets}
    texts |= {text.replace(" unsound ", " too-lenient ") for text in texts}
    unused = {e.bucket for e in known.entries if not any(map(e.fits, texts))} - _refused(known)
    both = f"{FIGURES['10b']}+{FIGURES['10c']}"
    assert all(bucket.endswith(both) for bucket in unused), unused  # no case shows both at once
    assert known.issue_of(f"tint@0.6.2 too-strict {FIGURES['10b']}") is None


def test_engines_are_those_of_browsers_that_say_what_their_compiler_says() -> None:
    known = load_known(corpus_folder() / FILE)
    recorded = {name for case in CASES for name in case.verdicts}
    for engine in known.engines:
        engines = {engine_of(name.replace("*", "0")) for name in (engine.name, *engine.targets)}
        assert len(engines) == 1
        assert any(map(engine.is_in, recorded))
    for case in CASES:
        for name, said in case.verdicts.items():
            if name.startswith("chromium@156.") and said.verdict is not Verdict.UNSUPPORTED:  # by its adapter
                compiler = case.verdicts["tint@0.6.2"]
                assert (said.verdict, said.second, said.kind) == (compiler.verdict, compiler.second, compiler.kind)
            if engine_of(name) not in (None, name.partition("@")[0]) and said.kind in VERDICTS_DIFFER:
                assert known.issue_of(*filter(None, [said.bucket_of(name)])), (case.name, name)
