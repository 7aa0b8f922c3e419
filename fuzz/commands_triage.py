"""The command `triage`: a stored run's buckets, most severe first, and what to do about each."""

import sys
from pathlib import Path
from typing import Any

import click
import orjson
from rich.console import Console

from fuzz.export import FORMS, export, export_corpus
from fuzz.files import write_bytes
from fuzz.findings import StorageError
from fuzz.problems import Problem
from fuzz.stored import load_run
from fuzz.triage import Triage
from fuzz.triage_text import because, detail, overview, table

_WIDTH = 160


@click.command()
@click.argument("run", type=click.Path(path_type=Path))
@click.option("--show", "shown", multiple=True, metavar="BUCKET", help="All about a bucket: `3`, or `all`; repeats.")
@click.option("--known", "mark", nargs=2, metavar="BUCKET URL", help="Tie a bucket to an issue: it fails no run again.")
@click.option("--note", default="", help="With --known: a remark for the known-file.")
@click.option("--known-file", type=click.Path(path_type=Path), help="[default: known.toml in RUN]")
@click.option("--drop", nargs=2, metavar="BUCKET REASON", help="Note that nobody need look at a bucket.")
@click.option("--undrop", metavar="BUCKET", help="Take that back.")
@click.option(
    "--export", "exported", type=(click.Choice(FORMS), str), metavar="FORM BUCKET", help=f"FORM: {', '.join(FORMS)}."
)
@click.option(
    "-o", "output", type=click.Path(path_type=Path), help="Export here (corpus: a folder), not to standard output."
)
@click.option("--plain", is_flag=True, help="Text, no keys.  [default where there is no terminal]")
@click.option("--json", "as_json", is_flag=True, help="The buckets as JSON.")
@click.pass_context
def triage(
    context: click.Context,
    run: Path,
    shown: tuple[str, ...],
    mark: tuple[str, str] | None,
    note: str,
    known_file: Path | None,
    drop: tuple[str, str] | None,
    undrop: str | None,
    exported: tuple[str, str] | None,
    output: Path | None,
    plain: bool,
    as_json: bool,
) -> None:
    """The buckets of a run, most severe first; what is new, known or dropped; and where to file it.

    BUCKET is its number or its name. Nothing that was found is ever deleted.

    Exit status: 0 every bucket is known or dropped, 1 there are new ones.
    """
    if known_file is not None and not known_file.exists() and not mark:
        raise Problem(f"there is no {known_file}")
    work = Triage.of(load_run(run), known_file)
    if exported is not None:
        _export(work, *exported, output)
        return
    if output is not None:
        raise Problem("-o goes with --export")
    decided = _decide(work, mark, note, drop, undrop)
    interactive = not (decided or plain or as_json or shown) and sys.stdin.isatty() and sys.stdout.isatty()
    if as_json:
        click.echo(orjson.dumps(_json(work), option=orjson.OPT_INDENT_2).decode())
    elif interactive:
        from fuzz.triage_screen import Screen

        Screen(work, Console()).run()
    else:
        _print(work, shown)
    context.exit(int(bool(work.new)))


def _decide(
    work: Triage, mark: tuple[str, str] | None, note: str, drop: tuple[str, str] | None, undrop: str | None
) -> bool:
    """Does what the options say; whether there was anything."""
    try:
        if mark:
            work.mark_known(work.find(mark[0]), mark[1], note)
        if drop:
            work.drop(work.find(drop[0]), drop[1])
    except StorageError as error:
        raise Problem(str(error)) from error
    if undrop and not work.undrop(work.find(undrop)):
        raise Problem(f"{undrop} is not dropped")
    return bool(mark or drop or undrop)


def _export(work: Triage, form: str, wanted: str, output: Path | None) -> None:
    bucket = work.buckets[work.find(wanted)]
    if form == "corpus":
        if output is None:
            raise Problem("--export corpus needs -o FOLDER, the corpus to add the case to")
        click.echo(str(export_corpus(bucket, output)))
        return
    text = export(bucket, form)
    if output is None:
        click.echo(text, nl=False)
    else:
        write_bytes(output, text.encode())


def _print(work: Triage, shown: tuple[str, ...]) -> None:
    console = Console(width=None if sys.stdout.isatty() else _WIDTH, highlight=False)
    indices = range(len(work.buckets)) if "all" in shown else [work.find(name) for name in shown]
    for line in overview(work):
        console.print(line, markup=False)
    if not shown and work.buckets:
        console.print(table(work))
        new = next((i for i, b in enumerate(work.buckets) if work.state(b) == "new"), 0)
        console.print(f"Look at one: wgsl-fuzz triage {work.run.path} --show {new + 1}", markup=False, soft_wrap=True)
    for index in indices:
        console.print(detail(work, index), soft_wrap=True)


def _json(work: Triage) -> dict[str, Any]:
    buckets = []
    for i, bucket in enumerate(work.buckets):
        shown = bucket.representative
        buckets.append(
            {
                "number": i + 1,
                "name": bucket.name,
                "target": bucket.target,
                "kind": bucket.kind.value,
                "state": work.state(bucket),
                "issue": bucket.issue,
                "reason": work.dropped.get(bucket.name),
                "branch": bucket.branch,
                "because": because(bucket),
                "count": bucket.count,
                "saved": len(bucket.findings),
                "first seen": bucket.first_seen,
                "raw": list(bucket.raw),
                "findings": [f.folder.name for f in bucket.findings],
                "shader": shown.text if shown else None,
                "reproduce": shown.record.get("reproduce") if shown else None,
            }
        )
    return {"run": str(work.run.path), "findings": work.total, "buckets": buckets, "broken": list(work.run.broken)}
