"""What a worker asks of which shaders: all of the cheap, of the dear a sample."""

from dataclasses import replace

import pytest

from tests.fuzz.fakes import FakeTarget
from wgsl_fuzz.fuzz.campaign.worker import EXECUTE_EVERY, OFTEN, ShaderResult, Task, Worker
from wgsl_fuzz.fuzz.cases.plan import ALL, SAMPLE, Plan, is_sampled
from wgsl_fuzz.oracle.verdict import Verdict

PLAN = Plan(3, "small")
COUNT = 160


def judged(plan: Plan, task: Task) -> list[ShaderResult]:
    return [one for one in Worker(plan, [FakeTarget()]).work(task).judged if one.relation is None]


@pytest.mark.parametrize("execute", [SAMPLE, ALL])
def test_accepted_shaders_are_executed_as_the_plan_says(execute: str) -> None:
    for one in judged(replace(PLAN, execute=execute), Task(0, COUNT)):
        wanted = execute == ALL or is_sampled(one.index, EXECUTE_EVERY)
        assert (one.outcome is not None) is (one.verdict is Verdict.ACCEPTS and wanted)


def test_what_is_executed_changes_nothing_else() -> None:
    sample, every = (judged(replace(PLAN, execute=execute), Task(0, COUNT)) for execute in (SAMPLE, ALL))
    assert [replace(one, outcome=None) for one in sample] == [replace(one, outcome=None) for one in every]


def test_counting_branches_does_not_change_what_steering_learns() -> None:
    asked = Task(0, COUNT, probe_every=16, probe_often=("10a", "10b"))
    without, counted = judged(PLAN, asked), judged(PLAN, replace(asked, coverage=True))
    assert [(one.decided, one.text) for one in without] == [(one.decided, one.text) for one in counted]
    assert [one.index for one in counted if one.covered is not None] == [
        i for i in range(COUNT) if is_sampled(i, 16) or is_sampled(i, OFTEN)
    ]
    assert all(set(one.decided) <= set(one.covered) for one in counted if one.covered is not None)
