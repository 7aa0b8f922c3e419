"""The command `litmus`: the litmus tests of SIMT-Step under its models (docs/simt-step.md)."""

from collections.abc import Iterable, Iterator, Sequence

import click
import orjson

from wgsl_fuzz.fuzz.cli.litmus_device import Request, run_litmus_on_device
from wgsl_fuzz.fuzz.cli.options import allow_only, format_option
from wgsl_fuzz.fuzz.output import echo
from wgsl_fuzz.fuzz.problems import Problem
from wgsl_fuzz.oracle.simt_step.exploration import Bounds
from wgsl_fuzz.oracle.simt_step.litmus import BASE, LITMUS, TABLE_4, Behaviour, Litmus, Result, run
from wgsl_fuzz.oracle.simt_step.models import MODELS
from wgsl_fuzz.oracle.simt_step.variants import variant
from wgsl_fuzz.oracle.simt_step.wgsl import print_litmus

ALL = "all"
"""Stands for all litmus tests."""


@click.command()
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("--model", "models", multiple=True, type=click.Choice([*MODELS]), help="Repeats.  [default: all]")
@click.option("--variants", type=click.IntRange(min=1), help="So many fuzzed variants of each test instead of it.")
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
    variants: int | None,
    execute: int | None,
    form: str,
) -> None:
    """Run the litmus tests of SIMT-Step under its models.

    Each test is explored in all executions. A model allows only the synchronous behaviour of a test, or a relaxed one,
    too; the paper's Table 4 says which. Of a test by NAME the steps to a relaxed outcome are shown. Without NAME: the
    ten base tests; `all`: the figures of the paper, too. --format wgsl runs nothing. A variant has other local
    instructions and control flow, and asks the same. --execute needs wgsl-fuzz[execute]. A test that may not end is run
    if it is named.

    Exit status: 0 all as in the paper, 1 something is not, or a device did what no model given allows, 2 the request
    is at fault.
    """
    _check(context, form, execute)
    tests = _tests(_named(names), variants)
    if form == "wgsl":
        for test in tests:
            echo(print_litmus(test))
    elif execute is not None:
        by_name = bool(names) and names != (ALL,)
        request = Request(models or tuple(MODELS), Bounds(), execute, by_name, form == "json")
        context.exit(run_litmus_on_device(tests, request))
    else:
        rows = ([run(t, m, Bounds()) for m in dict.fromkeys(models or MODELS)] for t in tests)
        context.exit(_told(rows, bool(names) and ALL not in names, form == "json"))


def _check(context: click.Context, form: str, execute: int | None) -> None:
    """Raises Problem for options that do not go together."""
    if form == "wgsl":
        allow_only(context, ("variants", "form"), "--format wgsl", "nothing is run")
    elif execute is not None:
        why = "what a device does has no steps to show"
        allow_only(context, ("variants", "models", "execute", "form"), "--execute", why)


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


def _tests(tests: Sequence[Litmus], variants: int | None) -> Iterator[Litmus]:
    """The tests themselves, or so many variants of each."""
    for test in tests:
        yield from [test] if variants is None else (variant(test, n) for n in range(variants))


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
