"""A run of the page (`wgsl-fuzz page`), saved there as one file, as the folder that campaigns write.

The file has what the browser said. All else is computed here, as in a campaign whose compiler is those answers.
"""

import shutil
import time
from dataclasses import dataclass, replace
from hashlib import blake2b
from pathlib import Path

from wgsl_fuzz.fuzz.campaign.campaign import Campaign
from wgsl_fuzz.fuzz.campaign.reduce_finding import FindingReducer
from wgsl_fuzz.fuzz.cases.generator import CampaignGenerator
from wgsl_fuzz.fuzz.cases.plan import MIXED, Plan
from wgsl_fuzz.fuzz.findings.directory import RunDirectory
from wgsl_fuzz.fuzz.findings.finding import Finding
from wgsl_fuzz.fuzz.findings.loading import read_run
from wgsl_fuzz.fuzz.findings.records import ShaderOrigin
from wgsl_fuzz.fuzz.findings.schema import RecordError, read
from wgsl_fuzz.fuzz.findings.state import STATE
from wgsl_fuzz.fuzz.judging.buckets import what_is_left
from wgsl_fuzz.fuzz.judging.judge import judge
from wgsl_fuzz.fuzz.output import notice
from wgsl_fuzz.fuzz.problems import Problem
from wgsl_fuzz.oracle.targets.browsers.saved import PREFIX, read_saved, saved_answers
from wgsl_fuzz.oracle.targets.features import with_features
from wgsl_fuzz.oracle.targets.protocol import Target, TargetError, answers_of, normal_path, spec_of
from wgsl_fuzz.strategies import GENERATOR_VERSION
from wgsl_fuzz.wgsl.problems import WgslError

SUFFIX = ".run"
"""Of the folder beside the file."""
LARGEST = 1 << 53
"""What numbers of JavaScript are below."""
NOT_SHOWN = "the page's reduced text does not show it"


@dataclass(frozen=True, kw_only=True, slots=True)
class PageRun:
    """What the page says of a run, beside who the browser is and what it answered."""

    version: str
    generator: int
    seed: int
    programs: int
    seconds: float
    date: str
    differences: tuple[tuple[int, str | None, float], ...]
    """Each shader on which the browser differs from the rules: its index, its words, after how many seconds."""
    reduced: dict[str, str]
    """By the index of a shader, as a text: what it was reduced to."""


def unpacked(file: Path) -> Path:
    """The folder of the run in a file, made beside it the first time. Raises Problem."""
    folder = Path(f"{file}{SUFFIX}")
    try:
        content, raw = read_saved(file)
        run = read(PageRun, content.get("run") if isinstance(content, dict) else None)
        counted = [n for index, _, seconds in run.differences for n in (index, seconds)]
        if not all(0 <= n < LARGEST for n in (run.seed, run.programs, run.seconds, *counted)):
            raise ValueError("a number is out of bounds")
        browser = with_features(saved_answers(content, f"{PREFIX}:{normal_path(str(file))}"))
    except (TargetError, RecordError, ValueError) as error:
        raise Problem(f"{file} is no run that the page saved: {error}") from error
    identity = blake2b(raw, digest_size=8).hexdigest()
    if (folder / STATE).exists():
        if read_run(folder).id != identity:
            raise Problem(f"{folder} is of another run: rename it, or {file}")
        return folder
    if run.generator != GENERATOR_VERSION:
        raise Problem(f"{file} was drawn by generator {run.generator}; this one is {GENERATOR_VERSION}")
    if folder.exists():
        raise Problem(f"{folder} is there, and is no run: rename it")
    try:
        _write(run, content["answers"], browser, folder, identity)
    except BaseException:  # what is broken off leaves no folder: the file has all of it
        shutil.rmtree(folder, ignore_errors=True)
        raise
    notice(f"{file}: unpacked into {folder}")
    return folder


def _write(run: PageRun, said: dict[str, str | None], browser: Target, folder: Path, identity: str) -> None:
    """Writes a run into a new folder; `said` is what `browser` answers by. Raises StorageError."""
    plan, directory = Plan(run.seed, language=MIXED), RunDirectory(folder)
    campaign, generator = Campaign([browser], directory, plan=plan), CampaignGenerator(plan)
    counters = campaign.counters
    directory.create()
    try:
        for index, words, seconds in run.differences:
            counters.started = time.monotonic() - seconds
            case = generator.case(index)
            said[case.text] = words
            answers = {browser.name: answers_of(browser, [case.text])[0]}
            place = ShaderOrigin(seed=run.seed, index=index, profile=plan.language_of(index))
            for disagreement in judge(case, answers, campaign.without_analysis, valid=True):
                campaign.recorder.file_disagreement(case, disagreement, answers, place)
            campaign.recorder.count_faults([case])
        reducer = FindingReducer(plan, [browser])
        for saved in campaign.recorder.to_reduce:
            _reduce(saved, run.reduced.get(str(saved.record.place.index), ""), reducer, directory, browser)
        counters.programs, counters.started = run.programs, time.monotonic() - run.seconds
        campaign.finished = True
        directory.commit(replace(campaign.record(), id=identity, date=run.date))
        directory.publish()
    finally:
        campaign.workers.close()
        directory.close()


def _reduce(saved: Finding, text: str, reducer: FindingReducer, directory: RunDirectory, browser: Target) -> None:
    """Files what the page reduced a finding to, if that shows it."""
    try:
        done = reducer.given(saved, text) if text else None
    except WgslError:
        done = None
    if done is None:
        directory.leave_as_drawn(saved, NOT_SHOWN if text else "the page did not reduce it")
        return
    # The browser cannot be asked about anything else.
    done.record.left = what_is_left(done.case(), done.record.found, done.record.beside)
    directory.complete(saved, done, {browser.name: spec_of(browser)})
