"""`litmus --execute`: litmus tests on a graphics adapter, and what they leave held against what the models allow."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import orjson

from wgsl_fuzz.fuzz.output import echo
from wgsl_fuzz.fuzz.present.plurals import count
from wgsl_fuzz.fuzz.problems import Problem
from wgsl_fuzz.oracle.devices.device import Device
from wgsl_fuzz.oracle.devices.litmus import Allowance, Histogram, Outcome, Repeater, allowance, histogram, misfit
from wgsl_fuzz.oracle.simt_step.exploration import Bounds
from wgsl_fuzz.oracle.simt_step.litmus import Litmus
from wgsl_fuzz.oracle.simt_step.wgsl import print_litmus
from wgsl_fuzz.oracle.targets.protocol import TargetError

_BAR = 20
UNDECIDED = "?"
"""After the name of a model: there may be more outcomes than were explored."""


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked for. `by_name`: the tests were named, so they are run whether or not they end."""

    models: tuple[str, ...]
    bounds: Bounds
    iterations: int
    by_name: bool
    as_json: bool


@dataclass(frozen=True, slots=True)
class Comparison:
    """A test: what the models allow, and what the device did; `skipped` says why it was not run, or is empty."""

    test: Litmus
    models: Mapping[str, Allowance]
    seen: Histogram
    skipped: str = ""

    def allowing(self, outcome: Outcome | None) -> list[str]:
        """The models that allow an outcome, None being that it does not end; with a `?` those that may."""
        names = []
        for name, allows in self.models.items():
            if outcome in allows.outcomes or (outcome is None and not allows.ends and not allows.gap):
                names.append(name)
            elif allows.gap:
                names.append(name + UNDECIDED)
        return names

    @property
    def is_outside(self) -> bool:
        """Whether the device did what no model allows."""
        done: list[Outcome | None] = [*self.seen.outcomes, *([None] if self.seen.unended else [])]
        return not all(self.allowing(outcome) for outcome in done)

    @property
    def unseen(self) -> int:
        """How many outcomes some model allows that the device did not show."""
        return len(frozenset[Outcome]().union(*(a.outcomes for a in self.models.values())) - self.seen.outcomes.keys())


def run_litmus_on_device(tests: Iterable[Litmus], request: Request) -> int:
    """Runs tests on whatever adapter there is; 1 if an outcome is none that a model given allows, else 0."""
    try:
        device = Device()
    except TargetError as error:
        raise Problem(str(error)) from error
    run = outside = skipped = 0
    try:
        for test in tests:
            done = compared(device, test, request)
            run, outside, skipped = run + (not done.skipped), outside + done.is_outside, skipped + bool(done.skipped)
            _show(done, device.adapter, request)
    finally:
        device.close()
    if not request.as_json:
        left_out = f", {skipped:,} not run" if skipped else ""
        echo(f"{device.adapter}: {count(run, 'test')} run{left_out}, {outside:,} with what no model allows")
    return int(outside > 0)


def compared(device: Repeater, test: Litmus, request: Request) -> Comparison:
    """Runs a test on a device, unless it may not end or does not fit."""
    models = {name: allowance(test, name, request.bounds) for name in dict.fromkeys(request.models)}
    endless = [name for name, allows in models.items() if not allows.ends]
    why = misfit(device, test)
    if not why and endless and not request.by_name:
        reason = models[endless[0]].gap or "threads may wait for ever"
        why = f"{endless[0]} does not say that it ends ({reason}): it is run if asked for by name"
    seen = Histogram({}) if why else histogram(device, test, request.iterations)
    return Comparison(test, models, seen, why or seen.refused)


def _show(done: Comparison, adapter: str, request: Request) -> None:
    if request.as_json:
        echo(orjson.dumps(_json(done, adapter)))
        return
    test = done.test
    echo(f"{test.name:9} ({test.subgroups}, {test.size})  {test.what}")
    if done.skipped:
        echo(f"  not run: {' '.join(done.skipped.split())[:200]}")
        return
    for outcome, times in sorted(done.seen.outcomes.items(), key=lambda item: -item[1]):
        _row(_words(outcome), f"{times:,}", "#" * max(1, _BAR * times // request.iterations), done.allowing(outcome))
    if done.seen.unended:
        _row("did not end", "", "", done.allowing(None))
    if done.unseen:
        echo(f"  {count(done.unseen, 'more outcome')} allowed, not seen")
    if done.is_outside:
        echo(print_litmus(test))


def _row(what: str, times: str, bar: str, models: list[str]) -> None:
    echo(f"  {times:>7} {bar:{_BAR}} {', '.join(models) or 'NO MODEL':17}  {what}")


def _words(outcome: Outcome) -> str:
    return "; ".join(f"{name} = {' '.join(map(str, values))}" for name, values in outcome)


def _json(done: Comparison, adapter: str) -> dict[str, object]:
    return {
        "test": done.test.name,
        "device": adapter,
        "subgroups": done.test.subgroups,
        "size": done.test.size,
        "outcomes": [
            {"memory": dict(outcome), "count": times, "models": done.allowing(outcome)}
            for outcome, times in sorted(done.seen.outcomes.items(), key=lambda item: -item[1])
        ],
        "did not end": done.allowing(None) if done.seen.unended else None,
        "unseen": done.unseen,
        "outside": done.is_outside,
        "not run": done.skipped or None,
        "wgsl": print_litmus(done.test) if done.is_outside else None,
    }
