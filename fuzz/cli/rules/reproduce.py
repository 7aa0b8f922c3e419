"""The command `reproduce`: the claims of the papers and of our pages, and what measures them again."""

from collections.abc import Mapping, Sequence
from typing import Any

import click

from wgsl_fuzz.fuzz.cli import options as o
from wgsl_fuzz.fuzz.output import notice
from wgsl_fuzz.fuzz.problems import Problem
from wgsl_fuzz.fuzz.regression.claims import CLAIMS, Claim, circumstances, measured
from wgsl_fuzz.oracle.targets.protocol import TargetError

ALL = "all"


@click.command()
@click.argument("names", nargs=-1, metavar="[CLAIM]...")
@click.option("--quick", is_flag=True, help="Sizes that take seconds, not those of the pages.")
@o.format_option("text", "json")
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
        o.hand_over(_list(CLAIMS, form))
        return
    wanted = CLAIMS if ALL in names else [known[name] for name in dict.fromkeys(names)]
    done: list[tuple[Claim, dict[str, Any]]] = []
    for claim in wanted:
        notice(f"{claim.name}: {claim.says}")
        try:
            done.append((claim, measured(claim, quick=quick)))
        except TargetError as error:
            raise Problem(f"{claim.name}: {error}") from error
    o.hand_over(_written(done, form, circumstances()))
    context.exit(int(not all(row["holds"] for _, row in done)))


def _list(claims: Sequence[Claim], form: str) -> str:
    if form == "text":
        return "".join(f"{one.name}, size {one.size:,} ({one.source})\n  {one.says}\n" for one in claims)
    rows = [
        {"claim": one.name, "size": f"{one.size:,}", "expected": one.expected, "source": one.source, "says": one.says}
        for one in claims
    ]
    return o.as_json(rows)


def _written(done: Sequence[tuple[Claim, dict[str, Any]]], form: str, circumstances: Mapping[str, object]) -> str:
    """The results, and what they depend on."""
    if form == "json":
        return o.as_json({**circumstances, "claims": [row for _, row in done]})
    told = ", ".join(f"{word} {value}" for word, value in circumstances.items())
    return "\n".join(line for one in done for line in _block(*one)) + f"\n{told}\n"


def _block(claim: Claim, row: Mapping[str, Any]) -> Sequence[str]:
    result = "holds" if row["holds"] else "DOES NOT HOLD"
    head = f"{claim.name}, size {row['size']:,}: {result} ({claim.source}; {row['seconds']:.1f} s)"
    numbers = (f"{label} {n:,.0f}" if n == int(n) else f"{label} {n:,.1f}" for label, n in row["measured"].items())
    return head, f"  {claim.says}", f"  expected: {claim.expected}", f"  measured: {', '.join(numbers)}", ""
