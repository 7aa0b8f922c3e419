"""Rows made better: a rejected shader that diverges when it runs, and fewer branches that decide.

The reductions that rows come from keep a verdict and nothing else. So many of them end with a single invocation, where
nothing can diverge, or with a literal for which no invocation takes the branch.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial

from tools.conformance.answers import deciding_in, outcome_of, verdict_of
from tools.conformance.growth import IMPRECISE, Grown, Growth, Pair, Vocabulary
from wgsl_fuzz.fuzz.conformance.rows import ACCEPTED, REJECTED, SIDES, Level, Row
from wgsl_fuzz.fuzz.reduction.search import read
from wgsl_fuzz.oracle.verdict import Outcome, Verdict
from wgsl_fuzz.wgsl.parser import parse
from wgsl_fuzz.wgsl.printer import print_module
from wgsl_fuzz.wgsl.problems import WgslError

WORDS = {
    Level.WGSL: Vocabulary(
        lines=(),
        echoes=(),
        sinks={
            "workgroupBarrier();": "storageBarrier();",
            "dpdx(": "_ = fwidth(0.0);",
            "subgroupAdd(": "_ = subgroupMax(0u);",
        },
        source="other",
        declared={"other": "var<private> other: u32;\n"},
        locals={},
    ),
    Level.PROPOSALS: Vocabulary(lines=(), echoes=(), sinks={}, source="", declared={}, locals={}),
    Level.CORE: Vocabulary(
        lines=(),
        echoes=("loop {{\n{s}\n  continuing {{\n    break if ({c});\n  }}\n}}",),
        sinks={},
        source="other[0u]",
        declared={"other": "var<workgroup> other: array<u32, 1>;\n"},
        locals={},
    ),
}
"""What pairs grow by."""
LOOKED_AT = 4
"""So many of the best pairs are run, and shown to a compiler."""
LITERALS = 12
"""So many literals are changed to make a shader diverge."""

Valid = Callable[[Sequence[str]], Sequence[bool]]


def asked(level: Level, texts: Pair, only: frozenset[str]) -> tuple[Pair, frozenset[str]] | None:
    """The pair as the printer has it and the branches that decide it, of those in `only` if there are any."""
    red: set[str] = set()
    plain = {}
    for side, expected in ((ACCEPTED, Verdict.ACCEPTS), (REJECTED, Verdict.REJECTS)):
        try:
            plain[side] = print_module(parse(texts[side]))
        except WgslError:
            return None
        resolution = read(plain[side])
        if resolution is None or verdict_of(level, plain[side]) is not expected:
            return None
        red.update(deciding_in(level, resolution, only or None))
    return plain, frozenset(red)


def improved(level: Level, row: Row, valid: Valid) -> Row:
    """The row with better shaders, if there are some that the branch decides on the same sides."""
    start = {side: row.text(side) for side in SIDES}
    found = None if row.refusal is not Verdict.REJECTS else asked(level, start, frozenset())
    if found is None or row.name not in found[1]:
        return row
    awake = next(_awake(level, row, start, found[1]), start)
    growth = Growth(WORDS[level], partial(asked, level), rounds=2, beam=1)
    best = growth.best(row.name, awake)[:LOOKED_AT]
    compiles = all(valid([*start.values()]))
    best = [
        one for one in best if _keeps(level, row, one.texts) and (not compiles or all(valid([*one.texts.values()])))
    ]
    chosen = min(best, key=_worth, default=None)
    return row if chosen is None else _with(row, chosen.texts)


def _worth(grown: Grown) -> tuple[object, ...]:
    sleeps = outcome_of(grown.texts[REJECTED]) != Outcome.DIVERGES.value
    return grown.cost + IMPRECISE * sleeps, grown.order


def _awake(level: Level, row: Row, texts: Pair, red: frozenset[str]) -> Iterator[Pair]:
    """The pairs whose rejected shader diverges, and which no other branch decides."""
    if outcome_of(texts[REJECTED]) == Outcome.DIVERGES.value:
        yield texts
        return
    for woken in _woken(texts):
        if outcome_of(woken[REJECTED]) == Outcome.DIVERGES.value and _keeps(level, row, woken):
            found = asked(level, woken, frozenset())
            if found is not None and row.name in found[1] <= red:
                yield woken


def _woken(texts: Pair) -> Iterator[Pair]:
    """With two invocations; then with one literal more by one, on both sides if they are alike there."""
    two = {side: text.replace("workgroup_size(1)", "workgroup_size(2)") for side, text in texts.items()}
    wide = {side: re.sub(r"(array<\w+, )1>", r"\g<1>2>", text) for side, text in two.items()}
    for base in (two, wide) if wide != two else (two,):
        yield base
        lines = {side: text.splitlines() for side, text in base.items()}
        for i, line in list(enumerate(lines[REJECTED])):
            for m in list(re.finditer(r"\b0u?(?=\))|\b[01]u\b", line))[:LITERALS]:
                other = line[: m.start()] + ("1" if m[0][0] == "0" else "0") + m[0][1:] + line[m.end() :]
                made = dict(base)
                made[REJECTED] = "\n".join([*lines[REJECTED][:i], other, *lines[REJECTED][i + 1 :]]) + "\n"
                if i < len(lines[ACCEPTED]) and lines[ACCEPTED][i] == line:
                    made[ACCEPTED] = "\n".join([*lines[ACCEPTED][:i], other, *lines[ACCEPTED][i + 1 :]]) + "\n"
                yield made


def _keeps(level: Level, row: Row, texts: Pair) -> bool:
    """Whether the branch decides the same sides as before, and both have the verdicts of the row."""
    if any(verdict_of(level, texts[side]) is not row.expected(side) for side in SIDES):
        return False
    for side in SIDES:
        resolution = read(texts[side])
        decided = resolution is not None and bool(deciding_in(level, resolution, {row.name}))
        if decided is not (side in row.alone):
            return False
    return True


def _with(row: Row, texts: Pair) -> Row:
    outcome = {side: outcome_of(texts[side]) for side in SIDES}
    assert outcome[ACCEPTED] != Outcome.DIVERGES.value, texts[ACCEPTED]
    return replace(
        row,
        accepted=texts[ACCEPTED],
        rejected=texts[REJECTED],
        outcome={side: said for side, said in outcome.items() if said},
    )
