"""The clock of stages: all time is in one stage, and none is lost or counted twice."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wgsl_fuzz.fuzz.cases.plan import GROUP, LANGUAGES, MIXED, Plan
from wgsl_fuzz.fuzz.cases.stages import STAGES, StageClock

STEPS = st.lists(st.tuples(st.sampled_from([*STAGES, None]), st.integers(0, 10**9), st.booleans()), max_size=30)


@given(STEPS)
def test_each_nanosecond_is_in_the_stage_that_was_entered_last(steps: list[tuple[str | None, int, bool]]) -> None:
    now, expected, told = 0, dict.fromkeys(STAGES, 0), dict.fromkeys(STAGES, 0.0)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(time, "thread_time_ns", lambda: now)
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
    drawn = [plan.language_of(index // GROUP) for index in range(programs)]
    assert counted == {name: drawn.count(name) for name in counted}
    assert sum(counted.values()) == programs
    assert (len(counted) > 1) == (language == MIXED)
