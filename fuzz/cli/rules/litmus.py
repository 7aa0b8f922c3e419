"""The command `litmus`: the litmus tests of SIMT-Step under its models (docs/simt-step.md).

With `--execute` on a graphics adapter: what the tests leave there is held against what the models allow.
"""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass

import click
import orjson

from wgsl_fuzz.fuzz.cli.options import allow_only, format_option
from wgsl_fuzz.fuzz.output import echo
from wgsl_fuzz.fuzz.present.wording import count
from wgsl_fuzz.fuzz.problems import Problem
from wgsl_fuzz.oracle.devices.device import Device
from wgsl_fuzz.oracle.devices.litmus import Allowance, Histogram, Outcome, Repeater, allowance, histogram, misfit
from wgsl_fuzz.oracle.simt_step.litmus import (
    BASE,
    LITMUS,
    TABLE_4,
    Behaviour,
    Litmus,
    Result,
    print_litmus,
    run,
)
from wgsl_fuzz.oracle.simt_step.rules import MODELS, Bounds

ALL = "all"
"""Stands for all litmus tests."""


@click.command()
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("--model", "models", multiple=True, type=click.Choice([*MODELS]), help="Repeats.  [default: all]")
@click.option(
    "--execute",
    type=click.IntRange(min=1),
    metavar="TIMES",
    help="Run each test so often on a graphics adapter, and compare with the models.",
)
@format_option("text", "json", "wgsl")
@click.pass_context
def litmus(
    context: click.Context,
    names: tuple[str, ...],
    models: tuple[str, ...],
    execute: int | None,
    form: str,
) -> None:
    """Run the litmus tests of SIMT-Step under its models.

    Each test is explored in all executions. A model allows only the synchronous behaviour of a test, or a relaxed one,
    too; the paper's Table 4 says which. Of a test by NAME the steps to a relaxed outcome are shown. Without NAME: the
    ten base tests; `all`: the figures of the paper, too. --format wgsl runs nothing. --execute needs
    wgsl-fuzz[execute]. A test that may not end is run if it is named.

    Exit status: 0 all as in the paper, 1 something is not, or a device did what no model given allows, 2 the request
    is at fault.
    """
    if form == "wgsl":
        allow_only(context, ("form",), "--format wgsl", "nothing is run")
        for test in _named(names):
            echo(print_litmus(test))
    elif execute is not None:
        allow_only(context, ("models", "execute", "form"), "--execute", "what a device does has no steps to show")
        by_name = bool(names) and names != (ALL,)
        context.exit(_run_on_device(_named(names), models or [*MODELS], execute, by_name, form == "json"))
    else:
        rows = ([run(t, m, Bounds()) for m in dict.fromkeys(models or MODELS)] for t in _named(names))
        context.exit(_told(rows, bool(names) and ALL not in names, form == "json"))


def _told(rows: Iterable[Sequence[Result]], witness: bool, as_json: bool) -> int:
    """Shows what the models allow of each test; 1 if something is not as in the paper, else 0."""
    done, wrong = 0, 0
    for row in rows:
        done += len(row)
        wrong += sum(not result.as_expected for result in row)
        _show(row[0].litmus, row, witness, as_json)
    if not as_json:
        echo(f"{done - wrong} of {done} as in the paper")
    return int(wrong > 0)


def _named(names: Sequence[str]) -> list[Litmus]:
    if ALL in names:
        return list(LITMUS.values())
    unknown = [name for name in names if name not in LITMUS]
    if unknown:
        raise Problem(f"there is no litmus test {unknown[0]}; there are {', '.join(LITMUS)}")
    return [LITMUS[name] for name in dict.fromkeys(names)] or list(BASE)


def _show(test: Litmus, results: Sequence[Result], witness: bool, as_json: bool) -> None:
    if as_json:
        for result in results:
            echo(orjson.dumps(_json(result)))
        return
    echo(f"{test.name:9} ({test.subgroups}, {test.size})  {test.what}")
    for result in results:
        echo(_line(result))
        if witness and result.behaviour is Behaviour.RELAXED:
            for step in result.witness:
                threads = ", ".join(map(str, step.threads))
                echo(f"      {step.rule:21} threads {threads}: {step.b}, instruction {step.place}")


def _line(result: Result) -> str:
    """A row of Table 4."""
    paper = TABLE_4.get((result.litmus.name, result.model))
    parts = [f"  {result.model:4} {result.behaviour.value:12} {result.states:>7,} states"]
    if paper is not None:
        parts.append(f"paper: {paper:,}")
    if result.gap:
        parts.append(result.gap)
    if result.stuck:
        parts.append(f"threads wait for ever in {result.stuck:,}")
    if not result.as_expected:
        parts.append(f"the paper: {result.litmus.expected(result.model).value}")
    return "; ".join(parts)


def _json(result: Result) -> dict[str, object]:
    test = result.litmus
    return {
        "test": test.name,
        "model": result.model,
        "subgroups": test.subgroups,
        "size": test.size,
        "behaviour": result.behaviour.value,
        "expected": test.expected(result.model).value,
        "states": result.states,
        "states of the paper": TABLE_4.get((test.name, result.model)),
        "witness": [
            {"rule": step.rule, "threads": step.threads, "block": step.b, "instruction": step.place}
            for step in result.witness
        ],
        "gap": result.gap or None,
        "stuck": result.stuck,
    }


_BAR = 20
UNDECIDED = "?"
"""After the name of a model: there may be more outcomes than were explored."""


@dataclass(frozen=True, slots=True)
class LitmusComparison:
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


def _run_on_device(
    tests: Iterable[Litmus], models: Sequence[str], iterations: int, by_name: bool, as_json: bool
) -> int:
    """Runs tests on whatever adapter there is; 1 if an outcome is none that a model given allows, else 0.

    `by_name`: the tests were named, so they are run whether or not they end.
    """
    run = outside = skipped = 0
    with closing(Device()) as device:
        for test in tests:
            done = _compared(device, test, models, iterations, by_name)
            run, outside, skipped = run + (not done.skipped), outside + done.is_outside, skipped + bool(done.skipped)
            _show_comparison(done, device.adapter, iterations, as_json)
    if not as_json:
        left_out = f", {skipped:,} not run" if skipped else ""
        echo(f"{device.adapter}: {count(run, 'test')} run{left_out}, {outside:,} with what no model allows")
    return int(outside > 0)


def _compared(device: Repeater, test: Litmus, names: Sequence[str], iterations: int, by_name: bool) -> LitmusComparison:
    """Runs a test on a device, unless it may not end or does not fit."""
    models = {name: allowance(test, name, Bounds()) for name in dict.fromkeys(names)}
    endless = [name for name, allows in models.items() if not allows.ends]
    why = misfit(device, test)
    if not why and endless and not by_name:
        reason = models[endless[0]].gap or "threads may wait for ever"
        why = f"{endless[0]} does not say that it ends ({reason}): it is run if asked for by name"
    seen = Histogram({}) if why else histogram(device, test, iterations)
    return LitmusComparison(test, models, seen, why or seen.refused)


def _show_comparison(done: LitmusComparison, adapter: str, iterations: int, as_json: bool) -> None:
    if as_json:
        echo(orjson.dumps(_comparison_json(done, adapter)))
        return
    test = done.test
    echo(f"{test.name:9} ({test.subgroups}, {test.size})  {test.what}")
    if done.skipped:
        echo(f"  not run: {' '.join(done.skipped.split())[:200]}")
        return
    for outcome, times in sorted(done.seen.outcomes.items(), key=lambda item: -item[1]):
        _row(
            "; ".join(f"{name} = {' '.join(map(str, values))}" for name, values in outcome),
            f"{times:,}",
            "#" * max(1, _BAR * times // iterations),
            done.allowing(outcome),
        )
    if done.seen.unended:
        _row("did not end", "", "", done.allowing(None))
    if done.unseen:
        echo(f"  {count(done.unseen, 'more outcome')} allowed, not seen")
    if done.is_outside:
        echo(print_litmus(test))


def _row(what: str, times: str, bar: str, models: list[str]) -> None:
    echo(f"  {times:>7} {bar:{_BAR}} {', '.join(models) or 'NO MODEL':17}  {what}")


def _comparison_json(done: LitmusComparison, adapter: str) -> dict[str, object]:
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
