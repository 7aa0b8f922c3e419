"""Asks targets about the rows of conformance, and finds what is known of those that fail."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from wgsl_fuzz.fuzz.cases.case import read_case
from wgsl_fuzz.fuzz.conformance.rows import REJECTED, SIDES, Level, Row, Rows
from wgsl_fuzz.fuzz.conformance.table import RowResult, Table, analyses, command_for
from wgsl_fuzz.fuzz.findings.known import KnownBuckets
from wgsl_fuzz.fuzz.judging.answers import HangLimit, Progress, parts
from wgsl_fuzz.fuzz.judging.departures import are_known
from wgsl_fuzz.fuzz.judging.judge import judge
from wgsl_fuzz.fuzz.judging.kinds import BucketKey
from wgsl_fuzz.oracle.targets.protocol import Target, spec_of
from wgsl_fuzz.oracle.verdict import Answer, Verdict


def ask(
    rows: Rows, targets: Sequence[Target], others: Sequence[Row] = (), progress: Progress = lambda _: None
) -> list[Table]:
    """Asks every target about both shaders of every row. Raises TargetError, also if one hangs on a few of them.

    Of `others` it is asked what is to be rejected, if it accepts all of these: whether it has an analysis at all.
    """
    named = {row.text(side): (row, side) for row in rows.rows for side in SIDES}
    beside = {row.rejected: (row, REJECTED) for row in others}
    hang_limit = _hang_limit(rows.level, beside | named)
    answers: dict[str, list[Answer]] = {target.name: [] for target in targets}
    for name, part in _asked(targets, list(named), hang_limit, progress):
        answers[name] += part
    tables = []
    for target in targets:
        said = dict(zip(named, answers[target.name], strict=True))
        others_said = (answer for _, part in _asked([target], list(beside), hang_limit) for answer in part)
        analysed = analyses(said.values()) or (bool(beside) and analyses(others_said))
        invalid = {said[row.rejected].verdict for row in rows.rows if row.expected(REJECTED) is Verdict.INVALID}
        more = (analysed, bool(invalid) and Verdict.INVALID not in invalid)
        results = [RowResult(row, said[row.accepted], said[row.rejected], *more) for row in rows.rows]
        tables.append(Table(target.name, spec_of(target), target.origin, rows, results))
    return tables


def with_buckets(table: Table, known: KnownBuckets) -> Table:
    """A table whose rows have the buckets of what is wrong with them, and the issue where all of it is known."""
    return replace(table, results=[_with_buckets(table, r, known) if r.fails else r for r in table.results])


def _with_buckets(table: Table, result: RowResult, known: KnownBuckets) -> RowResult:
    """A row that fails; its issue is that of the first wrong answer, empty if some answer is not known to be wrong."""
    without_analysis = frozenset([table.target] if not result.analysed else [])
    issues, buckets = list[str](), dict[str, BucketKey]()
    for side in result.wrong:
        case, answers = read_case(result.row.text(side)), {table.target: result.answer(side)}
        found = judge(case, answers, without_analysis, valid=True)
        # What a row shows has its branch as the cause, where the target is not known for another.
        causes = [() if are_known(one.target, one.cause.explains) else (result.row.name,) for one in found]
        told = zip(found, causes, strict=True)
        issues += [known.issue_of(one.key, causes=[names] if names else []) or "" for one, names in told] or [""]
        if mine := [one.key for one in found if one.target == table.target]:
            buckets[side] = mine[0]
    return replace(result, issue=issues[0] if all(issues) else "", buckets=buckets)


def _hang_limit(level: Level, named: Mapping[str, tuple[Row, str]]) -> HangLimit:
    def called(text: str) -> str:
        row, side = named[text]
        return f"the {side} shader of {row.name}"

    def advice(target: Target, text: str) -> str:
        return command_for(level, [spec_of(target)], named[text][0])

    return HangLimit(called, advice, in_a_row=False)


def _asked(
    targets: Sequence[Target], texts: Sequence[str], hang_limit: HangLimit, progress: Progress = lambda _: None
) -> Iterator[tuple[str, list[Answer]]]:
    """What each target, by name, says of a few texts at a time, when that is asked for."""
    for part in parts(texts, hang_limit, progress):
        for target in targets:
            target.submit(part)
        for target in targets:
            said = target.collect()
            hang_limit.record(target, part, said)
            yield target.name, said
