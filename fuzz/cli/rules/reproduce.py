"""The command `reproduce`: the claims of the papers and of our pages, and what measures them again."""

import csv
import io
from collections.abc import Mapping, Sequence

import click
import orjson

from wgsl_fuzz.fuzz.cli import options as o
from wgsl_fuzz.fuzz.output import markdown_row, notice
from wgsl_fuzz.fuzz.problems import Problem
from wgsl_fuzz.fuzz.regression.claims import CLAIMS, Claim, Measured, circumstances, measured
from wgsl_fuzz.oracle.targets.protocol import TargetError

ALL = "all"


@click.command()
@click.argument("names", nargs=-1, metavar="[CLAIM]...")
@click.option("--quick", is_flag=True, help="Sizes that take seconds, not those of the pages.")
@o.format_option("text", "json", "csv", "markdown")
@click.pass_context
def reproduce(context: click.Context, names: tuple[str, ...], quick: bool, form: str) -> None:
    """Measure again what the papers and our pages claim.

    Without CLAIM: a list of the claims, and nothing is measured. `all` measures every one. A size is how many shaders
    are drawn, or up to how many statements all shaders are gone through. Measured numbers say whether accepted shaders
    are proven to converge, were only sampled, or took too many steps.

    Exit status: 0 every claim holds, 1 some does not, 2 the request or the set-up is at fault.
    """
    known = {claim.name: claim for claim in CLAIMS}
    for name in names:
        if name not in known and name != ALL:
            raise Problem(f"there is no claim {name!r}; there are {', '.join(known)}, and {ALL}")
    if not names:
        o.hand_over(_list(CLAIMS, form), None)
        return
    wanted = CLAIMS if ALL in names else [known[name] for name in dict.fromkeys(names)]
    done = []
    for claim in wanted:
        notice(f"{claim.name}: {claim.says}")
        try:
            done.append(measured(claim, quick=quick))
        except TargetError as error:
            raise Problem(f"{claim.name}: {error}") from error
    o.hand_over(_written(done, form, circumstances()), None)
    context.exit(int(not all(one.holds for one in done)))


def _list(claims: Sequence[Claim], form: str) -> str:
    if form == "text":
        return "".join(f"{one.name}, size {one.size:,} ({one.source})\n  {one.says}\n" for one in claims)
    rows = [(one.name, f"{one.size:,}", one.expected, one.source, one.says) for one in claims]
    return _table(("claim", "size", "expected", "source", "says"), rows, form)


def _written(done: Sequence[Measured], form: str, circumstances: Mapping[str, object]) -> str:
    """The results, and what they depend on."""
    if form == "json":
        results = [
            {
                "claim": one.claim.name,
                "source": one.claim.source,
                "size": one.size,
                "expected": one.claim.expected,
                "measured": dict(one.numbers),
                "holds": one.holds,
                "seconds": round(one.seconds, 1),
            }
            for one in done
        ]
        return orjson.dumps({**circumstances, "claims": results}).decode() + "\n"
    told = ", ".join(f"{word} {value}" for word, value in circumstances.items())
    if form == "text":
        return "\n".join(line for one in done for line in _block(one)) + f"\n{told}\n"
    rows = [(one.claim.name, f"{one.size:,}", one.claim.expected, _numbers(one), _result(one)) for one in done]
    end = "" if form == "csv" else f"\n{told}\n"
    return _table(("claim", "size", "expected", "measured", "result"), rows, form) + end


def _block(one: Measured) -> Sequence[str]:
    claim = one.claim
    head = f"{claim.name}, size {one.size:,}: {_result(one)} ({claim.source}; {one.seconds:.1f} s)"
    return head, f"  {claim.says}", f"  expected: {claim.expected}", f"  measured: {_numbers(one)}", ""


def _result(one: Measured) -> str:
    return "holds" if one.holds else "DOES NOT HOLD"


def _numbers(one: Measured) -> str:
    return ", ".join(f"{label} {n:,.0f}" if n == int(n) else f"{label} {n:,.1f}" for label, n in one.numbers.items())


def _table(head: Sequence[str], rows: Sequence[Sequence[str]], form: str) -> str:
    match form:
        case "json":
            return orjson.dumps([dict(zip(head, row, strict=True)) for row in rows]).decode() + "\n"
        case "csv":
            text = io.StringIO()
            csv.writer(text, lineterminator="\n").writerows([head, *rows])
            return text.getvalue()
        case _:
            return "".join(f"{markdown_row(cells)}\n" for cells in (head, ["---"] * len(head), *rows))
