"""Relations between modules that a target breaks: one finding with both texts, named by what breaks it, and reduced."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fuzz.command import wgsl_fuzz
from tests.fuzz.conftest import ran
from tests.fuzz.fakes import FakeTarget, Reader
from tests.fuzz.runs import cause_named, key_named
from wgsl_fuzz.fuzz.campaign.counters import Concern
from wgsl_fuzz.fuzz.cases import generator
from wgsl_fuzz.fuzz.cases.case import read_module
from wgsl_fuzz.fuzz.cases.plan import Plan
from wgsl_fuzz.fuzz.findings.finding import Finding
from wgsl_fuzz.fuzz.findings.known import KnownBucket, KnownBuckets
from wgsl_fuzz.fuzz.findings.loading import load_run
from wgsl_fuzz.fuzz.judging.judge import cause_of_broken
from wgsl_fuzz.fuzz.judging.kinds import BucketKey, Cause, Kind
from wgsl_fuzz.fuzz.reduction.related import reduce_related
from wgsl_fuzz.fuzz.regression.corpus import load_case
from wgsl_fuzz.fuzz.regression.replay import ReplayStatus
from wgsl_fuzz.fuzz.regression.run_replay import replay_run, texts_of, words_of_buckets
from wgsl_fuzz.fuzz.triage.triage import Triage
from wgsl_fuzz.fuzz.triage.verdicts import bound_by, relation_of, said_of, who_is_right, wrong_texts
from wgsl_fuzz.oracle.rules.uniformity.revisions import DEPARTURES, SECTION_15_2, analyse_wgsl
from wgsl_fuzz.oracle.verdict import Answer, Verdict
from wgsl_fuzz.strategies.edit.relations import RELATION, every
from wgsl_fuzz.wgsl.printer import print_module
from wgsl_fuzz.wgsl.resolution import Resolution

ACCEPTS, REJECTS = Answer(Verdict.ACCEPTS), Answer(Verdict.REJECTS)
FORGETFUL = "tint/lets-of-parameters-remember"
PARENT = """\
var<workgroup> shared_word: u32;
fn f(p: ptr<workgroup, u32>) {
    var unread = 3u;
    *p = 1u;
    unread += 2u;
    if (*p == 0u) { workgroupBarrier(); }
    if (unread == 3u) { unread = 2u; }
}
@compute @workgroup_size(2) fn main() { f(&shared_word); }
"""
TWIN = PARENT.replace("    *p = 1u;", "    let q = p;\n    *p = 1u;").replace("*p ==", "*q ==")


def is_hated(text: str) -> bool:
    """Whether a text has a `switch` and uses a source: that is no matter of the `switch` alone."""
    uses = any("invocation" in line and "@builtin" not in line for line in text.splitlines())
    return "switch" in text and uses


def switch_hater(name: str) -> FakeTarget:
    """It rejects whatever is hated."""
    return Reader(lambda text: REJECTS if is_hated(text) else None, name)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, tuple[Finding, ...]]]:
    """The folder and the findings of a campaign that asks about nothing but relations, of each module."""
    out = tmp_path_factory.mktemp("relations") / "run"
    others = Concern(excluded=frozenset(Kind) - {Kind.METAMORPHIC})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(generator, "RELATED_EVERY", 1)
        ran(out, [switch_hater("fake")], Plan(14, language="compute"), 64, concern=others)
        yield out, load_run(out).findings


def test_a_module_and_its_twin_are_one_finding(run: tuple[Path, tuple[Finding, ...]]) -> None:
    assert run[1]
    for found in run[1]:
        record, relation = found.record, relation_of(found)
        assert (found.kind, record.reference) == (Kind.METAMORPHIC, SECTION_15_2)
        assert relation is RELATION[record.cause.relation]
        texts = found.text, found.files.get("related.wgsl") or ""
        assert sorted(map(is_hated, texts)) == [False, True]
        said = (record.verdicts["fake"], (record.related_verdicts or {})["fake"])
        assert said == tuple("rejects" if is_hated(text) else "accepts" for text in texts)
        least = read_module(texts[0]).statements or 0
        assert record.statements.reduced == least <= 2 < (record.statements.drawn or 0)
        assert wrong_texts(found) == (texts.index(next(filter(is_hated, texts))),)


def test_both_texts_are_told_shown_replayed_and_exported(run: tuple[Path, tuple[Finding, ...]]) -> None:
    out, (found, *_) = run
    assert relation_of(found) is not None
    assert "verdict" in bound_by(found)
    assert "The reference accepts both" in who_is_right(found)
    assert {one.oracle: one.words for one in said_of(found)}[SECTION_15_2] == ("accepts", "accepts")
    drawn = wgsl_fuzz(*found.record.draw_again.split()[1:]).stdout
    assert drawn.partition("\n")[2].strip() == (found.files.get("drawn.wgsl") or "").strip()
    shown = wgsl_fuzz("triage", out, "--show", "1").stdout
    assert "shader, whose verdict is wrong" in shown
    page = out / "report.html"
    assert wgsl_fuzz("report", out, "-o", page).exit_code == 0
    assert "whose verdict is right" in page.read_text(encoding="utf-8")
    made = wgsl_fuzz("triage", out, "--show", "1", "--format", "corpus", "-o", out / "corpus")
    assert made.exit_code == 0, made.output
    (folder,) = (out / "corpus").iterdir()
    case = load_case(folder)
    assert case.second is not None
    assert case.second.text in {one.files.get("related.wgsl") for one in run[1]}
    assert case.verdicts["fake"].kind is Kind.METAMORPHIC


@pytest.mark.parametrize(("hates", "word"), [(True, ReplayStatus.STILL), (False, ReplayStatus.FIXED)])
def test_it_is_replayed_with_both_texts(run: tuple[Path, tuple[Finding, ...]], hates: bool, word: ReplayStatus) -> None:
    stored = load_run(run[0])
    texts = list(texts_of(stored))
    assert all(case.second is not None for _, case in texts)
    done = replay_run(texts, [switch_hater("newer") if hates else FakeTarget(name="newer")])
    assert {one for _, _, one, _ in words_of_buckets(Triage.of(stored).buckets, texts, done)} == {word}


def cause(first: Answer, second: Answer) -> Cause:
    """The cause of the pair above, if a target says that of the two."""
    texts = (read_module(PARENT), first), (read_module(TWIN), second)
    return cause_of_broken("pointer-let", "tint@0.6.2", texts)


def test_the_departure_that_breaks_it_is_named() -> None:
    assert str(cause(REJECTS, ACCEPTS)) == f"pointer-let by {FORGETFUL}"
    plain = read_module("@compute @workgroup_size(1) fn main() { workgroupBarrier(); }")
    assert cause_of_broken("block", "tint@0.6.2", ((plain, REJECTS), (plain, ACCEPTS))) == Cause(relation="block")


def test_a_pair_is_known_if_what_breaks_it_is_known() -> None:
    key = BucketKey("tint@0.6.2", Kind.METAMORPHIC, cause(REJECTS, ACCEPTS))
    assert key_named(str(key)) == key
    single = KnownBucket(f"tint@0.6.2 too-lenient {FORGETFUL}", "https://example.org/1")
    assert KnownBuckets((single,)).entry_of(key) == single
    for other in (
        BucketKey("tint@0.6.3", Kind.METAMORPHIC, key.cause),
        BucketKey(key.target, Kind.METAMORPHIC, Cause(relation="pointer-let")),
        BucketKey(key.target, Kind.METAMORPHIC, cause_named(f"{key.cause}+tint/last-pointer-counts")),
    ):
        assert KnownBuckets((single,)).entry_of(other) is None


def test_a_pair_is_reduced_and_stays_broken_by_the_same_departure() -> None:
    relation, rules = RELATION["pointer-let"], DEPARTURES[FORGETFUL].rules
    parent = read_module(PARENT).resolution

    def accepts(module: Resolution) -> bool:
        return analyse_wgsl(module, rules).verdict is Verdict.ACCEPTS

    def same(one: Resolution, before: bool, twin: Resolution, after: bool) -> bool:
        texts = (read_module(print_module(each.module)) for each in (one, twin))
        said = [*zip(texts, (ACCEPTS if is_accepted else REJECTS for is_accepted in (before, after)))]
        return cause_of_broken(relation.name, "tint@0.6.2", said) == Cause((FORGETFUL,), relation="pointer-let")

    assert any(accepts(twin.resolution) != accepts(parent) for twin in every(relation, parent, 32))
    reduced, twin = reduce_related(relation, parent, accepts, same)
    assert twin is not None
    assert accepts(reduced.resolution) is False
    assert accepts(twin.resolution) is True
    assert reduced.statements <= 4
