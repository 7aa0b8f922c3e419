"""The command `triage`: a stored run's buckets, most severe first, and what to do about each."""

from dataclasses import dataclass
from pathlib import Path
from shlex import quote
from typing import Any

import click
import orjson

from wgsl_fuzz.fuzz.cli.options import given_options
from wgsl_fuzz.fuzz.files import make_folder
from wgsl_fuzz.fuzz.findings.directory import StorageError
from wgsl_fuzz.fuzz.findings.loading import load_run, told_of
from wgsl_fuzz.fuzz.output import Console, echo, in_terminal, is_dialogue
from wgsl_fuzz.fuzz.present.export import FORMS, export_all
from wgsl_fuzz.fuzz.present.since_text import since_json, since_lines
from wgsl_fuzz.fuzz.present.titles import titles
from wgsl_fuzz.fuzz.present.triage_text import because, check_url, decided, detail, overview, table
from wgsl_fuzz.fuzz.problems import Problem
from wgsl_fuzz.fuzz.triage.order import about_to_be_shown, triage_of, triage_since
from wgsl_fuzz.fuzz.triage.shared import shared_with
from wgsl_fuzz.fuzz.triage.sightings import Sighting, sightings
from wgsl_fuzz.fuzz.triage.since import Comparison
from wgsl_fuzz.fuzz.triage.triage import Triage

_WIDTH = 160
_WITHOUT_JSON = ("--show", "--plain")


@dataclass(frozen=True, slots=True)
class Decisions:
    """What the options say of buckets."""

    known: tuple[tuple[str, str], ...]
    note: str | None
    drop: tuple[tuple[str, str], ...]
    undrop: tuple[str, ...]

    def __bool__(self) -> bool:
        return bool(self.known or self.drop or self.undrop)

    def make(self, work: Triage) -> list[str]:
        """Makes all of them, or none if one cannot be made; a line for each, with its file. Raises Problem."""
        for _, url in self.known:
            check_url(url)
        names = [*(name for name, _ in (*self.known, *self.drop)), *self.undrop]
        indices = {name: work.find(name) for name in names}
        twice = [name for i, name in enumerate(names) if indices[name] in [indices[other] for other in names[:i]]]
        if twice:
            raise Problem(f"two decisions about one bucket: {twice[0]}")
        for name in self.undrop:
            if work.buckets[indices[name]].name not in work.dropped:
                raise Problem(f"{name} is not dropped")
        try:
            for name, url in self.known:
                work.mark_known(indices[name], url, self.note or "")
            for name, reason in self.drop:
                work.drop(indices[name], reason)
            for name in self.undrop:
                work.undrop(indices[name])
        except (Problem, StorageError) as error:
            while work.undo():
                pass
            raise error if isinstance(error, Problem) else Problem(str(error)) from error
        words = [
            *("known" for _ in self.known),
            *("dropped" for _ in self.drop),
            *("no longer dropped" for _ in self.undrop),
        ]
        buckets = [work.buckets[indices[name]] for name in names]
        return [decided(work, bucket, word) for bucket, word in zip(buckets, words, strict=True)]


@click.command()
@click.argument("run", type=click.Path(path_type=Path))
@click.option("--show", "shown", multiple=True, metavar="BUCKET", help="All about a bucket: `3`, or `all`; repeats.")
@click.option(
    "--known", multiple=True, nargs=2, metavar="BUCKET URL", help="Tie a bucket to an issue: it fails no run again."
)
@click.option("--note", metavar="TEXT", help="With --known: a remark for the known-file.")
@click.option("--known-file", type=click.Path(path_type=Path), help="[default: known.toml in RUN]")
@click.option("--drop", multiple=True, nargs=2, metavar="BUCKET REASON", help="Note that nobody need look at a bucket.")
@click.option("--undrop", multiple=True, metavar="BUCKET", help="Take that back.")
@click.option(
    "--export",
    "exports",
    type=(click.Choice(FORMS), str),
    multiple=True,
    metavar="FORM BUCKET",
    help=f"Write a bucket as FORM: {', '.join(FORMS)}; several go into a folder.",
)
@click.option("-o", "output", type=click.Path(path_type=Path), help="Export to this file, or into this folder.")
@click.option("--name", metavar="NAME", help="With --export: what the test, the case or the file in -o is called.")
@click.option(
    "--since",
    "earlier",
    type=click.Path(path_type=Path),
    metavar="RUN",
    help="Hold it against an earlier run or history: only what that had not is new.",
)
@click.option("--plain", is_flag=True, help="Text, no keys.  [default where there is no terminal]")
@click.option("--json", "as_json", is_flag=True, help="The buckets as JSON.")
@click.pass_context
def triage(
    context: click.Context,
    run: Path,
    shown: tuple[str, ...],
    known: tuple[tuple[str, str], ...],
    note: str | None,
    known_file: Path | None,
    drop: tuple[tuple[str, str], ...],
    undrop: tuple[str, ...],
    exports: tuple[tuple[str, str], ...],
    output: Path | None,
    name: str | None,
    earlier: Path | None,
    plain: bool,
    as_json: bool,
) -> None:
    """List the buckets of a run, and decide about each.

    New ones come first, each by severity. BUCKET is its number, which stays, or its name. Nothing is ever deleted.

    With --since, a bucket that the earlier run had is `seen`, and what was not found again is listed.

    Exit status: 0 every bucket is known, dropped or seen, 1 there are new ones.
    """
    _check_together(context)
    if known_file is not None and not known_file.exists() and not known:
        raise Problem(f"there is no {known_file}")
    work, comparison = _work(run, known_file, earlier)
    if exports:
        _make_parent(work, exports, output)
        for line in export_all(work, exports, output, name):
            echo(line)
    else:
        decisions = Decisions(known, note, drop, undrop)
        wanted = [work.buckets[i].name for i in _indices(work, shown)]
        for line in decisions.make(work):
            echo(line, err=as_json)
        about_to_be_shown(work)
        keys = not (decisions or plain or shown or as_json) and is_dialogue()
        _show(work, comparison, wanted, as_json=as_json, keys=keys)
    if line := told_of(str(work.run.path), work.run.broken):
        raise Problem(line)
    context.exit(int(bool(work.new)) if not exports else 0)


def _show(work: Triage, comparison: Comparison | None, wanted: list[str], *, as_json: bool, keys: bool) -> None:
    """Shows the buckets: as JSON, in a terminal by `keys`, or as text."""
    if as_json:
        since = {} if comparison is None else since_json(comparison)
        echo(orjson.dumps(_json(work) | since, option=orjson.OPT_INDENT_2).decode())
    elif keys:
        from wgsl_fuzz.fuzz.cli.triage_screen import Screen

        Screen(work, Console()).run()
    else:
        _print(work, wanted, [] if comparison is None else since_lines(work, comparison))


def _work(run: Path, known_file: Path | None, earlier: Path | None) -> tuple[Triage, Comparison | None]:
    """What there is to decide about, and what an earlier run says of it. Raises Problem."""
    if earlier is None:
        return triage_of(load_run(run), known_file), None
    return triage_since(load_run(run), load_run(earlier), known_file)


def _make_parent(work: Triage, exports: tuple[tuple[str, str], ...], output: Path | None) -> None:
    """The folder of the file that one export is written to; nothing is made for a bucket that is not there."""
    if output is not None and len(exports) == 1:
        work.find(exports[0][1])
        make_folder(output.parent)


def _indices(work: Triage, shown: tuple[str, ...]) -> list[int]:
    return list(range(len(work.buckets))) if "all" in shown else [work.find(name) for name in shown]


def _check_together(context: click.Context) -> None:
    """Raises Problem where an option would have no effect beside the others, or without another."""
    given = set(given_options(context).values())
    for option, needed in (("--note", "--known"), ("-o", "--export"), ("--name", "--export")):
        if option in given and needed not in given:
            raise Problem(f"{option} goes with {needed}")
    alone = {"--export": ("--show", "--known", "--drop", "--undrop", "--plain", "--json"), "--json": _WITHOUT_JSON}
    for option, others in alone.items():
        for other in others:
            if {option, other} <= given:
                raise Problem(f"{option} and {other} do not go together")


def _print(work: Triage, shown: list[str], since: list[str]) -> None:
    """The list, or the buckets of these names. No command is wrapped: half of one, pasted, runs something else."""
    console = Console(width=None if in_terminal() else _WIDTH)
    for line in overview(work):
        console.print(line, soft_wrap=True)
    if not shown and work.buckets:
        console.print(table(work, width=console.width))
        first = next(iter(work.new), work.buckets[0])
        run = quote(str(work.run.path))
        console.print(f"Look at one: wgsl-fuzz triage {run} --show {work.number(first)}", soft_wrap=True)
    for line in since:
        console.print(line, soft_wrap=True)
    for name in shown:
        console.print(detail(work, work.find(name)), soft_wrap=True)


def _sighting(one: Sighting) -> dict[str, Any]:
    """A run of a history that met a bucket."""
    run = one.run
    where = {"run": run.name, "id": run.id, "date": run.date, "seed": run.seed, "first": one.shader}
    return where | {"build": one.build, "saved": one.count}


def _json(work: Triage) -> dict[str, Any]:
    buckets = []
    for bucket, title in zip(work.buckets, titles(work.buckets), strict=True):
        shown = bucket.representative
        buckets.append(
            {
                "number": work.number(bucket),
                "name": bucket.name,
                "title": title,
                "target": bucket.target,
                "shared": list(shared_with(bucket)),
                "kind": bucket.kind.value,
                "state": work.state(bucket),
                "issue": bucket.issue,
                "reason": work.dropped.get(bucket.name),
                "branch": bucket.branch,
                "certainty": None if bucket.certainty is None else bucket.certainty.value,
                "because": because(bucket),
                "count": bucket.count,
                "saved": len(bucket.findings),
                "first seen": bucket.first_seen,
                "raw": [str(key) for key in bucket.raw],
                "findings": [f.folder.name for f in bucket.findings],
                "shader": shown.text if shown else None,
                "reproduce": (shown.record.reproduce or None) if shown else None,
                "unreduced": shown.record.unreduced if shown else None,
                "replayed": work.replayed.get(bucket.name, {}),
                "runs": [_sighting(one) for one in sightings(work.run, bucket)],
            }
        )
    return {
        "run": str(work.run.path),
        "findings": work.total,
        "buckets": buckets,
        "broken": [str(damage) for damage in work.run.broken],
    }
