"""The command `replay`: the corpus as a regression test."""

import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from shlex import quote
from typing import Any

import click
import orjson

from wgsl_fuzz.fuzz.cli.options import JUNIT, TARGET, format_option, given_options, timeout_of
from wgsl_fuzz.fuzz.cli.runs.progress import changing_line
from wgsl_fuzz.fuzz.cli.runs.resuming import starts_a_program
from wgsl_fuzz.fuzz.files import check_writable, write_bytes
from wgsl_fuzz.fuzz.findings.directory import RUN
from wgsl_fuzz.fuzz.findings.known import FILE, load_known
from wgsl_fuzz.fuzz.findings.loading import load_run, told_of
from wgsl_fuzz.fuzz.findings.state import STATE
from wgsl_fuzz.fuzz.judging.answers import is_device, open_oracle, opened
from wgsl_fuzz.fuzz.output import echo
from wgsl_fuzz.fuzz.present.triage_text import titles
from wgsl_fuzz.fuzz.present.wording import count
from wgsl_fuzz.fuzz.problems import Problem
from wgsl_fuzz.fuzz.regression.junit import account_lines, junit_xml, sentence
from wgsl_fuzz.fuzz.regression.replay import (
    CaseResult,
    Replay,
    ReplayText,
    Status,
    check_family,
    check_like,
    load_entries,
    record,
    replay,
)
from wgsl_fuzz.fuzz.regression.run_replay import BucketWord, note, replay_run, texts_of, words_of_buckets
from wgsl_fuzz.fuzz.shipped import corpus_folder, is_installed
from wgsl_fuzz.fuzz.triage.order import about_to_be_shown, triage_of
from wgsl_fuzz.fuzz.triage.triage import Triage
from wgsl_fuzz.oracle.targets.protocol import Target, TargetError


def is_run(folder: Path | None) -> bool:
    """Whether a folder is a run's, and no corpus."""
    return folder is not None and any((folder / name).exists() for name in (RUN, STATE))


@dataclass(frozen=True, slots=True)
class ReplayRequest:
    """What to ask, and how to say what came of it."""

    folder: Path | None
    names: tuple[str, ...]
    like: str | None
    junitxml: Path | None
    as_json: bool
    timeout: float
    strict: bool
    verbose: bool
    recording: bool


def replayed_run(request: ReplayRequest, folder: Path) -> int:
    """Asks, notes, says what came of it; the exit status. Raises Problem."""
    if request.like is not None:
        raise Problem("--like is for a corpus: of a run each answer is compared with that of the target at fault")
    run = load_run(folder)
    if not request.names and not any(is_device(found.target) for found in run.findings):
        raise Problem("name the build to be asked with --target: a run's folder starts no program")
    texts = list(texts_of(run))
    triage = triage_of(run)
    began = time.monotonic()
    with (
        opened(request.names, lambda line: echo(line, err=True), request.timeout) as specs,
        recorded_devices((found.target for found in run.findings), request.names, request.timeout) as devices,
    ):
        targets = [*{target.name: target for target in specs.values()}.values(), *devices]
        done = replay_run(texts, targets)
        note(run, texts, done, targets)
    done.results = [replace(one, strict=request.strict) for one in with_issues(done.results, request)]
    seconds = time.monotonic() - began
    if request.junitxml is not None:
        write_bytes(request.junitxml, junit_xml(done, seconds))
    about_to_be_shown(triage)
    words = words_of_buckets(triage.buckets, texts, done)
    if request.as_json:
        echo(orjson.dumps(_json_of_run(triage, words, done, seconds)))
    else:
        _show_run(triage, words, done, seconds, verbose=request.verbose)
    if line := told_of(str(run.path), run.broken):
        raise Problem(line)
    return done.status


def _show_run(triage: Triage, words: list[BucketWord], done: Replay, seconds: float, *, verbose: bool) -> None:
    named = dict(zip((bucket.name for bucket in triage.buckets), titles(triage.buckets), strict=True))
    for one in words:
        word = click.style(f"{one.word.name:7}", fg=COLOURS[one.word], bold=one.word.fails)
        texts = count(one.texts, "text")
        what = f"#{triage.number(one.bucket)}  {one.bucket.kind.value} {named[one.bucket.name]}"
        echo(f"  {what}; {one.oracle} on {texts}", head=word)
    for result in done.results if verbose else ():
        echo(f"  {result.entry.name}  {result.oracle}  {sentence(result)}")
    details(done)
    counts = Counter(one.word for one in words)
    told = ", ".join(f"{counts[word]} {word.name}" for word in Status)
    echo(f"\n{count(len(triage.buckets), 'bucket')}: {told}; {count(len(done.results), 'answer')} in {seconds:.1f} s")


def _json_of_run(triage: Triage, words: list[BucketWord], done: Replay, seconds: float) -> dict[str, Any]:
    return {
        "run": str(triage.run.path),
        "buckets": [
            {
                "number": triage.number(one.bucket),
                "name": one.bucket.name,
                "kind": one.bucket.kind.value,
                "oracle": one.oracle,
                "word": one.word.value,
                "texts": one.texts,
            }
            for one in words
        ],
        "results": [result_json(result) for result in done.results],
        "summary": {word.value: sum(one.word is word for one in words) for word in Status},
        "unreadable": done.unreadable,
        "seconds": round(seconds, 3),
    }


COLOURS = {Status.STILL: None, Status.FIXED: "green", Status.CHANGED: "red", Status.NEW: "red"}


def with_issues(results: list[CaseResult], it: ReplayRequest) -> list[CaseResult]:
    """The results with the issues of their buckets; the case's is that of a bucket nobody knows."""
    shipped = (it.folder or corpus_folder()) / FILE
    if not shipped.exists():
        return results
    known = load_known(shipped)
    return [replace(r, issue=known.issue_of(r.bucket) or r.issue) if r.bucket else r for r in results]


def details(done: Replay) -> None:
    """All that is to be said of what fails, and what cannot be judged."""
    for result in done.results:
        if result.fails:
            echo("\n" + "\n".join(account_lines(result)))
    for line in done.unreadable:
        echo(f"wgsl-fuzz: cannot be judged: {line}", err=True)


def result_json(r: CaseResult) -> dict[str, object]:
    """A result as JSON has it (docs/commands.md)."""
    return {
        "case": r.entry.name,
        "oracle": r.oracle,
        "word": r.word.value,
        "says": r.said,
        "expected": r.expected,
        "recorded": r.recorded,
        "record": r.record,
        "kind": r.kind,
        "bucket": r.bucket and str(r.bucket),
        "issue": r.issue,
    }


@contextmanager
def recorded_devices(recorded: Iterable[str], asked: Sequence[str], timeout: float) -> Iterator[list[Target]]:
    """The devices among the oracles of some records that are on this machine; of each other one, a line says why not.

    What is asked by name is left out. A function in the place of a device is a program, which no record starts.
    """
    opened: list[Target] = []
    try:
        for name in dict.fromkeys(name for name in recorded if is_device(name)):
            if name in asked or name.partition("@")[0] in asked:
                continue
            if starts_a_program(name):
                echo(f"not run again on {name}: to allow it, add --target {quote(name)}", err=True)
                continue
            try:
                opened.append(open_oracle(name, lambda line: echo(line, err=True), timeout))
            except TargetError as error:
                echo(f"not run again on {name}: {error}", err=True)
        yield opened
    finally:
        for target in opened:
            target.close()


@click.command("replay")
@click.argument("folder", required=False, metavar="[DIR]", type=click.Path(path_type=Path))
@TARGET
@click.option(
    "--like", metavar="NAME", help="Compare with the record of this target (tint@0.6.2) instead of the target's own."
)
@JUNIT
@format_option("text", "json")
@click.option("--strict", is_flag=True, help="FIXED fails, too, until it is recorded.")
@click.option("--verbose", "-v", is_flag=True, help="Show what is STILL as recorded, too.")
@click.option("--record", "recording", is_flag=True, help="Write what the targets say into the cases of DIR.")
@click.pass_context
def replay_command(
    context: click.Context,
    folder: Path | None,
    names: tuple[str, ...],
    like: str | None,
    junitxml: Path | None,
    form: str,
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
    if junitxml is not None:
        check_writable(junitxml)
    it = ReplayRequest(folder, names, like, junitxml, form == "json", timeout_of(context), strict, verbose, recording)
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
