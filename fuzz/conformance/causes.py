"""Which rows fail by themselves, and which only because of those.

An analysis with one branch wrong often fails several rows: who takes `lid` for uniform accepts nearly everything. Each
row knows the variant that has its branch wrong, and that variant can be asked about all rows. So a few branches are
looked for that together explain the failing rows, and contradict no row that is right.
"""

from collections.abc import Mapping
from functools import cache

from wgsl_fuzz.fuzz.conformance.rows import ACCEPTED, REJECTED, SIDES, Level, Row, Rows
from wgsl_fuzz.fuzz.conformance.table import RowResult, Status, Table
from wgsl_fuzz.oracle.rules.bitset.analysis import verdict_of
from wgsl_fuzz.oracle.rules.coverage import deciding
from wgsl_fuzz.oracle.rules.rule_set import Effect, Variant
from wgsl_fuzz.oracle.rules.uniformity.revisions import all_variants, analysis_under, judge_wgsl
from wgsl_fuzz.oracle.rules.variants import KILLABLE, VARIANTS
from wgsl_fuzz.oracle.verdict import Verdict
from wgsl_fuzz.tinywgsl.ast import Shader
from wgsl_fuzz.wgsl.parser import parse as parse_whole
from wgsl_fuzz.wgsl.problems import WgslError
from wgsl_fuzz.wgsl.reading import parse
from wgsl_fuzz.wgsl.resolution import Resolution
from wgsl_fuzz.wgsl.resolve import resolve

MOST = {Level.TINY: 1000, Level.WHOLE: 80}
"""Of more failing rows no causes are looked for: it would take long, and so much is missing that any row will do."""

_KNOWN = (Status.TOO_STRICT, Status.TOO_LENIENT, Status.WRONG)
_OTHER = {Verdict.ACCEPTS: Verdict.REJECTS, Verdict.REJECTS: Verdict.ACCEPTS}
_IN_LANES = frozenset(v.name for v in KILLABLE)


def variant_of(level: Level, name: str) -> Variant:
    """The variant that a row is about."""
    return VARIANTS[name] if level is Level.TINY else all_variants()[name]


def answer_under(level: Level, name: str, text: str) -> Verdict:
    """The verdict of the reference with one branch wrong, of a text that the reference knows."""
    return _tiny_under(name, text) if level is Level.TINY else _whole_under(name, text)


def _tiny_under(name: str, text: str) -> Verdict:
    shader, verdict, names = _tiny(text)
    if name in _IN_LANES:
        return _OTHER[verdict] if name in names else verdict
    return verdict_of(shader, VARIANTS[name].rules)


@cache
def _tiny(text: str) -> tuple[Shader, Verdict, frozenset[str]]:
    """A text of TinyWGSL, its verdict, and the branches that decide it."""
    shader = parse(text)
    verdict = verdict_of(shader)
    return shader, verdict, frozenset(deciding(shader, verdict))


@cache
def _whole_under(name: str, text: str) -> Verdict:
    rules = all_variants()[name].rules
    try:
        resolution = _resolved(text)
        behaviours = analysis_under(rules).behaviour_analysis()
        for function in resolution.functions:
            behaviours.check(function)
        return judge_wgsl(resolution, rules).verdict
    except WgslError:
        return Verdict.INVALID


@cache
def _resolved(text: str) -> Resolution:
    return resolve(parse_whole(text))


def wrong_under(level: Level, name: str, row: Row) -> dict[str, Verdict]:
    """What the reference with one branch wrong answers to a row's shaders, where that is not what the row expects."""
    said = {side: answer_under(level, name, row.text(side)) for side in SIDES}
    return {side: verdict for side, verdict in said.items() if verdict is not row.expected(side)}


def with_causes(table: Table) -> Table:
    """The table with its causes; as it was if none or too many rows fail."""
    failing = {r.row.name: r for r in table.failing if r.status in _KNOWN}
    if 0 < len(failing) <= MOST[table.rows.level]:
        table.causes = causes_of(table.rows, failing)
    return table


def causes_of(rows: Rows, failing: Mapping[str, RowResult]) -> dict[str, list[str]]:
    """Of each cause the failing rows that it explains, itself among them; the cause that explains most comes first.

    A branch is a better cause if it fails no row that the target gets right. What no other row explains is its own
    cause.
    """
    explains = {name: _explained(rows, name, failing) for name in failing}
    contradicts = {name: _contradicts(rows, name, failing) for name in failing}
    left, causes = set(failing), dict[str, list[str]]()
    while left:

        def worth(name: str, left: set[str] = left) -> tuple[object, ...]:
            return contradicts[name], -len(left & explains[name]), rows[name].length, name

        name = min(left, key=worth)
        causes[name] = sorted(left & explains[name])
        left -= explains[name]
    return causes


def _explained(rows: Rows, name: str, failing: Mapping[str, RowResult]) -> frozenset[str]:
    """The failing rows whose wrong answers are those of the reference with this branch wrong; its own row always."""
    found = {name}
    for row, result in failing.items():
        wrong = wrong_under(rows.level, name, result.row)
        if all(wrong.get(side) is result.answer(side).verdict for side in result.wrong):
            found.add(row)
    return frozenset(found)


def _contradicts(rows: Rows, name: str, failing: Mapping[str, RowResult]) -> bool:
    """Whether an analysis with this branch wrong would fail a row that the target gets right."""
    return any(row.name not in failing and wrong_under(rows.level, name, row) for row in rows.rows)


def alike(rows: Rows) -> tuple[tuple[str, ...], ...]:
    """The branches that fail the same rows as others, in groups: each is asked about every row."""
    groups: dict[tuple[tuple[str, str], ...], list[str]] = {}
    for row in rows.rows:
        groups.setdefault(_failed(rows, variant_of(rows.level, row.name)), []).append(row.name)
    return tuple(sorted(tuple(sorted(group)) for group in groups.values() if len(group) > 1))


def _failed(rows: Rows, variant: Variant) -> tuple[tuple[str, str], ...]:
    """The rows and sides that an analysis with a branch wrong answers otherwise; only those that it can are asked."""
    sides = [side for side in SIDES if variant.effect is not _UNABLE[side]]
    asked = ((row, side) for row in rows.rows for side in sides)
    return tuple(
        (row.name, side)
        for row, side in asked
        if answer_under(rows.level, variant.name, row.text(side)) is not row.expected(side)
    )


_UNABLE = {ACCEPTED: Effect.LAXER, REJECTED: Effect.STRICTER}
"""The effect that changes no answer to a side."""
