"""A run's findings as a regression test: `replay RUN` asks a newer build about them, by the words of the corpus.

The texts are few or thousands, so targets get them in batches. Our own oracles are asked only about a text on which a
target says something new: what the reference says of the others is in the records.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path

import orjson

from wgsl_fuzz.fuzz.cases.case import NO_REFERENCE, SEMANTICS, read_case
from wgsl_fuzz.fuzz.files import refusals_named
from wgsl_fuzz.fuzz.findings.directory import REPLAYS
from wgsl_fuzz.fuzz.findings.finding import Finding
from wgsl_fuzz.fuzz.findings.history import class_of
from wgsl_fuzz.fuzz.findings.loading import StoredRun
from wgsl_fuzz.fuzz.findings.records import DRAWN, RELATED, DrawnRecord, RecordedVerdict, ReplayLine
from wgsl_fuzz.fuzz.findings.schema import write
from wgsl_fuzz.fuzz.judging.answers import is_device
from wgsl_fuzz.fuzz.judging.kinds import Kind
from wgsl_fuzz.fuzz.problems import Problem
from wgsl_fuzz.fuzz.regression import replay as r
from wgsl_fuzz.fuzz.regression.corpus import PLAIN, VERDICTS, CorpusCase, SecondText
from wgsl_fuzz.fuzz.triage.replayed import family_of, word_of_all
from wgsl_fuzz.fuzz.triage.triage import Bucket
from wgsl_fuzz.oracle.targets.protocol import Target, spec_of
from wgsl_fuzz.oracle.verdict import Outcome, Verdict

_SAYING = (Verdict.ACCEPTS, Verdict.REJECTS, Verdict.INVALID)
BATCH = 256
"""Texts that a target is asked about at a time."""


FoundText = tuple[Finding, CorpusCase]
"""A text of a finding, as a case to be replayed."""


def texts_of(run: StoredRun) -> Iterator[FoundText]:
    """The texts of a run's findings: of each the one that its record describes, and the one that was drawn."""
    for found in run.findings:
        record = found.record
        now = DrawnRecord(kind=record.kind, verdicts=record.verdicts, related_verdicts=record.related_verdicts)
        if (case := _case(found, record.describes, now)) is not None:
            yield found, case
        if record.describes == DRAWN or found.files.get(RELATED) is not None:  # its other text is of the reduced one
            continue
        if (case := _case(found, DRAWN, record.first)) is not None:
            yield found, replace(case, label=f"{found.folder.name}/{DRAWN}")


def _case(found: Finding, name: str, said: DrawnRecord) -> CorpusCase | None:
    """A text of a finding as a case; None if its record does not say what the target said."""
    record, text = found.record, found.files.get(name)
    word = (said.verdicts or {}).get(found.target)
    if not text or word not in VERDICTS:
        return None
    other = found.files.get(RELATED) if name == record.describes else None
    second, said_second = None, None
    if other is not None:
        related = (said.related_verdicts or {}).get(found.target)
        if related not in VERDICTS:
            return None
        file = RELATED if record.kind is Kind.METAMORPHIC else PLAIN
        second, said_second = SecondText(file, other, read_case(other).verdict), VERDICTS[related]
    ours = (said.verdicts or {}).get(record.reference.partition("+")[0])
    if record.reference == NO_REFERENCE:
        expected = _of_others(found, said, VERDICTS[word])
    else:
        expected = VERDICTS[ours] if ours in VERDICTS else found.case(name).verdict
    diverges = (said.verdicts or {}).get(SEMANTICS) == Outcome.DIVERGES.value
    outcome = Outcome.DIVERGES if diverges else None if record.threads is None else Outcome.NOT_SEEN
    recorded = RecordedVerdict(VERDICTS[word], said_second, said.kind or record.kind, record.cause)
    verdicts = {found.target: recorded}
    origin, rules = f"found by wgsl-fuzz against {found.target}", record.reference
    return CorpusCase(
        found.folder,
        text,
        origin,
        str(record.bucket),
        expected,
        outcome,
        verdicts,
        None,
        second,
        rules,
        ours=False,
        file=name,
    )


def _of_others(found: Finding, said: DrawnRecord, own: Verdict) -> Verdict:
    """What the target would say if it did not differ from others any more: what most of these say."""
    words = [VERDICTS[word] for word in (said.verdicts or {}).values() if word in VERDICTS]
    if found.kind is not Kind.TARGETS_DIFFER:
        return next((word for word in words if word is not own), Verdict.ACCEPTS)
    differing = [word for word in words if word in _SAYING and word is not own]
    return max(differing, key=differing.count, default=Verdict.ACCEPTS)


def replay_run(texts: Iterable[FoundText], targets: Sequence[Target]) -> r.Replay:
    """Asks targets about the texts of findings. Each answer is compared with that of the target that was at fault."""
    done = r.Replay(specs={target.name: spec_of(target) for target in targets})
    left = iter(texts)
    while some := list(islice(left, BATCH)):
        asked = [case.text for _, case in some]
        asked += [case.second.text for _, case in some if case.second is not None]
        for target in targets:
            target.submit(asked)
        said = {target.name: _said(some, [answer.verdict for answer in target.collect()]) for target in targets}
        for i, (finding, case) in enumerate(some):
            for target in targets:
                if is_device(target.name) is is_device(finding.target):  # the others answer other questions
                    done.results.append(_result(finding, case, said[target.name][i], target, done))
    return done


def _said(some: Sequence[FoundText], answers: Sequence[Verdict]) -> list[r.Said]:
    """A target's verdicts on each text and its second one: the answers are about all texts, then all second ones."""
    others = iter(answers[len(some) :])
    return [(first, None if case.second is None else next(others)) for (_, case), first in zip(some, answers)]


def _result(finding: Finding, case: CorpusCase, said: r.Said, target: Target, done: r.Replay) -> r.CaseResult:
    """A target's verdicts against what is recorded; where they are new, judged with all that belongs to that."""
    recorded = case.verdicts[finding.target]
    before = recorded.verdict, recorded.second
    expected = case.expected, None if case.second is None else case.second.expected
    word = r.word_of(said, before, r.right_answers(expected, target))
    result = r.CaseResult(case, target.name, word, r.shown(said), r.shown(expected), r.shown(before), finding.target)
    if word is r.ReplayStatus.STILL:
        return replace(result, kind=finding.kind.value, bucket=finding.key)
    if word.fails and finding.record.reference != NO_REFERENCE:  # else nobody judges it
        again = r.replay([case], [target], notion=finding.record.notion)
        done.unreadable |= again.unreadable
        for judged in again.results:
            return replace(result, kind=judged.kind, bucket=judged.bucket, details=judged.details)
    return result


# ------------------------------------------------------------------------------------------------ words for buckets


BucketWord = tuple[Bucket, str, r.ReplayStatus, int]
"""What a target says of a bucket: one word for all its texts, and how many these are."""


def words_of_buckets(buckets: Sequence[Bucket], texts: Sequence[FoundText], done: r.Replay) -> list[BucketWord]:
    """The word for each bucket and target: FIXED if all its texts are, STILL if one is."""
    by_finding: dict[tuple[Path, str], list[r.ReplayStatus]] = {}
    finding = {case.name: found.folder for found, case in texts}
    for result in done.results:
        by_finding.setdefault((finding[result.case.name], result.oracle), []).append(result.word)
    words: list[BucketWord] = []
    for bucket in buckets:
        for oracle in done.specs:
            said = [word for f in bucket.findings for word in by_finding.get((f.folder, oracle), ())]
            if said:
                word = r.ReplayStatus(word_of_all([one.value for one in said]))
                words.append((bucket, oracle, word, len(said)))
    return words


def note(run: StoredRun, texts: Sequence[FoundText], done: r.Replay, targets: Sequence[Target]) -> None:
    """Appends what was said to the run's replays.jsonl, a line for each class of findings; raises Problem."""
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    findings = {case.name: found for found, case in texts}
    origins = {target.name: target.origin for target in targets}
    said: dict[tuple[str, str], tuple[Finding, list[str]]] = {}
    for result in done.results:
        found = findings[result.case.name]
        said.setdefault((class_of(found.record), result.oracle), (found, []))[1].append(result.word.value)
    lines = [
        ReplayLine(
            date=now,
            target=oracle,
            family=family_of(done.specs[oracle], {}),
            origin=origins[oracle],
            finding_class=name,
            bucket=found.key,
            word=word_of_all(words),
        )
        for (name, oracle), (found, words) in said.items()
    ]
    path = run.path / REPLAYS
    if path.is_symlink():
        raise Problem(f"{path} is a link, which is not followed")
    with refusals_named(f"write {path}"), path.open("ab") as file:
        file.write(b"".join(orjson.dumps(write(line)) + b"\n" for line in lines))
