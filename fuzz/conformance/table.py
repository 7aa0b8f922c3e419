"""The conformance table: what one target says of every row."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from itertools import groupby
from shlex import quote

from wgsl_fuzz.fuzz.conformance.rows import ACCEPTED, REJECTED, SIDES, Level, NextStep, Row, Rows, path, step_of
from wgsl_fuzz.fuzz.judging.kinds import BucketKey
from wgsl_fuzz.oracle.verdict import Answer, Verdict

TITLES = {
    "9.7": "Statements Behavior Analysis",
    "15.2": "Uniformity Analysis",
    "15.2.2": "Uniformity analysis overview",
    "15.2.3": "Analyzing the uniformity requirements of a function",
    "15.2.4": "Pointer desugaring",
    "15.2.5": "Function-scope variable value analysis",
    "15.2.6": "Uniformity rules for statements",
    "15.2.7": "Uniformity rules for function calls",
    "15.2.8": "Uniformity rules for expressions",
    "2.3": "Diagnostics",
    "17": "Built-in functions",
    "12": "Attributes",
    "13.3.1.1": "Built-in inputs and outputs",
}
"""Headings of sections of WGSL, by number."""


def title_of(section: str) -> str:
    """`15.2.6 Uniformity rules for statements`, of `15.2.6 #uniformity-statements`."""
    number, _, anchor = section.partition(" #")
    if not anchor and number.startswith("#"):
        number, anchor = "", number[1:]
    heading = TITLES.get(number) or anchor.replace("-", " ").capitalize()
    return f"{number} {heading}".strip()


class Status(Enum):
    """What a target does with a row. All but `AS_MEANT` fail."""

    RIGHT = "right"
    NOT_JUDGED = "not judged"
    """One of the shaders is invalid, and the target judges only valid ones."""
    TOO_STRICT = "too strict"
    """It rejects the shader that the reference accepts."""
    TOO_LENIENT = "too lenient"
    """It accepts the shader that the reference rejects."""
    WRONG = "both wrong"
    """It rejects the one and accepts the other."""
    UNSUPPORTED = "unsupported"
    """It refuses one of the shaders for another reason than uniformity."""
    NOT_IMPLEMENTED = "not implemented"
    """It accepts that shader, and every other one: it has no analysis."""
    NO_ANSWER = "no answer"
    """It crashed, or took too long."""


AS_MEANT = frozenset({Status.RIGHT, Status.NOT_JUDGED})
"""What does not fail."""
_NO_ANSWER = frozenset({Verdict.CRASHED, Verdict.TIMED_OUT})
_OTHERWISE = frozenset({Verdict.INVALID, Verdict.UNSUPPORTED, Verdict.MISCOMPILES})
"""What says nothing of uniformity."""


@dataclass(frozen=True, slots=True)
class RowResult:
    """What a target answered to the two shaders of a row."""

    row: Row
    accepted: Answer
    rejected: Answer
    analysed: bool = True
    """False: the target accepts whatever it can read."""
    valid_only: bool = False
    """True: the target is a function that calls no shader invalid."""
    issue: str = ""
    """The issue of what is wrong, if all of that is known."""
    buckets: Mapping[str, BucketKey] = field(default_factory=dict)
    """The raw bucket of what is wrong, by the side; none for what is no finding."""

    def answer(self, side: str) -> Answer:
        """To one of the shaders."""
        return self.accepted if side == ACCEPTED else self.rejected

    @property
    def wrong(self) -> tuple[str, ...]:
        """The sides that the target answers otherwise than the reference."""
        judged = [ACCEPTED] if self.is_apart else SIDES
        return tuple(side for side in judged if self.answer(side).verdict is not self.row.expected(side))

    @property
    def is_apart(self) -> bool:
        """Whether the rejected shader is invalid, and the target judges only valid ones."""
        return self.valid_only and self.row.refusal is Verdict.INVALID

    @property
    def status(self) -> Status:
        """Both answers in one word."""
        verdicts = {side: self.answer(side).verdict for side in self.wrong}
        if not verdicts:
            return Status.NOT_JUDGED if self.is_apart else Status.RIGHT
        if _NO_ANSWER & {*verdicts.values()}:
            return Status.NO_ANSWER
        if _OTHERWISE & {*verdicts.values()}:
            return Status.UNSUPPORTED
        if self.row.refusal is Verdict.INVALID and REJECTED in verdicts:
            return Status.TOO_LENIENT if verdicts[REJECTED] is Verdict.ACCEPTS else Status.UNSUPPORTED
        if len(verdicts) == len(SIDES):
            return Status.WRONG
        if not self.analysed:
            return Status.NOT_IMPLEMENTED
        return Status.TOO_STRICT if ACCEPTED in verdicts else Status.TOO_LENIENT

    @property
    def fails(self) -> bool:
        """Whether the row is not as the reference has it."""
        return self.status not in AS_MEANT

    @property
    def is_read(self) -> bool:
        """Whether the target can read both shaders."""
        return self.status not in (Status.UNSUPPORTED, Status.NO_ANSWER)

    @property
    def is_new(self) -> bool:
        """Whether it fails, and nobody knows."""
        return self.fails and not self.issue

    @property
    def message(self) -> str:
        """What the target says where it refuses a shader for another reason, crashes or hangs: the first line."""
        answers = map(self.answer, self.wrong)
        said = (one.message.strip() for one in answers if one.verdict in _OTHERWISE | _NO_ANSWER)
        return next(filter(None, said), "").partition("\n")[0]


@dataclass
class Table:
    """All rows of a level as one target answers them."""

    target: str
    spec: str
    """What opens the target."""
    origin: str
    rows: Rows
    results: list[RowResult]
    causes: dict[str, list[str]] = field(default_factory=dict)
    """Of each row that fails by itself, the rows that fail as well if nothing but its branch is wrong."""
    first: str = ""
    """The row to begin with, if the target has no analysis: the branch without which the most rows fail."""
    implemented: frozenset[str] = frozenset()
    """The branches of which no row is wrong: neither their own nor another one that they decide."""

    @cached_property
    def counts(self) -> Counter[Status]:
        """How many rows there are of each status."""
        return Counter(result.status for result in self.results)

    @cached_property
    def _in_steps(self) -> Counter[tuple[Status | None, int]]:
        """How many rows of a step there are, by its number: of each status, and in all."""
        each = [(r.status, step_of(r.row).number) for r in self.results]
        return Counter[tuple[Status | None, int]](each) + Counter((None, number) for _, number in each)

    def number(self, status: Status | None = None, step: NextStep | None = None) -> int:
        """How many rows there are: of any status, and in any step, if none is named."""
        if step is not None:
            return self._in_steps[status, step.number]
        return len(self.results) if status is None else self.counts[status]

    def right(self, step: NextStep | None = None) -> str:
        """How many rows are as the reference has them, of how many: `3 of 5`."""
        return f"{self.number(Status.RIGHT, step)} of {self.number(None, step)}"

    @property
    def failing(self) -> list[RowResult]:
        """The rows that fail, step by step, the shortest shaders first.

        Before them is what the target gives no answer to, behind them what is known.
        """

        def order(r: RowResult) -> tuple[object, ...]:
            return bool(r.issue), r.status is not Status.NO_ANSWER, step_of(r.row).number, r.row.length, r.row.name

        return sorted((r for r in self.results if r.fails), key=order)

    @property
    def has_no_analysis(self) -> bool:
        """Whether the target accepts every shader that it can read: it has no uniformity analysis at all."""
        return not all(r.analysed for r in self.results)

    @property
    def next(self) -> RowResult | None:
        """What to work on next: what gets no answer, else the first that fails by itself; unsupported ones last."""
        new = [r for r in self.failing if r.is_new]
        broken = [r for r in new if r.status is Status.NO_ANSWER]
        if broken:
            return broken[0]
        if self.first:
            return self.result(self.first)
        open_ = [r for r in new if not self.causes or r.row.name in self.causes] or new
        read = [r for r in open_ if r.status is not Status.UNSUPPORTED]
        return next(iter(read or open_), None)

    @property
    def steps(self) -> list[NextStep]:
        """The steps that have rows here, in order."""
        return [step for step in path() if self.number(step=step)]

    def sections(self) -> Iterator[tuple[str, list[RowResult]]]:
        """The results by section of the specification, in its order."""
        ordered = sorted(self.results, key=lambda r: (r.row.number, r.row.section))
        for section, results in groupby(ordered, key=lambda r: r.row.section):
            yield section, list(results)

    def result(self, name: str) -> RowResult:
        """That of one row."""
        return next(r for r in self.results if r.row.name == name)

    def follows(self, name: str) -> str:
        """The row that explains why this one fails too; empty if none does."""
        return next((cause for cause, rows in self.causes.items() if name != cause and name in rows), "")


def command_for(level: Level, specs: Iterable[str], row: Row) -> str:
    """The command that asks these targets about a row alone."""
    targets = " ".join(f"--target {quote(spec)}" for spec in specs)
    return f"wgsl-fuzz conformance {targets} --level {level.value} --row {quote(row.name)}"


def analyses(answers: Iterable[Answer]) -> bool:
    """Whether some shader is rejected; who reads none of them may have an analysis."""
    said = set()
    for answer in answers:
        if answer.verdict is Verdict.REJECTS:
            return True
        said.add(answer.verdict)
    return Verdict.ACCEPTS not in said


def changes(before: Sequence[Table], after: Sequence[Table]) -> Iterator[str]:
    """What changed since the last round, in lines; nothing if there was none."""
    for table in after:
        former = next((one for one in before if one.target == table.target and one.rows is table.rows), None)
        if former is None:
            continue
        was = {r.row.name: r.status for r in former.results}
        moved = [r for r in table.results if r.status is not was[r.row.name]]
        yield from ("", f"Since the last round, {table.target}: {_gained(moved, was) or 'nothing changed'}")
        yield from (f"  {was[r.row.name].value} -> {r.status.value}: {r.row.name}" for r in moved[:CHANGES])
        if len(moved) > CHANGES:
            yield f"  and {len(moved) - CHANGES} more"


CHANGES = 15
"""So many rows are named that changed."""


def _gained(moved: Sequence[RowResult], was: Mapping[str, Status]) -> str:
    better = sum(not r.fails for r in moved)
    worse = sum(was[r.row.name] is Status.RIGHT for r in moved)
    counts = {"better": better, "worse": worse, "otherwise wrong": len(moved) - better - worse}
    return ", ".join(f"{n} {word}" for word, n in counts.items() if n)
