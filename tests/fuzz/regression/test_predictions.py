"""Predicted faults: what the corpus records of the model, and what a browser's page is asked first."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.oracle.targets.browsers.fake_page import FakePage
from tests.oracle.targets.browsers.test_served import Service
from wgsl_fuzz.fuzz.cli.serve import ask_predicted
from wgsl_fuzz.fuzz.judging.kinds import Kind
from wgsl_fuzz.fuzz.regression.corpus import load_case, load_cases
from wgsl_fuzz.fuzz.shipped import corpus_folder
from wgsl_fuzz.oracle.targets import open_target
from wgsl_fuzz.oracle.targets.browsers.hub import Hub
from wgsl_fuzz.oracle.targets.cache import CACHE_VARIABLE
from wgsl_fuzz.oracle.verdict import Outcome

SEEN = {
    "webkit-break-if-of-name": ("unsound", "predicted, not seen"),
    "webkit-switch-of-name": ("unsound", "predicted, not answered"),
    "webkit-while-of-name": ("unsound", "predicted, confirmed"),
    "webkit-loop-only-returns": ("too-strict", "predicted, confirmed"),
}


def strict_safari(text: str) -> str | None:
    """A browser that rejects what has a barrier behind a condition, a loop and all else that may part."""
    if "var x = ;" in text or "switch" in text:
        return "1:90 error: Expected an expression"
    if "workgroupBarrier" in text and "while" not in text and ("if (" in text or "loop" in text):
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
    page: tuple[Hub, FakePage], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    some = [load_case(corpus_folder() / name) for name in sorted({*SEEN, "fig-10a"})]
    monkeypatch.setattr("wgsl_fuzz.fuzz.cli.serve.load_cases", lambda: some)
    hub, safari = page
    shown = safari.work(strict_safari)
    ask_predicted(hub, "safari-26.1")
    shown.join(timeout=60)
    title = "safari-26.1: 2 of 4 predicted faults confirmed"
    assert safari.shown == {"show": title, "rows": [[kind, name, seen] for name, (kind, seen) in SEEN.items()]}
    assert title in capsys.readouterr().err


@pytest.mark.parametrize("name", ["webkit", "webkit-92829e9"])
def test_the_model_says_what_is_recorded_of_it(name: str) -> None:
    cases = [case for case in load_cases() if name in case.verdicts]
    target = open_target(f"rules:{name}")
    target.submit([case.text for case in cases])
    said = {case.name: answer.verdict for case, answer in zip(cases, target.collect(), strict=True)}
    assert said == {case.name: case.verdicts[name].verdict for case in cases}
    assert len(cases) >= 37


def test_what_is_unsound_in_the_model_diverges() -> None:
    faults = [(case, said) for case in load_cases() if (said := case.verdicts.get("webkit")) and said.kind]
    assert len(faults) == 37
    for case, said in faults:
        assert (case.outcome is Outcome.DIVERGES) == (said.kind is Kind.UNSOUND)
        assert said.cause is not None
        assert said.cause.departures
