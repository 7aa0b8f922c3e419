"""How sure a run is: the parts add up, and everything that shows a run shows the same counts in the same words."""

from pathlib import Path

import orjson
from hypothesis import given
from hypothesis import strategies as st

from tests.fuzz.command import wgsl_fuzz
from tests.fuzz.runs import MadeUpRun
from wgsl_fuzz.fuzz.campaign.counters import Counters
from wgsl_fuzz.fuzz.cases.generator import CampaignGenerator
from wgsl_fuzz.fuzz.cases.plan import ALL, Plan
from wgsl_fuzz.fuzz.cli.runs.progress import closing_lines
from wgsl_fuzz.fuzz.findings.loading import read_campaign
from wgsl_fuzz.fuzz.findings.records import RunRecord
from wgsl_fuzz.fuzz.findings.stats import ACCEPTED, NOT_RUN, WORDS, read_stats, soundness_line, soundness_of
from wgsl_fuzz.fuzz.present.report.page import report_page
from wgsl_fuzz.fuzz.triage.triage import Triage
from wgsl_fuzz.oracle.verdict import Outcome, Verdict

_counts = st.dictionaries(st.sampled_from(Outcome), st.integers(0, 10**6))


@given(_counts, st.integers(0, 10**6))
def test_the_parts_add_up_and_each_is_said(semantics: dict[Outcome, int], not_run: int) -> None:
    accepted = sum(semantics.values()) + not_run
    sure = soundness_of({Verdict.ACCEPTS: accepted, Verdict.REJECTS: 7}, semantics)
    parts = {word: n for word, n in sure.items() if word != ACCEPTED}
    assert (sure[ACCEPTED], sum(parts.values()), sure[NOT_RUN]) == (accepted, accepted, not_run)
    assert {outcome: parts[WORDS[outcome]] for outcome in semantics} == semantics
    line = soundness_line(sure)
    assert line.startswith(f"accepted by the reference: {accepted:,}; {parts['proven']:,} proven")
    for word, n in parts.items():
        assert (f" {n:,} {word}" in line) or (word == "diverging" and not n)


def test_a_run_is_as_sure_as_the_semantics_of_its_shaders(tmp_path: Path) -> None:
    seed, programs = 5, 40
    asked = ["--target", "rules:paper", "--language", "tiny", "--seed", seed, "--programs", programs, "--jobs", 1]
    options = [*asked, "--execute", ALL, "--out", tmp_path / "run"]
    told = wgsl_fuzz(*[str(option) for option in options]).stdout.splitlines()
    generator = CampaignGenerator(read_campaign(tmp_path / "run")[1])
    accepted = [case for case in map(generator.case, range(programs)) if case.verdict is Verdict.ACCEPTS]
    assert all(case.execute().cannot is None for case in accepted)
    semantics = {outcome: sum(case.outcome is outcome for case in accepted) for outcome in Outcome}
    assert semantics[Outcome.NOT_SEEN]
    sure = soundness_of({Verdict.ACCEPTS: len(accepted)}, semantics)
    assert sure[NOT_RUN] == 0
    assert told[1] == soundness_line(sure)
    assert read_stats(tmp_path / "run")[-1].soundness == sure


def test_all_that_shows_a_run_says_the_same(tmp_path: Path) -> None:
    made = MadeUpRun(tmp_path / "run", plan=None, reference={"accepts": 948, "rejects": 52})
    made.record["semantics"] = {"converges": 3, "not-seen": 769, "out-of-steps": 170}
    sure = {"accepted": 948, "proven": 3, "sampled": 769, "out of steps": 170, "diverging": 0, "not run": 6}
    parts = "3 proven to converge, 769 sampled without a divergence, 170 out of steps, 6 not run"
    line = f"accepted by the reference: 948; {parts}"
    run = made.stored()
    status = ["status", str(run.path)]
    assert line in wgsl_fuzz(*status).stdout.splitlines()
    assert orjson.loads(wgsl_fuzz(*status, "--format", "json").stdout)["soundness"] == sure
    page = report_page(run)
    assert line.capitalize() in page
    counters = Counters()
    assert isinstance(run.record, RunRecord)
    counters.restore(run.record)
    for execute in (ALL, "sample"):
        run.record.plan = Plan(5, execute=execute)
        assert (line in closing_lines(counters, Triage.of(run), "", 0)) is (execute == ALL)
