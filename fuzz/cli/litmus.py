"""The command `litmus`: the litmus tests of SIMT-Step under its models (docs/simt-step.md)."""

from collections.abc import Iterable, Iterator, Sequence

import click
import orjson

from wgsl_fuzz.fuzz.cli.litmus_device import Request, run_litmus_on_device
from wgsl_fuzz.fuzz.cli.options import allow_only, given_options
from wgsl_fuzz.fuzz.output import echo
from wgsl_fuzz.fuzz.problems import Problem
from wgsl_fuzz.oracle.simt_step.exploration import Bounds
from wgsl_fuzz.oracle.simt_step.litmus import BASE, LITMUS, TABLE_4, Behaviour, Litmus, Result, run
from wgsl_fuzz.oracle.simt_step.models import MODELS
from wgsl_fuzz.oracle.simt_step.variants import variant
from wgsl_fuzz.oracle.simt_step.wgsl import print_litmus


@click.command()
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("--model", "models", multiple=True, type=click.Choice([*MODELS]), help="Repeats.  [default: all]")
@click.option("--all", "every", is_flag=True, help="The figures of the paper, too.")
@click.option(
    "--states", type=click.IntRange(min=1), default=Bounds().states, show_default=True, help="At most, of one test."
)
@click.option("--fewer-orders", is_flag=True, help="Leave out orders of steps that touch no memory.")
@click.option("--witness", is_flag=True, help="Show the steps to a relaxed outcome.")
@click.option("--variants", type=click.IntRange(min=1), help="So many fuzzed variants of each test instead of it.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Number of the first variant.")
@click.option("--wgsl", is_flag=True, help="Print the tests as WGSL with subgroups, and run nothing.")
@click.option("--execute", is_flag=True, help="Run the tests on a graphics adapter, and compare with the models.")
@click.option(
    "--iterations", type=click.IntRange(min=1), default=1000, show_default=True, help="Of each test, with --execute."
)
@click.option("--json", "as_json", is_flag=True, help="A line for each test and model; with --execute for each test.")
@click.pass_context
def litmus(
    context: click.Context,
    names: tuple[str, ...],
    models: tuple[str, ...],
    every: bool,
    states: int,
    fewer_orders: bool,
    witness: bool,
    variants: int | None,
    seed: int,
    wgsl: bool,
    execute: bool,
    iterations: int,
    as_json: bool,
) -> None:
    """Run the litmus tests of SIMT-Step under its models.

    Each test is explored in all executions. A model allows only the synchronous behaviour of a test, or a relaxed one,
    too; the paper's Table 4 says which. Without NAME: the ten base tests. A variant has other local instructions and
    control flow, and asks the same. --execute needs wgsl-fuzz[execute]. A test that may not end is run if it is named.

    Exit status: 0 all as in the paper, 1 something is not, or a device did what no model given allows, 2 the request
    is at fault.
    """
    _check(context, wgsl, execute)
    tests = _tests(_named(names, every), variants, seed)
    if wgsl:
        for test in tests:
            echo(print_litmus(test))
    elif execute:
        request = Request(models or tuple(MODELS), Bounds(states), iterations, bool(names), as_json)
        context.exit(run_litmus_on_device(tests, request))
    else:
        rows = ([run(t, m, Bounds(states), not fewer_orders) for m in dict.fromkeys(models or MODELS)] for t in tests)
        context.exit(_told(rows, witness, as_json))


def _check(context: click.Context, wgsl: bool, execute: bool) -> None:
    """Raises Problem for options that do not go together."""
    given = given_options(context)
    if "variants" not in given and "seed" in given:
        raise Problem("--seed goes with --variants: it is the number of the first one")
    if not execute and "iterations" in given:
        raise Problem("--iterations goes with --execute: a model needs no repetition")
    tests = ("names", "every", "variants", "seed")
    if wgsl:
        allow_only(context, (*tests, "wgsl"), "--wgsl", "nothing is run")
    elif execute:
        mine = ("models", "states", "execute", "iterations", "as_json")
        allow_only(context, (*tests, *mine), "--execute", "what a device does has no steps to show")
    elif "as_json" in given and "witness" in given:
        raise Problem("--witness does not go with --json: a line has the witness in any case")


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


def _tests(tests: Sequence[Litmus], variants: int | None, first: int) -> Iterator[Litmus]:
    """The tests themselves, or so many variants of each."""
    for test in tests:
        yield from [test] if variants is None else (variant(test, n) for n in range(first, first + variants))


def _named(names: Sequence[str], every: bool) -> list[Litmus]:
    if names and every:
        raise Problem("--all does not go with names")
    unknown = [name for name in names if name not in LITMUS]
    if unknown:
        raise Problem(f"there is no litmus test {unknown[0]}; there are {', '.join(LITMUS)}")
    if names:
        return [LITMUS[name] for name in dict.fromkeys(names)]
    return list(LITMUS.values() if every else BASE)


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
