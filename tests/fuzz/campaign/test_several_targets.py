"""Several targets in one campaign: each shader is drawn once, and each target has the findings that it has alone."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.fuzz.campaign.test_resume import lasting
from tests.fuzz.conftest import SMALL, ask_few_questions, make_tasks_small, ran
from tests.fuzz.fakes import FakeTarget, without
from wgsl_fuzz.fuzz.campaign.counters import Counters
from wgsl_fuzz.fuzz.cases.case import NO_REFERENCE, Given
from wgsl_fuzz.fuzz.cases.generator import CampaignGenerator
from wgsl_fuzz.fuzz.cases.plan import Plan
from wgsl_fuzz.fuzz.findings.finding import Finding
from wgsl_fuzz.fuzz.findings.loading import load_run
from wgsl_fuzz.fuzz.findings.records import DRAWN
from wgsl_fuzz.fuzz.judging.answers import OracleSet, ask_all
from wgsl_fuzz.fuzz.judging.kinds import Kind
from wgsl_fuzz.fuzz.regression.replay import ReplayStatus
from wgsl_fuzz.fuzz.regression.run_replay import replay_run, texts_of
from wgsl_fuzz.oracle.rules.analysis import analyse
from wgsl_fuzz.oracle.targets.families.functions import target_of
from wgsl_fuzz.oracle.targets.protocol import Target
from wgsl_fuzz.oracle.verdict import Answer
from wgsl_fuzz.tinywgsl.ast import Shader
from wgsl_fuzz.wgsl.lower.raising import print_shader

PLAN = Plan(49)
PROGRAMS = 2 * SMALL


def first() -> FakeTarget:
    return FakeTarget(without("10a"), name="first")


def second() -> FakeTarget:
    return FakeTarget(without("10a", "10b"), name="second")


def findings_of(out: Path) -> dict[str, list[Finding]]:
    found: dict[str, list[Finding]] = {}
    for one in load_run(out).findings:
        found.setdefault(one.target, []).append(one)
    return found


def as_drawn(found: Finding) -> tuple[Any, ...]:
    """What does not depend on the other targets of the run."""
    record = found.record
    drawn = record.first
    return record.place, drawn.kind, drawn.bucket, record.cause, found.files.get(DRAWN), record.describes


# ---------------------------------------------------------------------------------------------- what each of them has


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Counters]:
    """A run of both, with small tasks and reductions."""
    out = tmp_path_factory.mktemp("both") / "run"
    with pytest.MonkeyPatch.context() as patch:
        make_tasks_small(patch)
        ask_few_questions(patch)
        return out, ran(out, [first(), second()], PLAN, PROGRAMS)


@pytest.mark.usefixtures("few_questions", "small_tasks")
def test_together_they_have_the_findings_that_each_has_alone(tmp_path: Path, both: tuple[Path, Counters]) -> None:
    alone = ran(tmp_path / "a", [first()], PLAN, PROGRAMS), ran(tmp_path / "b", [second()], PLAN, PROGRAMS)
    out, counters = both
    assert counters.answers == alone[0].answers | alone[1].answers
    assert counters.keys == alone[0].keys + alone[1].keys
    together = findings_of(out)
    for name, folder in (("first", "a"), ("second", "b")):
        assert len(together[name]) > 1
        assert list(map(as_drawn, together[name])) == list(map(as_drawn, findings_of(tmp_path / folder)[name]))
    one, other, counted = (lasting(path)[3] for path in (tmp_path / "a", tmp_path / "b", out))
    assert counted == sorted(one + other, key=repr)


@pytest.mark.usefixtures("few_questions", "small_tasks")
def test_the_order_of_targets_does_not_matter(tmp_path: Path, both: tuple[Path, Counters]) -> None:
    ran(tmp_path / "other", [second(), first()], PLAN, PROGRAMS)
    one, other = lasting(both[0]), lasting(tmp_path / "other")
    assert one[1]
    assert one == other


def test_each_shader_is_drawn_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: Counter[int] = Counter()
    cases = CampaignGenerator.cases

    def counting(self: CampaignGenerator, indices: Sequence[int]) -> Any:
        drawn.update(indices)
        return cases(self, indices)

    monkeypatch.setattr(CampaignGenerator, "cases", counting)
    ran(tmp_path / "run", [FakeTarget(name=name) for name in "ab"], PLAN, SMALL)
    assert drawn == Counter(range(SMALL))


# ----------------------------------------------------------------------------------------------- what they share


@pytest.mark.usefixtures("few_questions", "small_tasks")
def test_what_targets_share_is_reduced_once(tmp_path: Path) -> None:
    targets = [FakeTarget(without("10a"), name=name) for name in ("first", "second")]
    ran(tmp_path / "run", [*targets, FakeTarget(name="right")], Plan(46), PROGRAMS)
    found = findings_of(tmp_path / "run")
    pairs = [pair for pair in zip(found["first"], found["second"], strict=True) if pair[0].record.left]
    assert pairs
    for one, other in pairs:
        assert (one.text, one.kind, one.record.cause) == (other.text, other.kind, other.record.cause)
        assert (one.record.shared, other.record.shared) == (("second",), ("first",))
        assert one.record.verdicts == other.record.verdicts
        assert one.record.verdicts["right"] == one.record.verdicts["wgsl"]
    # Each is asked about neighbours of what is reached.
    neighbours = sum(one.record.fit.asked for one, _ in pairs if one.record.fit is not None)
    others = targets[1].asked - PROGRAMS - neighbours
    assert 0 < others < (targets[0].asked - PROGRAMS - neighbours) / 2


MAIN = "@compute @workgroup_size(2) fn main(@builtin(local_invocation_index) lid: u32) { var x: u32; "
FIG_10A = "loop { workgroupBarrier(); continuing { break if lid == 0u; } } workgroupBarrier(); "


def test_a_finding_that_is_not_shared_is_reduced_by_itself(tmp_path: Path) -> None:
    """Both have the fault of Fig. 10a, but the second one shows it only where there is an `if`."""

    def without_if(shader: Shader) -> Answer | None:
        return None if has_if(print_shader(shader)) else Answer(analyse(shader).verdict)

    guarded = "if (lid == 7u) { x = 1u; } "
    given = [Given(f"{name}.wgsl", f"{MAIN}{code}{FIG_10A}}}") for name, code in (("without", ""), ("with", guarded))]
    targets = [first(), FakeTarget(without("10a"), without_if, name="second")]
    ran(tmp_path / "run", targets, PLAN, given=given)
    found = findings_of(tmp_path / "run")
    own = [one for one in found["second"] if one.record.left]
    assert own
    assert all(has_if(one.text) and one.record.verdicts["second"] == "accepts" for one in own)
    alone = [one for one in found["first"] if one.record.left and not one.record.shared]
    assert alone
    assert not any(has_if(one.text) for one in alone)


def has_if(text: str) -> bool:
    return re.search(r"(?<!break )if \(", text) is not None


# --------------------------------------------------------------------------------- where the reference is silent


UNKNOWN = """enable something_new;
override size : u32;
fn helper() -> u32 { return size; }
@compute @workgroup_size(2)
fn main() {
  let x = helper();
  barrier_of_tomorrow(x);
}
"""


def reads(text: str) -> str:
    return "rejects" if "barrier_of_tomorrow" in text else "accepts"


def accepts(text: str) -> str:
    return "accepts" if "tomorrow" in text else "rejects"  # else it would have no analysis


def refuses(text: str) -> str:
    return "invalid" if "override" in text else reads(text)


def differing() -> list[Target]:
    return [target_of(accepts, "a"), target_of(reads, "b"), target_of(refuses, "c")]


def of_unknown(out: Path) -> Mapping[str, Finding]:
    ran(out, differing(), PLAN, given=[Given("x.wgsl", UNKNOWN)])
    return {found.target: found for found in load_run(out).findings}


def test_targets_are_compared_where_the_reference_is_silent(tmp_path: Path) -> None:
    found = of_unknown(tmp_path / "run")
    assert {name: (one.kind, str(one.record.cause)) for name, one in found.items()} == {
        "b": (Kind.TARGETS_DIFFER, "rejects where a accepts"),
        "c": (Kind.TARGETS_DIFFER, "refuses where a and b read it: error: invalid"),
    }
    for name, one in found.items():
        assert one.record.reference == NO_REFERENCE
        assert one.record.verdicts == {"a": "accepts", "b": "rejects", "c": "invalid"}
        assert len(one.text) < len(UNKNOWN) / 2
        (again,) = ask_all([one.text], OracleSet(False, False, tuple(differing())))
        assert (name, one.record.cause) in [(f.target, f.cause) for f in again.found]
        assert "--oracle a" in one.record.reproduce
        assert "--oracle paper" not in one.record.reproduce


def test_a_difference_can_be_replayed(tmp_path: Path) -> None:
    of_unknown(tmp_path / "run")
    texts = [text for text in texts_of(load_run(tmp_path / "run")) if text[0].target == "b"]
    for does, word in ((reads, ReplayStatus.STILL), (accepts, ReplayStatus.FIXED)):
        said = {result.word for result in replay_run(texts, [target_of(does, "b")]).results}
        assert said == {word}
