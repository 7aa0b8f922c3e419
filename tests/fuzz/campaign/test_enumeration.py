"""Going through an enumeration: everything is asked once, in order, and a run that was cut off goes on."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fuzz.campaign.test_resume import Killed, lasting
from tests.fuzz.conftest import ran, resumed
from tests.fuzz.fakes import FakeTarget, without
from tests.wgsl.reading import parse
from wgsl_fuzz.fuzz.campaign.counters import Counters
from wgsl_fuzz.fuzz.cases.course import ShaderSequence
from wgsl_fuzz.fuzz.findings.directory import LIMIT
from wgsl_fuzz.fuzz.findings.loading import load_run, read_campaign
from wgsl_fuzz.fuzz.findings.records import DRAWN
from wgsl_fuzz.fuzz.judging.kinds import Kind
from wgsl_fuzz.fuzz.problems import Problem
from wgsl_fuzz.oracle.core import core_of
from wgsl_fuzz.oracle.dynamics.modules.execution import Execution
from wgsl_fuzz.oracle.rules.analysis import analyse
from wgsl_fuzz.oracle.rules.rule_set import UNCHANGED, Rules
from wgsl_fuzz.oracle.rules.uniformity.revisions import SECTION_15_2, WGSL_RULE_SETS
from wgsl_fuzz.oracle.verdict import Answer, Outcome, Verdict
from wgsl_fuzz.strategies.enumerate.families import FAMILIES, LOOP_BODY, MAIN, POINTER_FUNCTION
from wgsl_fuzz.tinywgsl.ast import Loop, Return, Shader, walk
from wgsl_fuzz.wgsl.lower.raising import print_shader
from wgsl_fuzz.wgsl.resolution import Resolution

COURSE = ShaderSequence([FAMILIES["two-function"], FAMILIES["single-loop"]], 1)
"""15 and 107 shaders."""


def lenient(shader: Shader) -> Answer | None:
    """Refuses what has a return in main, and else accepts what has a loop: many findings, of several kinds."""
    kinds = [type(s) for s in walk(shader.main.body)]
    if Return in kinds:
        return Answer(Verdict.INVALID, "error: no")
    return Answer(Verdict.ACCEPTS) if Loop in kinds else None


@pytest.fixture(autouse=True)
def _small_tasks(monkeypatch: pytest.MonkeyPatch) -> None:
    """A kill loses the last of several tasks."""
    monkeypatch.setattr("wgsl_fuzz.fuzz.campaign.campaign.TASK", 16)


# ---------------------------------------------------------------------------------------------------- the whole way


@pytest.mark.parametrize("rules", [UNCHANGED, without("10a")])
def test_every_shader_is_asked_once_in_order(tmp_path: Path, rules: Rules) -> None:
    asked: list[str] = []

    def noted(shader: Shader) -> None:
        asked.append(print_shader(shader))

    tally = ran(tmp_path / "run", [FakeTarget(rules, noted)], COURSE.plan(), COURSE.count)
    texts = [COURSE.case(i).text for i in range(COURSE.count)]
    # A finding is verified before it is saved: its text is asked about again.
    assert list(dict.fromkeys(asked)) == [print_shader(parse(text)) for text in texts]
    assert tally.programs == COURSE.count == sum(f.up_to(1).count for f in COURSE.families)
    expected = sum(analyse(parse(text)).verdict is not analyse(parse(text), rules).verdict for text in texts)
    assert tally.findings.total() == tally.keys.total() == expected


def test_findings_are_saved_as_a_campaign_saves_them(straight: tuple[Path, Counters]) -> None:
    """All that is accepted is explored."""
    out, tally = straight
    assert tally.outcomes[Outcome.CONVERGES] == tally.outcomes.total() == tally.reference[Verdict.ACCEPTS] > 0
    run = load_run(out)
    assert run.broken == ()
    assert {f.kind for f in run.findings} == set(tally.findings) >= {Kind.UNSOUND, Kind.INVALID}
    assert len(run.findings) + run.counted.total() == tally.findings.total() > LIMIT
    for finding in run.findings:
        shader, said = parse(finding.files.get(DRAWN) or ""), finding.record.first.verdicts or {}
        assert COURSE.nth(finding.record.place.index or 0) == shader
        assert FAMILIES[finding.record.place.family or ""].up_to(1).nth(finding.record.place.number or 0) == shader
        assert said[SECTION_15_2] == analyse(shader).verdict.value
        assert said["fake"] == ("invalid" if finding.kind.value == "invalid" else "accepts")
        assert finding.record.draw_again.startswith(f"wgsl-fuzz enumerate --family {finding.record.place.family} ")
    assert any(finding.is_reduced for finding in run.findings)
    assert read_campaign(out)[0].finished


def test_the_paper_is_asked_about_every_shader_that_lowers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If it accepted all of TinyWGSL, each shader that the specification rejects would be a finding."""

    def lenient_paper(resolution: Resolution) -> Verdict | None:
        return None if core_of(resolution).shader is None else Verdict.ACCEPTS

    course = ShaderSequence([MAIN, POINTER_FUNCTION], 3)
    monkeypatch.setattr("wgsl_fuzz.fuzz.cases.case.paper_verdict", lenient_paper)
    tally = ran(tmp_path / "run", [FakeTarget()], course.plan(), course.count)
    rejected = sum(analyse(shader).verdict is Verdict.REJECTS for shader in MAIN.up_to(3))
    assert dict(tally.findings) == {Kind.REFERENCE: rejected}


# --------------------------------------------------------------------------------------------------------- resuming


class Mortal(FakeTarget):
    """Tint 0.6.2, by its rules; dies when it is to answer a shader."""

    def __init__(self, lives: int = 10_000) -> None:
        super().__init__(WGSL_RULE_SETS["wgsl-tint-0.6.2"], name="tint@0.6.2")
        self.lives = lives

    def submit(self, texts: Sequence[str]) -> None:
        if self.asked + len(texts) > self.lives:
            raise Killed
        super().submit(texts)


@pytest.fixture(scope="module")
def straight(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Counters]:
    """A run that nobody kills."""
    out = tmp_path_factory.mktemp("straight") / "run"
    return out, ran(out, [FakeTarget(UNCHANGED, lenient)], COURSE.plan(), COURSE.count)


def test_a_run_that_was_stopped_has_judged_all_that_was_handed_over(tmp_path: Path) -> None:
    target = FakeTarget()
    tally = ran(tmp_path / "run", [target], COURSE.plan(), COURSE.count, stopped=lambda: target.asked >= 50)
    assert 50 <= tally.programs == target.asked == read_campaign(tmp_path / "run")[0].programs < COURSE.count
    rest = resumed(tmp_path / "run", [FakeTarget()], COURSE.count - tally.programs)
    assert rest.counters.programs == COURSE.count


def test_an_enumeration_of_other_shaders_does_not_go_on() -> None:
    course = COURSE.plan().course
    assert course is not None
    assert ShaderSequence.of(course).plan().course == course
    for other in (replace(course, count=7), replace(course, version=0)):
        with pytest.raises(Problem, match="other shaders"):
            ShaderSequence.of(other)


# ---------------------------------------------------------------------------------------------- the whole language


MODULES = ShaderSequence([POINTER_FUNCTION, LOOP_BODY], 3)
"""Of which the rules of the current Tint reject 35 that the reference accepts."""


def test_modules_are_judged_as_shaders_are_and_a_run_that_was_killed_goes_on(tmp_path: Path) -> None:
    straight = ran(tmp_path / "straight", [Mortal()], MODULES.plan(), MODULES.count)
    assert straight.programs == MODULES.count
    assert {str(key): n for key, n in straight.keys.items()} == {
        "tint@0.6.2 too-strict tint/joins-at-end-of-function": 4,
        "tint@0.6.2 too-strict tint/joins-at-empty-continuing": 30,
        "tint@0.6.2 too-strict tint/joins-at-empty-continuing+tint/unbroken-loop-keeps-variables": 1,
    }
    with pytest.raises(Killed):
        ran(tmp_path / "cut", [Mortal(1_000)], MODULES.plan(), MODULES.count)
    done = read_campaign(tmp_path / "cut")[0].programs
    assert 0 < done < MODULES.count
    resumed(tmp_path / "cut", [Mortal()], MODULES.count - done)
    assert lasting(tmp_path / "cut") == lasting(tmp_path / "straight")
    for found in load_run(tmp_path / "cut").findings:
        assert found.record.reference == SECTION_15_2
        assert found.record.verdicts["semantics"] == Outcome.CONVERGES.value


def test_what_cannot_be_run_is_not_taken_for_sampled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cannot = Execution(Outcome.NOT_SEEN, cannot="a texture")
    monkeypatch.setattr("wgsl_fuzz.fuzz.cases.case.execute", lambda *_, **__: cannot)
    course = ShaderSequence([POINTER_FUNCTION], 2)
    tally = ran(tmp_path / "run", [Mortal()], course.plan(), course.count)
    assert tally.reference[Verdict.ACCEPTS]
    assert not tally.outcomes


# ------------------------------------------------------------------------------------------------------- the course


@given(st.lists(st.sampled_from([*FAMILIES.values()]), unique=True, min_size=1), st.integers(2, 4), st.data())
def test_a_place_in_a_course_is_a_place_in_a_family(families: list[Any], most: int, data: st.DataObject) -> None:
    course = ShaderSequence(families, most)
    position = data.draw(st.integers(0, course.count - 1))
    name, number = course.where(position)
    assert course.nth(position) == FAMILIES[name].up_to(most).nth(number)
    before = sum(f.up_to(most).count for f in families[: [f.name for f in families].index(name)])
    assert position == before + number
