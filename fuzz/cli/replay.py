"""The command `replay`: the corpus as a regression test."""

import time
from dataclasses import replace
from pathlib import Path
from shlex import quote

import click
import orjson

from wgsl_fuzz.fuzz.cli.options import as_option, given_options, timeout_option
from wgsl_fuzz.fuzz.cli.progress import changing_line
from wgsl_fuzz.fuzz.cli.replay_devices import recorded_devices
from wgsl_fuzz.fuzz.cli.replay_lines import COLOURS, ReplayRequest, details, result_json, with_issues
from wgsl_fuzz.fuzz.cli.replay_run import is_run, replayed_run
from wgsl_fuzz.fuzz.files import check_writable, write_bytes
from wgsl_fuzz.fuzz.judging.answers import opened
from wgsl_fuzz.fuzz.judging.asking import named
from wgsl_fuzz.fuzz.output import echo
from wgsl_fuzz.fuzz.present.plurals import count
from wgsl_fuzz.fuzz.problems import Problem
from wgsl_fuzz.fuzz.regression.junit import junit_xml, sentence
from wgsl_fuzz.fuzz.regression.replay import (
    Replay,
    ReplayText,
    Status,
    check_family,
    check_like,
    load_entries,
    record,
    replay,
)
from wgsl_fuzz.fuzz.shipped import corpus_folder, is_installed


@click.command("replay")
@click.argument("folder", required=False, metavar="[DIR]", type=click.Path(path_type=Path))
@click.option("--target", "-t", "names", multiple=True, metavar="NAME", help="What to ask; repeats.")
@click.option(
    "--like", metavar="NAME", help="Compare with the record of this target (tint@0.6.2) instead of the target's own."
)
@click.option(
    "--known", "known_file", type=click.Path(path_type=Path), help="Issues of buckets.  [default: DIR/known.toml]"
)
@click.option("--junitxml", type=click.Path(path_type=Path, dir_okay=False), help="Write a report for CI here.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
@as_option
@timeout_option
@click.option("--strict", is_flag=True, help="FIXED fails, too, until it is recorded.")
@click.option("--verbose", "-v", is_flag=True, help="Show what is STILL as recorded, too.")
@click.option("--record", "recording", is_flag=True, help="Write what the targets say into the cases of DIR.")
@click.pass_context
def replay_command(
    context: click.Context,
    folder: Path | None,
    names: tuple[str, ...],
    like: str | None,
    as_name: str | None,
    known_file: Path | None,
    junitxml: Path | None,
    as_json: bool,
    timeout: float,
    strict: bool,
    verbose: bool,
    recording: bool,
) -> None:
    """Ask targets about a corpus or a run's findings again.

    Without DIR, it is the shipped corpus. Of a run each bucket gets a word, which triage shows from then on.

    \b
    STILL    as recorded, or as the reference says where nothing is recorded
    FIXED    recorded as wrong, and now as the reference says
    CHANGED  neither as recorded nor as the reference says
    NEW      not recorded for this target, and not as the reference says

    Plain *.wgsl files in DIR are replayed too. Exit status: 0 STILL and FIXED, 1 CHANGED or NEW, 2 the request or the
    set-up is at fault, or a file cannot be judged. With --strict FIXED is 1, too.
    """
    _check_recordable(recording, folder, names)
    names = named(names, as_name)
    if junitxml is not None:
        check_writable(junitxml)
    it = ReplayRequest(folder, names, like, known_file, junitxml, as_json, timeout, strict, verbose, recording)
    like_given = "like" in given_options(context)
    if folder is not None and is_run(folder):
        context.exit(replayed_run(it if like_given else replace(it, like=None), folder))
    entries = load_entries(folder)
    context.exit(_replayed_corpus(replace(it, like=_record_of(it, entries, given=like_given)), entries))


def _replayed_corpus(it: ReplayRequest, entries: list[ReplayText]) -> int:
    """Asks, and says what came of it; the exit status. Raises Problem."""
    began = time.monotonic()
    done = _replayed(entries, it.names, it.like, it.timeout)
    done.results = [replace(r, strict=it.strict) for r in with_issues(done.results, it)]
    seconds = time.monotonic() - began
    if it.junitxml is not None:
        write_bytes(it.junitxml, junit_xml(done, seconds))
    if it.as_json:
        echo(orjson.dumps(_json(done, seconds)))
    else:
        _show(done, seconds, it.folder, verbose=it.verbose)
    if it.recording:
        echo(f"{count(record(done.results), 'case file')} changed", err=True)
    return done.status


def _check_recordable(recording: bool, folder: Path | None, names: tuple[str, ...]) -> None:
    if recording and folder is None:
        raise Problem("--record changes the cases: name their folder")
    if recording and is_run(folder):
        raise Problem("--record is for a corpus: what is said of a run is noted in its replays.jsonl")
    if recording and not names:
        raise Problem("--record writes what targets say: name a --target")


def _record_of(it: ReplayRequest, entries: list[ReplayText], *, given: bool) -> str | None:
    """The record that --like names. Raises Problem if nothing can be compared with it.

    A configuration file is for all corpora and targets. Where the `like` of one does not fit, it is left out.
    """
    try:
        check_like(it.like, entries)
        check_family(it.like, it.names)
    except Problem as problem:
        if given:
            raise
        echo(f"without the `like` of the configuration file: {problem}", err=True)
        return None
    return it.like


def _replayed(entries: list[ReplayText], names: tuple[str, ...], like: str | None, timeout: float) -> Replay:
    with opened(names, lambda line: echo(line, err=True), timeout) as specs:
        targets = list({target.name: target for target in specs.values()}.values())
        with changing_line("replaying") as show:
            done = replay(entries, targets, like, progress=show)
    cases = [entry.case for entry in entries if entry.case is not None]
    with recorded_devices((name for case in cases for name in case.verdicts), names, timeout) as devices:
        for device in devices:
            done.add(replay([one for entry in entries if (one := _of_device(entry, device.name))], [device]))
    return done


def _of_device(entry: ReplayText, name: str) -> ReplayText | None:
    """The entry, for this device alone; None if nothing is recorded of it."""
    case = entry.case
    if case is None or name not in case.verdicts:
        return None
    return replace(entry, case=replace(case, ours=False))  # our own oracles were asked


def _to_record(folder: Path | None, names: list[str]) -> str:
    place, targets = folder or corpus_folder(), " ".join(f"--target {quote(name)}" for name in names)
    if is_installed(place):
        return f"copy {place} to my-corpus, then: wgsl-fuzz replay my-corpus {targets} --record"
    return f"wgsl-fuzz replay {quote(str(place))} {targets} --record"


def _show(done: Replay, seconds: float, folder: Path | None, *, verbose: bool) -> None:
    cases = max((len(result.entry.name) for result in done.results), default=0)
    oracles = max((len(result.oracle) for result in done.results), default=0)
    for result in done.results:
        if result.word is Status.STILL and not verbose:
            continue
        word = click.style(f"{result.word.name:7}", fg=COLOURS[result.word], bold=result.fails)
        rest = sentence(result).partition(": ")[2]
        echo(f"  {result.entry.name:{cases}}  {result.oracle:{oracles}}  {rest}", head=word)
    details(done)
    echo(f"\n{summary(done)} in {seconds:.1f} s")
    if fixed := sorted({result.oracle for result in done.results if result.word is Status.FIXED}):
        echo(f"To record what is FIXED: {_to_record(folder, [done.specs.get(name, name) for name in fixed])}")


def summary(done: Replay) -> str:
    """The words and how often each was given."""
    known = sum(result.disagrees and not result.fails for result in done.results)
    counts = ", ".join(f"{done.words[word]} {word.name}" for word in Status)
    return f"{counts}; {count(known, 'known disagreement')}"


def _json(done: Replay, seconds: float) -> dict[str, object]:
    results = [result_json(result) for result in done.results]
    words = {word.value: done.words[word] for word in Status}
    return {"results": results, "summary": words, "unreadable": done.unreadable, "seconds": round(seconds, 3)}
