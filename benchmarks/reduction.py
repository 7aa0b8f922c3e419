"""How small disagreements get, and what that takes: of 30 planted ones, or of the findings of a run.

    python benchmarks/reduction.py
    wgsl-fuzz --target tint --language compute --programs 6000 --out RUN
    python benchmarks/reduction.py RUN [--target tint] [--most 60]

Of each: processor milliseconds without the target's own, candidates looked at and queried, calls of the target,
statements before and after (for a planted one, above the known minimum); then medians and ninetieth percentiles. Two
versions of the reducer are compared by counts and sizes, and by milliseconds on one machine at one time.
"""

import json
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from typing import NamedTuple

import click

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.quality.planted import planted
from wgsl_fuzz.fuzz.campaign.reduce_finding import ask
from wgsl_fuzz.fuzz.cases.case import Case, count_statements, read_module
from wgsl_fuzz.fuzz.findings.schema import read
from wgsl_fuzz.fuzz.judging.departures import rules_of
from wgsl_fuzz.fuzz.judging.judge import cause_of, kind_of
from wgsl_fuzz.fuzz.judging.kinds import VERDICTS_DIFFER, Cause, Kind
from wgsl_fuzz.fuzz.reduction.search import reduce
from wgsl_fuzz.oracle.targets import open_target
from wgsl_fuzz.oracle.targets.protocol import Target
from wgsl_fuzz.oracle.verdict import Verdict
from wgsl_fuzz.wgsl.printer import print_module
from wgsl_fuzz.wgsl.problems import Source
from wgsl_fuzz.wgsl.resolution import Resolution


class Cost(NamedTuple):
    """What one reduction took, and to what it came."""

    milliseconds: float
    tried: int
    asked: int
    questions: int
    before: int
    after: int


@click.command()
@click.argument("run", required=False, type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--target", "name", default="tint", show_default=True, help="Of a run.")
@click.option("--most", type=click.IntRange(min=1), default=60, show_default=True, help="Findings of a run.")
def main(run: Path | None, name: str, most: int) -> None:
    """Print a line for each disagreement, then the percentiles."""
    costs: list[Cost] = []
    for label, cost in _of_planted() if run is None else _of_run(run, name, most):
        costs.append(cost)
        click.echo(f"{label:55} " + ", ".join(f"{k} {v:.0f}" for k, v in cost._asdict().items()))
    for field in Cost._fields:
        values = sorted(getattr(cost, field) for cost in costs)
        ninth = values[min(len(values) - 1, len(values) * 9 // 10)]
        click.echo(f"{field:12} median {median(values):.0f}, 90 % {ninth:.0f}, sum {sum(values):.0f}")


def _of_planted() -> Iterator[tuple[str, Cost]]:
    for one in planted():
        cost = _cost(one.drawn(), one.shows, [0])
        yield one.name, cost._replace(after=cost.after - one.least)


def _of_run(run: Path, name: str, most: int) -> Iterator[tuple[str, Cost]]:
    target = open_target(name, notify=lambda line: click.echo(line, err=True))
    for folder, case, found in list(_findings(run))[:most]:
        questions = [0]
        yield folder.name, _cost(case.resolution, _shows(case, found, target, questions), questions)
    target.close()


def _findings(run: Path) -> Iterator[tuple[Path, Case, tuple[Kind, Cause, Verdict]]]:
    """The findings that were drawn, of verdicts that differ: kind, cause, and what the target said."""
    for folder in sorted((run / "findings").iterdir()):
        record = json.loads((folder / "finding.json").read_text(encoding="utf-8"))
        kind = Kind((record.get("drawn") or {}).get("kind") or record["kind"])
        if kind in VERDICTS_DIFFER and not record.get("file") and record["reference"] == "wgsl":
            case = read_module((folder / "drawn.wgsl").read_text(encoding="utf-8"))
            yield folder, case, (kind, read(Cause, record["cause"]), Verdict(record["verdicts"][record["target"]]))


def _cost(resolution: Resolution, shows: Callable[[Resolution], bool], questions: list[int]) -> Cost:
    before = count_statements(resolution.module)
    begun = time.process_time()
    reduction = reduce(resolution, shows)
    milliseconds = 1000 * (time.process_time() - begun)
    return Cost(milliseconds, reduction.tried, reduction.asked, questions[0], before, reduction.statements)


def _shows(
    case: Case, found: tuple[Kind, Cause, Verdict], target: Target, questions: list[int]
) -> Callable[[Resolution], bool]:
    """Whether a module shows the same kind and cause; that it diverges is not asked, so unsound is too lenient."""
    kind, cause, said = found
    kind = Kind.TOO_LENIENT if kind is Kind.UNSOUND else kind
    rules = rules_of(cause.explains)

    def shows(resolution: Resolution) -> bool:
        candidate = Case(Source(print_module(resolution.module)), resolution)
        if candidate.verdict is not case.verdict:
            return False
        if rules is not None and candidate.verdict_under(rules) is not said:
            return False
        questions[0] += 1
        answer = ask(target, candidate.text)
        is_kind = kind_of(candidate.verdict, answer, lambda: False) is kind
        return is_kind and cause_of(candidate, target.name, kind, answer) == cause

    return shows


if __name__ == "__main__":
    main()
