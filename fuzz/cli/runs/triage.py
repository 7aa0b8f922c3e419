"""The command `triage`: a stored run's buckets, most severe first, and what to do about each."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from shlex import quote
from typing import Any

import click
import orjson

from wgsl_fuzz.fuzz.cli import options as o
from wgsl_fuzz.fuzz.cli.runs.progress import NAMED, name_of
from wgsl_fuzz.fuzz.files import make_folder
from wgsl_fuzz.fuzz.findings.known import URL, check_build
from wgsl_fuzz.fuzz.findings.loading import check_whole, load_run
from wgsl_fuzz.fuzz.output import Console, echo, in_terminal
from wgsl_fuzz.fuzz.present import triage_text
from wgsl_fuzz.fuzz.present.export import FORMS, export_all
from wgsl_fuzz.fuzz.present.wording import clock, count
from wgsl_fuzz.fuzz.problems import Problem
from wgsl_fuzz.fuzz.triage.since import RunComparison, regressions, triage_since
from wgsl_fuzz.fuzz.triage.triage import Triage, shared_with, sightings

_WIDTH = 160


def _decide(work: Triage, known: Sequence[tuple[str, str]], dropped: Sequence[tuple[str, str]]) -> list[str]:
    """Makes the decisions, or none if one cannot be made; a line for each, with its file. Raises Problem."""
    for _, url in known:
        if not URL.fullmatch(url):
            raise Problem(f"{url!r} is not a URL, such as https://github.com/gpuweb/gpuweb/issues/1")
    names = [name for name, _ in (*known, *dropped)]
    indices = {name: work.find(name) for name in names}
    twice = [name for i, name in enumerate(names) if indices[name] in [indices[other] for other in names[:i]]]
    if twice:
        raise Problem(f"two decisions about one bucket: {twice[0]}")
    words = []
    try:
        for name, url in known:
            words += triage_text.marked(work, indices[name], url)
        for name, reason in dropped:
            if reason:
                work.drop(indices[name], reason)
            elif not work.undrop(indices[name]):
                raise Problem(f"{name} is not dropped: say why it is to be")
            word = "dropped" if reason else "no longer dropped"
            words.append(triage_text.decided(work, work.buckets[indices[name]], word))
    except Problem:
        while work.undo():
            pass
        raise
    return words


@click.command(cls=o.LargeCommand)
@click.argument("run", type=o.RunFolder())
@click.option("--show", "shown", multiple=True, metavar="BUCKET", help="All about a bucket: `3`, or `all`; repeats.")
@click.option(
    "--mark-known", "known", multiple=True, nargs=2, metavar="BUCKET URL", help="Tie a bucket to an issue: it is known."
)
@click.option(
    "--drop",
    "dropped",
    multiple=True,
    nargs=2,
    metavar="BUCKET REASON",
    help="Note that nobody need look at a bucket; with the REASON '' take that back.",
)
@o.format_option("text", "line", "json", *FORMS)
@click.option("--out", "-o", "output", type=click.Path(path_type=Path), help="Write to this file, or into this folder.")
@click.option("--name", metavar="NAME", help="What a written test, case or file is called.")
@o.since_option("Hold it against an earlier run or history: only what that had not is new.")
@o.LIKE
@o.KNOWN_FILE
@click.pass_context
def triage(
    context: click.Context,
    run: Path,
    shown: tuple[str, ...],
    known: tuple[tuple[str, str], ...],
    dropped: tuple[tuple[str, str], ...],
    form: str,
    output: Path | None,
    name: str | None,
    earlier: Path | None,
) -> None:
    """List the buckets of a run, and decide about each.

    New ones come first, each by severity. BUCKET is its number, which stays, or its name. Nothing is ever deleted.

    --show BUCKET with --format markdown writes an issue, cts a test of the WebGPU CTS, tint a unit test of Tint, corpus
    a case of a corpus. --format line is one line, for a chat.

    With --since, a bucket that the earlier run had is `seen`, and what was not found again is listed.

    Exit status: 0 every bucket is known, dropped or seen, 1 there are new ones.
    """
    _check_together(context, form)
    known_file: Path | None = context.meta["known_file"]
    if known_file is not None and not known_file.is_file() and not known:
        raise Problem(f"there is no file {known_file}")
    work, comparison = _work(context, run, known_file, earlier)
    if form in FORMS:
        wanted = [work.buckets[i] for i in _indices(work, shown)]
        if output is not None and len(wanted) == 1:
            make_folder(output.parent)
        for line in export_all(wanted, form, output, name):
            echo(line)
    else:
        names = [work.buckets[i].name for i in _indices(work, shown)]
        for line in _decide(work, known, dropped):
            echo(line, err=form in ("json", "line"))
        work.about_to_be_shown()
        _show(work, comparison, names, form)
    check_whole(str(work.run.path), work.run.broken)
    context.exit(int(bool(work.new)) if form not in FORMS else 0)


def _show(work: Triage, comparison: RunComparison | None, wanted: list[str], form: str) -> None:
    """Shows the buckets: as JSON, as one line, or as text."""
    if form == "json":
        since = {} if comparison is None else triage_text.since_json(comparison)
        echo(orjson.dumps(_json(work) | since, option=orjson.OPT_INDENT_2).decode())
    elif form == "line":
        echo(_line(work, comparison))
    else:
        _print(work, wanted, [] if comparison is None else triage_text.since_lines(work, comparison))


def _work(
    context: click.Context, folder: Path, known_file: Path | None, earlier: Path | None
) -> tuple[Triage, RunComparison | None]:
    """What there is to decide about, and what an earlier run says of it. Raises Problem."""
    run = load_run(folder)
    like = o.like_of(context, [*run.record.targets, *run.record.specs.values()], check_build)
    if earlier is None:
        return Triage.of(run, known_file, like), None
    return triage_since(run, load_run(earlier), known_file, like)


def _indices(work: Triage, shown: tuple[str, ...]) -> list[int]:
    return list(range(len(work.buckets))) if "all" in shown else [work.find(name) for name in shown]


def _check_together(context: click.Context, form: str) -> None:
    """Raises Problem where an option would have no effect beside the others, or without another."""
    given = o.given_options(context)
    if form in FORMS:
        why = "it only writes buckets"
        allowed = ("shown", "form", "output", "name", "earlier", "like", "known_file")
        o.allow_only(context, allowed, f"--format {form}", why)
        if "shown" not in given:
            raise Problem(f"--format {form} writes buckets: name them by --show")
    elif form in ("json", "line"):
        why = "it has all of every bucket" if form == "json" else "it is about all buckets"
        o.allow_only(context, given.keys() - {"shown", "output", "name"}, f"--format {form}", why)
    else:
        for parameter in ("output", "name"):
            if parameter in given:
                raise Problem(f"{given[parameter]} goes with --format {', '.join(FORMS)}")


def _print(work: Triage, shown: list[str], since: list[str]) -> None:
    """The list, or the buckets of these names. No command is wrapped: half of one, pasted, runs something else."""
    console = Console(width=None if in_terminal() else _WIDTH)
    for line in triage_text.overview(work):
        console.print(line, soft_wrap=True)
    if not shown and work.buckets:
        console.print(triage_text.table(work, width=console.width))
        first = next(iter(work.new), work.buckets[0])
        run = quote(str(work.run.path))
        console.print(f"Look at one: wgsl-fuzz triage {run} --show {work.number(first)}", soft_wrap=True)
    for line in [*([] if shown else triage_text.regression_lines(work)), *since]:
        console.print(line, soft_wrap=True)
    for name in shown:
        console.print(triage_text.detail(work, work.find(name)), soft_wrap=True)


def _line(triage: Triage, comparison: RunComparison | None) -> str:
    """All of a run in one line: what is new in each target, and how long it was asked."""
    record = triage.run.record
    parts = []
    for name in dict.fromkeys([*record.targets, *(bucket.target for bucket in triage.buckets)]):
        states = Counter(triage.state(bucket) for bucket in triage.buckets if bucket.target == name)
        new = [bucket for bucket in triage.new if bucket.target == name]
        named = [name_of(bucket).removeprefix(f"{name} ") for bucket in new]
        more = [f"and {len(named) - NAMED:,} more"] if len(named) > NAMED else []
        said = [f"{len(new):,} new ({', '.join(named[:NAMED] + more)})" if new else "nothing new"]
        said += [f"{states[state]:,} {state}" for state in triage_text.STYLES if state != "new" and states[state]]
        parts.append(f"{name}: {', '.join(said)}")
    missing = Counter(one.word for one in comparison.missing) if comparison is not None else {}
    parts += [f"{n:,} {word}" for word, n in missing.items()]
    regressed = len(triage_text.regression_lines(triage))
    parts += [count(regressed, "regression")] if regressed else []
    return f"{triage.run.path.name}: {'; '.join(parts)}; {clock(record.seconds)}, {count(record.programs, 'shader')}"


def _json(work: Triage) -> dict[str, Any]:
    buckets, regressed = [], regressions(work)
    for bucket, title in zip(work.buckets, triage_text.titles(work.buckets), strict=True):
        shown = bucket.representative
        buckets.append(
            {"number": work.number(bucket)}
            | triage_text.bucket_json(bucket, title)
            | {
                "shared": list(shared_with(bucket)),
                "state": work.state(bucket),
                "issue": bucket.issue,
                "reason": work.dropped.get(bucket.name),
                "branch": bucket.branch,
                "certainty": None if bucket.certainty is None else bucket.certainty.value,
                "because": triage_text.because(bucket),
                "right": list(bucket.key.cause.right),
                "saved": len(bucket.findings),
                "first seen": bucket.first_seen,
                "keys": [str(key) for key in bucket.raw],
                "reproduce": (shown.record.reproduce or None) if shown else None,
                "unreduced": shown.record.unreduced if shown else None,
                "regressed after": one.runs_before if (one := regressed.get(bucket.name)) else None,
                "replayed": work.replayed.get(bucket.name, {}),
                "runs": [
                    {"run": one.run.name, "id": one.run.id, "date": one.run.date, "seed": one.run.seed}
                    | {"first": one.shader, "build": one.build, "saved": one.count}
                    for one in sightings(work.run, bucket)
                ],
            }
        )
    return {
        "run": str(work.run.path),
        "findings": work.total,
        "buckets": buckets,
        "broken": [f"{name}: {fault}" for name, fault in work.run.broken],
    }
