"""`replay RUN`: the findings of a run, or of a history, asked about again."""

import time
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
import orjson

from wgsl_fuzz.fuzz.cli.replay_devices import recorded_devices
from wgsl_fuzz.fuzz.cli.replay_lines import COLOURS, ReplayRequest, details, result_json, with_issues
from wgsl_fuzz.fuzz.files import write_bytes
from wgsl_fuzz.fuzz.findings.directory import RUN
from wgsl_fuzz.fuzz.findings.loading import load_run
from wgsl_fuzz.fuzz.findings.state import STATE
from wgsl_fuzz.fuzz.judging.answers import is_device, opened
from wgsl_fuzz.fuzz.output import echo
from wgsl_fuzz.fuzz.present.plurals import count
from wgsl_fuzz.fuzz.present.titles import titles
from wgsl_fuzz.fuzz.problems import Problem
from wgsl_fuzz.fuzz.regression.junit import junit_xml, sentence
from wgsl_fuzz.fuzz.regression.replay import Replay, Status
from wgsl_fuzz.fuzz.regression.run_replay import BucketWord, note, replay_run, texts_of, words_of_buckets
from wgsl_fuzz.fuzz.triage.damage import damaged, sound
from wgsl_fuzz.fuzz.triage.order import about_to_be_shown, triage_of
from wgsl_fuzz.fuzz.triage.triage import Triage


def is_run(folder: Path | None) -> bool:
    """Whether a folder is a run's, and no corpus."""
    return folder is not None and any((folder / name).exists() for name in (RUN, STATE))


def replayed_run(request: ReplayRequest, folder: Path) -> int:
    """Asks, notes, says what came of it; the exit status. Raises Problem."""
    if request.like is not None:
        raise Problem("--like is for a corpus: of a run each answer is compared with that of the target at fault")
    run = sound(load_run(folder))
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
        echo(orjson.dumps(_json(triage, words, done, seconds)))
    else:
        _show(triage, words, done, seconds, verbose=request.verbose)
    if line := damaged(run):
        raise Problem(line)
    return done.status


def _show(triage: Triage, words: list[BucketWord], done: Replay, seconds: float, *, verbose: bool) -> None:
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


def _json(triage: Triage, words: list[BucketWord], done: Replay, seconds: float) -> dict[str, Any]:
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
