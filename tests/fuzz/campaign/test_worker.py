"""What a worker asks of which shaders: all of the cheap, of the dear a sample."""

from dataclasses import replace

import pytest

from tests.fuzz.fakes import FakeTarget
from wgsl_fuzz.fuzz.campaign.worker import EXECUTE_EVERY, ShaderResult, Task, Worker
from wgsl_fuzz.fuzz.cases.plan import ALL, SAMPLE, Plan, is_sampled
from wgsl_fuzz.oracle.verdict import Verdict

PLAN = Plan(3)
COUNT = 160


def judged(plan: Plan, task: Task) -> list[ShaderResult]:
    """What a worker says of the shaders drawn, part by part: a busy machine makes the parts shorter."""
    worker, found = Worker(plan, [FakeTarget()]), list[ShaderResult]()
    while task.count:
        done = worker.work(task)
        found += done.judged
        task = replace(task, first=task.first + done.count, count=task.count - done.count)
    return [one for one in found if one.relation is None]


@pytest.mark.parametrize("execute", [SAMPLE, ALL])
def test_accepted_shaders_are_executed_as_the_plan_says(execute: str) -> None:
    for one in judged(replace(PLAN, execute=execute), Task(0, COUNT)):
        wanted = execute == ALL or is_sampled(one.index, EXECUTE_EVERY)
        assert (one.outcome is not None) is (one.verdict is Verdict.ACCEPTS and wanted)


def test_what_is_executed_changes_nothing_else() -> None:
    sample, every = (judged(replace(PLAN, execute=execute), Task(0, COUNT)) for execute in (SAMPLE, ALL))
    assert [replace(one, outcome=None) for one in sample] == [replace(one, outcome=None) for one in every]
