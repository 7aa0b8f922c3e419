"""The witness of a module in words: where two threads parted and why, and their steps."""

from collections.abc import Iterator, Sequence

from wgsl_fuzz.fuzz.cases.module_case import ModuleCase
from wgsl_fuzz.fuzz.present.divergence import SHOWN
from wgsl_fuzz.oracle.dynamics.modules.execution import ModuleExecution
from wgsl_fuzz.oracle.dynamics.modules.steps import ModuleStep, steps_of_module
from wgsl_fuzz.oracle.dynamics.witness import value_in_words

VALUES = 6
"""The values of a step that are shown."""


def module_divergence_lines(module: ModuleCase, done: ModuleExecution) -> Iterator[str]:
    """The witness; where the two threads parted and why; and their steps up to where they wait. Nothing without one."""
    one = module.placed
    yield from done.describe(one.text)
    steps = steps_of_module(one.resolution, done, one.text)
    parted = [step for step in steps if step.parts]
    if parted:
        yield f"they part at line {parted[0].line}: {parted[0].code}"
        for step in parted:
            yield f"  thread {step.thread}: {effect(step)}"
    if steps:
        yield "step by step:" if len(steps) <= SHOWN else f"the last {SHOWN} of {len(steps)} steps:"
    for step in steps[-SHOWN:]:
        words = effect(step)
        mark = "*" if step.parts else " "
        yield f"{mark} thread {step.thread}  line {step.line}: {step.code}{'  ' * bool(words)}{words}"


def effect(step: ModuleStep) -> str:
    """`-> true (x = 3)`, `-> v.x = 4, v.y = 5 (lid = 1)`."""
    result, reads = _result(step), _reads(step)
    return " ".join([f"-> {result}"] * bool(result) + [f"({reads})"] * bool(reads))


def _reads(step: ModuleStep) -> str:
    """`x = 3, lid = 1`."""
    return _values(list(step.reads.items()))


def _result(step: ModuleStep) -> str:
    """`true`, `v.x = 4, v.y = 5`."""
    if step.condition is not None:
        return value_in_words(step.condition)
    # An index that is computed writes all elements, most of them as they were.
    changed = [(name, value) for name, value in step.writes.items() if step.reads.get(name) != value]
    return _values(changed or list(step.writes.items()))


def _values(values: Sequence[tuple[str, str]]) -> str:
    more = [f"and {len(values) - VALUES} more"] * (len(values) > VALUES)
    return ", ".join([*(f"{name} = {value}" for name, value in values[:VALUES]), *more])
