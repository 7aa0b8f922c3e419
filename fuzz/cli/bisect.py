"""The command `bisect`: what the builds of a compiler say of texts, in order of date, and where a verdict changed."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

import click

from wgsl_fuzz.fuzz.cli import options as o
from wgsl_fuzz.fuzz.cli.runs.progress import changing_line
from wgsl_fuzz.fuzz.judging.answers import TIMEOUT, Progress, opened
from wgsl_fuzz.fuzz.judging.kinds import BucketKey, Kind
from wgsl_fuzz.fuzz.output import columns, notice
from wgsl_fuzz.fuzz.present.wording import count, verb
from wgsl_fuzz.fuzz.problems import PROBLEM, Problem
from wgsl_fuzz.fuzz.regression.corpus import CorpusCase
from wgsl_fuzz.fuzz.regression.replay import CaseResult, load_texts, replay
from wgsl_fuzz.oracle.targets.protocol import Target, TargetInfo, available, families

FAMILIES = {family.prefix: family.builds for family in families() if family.builds} | {"wgsl": "rules:wgsl-2"}
"""How the specs of a family's builds begin. Those of `wgsl` are the texts of the specification by date."""
NOW = "9999"
"""The date of a build that says none: that of a user's own compiler, which comes after all others."""


@dataclass(frozen=True, slots=True)
class Build:
    """A build on the time line: what opens it, and when it was made (`2025-09`; empty if nobody says)."""

    spec: str
    date: str = ""

    @property
    def sorted_by(self) -> str:
        """The date; of a year alone, its middle."""
        return f"{self.date}-06" if len(self.date) == len("2025") else self.date or NOW


def change_word(before: CaseResult, after: CaseResult) -> str:
    """What became of a text between two builds: `fixed`, `broken`, or `changed`, as between two faults."""
    if after.said == after.expected:
        return "fixed" if before.disagrees else "changed"
    # What a front end does not know yet is neither right nor wrong.
    return "broken" if before.said == before.expected and after.disagrees else "changed"


@dataclass(frozen=True, slots=True)
class TextHistory:
    """What the builds say of one text, in order of date."""

    case: CorpusCase
    answers: tuple[CaseResult, ...]

    @property
    def changes(self) -> list[tuple[CaseResult, CaseResult]]:
        """The answers of each two builds, one after the other, between which the verdict changed."""
        return [(a, b) for a, b in pairwise(self.answers) if a.said != b.said]


@dataclass(slots=True)
class Timeline:
    """The histories of texts under the builds that could be asked."""

    builds: list[Build] = field(default_factory=list)
    """Those that were asked; `spec` is the target's name."""
    histories: list[TextHistory] = field(default_factory=list)
    missing: dict[str, str] = field(default_factory=dict)
    """Why a build could not be asked."""
    unreadable: list[str] = field(default_factory=list)
    """A line for each text that the reference cannot judge."""


def builds_of(names: Sequence[str]) -> list[Build]:
    """The builds of these families (`tint`, `naga`, `wgsl`) and targets, by date; those without a date come last."""
    infos = available()
    dates = {info.name: info.date for info in infos}
    found: dict[str, Build] = {}
    for name in names:
        for build in _family(name, infos) if name in FAMILIES else [Build(name, dates.get(name, ""))]:
            found.setdefault(build.spec, build)
    return sorted(found.values(), key=lambda build: build.sorted_by)


def _family(name: str, infos: Iterable[TargetInfo]) -> list[Build]:
    """The builds of a family, the older before the newer also where their dates are the same."""
    of_rules = FAMILIES[name].startswith("rules:")
    listed = [
        Build(i.name, i.date)
        for i in infos
        if (i.name == name and not of_rules) or ((i.date or of_rules) and i.name.startswith(FAMILIES[name]))
    ]
    return listed[::-1]  # they are listed newest first, and what is installed before those


def within(builds: Sequence[Build], first: str, last: str) -> list[Build]:
    """The builds from one to another, both included; each is a name (`0.3.8`, `tint@0.3.8`) or a date (`2025-09`).

    Empty means no limit. Raises Problem for what is neither, and if nothing is left.
    """
    low = 0 if not first else _place(builds, first, at_least=True)
    high = len(builds) if not last else _place(builds, last, at_least=False) + 1
    if low >= high:
        raise Problem(f"there is no build from {first or 'the beginning'} to {last or 'the end'}")
    return list(builds[low:high])


def _place(builds: Sequence[Build], name: str, *, at_least: bool) -> int:
    """Of a name its index; of a date that of the first build not before it, or of the last not after it."""
    by_name = [i for i, b in enumerate(builds) if name in (b.spec, b.spec.partition("@")[2])]
    if by_name:
        return by_name[0]
    if not name[:4].isdecimal():
        raise Problem(f"{name!r} is neither a date nor a build; there are {', '.join(b.spec for b in builds)}")
    dates = [build.date or NOW for build in builds]
    if at_least:
        return next((i for i, date in enumerate(dates) if date >= name), len(builds))
    # `2025` is the whole of that year
    return max((i for i, date in enumerate(dates) if date[: len(name)] <= name), default=-1)


def histories(
    cases: Sequence[CorpusCase],
    builds: Sequence[Build],
    notify: Callable[[str], None],
    timeout: float = TIMEOUT,
    progress: Progress = lambda _: None,
) -> Timeline:
    """Asks each build about each text. What cannot be opened is left out, and named; raises Problem if none is left."""
    timeline = Timeline()
    targets: dict[str, Target] = {}
    with ExitStack() as stack:
        for build in builds:
            try:
                (target,) = stack.enter_context(opened([build.spec], notify, timeout)).values()
            except Problem as problem:
                timeline.missing[build.spec] = str(problem)
                continue
            if target.name not in targets:
                targets[target.name] = target
                timeline.builds.append(Build(target.name, build.date))
        if not targets:
            raise Problem("; ".join(timeline.missing.values()))
        done = replay(cases, list(targets.values()), progress=progress)
    timeline.unreadable = done.unreadable_lines
    names = [build.spec for build in timeline.builds]
    by_path: dict[Path, dict[str, CaseResult]] = {}
    for result in done.results:
        by_path.setdefault(result.case.path, {})[result.oracle] = result
    for case in cases:
        answers = by_path.get(case.path, {})
        if all(name in answers for name in names):
            timeline.histories.append(TextHistory(case, tuple(answers[name] for name in names)))
    return timeline


FEW = 3
"""So many texts have a line for each build; of more there is a table."""


@click.command("bisect")
@click.argument("files", nargs=-1, metavar="[FILE|DIR]...", type=click.Path(path_type=Path))
@click.option(
    "--target",
    "-t",
    "names",
    multiple=True,
    default=("tint",),
    show_default=True,
    metavar="NAME",
    help="tint, naga, wgsl (texts of the specification), webkit (a model): all builds of it; or one build; repeats.",
)
@click.option(
    "--range", "span", metavar="A..B", help="Builds (0.3.8..0.4.0) or dates (2025-09..); A or B may be empty."
)
@o.format_option("text", "json")
@o.output_option()
@o.TIMEOUT_OPTION
@click.pass_context
def bisect(
    context: click.Context,
    files: tuple[Path, ...],
    names: tuple[str, ...],
    span: str | None,
    form: str,
    output: Path | None,
) -> None:
    """Find between which builds a verdict changed.

    Every build that can be had is asked, in order of date: a verdict may change more than once. A DIR is a corpus as
    of `replay`, or has *.wgsl files; without FILE or DIR it is the shipped corpus. A build of yours
    (-t tint -t tint:out/tint) comes last, whatever the --range.

    Exit status: 0 no verdict changed, 1 one did, 2 the request or the set-up is at fault, a file cannot be judged, or a
    build that was named cannot be opened.
    """
    builds = builds_of(names)
    if span is not None:
        first, dots, last = span.partition("..")
        if not dots:
            raise Problem(f"--range: {span!r} is not A..B")
        inside = within(builds, first, last)
        builds = [build for build in builds if build in inside or build.spec in names]
    cases = [case for file in files or (None,) for case in load_texts(file)]
    with changing_line("asking") as show:
        timeline = histories(cases, builds, notice, context.meta["timeout"], show)
    for name, reason in timeline.missing.items():
        notice(f"wgsl-fuzz: {name} is left out: {reason}")
    for line in timeline.unreadable:
        notice(f"wgsl-fuzz: cannot be judged: {line}")
    o.hand_over(o.as_json(_json(timeline)) if form == "json" else _report(timeline), output)
    changed = any(history.changes for history in timeline.histories)
    failed = timeline.unreadable or not timeline.missing.keys().isdisjoint(names)
    context.exit(PROBLEM if failed else int(changed))


def _report(timeline: Timeline) -> Iterator[str]:
    """The table or, of a few texts, what each build says; then between which builds what changed."""
    few = len(timeline.histories) <= FEW
    dates = {build.spec: f" ({build.date})" if build.date else "" for build in timeline.builds}
    if not few:
        yield from (*table(timeline), "")
    for history in timeline.histories:
        if few:
            yield history.case.name
            pairs = zip(timeline.builds, history.answers, strict=True)
            rows = [(build.date, build.spec, answer.said, answer.kind or "") for build, answer in pairs]
            yield from (f"  {line}" for line in columns(rows))
        for before, after in history.changes:
            where = f"between {before.oracle}{dates[before.oracle]} and {after.oracle}{dates[after.oracle]}"
            what = f"{before.said} -> {after.said}, expected {after.expected}"
            yield f"{history.case.name}: {change_word(before, after)} {where}: {what}"
    changed = sum(bool(history.changes) for history in timeline.histories)
    texts, builds = count(len(timeline.histories), "text"), count(len(timeline.builds), "build")
    yield f"{changed} of {texts} {verb(changed, 'changes', 'change')} verdict between {builds}"


def _json(timeline: Timeline) -> dict[str, object]:
    return {
        "builds": [{"target": build.spec, "date": build.date or None} for build in timeline.builds],
        "texts": [
            {
                "name": history.case.name,
                "path": str(history.case.path),
                "expected": history.answers[0].expected,
                "answers": {a.oracle: {"says": a.said, "kind": a.kind} for a in history.answers},
                "changes": [
                    {"word": change_word(a, b), "before": a.oracle, "after": b.oracle} for a, b in history.changes
                ],
            }
            for history in timeline.histories
        ],
        "missing": timeline.missing,
        "unreadable": timeline.unreadable,
    }


RIGHT, BEYOND = "ok", "-"
_SHORT = {Kind.TOO_STRICT.value: "strict", Kind.TOO_LENIENT.value: "lenient", Kind.UNSOUND.value: "UNSOUND"}
"""What stands in a narrow column; the other kinds are short enough."""


def _is_beyond(answer: CaseResult) -> bool:
    """Whether what the text asks for is not built yet: one of its constructs, or the analysis as a whole."""
    unknown = answer.kind is None and answer.said != answer.expected
    return unknown or answer.bucket == BucketKey.without_analysis(answer.oracle)


def table(timeline: Timeline) -> list[str]:
    """A row a text, a column a build, in one word each; of texts that are `ok` or `-` in every build the number."""
    texts = timeline.histories
    shown = [h for h in texts if h.changes or any(a.disagrees and not _is_beyond(a) for a in h.answers)]
    heads = [build.spec.rpartition("@")[2].removeprefix("rules:") for build in timeline.builds]
    rows = [["", *(build.date for build in timeline.builds)], ["", *heads]]
    for h in shown:
        words = ((a, RIGHT if a.kind is None else _SHORT.get(a.kind, a.kind)) for a in h.answers)
        rows.append([h.case.name, *(BEYOND if _is_beyond(answer) else word for answer, word in words)])
    others = f"{RIGHT} or {BEYOND}" if any(_is_beyond(answer) for h in texts for answer in h.answers) else RIGHT
    rest = len(texts) - len(shown)
    return [*columns(rows), *([f"{rest} more: {others} in every build"] if rest else [])]
