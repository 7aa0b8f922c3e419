"""Findings that two related shaders show: relations broken by planted faults are reduced to their known minimum."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest

from tests.fuzz.reduction.neighbours import smaller_neighbours
from wgsl_fuzz.fuzz.cases.case import count_statements
from wgsl_fuzz.fuzz.reduction.related import reduce_related
from wgsl_fuzz.oracle.core import from_core
from wgsl_fuzz.oracle.rules.uniformity.revisions import all_variants, judge_wgsl
from wgsl_fuzz.oracle.verdict import Verdict
from wgsl_fuzz.strategies import SMALL_TINY, draw_shader
from wgsl_fuzz.strategies.choices.source import RandomSource, RecordingSource
from wgsl_fuzz.strategies.edit.relations import RELATION, RelatedShader, applied, every
from wgsl_fuzz.wgsl.printer import print_module
from wgsl_fuzz.wgsl.resolution import Resolution

Accepts = Callable[[Resolution], bool | None]


@dataclass(frozen=True)
class Fault:
    """A target that breaks a relation, and the statements of the smallest shader known that shows it."""

    relation: str
    accepts: Callable[[Resolution], bool]
    least: int

    def starts(self) -> Iterator[RelatedShader]:
        """Drawn shaders whose drawn twin shows it, as the twin's choices and the shader."""
        relation = RELATION[self.relation]
        for seed in range(4_000):
            shader, recording = from_core(draw_shader(seed, SMALL_TINY)), RecordingSource(RandomSource(seed))
            twin = applied(relation, shader, recording)
            if twin is not None and not relation.implication.holds(self.accepts(shader), self.accepts(twin)):
                yield RelatedShader(relation, shader, tuple(recording.choices))


def reference(shader: Resolution) -> bool:
    return judge_wgsl(shader).verdict is Verdict.ACCEPTS


def by_rules(name: str) -> Callable[[Resolution], bool]:
    rules = all_variants()[name].rules
    return lambda shader: judge_wgsl(shader, rules).verdict is Verdict.ACCEPTS


def wrong_if(holds: Callable[[str], bool]) -> Callable[[Resolution], bool]:
    """A target that is wrong about texts of some form."""
    return lambda shader: reference(shader) is not holds(print_module(shader.module))


def any_cause(_one: Resolution, _before: bool, _twin: Resolution, _after: bool) -> bool:
    return True


FAULTS = [
    Fault("negated", wrong_if(lambda text: "if (!" in text), 1),
    Fault("mirrored", wrong_if(lambda text: "2u < " in text), 1),
    Fault(
        "barrier-removed", lambda shader: reference(shader) and print_module(shader.module).count("Barrier()") != 1, 2
    ),
    Fault("dead-code", by_rules("list/next/dead-code-analysed"), 2),
    Fault("named", by_rules("let/value/uniform"), 3),
]


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.relation)
def test_a_broken_relation_is_reduced_to_its_known_minimum_or_two_more(fault: Fault) -> None:
    start = next(fault.starts())
    relation = start.relation
    reduction, twin = reduce_related(relation, start.resolution, fault.accepts, any_cause, near=start.choices)
    assert twin is not None
    assert not relation.implication.holds(fault.accepts(reduction.resolution), fault.accepts(twin.resolution))
    assert print_module(twin.module) in [print_module(o.module) for o in every(relation, reduction.resolution, 10_000)]
    assert reduction.statements <= fault.least + 2, reduction.text
    for smaller in smaller_neighbours(reduction.resolution):
        before, twins = fault.accepts(smaller), every(relation, smaller, 32)
        assert all(relation.implication.holds(before, fault.accepts(twin.resolution)) for twin in twins)


def test_a_target_is_asked_about_no_text_twice() -> None:
    asked: list[str] = []

    def accepts(one: Resolution) -> bool | None:
        asked.append(print_module(one.module))
        return (True, False, None)[count_statements(one.module) % 3]

    for seed in range(4):
        del asked[:]
        reduce_related(RELATION["empty-if"], from_core(draw_shader(seed, SMALL_TINY)), accepts, any_cause, most=8)
        assert asked
        assert len(set(asked)) == len(asked)


@pytest.mark.parametrize("accepts", [reference, lambda _: True, lambda _: None])
def test_a_target_that_keeps_the_relation_now_has_no_twin(accepts: Accepts) -> None:
    shader = from_core(draw_shader(1, SMALL_TINY))
    reduction, twin = reduce_related(RELATION["negated"], shader, accepts, any_cause)
    assert twin is None
    assert reduction.statements == count_statements(shader.module)


def test_giving_up_keeps_what_was_reached_and_its_twin() -> None:
    start = next(FAULTS[0].starts())
    given = start.relation, start.resolution, FAULTS[0].accepts, any_cause
    reduction, twin = reduce_related(*given, near=start.choices, give_up=lambda: True)
    assert (reduction.tried, reduction.resolution) == (0, start.resolution)
    assert twin is not None


def test_a_twin_for_another_reason_is_none() -> None:
    start = next(FAULTS[0].starts())
    _, twin = reduce_related(start.relation, start.resolution, FAULTS[0].accepts, lambda *_: False, near=start.choices)
    assert twin is None
