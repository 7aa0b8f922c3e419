"""What a campaign draws: by place, reproducibly, with what was asked for."""

from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tinywgsl.wellformed import violations
from wgsl_fuzz.fuzz.cases import stages
from wgsl_fuzz.fuzz.cases.case import Case, read_module
from wgsl_fuzz.fuzz.cases.generator import CampaignGenerator, is_laid_out
from wgsl_fuzz.fuzz.cases.parents import LONGEST, mutated_shader, read_parents
from wgsl_fuzz.fuzz.cases.plan import GROUP, LANGUAGES, MIX, MIXED, REQUIRED, TINY, Plan, is_sampled
from wgsl_fuzz.fuzz.cases.stages import STAGES, StageClock
from wgsl_fuzz.fuzz.findings.schema import RecordError, read, write
from wgsl_fuzz.tinywgsl.ast import Shader
from wgsl_fuzz.wgsl.parser import parse
from wgsl_fuzz.wgsl.printer import print_module


def shader_of(case: Case) -> Shader:
    assert case.core is not None
    return case.core


@pytest.mark.parametrize(("language", "places"), [(TINY, range(3 * GROUP)), (MIXED, range(0, 4 * GROUP * len(MIX), 5))])
def test_a_place_has_one_shader_and_one_text(language: str, places: range) -> None:
    one, other = (CampaignGenerator(Plan(3, language=language)) for _ in range(2))
    backwards = {index: other.case(index).text for index in reversed(places)}
    assert {index: one.case(index).text for index in places} == backwards


def test_a_mixed_run_has_all_languages() -> None:
    plan = Plan(1, language=MIXED)
    languages = [plan.language_of(group * GROUP) for group in range(len(MIX))]
    assert set(languages) == set(LANGUAGES) - {MIXED, "proposals"}
    generator = CampaignGenerator(plan)
    for group, language in enumerate(languages):
        assert language != TINY or generator.case(group * GROUP).core is not None


def test_runs_with_different_seeds_share_nothing() -> None:
    texts = [{CampaignGenerator(Plan(seed)).case(index).text for index in range(50)} for seed in (1, 2)]
    assert not texts[0] & texts[1]


def test_a_shader_in_eight_has_a_layout_of_its_own() -> None:
    """Wherever else something is done."""
    for step in (1, 16, 64, 256):
        laid_out = [is_laid_out(index) for index in range(0, 800 * step, step)]
        assert 0.1 < sum(laid_out) / len(laid_out) < 0.15
    generator = CampaignGenerator(Plan(7, language="compute"))
    for index in range(40):
        case = generator.case(index)
        assert case.spelled == is_laid_out(index)
        if case.spelled:
            assert parse(case.text) == case.resolution.module
            assert case.plain.text == print_module(case.resolution.module) or case.plain is case or case.core


def test_a_drawn_shader_lowers_to_tinywgsl_and_its_plain_print_too() -> None:
    """The seven restrictions of the paper hold of every one, however it is spelled."""
    generator = CampaignGenerator(Plan(6))
    cases = [generator.case(index) for index in range(120)]
    for case in cases:
        assert violations(shader_of(case), main_may_return=True) == []
        assert case.plain.core is not None
        assert case.spelled or case.plain is case
    assert any(case.plain is not case for case in cases)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("required", REQUIRED)
def test_what_is_required_is_there(language: str, required: str) -> None:
    generator = CampaignGenerator(Plan(1, required, language=language))
    assert {generator.case(index).verdict for index in range(0, 12 * GROUP, GROUP)} == {REQUIRED[required]}
    assert generator.misses == 0


@pytest.mark.parametrize("plan", [Plan(1), Plan(2, "uniform", relations=False, language="compute")])
def test_a_plan_survives_its_record(plan: Plan) -> None:
    import orjson

    assert read(Plan, orjson.loads(orjson.dumps(write(plan, nulls=True)))) == plan


@pytest.mark.parametrize("record", [{}, {"seed": 1}, None])
def test_what_is_no_plan_is_a_problem(record: Any) -> None:
    with pytest.raises(RecordError, match=r"there is no|no JSON object"):
        read(Plan, record, [f.name for f in fields(Plan)])


# --------------------------------- Parents of mutants: which files of a folder are read, and what is said of the others


SHADER = "@compute @workgroup_size(4)\nfn main(@builtin(local_invocation_index) n: u32) {\n    workgroupBarrier();\n}\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with parents, what is none, and links."""
    inside = tmp_path / "a"
    inside.mkdir()
    (inside / "two.wgsl").write_text(SHADER)
    (inside / "one.wgsl").write_text(SHADER.replace("4", "8"))
    (inside / "notes.txt").write_text("fn")
    (tmp_path / "broken.wgsl").write_text("fn main( {")
    (tmp_path / "bytes.wgsl").write_bytes(b"\xff\xfe")
    (tmp_path / "large.wgsl").write_text(SHADER + " " * LONGEST)
    (tmp_path / "later.wgsl").write_text("enable later;")
    (tmp_path / "link.wgsl").symlink_to(inside / "one.wgsl")
    (tmp_path / "loop").symlink_to(tmp_path)
    return tmp_path


def test_a_folder_is_read_by_name_and_without_links(folder: Path) -> None:
    parents = read_parents([folder])
    assert [path for path, _ in parents.found] == [str(folder / "a" / name) for name in ("one.wgsl", "two.wgsl")]


def test_what_is_passed_over_is_named_with_a_reason(folder: Path) -> None:
    reasons = {Path(path).stem: reason for path, reason in read_parents([folder]).passed_over}
    assert reasons.keys() == {"broken", "bytes", "large", "later"}
    assert reasons["bytes"] == "it is not UTF-8"
    assert reasons["large"].startswith("it is longer than")
    assert reasons["broken"].startswith("line 1, column 10: ")
    assert "later" in reasons["later"]


def test_a_file_that_is_named_may_have_any_suffix_and_be_a_link(folder: Path) -> None:
    (folder / "odd.txt").write_text(SHADER)
    assert len(read_parents([folder / "odd.txt", folder / "link.wgsl"]).found) == 2


def test_a_mutant_is_a_function_of_its_place(folder: Path) -> None:
    parents = read_parents([folder])
    texts = [mutated_shader(parents, 3, index)[1].text for index in range(20)]
    assert texts == [mutated_shader(read_parents([folder]), 3, index)[1].text for index in range(20)]
    assert texts != [mutated_shader(parents, 4, index)[1].text for index in range(20)]
    assert len(set(texts)) > 10


# ------------------------------------- The clock of stages: all time is in one stage, and none is lost or counted twice


STEPS = st.lists(st.tuples(st.sampled_from([*STAGES, None]), st.integers(0, 10**9), st.booleans()), max_size=30)


@given(STEPS)
def test_each_nanosecond_is_in_the_stage_that_was_entered_last(steps: list[tuple[str | None, int, bool]]) -> None:
    now, expected, told = 0, dict.fromkeys(STAGES, 0), dict.fromkeys(STAGES, 0.0)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stages, "_now", lambda: now)
        clock, before = StageClock(), None
        for stage, passed, asked in steps:
            assert clock.enter(stage) == before
            before = stage
            now += passed
            if stage is not None:
                expected[stage] += passed
            if asked:
                for name, seconds in clock.taken().items():
                    told[name] += seconds
        for name, seconds in clock.taken().items():
            told[name] += seconds
        assert clock.taken() == dict.fromkeys(clock.taken(), 0.0)
    assert told == pytest.approx({stage: ns / 1e9 for stage, ns in expected.items()})


@given(st.sampled_from(LANGUAGES), st.integers(0, 40 * GROUP))
def test_programs_are_counted_by_their_languages(language: str, programs: int) -> None:
    plan = Plan(1, language=language)
    counted = plan.languages_of(programs)
    drawn = [plan.language_of(index) for index in range(programs)]
    assert counted == {name: drawn.count(name) for name in counted}
    assert sum(counted.values()) == programs
    assert (len(counted) > 1) == (language == MIXED)


# ------------------------ Samples of a run's places: of the size they are asked for, and even over groups and languages


MOST = 1 << 14
EVERY = [16, 64, 256]


@pytest.mark.parametrize("every", EVERY)
def test_a_sample_has_its_share_of_places_and_of_each_language(every: int) -> None:
    sample = [i for i in range(MOST) if is_sampled(i, every)]
    assert abs(len(sample) - MOST / every) <= MOST / every / 8
    for parts in (GROUP, len(MIX)):
        for part in range(parts):
            share = sum(i // GROUP % parts == part for i in sample) * parts / len(sample)
            assert 0.4 < share < 1.6
    assert {i % GROUP for i in sample} == set(range(GROUP))


@given(st.integers(0, 1 << 40), st.integers(0, 10), st.integers(0, 10))
def test_larger_samples_hold_smaller_ones(index: int, one: int, other: int) -> None:
    rare, often = 1 << max(one, other), 1 << min(one, other)
    assert not is_sampled(index, rare) or is_sampled(index, often)
    assert is_sampled(0, rare)


def test_what_sinks_into_a_block_writes_to_no_constant_there() -> None:
    (case,) = CampaignGenerator(Plan(110, language=MIXED)).cases(range(2452, 2453))
    assert read_module(case.text).verdict is case.verdict
