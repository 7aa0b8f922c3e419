"""Predicted faults: their file, and what a browser's page is asked first."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.oracle.targets.browsers.fake_page import FakePage
from tests.oracle.targets.browsers.test_served import Service
from wgsl_fuzz.fuzz.cli.serve import ask_predicted
from wgsl_fuzz.fuzz.judging.kinds import Cause, Kind
from wgsl_fuzz.fuzz.problems import Problem
from wgsl_fuzz.fuzz.regression.corpus import load_cases
from wgsl_fuzz.fuzz.regression.predictions import CONFIRMED, FILE, NOT_SEEN, UNANSWERED, load_predictions
from wgsl_fuzz.fuzz.shipped import corpus_folder
from wgsl_fuzz.oracle.targets import open_target
from wgsl_fuzz.oracle.targets.browsers.hub import Hub
from wgsl_fuzz.oracle.targets.cache import CACHE_VARIABLE
from wgsl_fuzz.oracle.verdict import Answer, Outcome, Verdict

ENTRY = '[[predicted]]\nengine = "webkit"\nkind = "{kind}"\ndepartures = [{names}]\ncase = "{case}"\n'
CASES = {"fig-10a": ("unsound", "webkit/break-if-ignored"), "fig-10c": ("too-strict", "webkit/iterates")}


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    for case in CASES:
        shutil.copytree(corpus_folder() / case, tmp_path / case)
    entries = [ENTRY.format(kind=kind, names=f'"{name}"', case=case) for case, (kind, name) in CASES.items()]
    (tmp_path / FILE).write_text("\n".join(entries), encoding="utf-8")
    return tmp_path


def test_predictions_are_of_one_engine_and_have_their_case(corpus: Path) -> None:
    found = load_predictions("webkit", corpus)
    assert [(case.name, (one.kind.value, *one.departures)) for one, case in found] == [*CASES.items()]
    assert load_predictions("tint", corpus) == load_predictions(None, corpus) == []


def test_an_answer_confirms_a_prediction_or_does_not(corpus: Path) -> None:
    (unsound, _), (strict, _) = load_predictions("webkit", corpus)
    assert [unsound.seen_in(Answer(verdict)) for verdict in (Verdict.ACCEPTS, Verdict.REJECTS, Verdict.INVALID)] == [
        *(CONFIRMED, NOT_SEEN, UNANSWERED),
    ]
    assert strict.seen_in(Answer(Verdict.REJECTS)) == CONFIRMED
    assert strict.seen_in(Answer(Verdict.ACCEPTS)) == NOT_SEEN


@pytest.mark.parametrize(
    "text",
    [
        "[[predicted",
        '[[predicted]]\nengine = "webkit"\n',
        "predicted = 1\n",
        ENTRY.format(kind="crash", names="", case="fig-10a"),
        ENTRY.format(kind="unsound", names="1", case="fig-10a"),
        ENTRY.format(kind="unsound", names="", case="no-such-case"),
    ],
)
def test_a_file_that_is_wrong_is_one_line(corpus: Path, text: str) -> None:
    (corpus / FILE).write_text(text, encoding="utf-8")
    with pytest.raises(Problem) as caught:
        load_predictions("webkit", corpus)
    assert "\n" not in str(caught.value)


def strict_safari(text: str) -> str | None:
    """A browser that rejects what has a barrier behind a condition, a loop and all else that may part."""
    if "var x = ;" in text:
        return "1:90 error: Expected an expression"
    if "workgroupBarrier" in text and ("if (" in text or "loop" in text):
        return "1:2 error: call to 'workgroupBarrier' requires uniform control flow"
    return None


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Hub, FakePage]]:
    """A page of Safari, connected to a service of this process."""
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "cache"))
    service = Service()
    page = FakePage.of(service.server)
    service.pages.append(page)
    yield service.hub, page
    service.close()


def test_a_safari_is_asked_about_what_is_predicted_and_shows_it(
    corpus: Path, page: tuple[Hub, FakePage], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("wgsl_fuzz.fuzz.regression.predictions.corpus_folder", lambda: corpus)
    hub, safari = page
    shown = safari.work(strict_safari)
    ask_predicted(hub, "safari-26.1")
    shown.join(timeout=60)
    title = "safari-26.1: 1 of 2 predicted faults confirmed"
    assert safari.shown == {
        "show": title,
        "rows": [["unsound", "fig-10a", "predicted, not seen"], ["too-strict", "fig-10c", "predicted, confirmed"]],
    }
    assert title in capsys.readouterr().err


def test_other_browsers_are_asked_nothing(page: tuple[Hub, FakePage], capsys: pytest.CaptureFixture[str]) -> None:
    hub, _ = page
    ask_predicted(hub, "ladybird-1.0")
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("name", ["webkit", "webkit-92829e9"])
def test_the_model_says_what_is_recorded_of_it(name: str) -> None:
    cases = [case for case in load_cases() if name in case.verdicts]
    target = open_target(f"rules:{name}")
    target.submit([case.text for case in cases])
    said = {case.name: answer.verdict for case, answer in zip(cases, target.collect(), strict=True)}
    assert said == {case.name: case.verdicts[name].verdict for case in cases}
    assert len(cases) >= 37


def test_every_fault_of_the_model_is_predicted_and_what_is_unsound_diverges() -> None:
    shipped = load_predictions("webkit")
    assert {case.name for _, case in shipped} == {
        case.name for case in load_cases() if "webkit" in case.verdicts and case.verdicts["webkit"].kind
    }
    for one, predicted in shipped:
        said = predicted.verdicts["webkit"]
        assert (said.kind, said.cause) == (one.kind, Cause(one.departures))
        assert (predicted.outcome is Outcome.DIVERGES) == (one.kind is Kind.UNSOUND)
