"""The command `replay`: the corpus, or the findings of a run, as a regression test."""

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from shlex import quote
from typing import Any

import click
import orjson

from wgsl_fuzz.fuzz.cases.case import read_case
from wgsl_fuzz.fuzz.cli import options as o
from wgsl_fuzz.fuzz.cli.runs.progress import changing_line
from wgsl_fuzz.fuzz.files import check_writable, write_bytes
from wgsl_fuzz.fuzz.findings.directory import RUN
from wgsl_fuzz.fuzz.findings.known import KnownBuckets, known_or_shipped
from wgsl_fuzz.fuzz.findings.loading import StoredRun, check_whole, load_run
from wgsl_fuzz.fuzz.findings.schema import write
from wgsl_fuzz.fuzz.findings.state import STATE
from wgsl_fuzz.fuzz.judging.answers import distinct, opened
from wgsl_fuzz.fuzz.output import columns, echo, notice
from wgsl_fuzz.fuzz.present.triage_text import titles
from wgsl_fuzz.fuzz.present.wording import count
from wgsl_fuzz.fuzz.problems import Problem
from wgsl_fuzz.fuzz.reduction.beside import buckets_beside
from wgsl_fuzz.fuzz.regression import replay as r
from wgsl_fuzz.fuzz.regression.corpus import CorpusCase
from wgsl_fuzz.fuzz.regression.junit import account_lines, junit_xml, result_words
from wgsl_fuzz.fuzz.regression.replay import CaseResult, Replay, ReplayStatus
from wgsl_fuzz.fuzz.regression.run_replay import BucketWord, note, replay_run, texts_of, words_of_buckets
from wgsl_fuzz.fuzz.shipped import corpus_folder, is_installed
from wgsl_fuzz.fuzz.triage.triage import Triage
from wgsl_fuzz.oracle.targets.protocol import Target

OfRun = tuple[Triage, list[BucketWord]]
"""The triage of a run, and the word for each of its buckets."""
COLOURS = {ReplayStatus.STILL: None, ReplayStatus.FIXED: "green", ReplayStatus.CHANGED: "red", ReplayStatus.NEW: "red"}


@click.command("replay", cls=o.LargeCommand)
@click.argument("folder", required=False, metavar="[DIR]", type=click.Path(path_type=Path))
@o.TARGET
@o.JUNIT
@o.format_option("text", "verbose", "json")
@click.option("--strict", is_flag=True, help="FIXED fails, too, until it is recorded.")
@click.option("--record", "recording", is_flag=True, help="Write what the targets say into the cases of DIR.")
@o.TIMEOUT_OPTION
@o.LIKE
@o.KNOWN_FILE
@click.pass_context
def replay_command(
    context: click.Context,
    folder: Path | None,
    names: tuple[str, ...],
    junitxml: Path | None,
    form: str,
    strict: bool,
    recording: bool,
) -> None:
    """Test targets again on a corpus or on a run's findings.

    Without DIR, it is the shipped corpus. Of a run each bucket gets a word, which triage shows from then on.

    \b
    STILL    as recorded (else of the build in --like), or as the reference says where nothing is recorded
    FIXED    recorded as wrong, and now as the reference says
    CHANGED  neither as recorded nor as the reference says
    NEW      not recorded for this target, and not as the reference says

    --format verbose also shows what is STILL. Plain *.wgsl files in DIR are replayed too. Exit status: 0 STILL and
    FIXED, or NEW and known, 1 CHANGED or NEW, 2 the request or the set-up is at fault, or a file cannot be judged. With
    --strict FIXED is 1, too.
    """
    if recording:
        _check_recordable(folder, names)
    if junitxml is not None:
        check_writable(junitxml)
    began = time.monotonic()
    done, of_run = _asked(context, folder, names)
    done.results = [replace(result, strict=strict) for result in done.results]
    seconds = time.monotonic() - began
    if junitxml is not None:
        write_bytes(junitxml, junit_xml(done, seconds))
    if form == "json":
        echo(orjson.dumps(as_json(done, seconds) | ({} if of_run is None else _json_of_run(*of_run))))
    else:
        _show(done, folder, of_run, seconds, verbose=form == "verbose")
    if recording:
        notice(f"{count(r.record(done.results), 'case file')} changed")
    if of_run is not None:
        check_whole(str(folder), of_run[0].run.broken)
    context.exit(done.status)


def _asked(context: click.Context, folder: Path | None, names: tuple[str, ...]) -> tuple[Replay, OfRun | None]:
    """What targets say of a corpus or a run. Raises Problem."""
    timeout = context.meta["timeout"]
    if folder is not None and is_run(folder):
        if "like" in o.given_options(context):
            raise Problem("--like is for a corpus: of a run each answer is compared with that of the target at fault")
        return _replayed_run(load_run(folder), names, timeout, context.meta["known_file"])
    cases = r.load_texts(folder)
    like = o.like_of(context, names, lambda name: r.check_like(name, cases))
    known = known_or_shipped(context.meta["known_file"], *([] if folder is None else [folder]))
    return replayed(cases, names, like, timeout, known), None


def is_run(folder: Path) -> bool:
    """Whether a folder is a run's, and no corpus."""
    return any((folder / name).exists() for name in (RUN, STATE))


def _check_recordable(folder: Path | None, names: tuple[str, ...]) -> None:
    if folder is None:
        raise Problem("--record changes the cases: name their folder")
    if is_run(folder):
        raise Problem("--record is for a corpus: what is said of a run is noted in its replays.jsonl")
    if not names:
        raise Problem("--record writes what targets say: name a --target")


def with_issues(results: Sequence[CaseResult], known: KnownBuckets, *targets: Target) -> list[CaseResult]:
    """The results with the issues of their buckets; a bucket that nobody knows has the case's.

    The targets are asked more only where a bucket is known that no rule is the cause of.
    """
    named, done = {target.name: target for target in targets}, list[CaseResult]()
    for one in results:
        keys = [] if one.bucket is None else [one.bucket]
        if keys and one.oracle in named and one.fresh is not None and known.has_no_rule(one.oracle):
            keys += buckets_beside(read_case(one.case.text), named[one.oracle], one.fresh.verdict)
        issue = known.issue_of(*keys) if keys else None
        done.append(replace(one, issue=issue or one.issue, is_known=issue is not None))
    return done


def replayed(
    cases: list[CorpusCase], names: Sequence[str], like: str | None, timeout: float, known: KnownBuckets
) -> Replay:
    """What targets say of a corpus; what is known fails only if it is CHANGED. Raises Problem."""
    with opened(names, notice, timeout) as specs, changing_line("replaying") as show:
        done = r.replay(cases, distinct(specs), like, progress=show)
        done.results = with_issues(done.results, replace(known, like=like), *distinct(specs))
        return done


def _replayed_run(run: StoredRun, names: tuple[str, ...], timeout: float, known: Path | None) -> tuple[Replay, OfRun]:
    """What targets say of a run's findings, and of its buckets; it is noted in the run's folder."""
    if not names:
        raise Problem("name the build to be asked with --target: a run's folder starts no program")
    texts, triage = list(texts_of(run)), Triage.of(run, known)
    with opened(names, notice, timeout) as specs:
        done = replay_run(texts, distinct(specs))
        note(run, texts, done, distinct(specs))
    triage.about_to_be_shown()
    done.results = with_issues(done.results, triage.known + known_or_shipped(known))
    return done, (triage, words_of_buckets(triage.buckets, texts, done))


def _show(done: Replay, folder: Path | None, of_run: OfRun | None, seconds: float, *, verbose: bool) -> None:
    """Shows the words of a run's buckets, or those of a corpus's cases, and all that there is to say of what fails."""
    if of_run is not None:
        triage, words = of_run
        named = dict(zip((bucket.name for bucket in triage.buckets), titles(triage.buckets), strict=True))
        for bucket, oracle, word, texts in words:
            what = f"#{triage.number(bucket)}  {bucket.kind.value} {named[bucket.name]}"
            echo(f"  {what}; {oracle} on {count(texts, 'text')}", head=_head(word, word.fails))
    shown = [result for result in done.results if verbose or (of_run is None and result.word is not ReplayStatus.STILL)]
    rows = columns([(result.case.name, result.oracle, result_words(result)) for result in shown])
    for result, row in zip(shown, rows, strict=True):
        echo(f"  {row}", head=_head(result.word, result.fails))
    for result in filter(lambda result: result.fails, done.results):
        echo("\n" + "\n".join(account_lines(result)))
    for line in done.unreadable_lines:
        notice(f"wgsl-fuzz: cannot be judged: {line}")
    if of_run is not None:
        told = f"{count(len(triage.buckets), 'bucket')}: {_counts(Counter(word for _, _, word, _ in words))}"
        echo(f"\n{told}; {count(len(done.results), 'answer')} in {seconds:.1f} s")
        return
    known = sum(result.disagrees and not result.fails for result in done.results)
    echo(f"\n{_counts(done.words)}; {count(known, 'known disagreement')} in {seconds:.1f} s")
    if fixed := sorted({result.oracle for result in done.results if result.word is ReplayStatus.FIXED}):
        names = [done.specs.get(name, name) for name in fixed]
        echo(f"To record what is FIXED: {_to_record(folder, names, done.like)}")


def _head(word: ReplayStatus, fails: bool) -> str:
    return click.style(f"{word.name:7}", fg=COLOURS[word], bold=fails)


def _counts(words: Counter[ReplayStatus]) -> str:
    return ", ".join(f"{words[word]} {word.name}" for word in ReplayStatus)


def _to_record(folder: Path | None, names: list[str], like: str | None) -> str:
    place = folder or corpus_folder()
    options = " ".join([*(f"--target {quote(name)}" for name in names), *([] if like is None else ["--like", like])])
    if is_installed(place):
        return f"copy {place} to my-corpus, then: wgsl-fuzz replay my-corpus {options} --record"
    return f"wgsl-fuzz replay {quote(str(place))} {options} --record"


def as_json(done: Replay, seconds: float) -> dict[str, Any]:
    """A replay as JSON has it (docs/commands.md)."""
    results = [
        {
            "case": one.case.name,
            "oracle": one.oracle,
            "word": one.word.value,
            "says": one.said,
            "expected": one.expected,
            "recorded": one.recorded,
            "record": one.record,
            "kind": one.kind,
            "bucket": one.bucket and write(one.bucket),
            "issue": one.issue,
            "is known": one.is_known,
        }
        for one in done.results
    ]
    words = {word.value: done.words[word] for word in ReplayStatus}
    return {"results": results, "summary": words, "unreadable": done.unreadable_lines, "seconds": round(seconds, 3)}


def _json_of_run(triage: Triage, words: list[BucketWord]) -> dict[str, Any]:
    """What the JSON of a run's replay has as well; the words that are counted are those of buckets."""
    buckets = [
        {
            "number": triage.number(bucket),
            "name": bucket.name,
            "kind": bucket.kind.value,
            "oracle": oracle,
            "word": word.value,
            "texts": texts,
        }
        for bucket, oracle, word, texts in words
    ]
    summary = {status.value: sum(word is status for _, _, word, _ in words) for status in ReplayStatus}
    return {"run": str(triage.run.path), "buckets": buckets, "summary": summary}
