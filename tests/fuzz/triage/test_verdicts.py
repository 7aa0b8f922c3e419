"""Who says what of a finding: of one with two texts, of each; what only one of them was seen by is not made up."""

from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from tests.fuzz.judging.test_buckets import BOTH_BREAK, IN_IF
from tests.fuzz.runs import MadeUp, store
from wgsl_fuzz.fuzz.judging.judge import Kind
from wgsl_fuzz.fuzz.present.report.page import page_of
from wgsl_fuzz.fuzz.present.triage_text import detail
from wgsl_fuzz.fuzz.triage.triage import Triage
from wgsl_fuzz.fuzz.triage.verdicts import OPEN, labels, said_of

VERDICTS = {"wgsl": "rejects", "semantics": "diverges", "fake": "accepts", "other": "rejects"}
RELATED: dict[str, Any] = {"related verdicts": {"fake": "rejects"}}
PAIR = ("the first shader", "the second shader")
SPELLED = ("this spelling", "the plain spelling")


def words(folder: Path, kind: Kind, verdicts: dict[str, str], related: str | None, **more: Any) -> dict[str, Any]:
    """What is said of a made-up finding, by oracle; `""` has the names of the texts."""
    files = {} if related is None else {"related.wgsl": related}
    made = MadeUp(IN_IF, kind=kind, cause="a cause", more={"verdicts": verdicts} | more, files=files)
    (found,) = store(folder / "run", [made]).findings
    return {"": labels(found)} | {said.oracle: said.words for said in said_of(found)}


def test_of_one_text_the_record_is_told(tmp_path: Path) -> None:
    told = words(tmp_path, Kind.UNSOUND, VERDICTS, None)
    assert told == {"": ("",)} | {name: (word,) for name, word in VERDICTS.items()}


@pytest.mark.parametrize("kind", [Kind.UNSTABLE, Kind.UNSOUND])
def test_of_a_spelling_the_plain_one_is_told_too(tmp_path: Path, kind: Kind) -> None:
    told = words(tmp_path, kind, VERDICTS, IN_IF.replace("lid == 0u", "(lid == 0u)"), **RELATED)
    assert told == {
        "": SPELLED,
        "wgsl": ("rejects", "rejects"),
        "semantics": ("diverges", "diverges"),
        "fake": ("accepts", "rejects"),
        "other": ("rejects", OPEN),
    }


def test_of_a_pair_both_are_told(tmp_path: Path) -> None:
    told = words(tmp_path, Kind.METAMORPHIC, VERDICTS, BOTH_BREAK, **RELATED)
    assert (told[""], told["wgsl"], told["fake"]) == (PAIR, ("rejects", "accepts"), ("accepts", "rejects"))
    assert told["semantics"][0] == "diverges"
    assert told["semantics"][1] in ("converges", "not-seen")


def test_what_is_not_recorded_is_not_made_up(tmp_path: Path) -> None:
    assert words(tmp_path, Kind.METAMORPHIC, VERDICTS, BOTH_BREAK)["fake"] == ("accepts", OPEN)


def test_of_a_pair_against_the_reference_both_are_asked_anew(tmp_path: Path) -> None:
    made = MadeUp(IN_IF, "wgsl", Kind.METAMORPHIC, "a cause", more={"verdicts": {"wgsl": "accepts"}})
    made.files["related.wgsl"] = BOTH_BREAK
    (found,) = store(tmp_path / "run", [made]).findings
    assert [said.words for said in said_of(found)] == [("rejects", "accepts")]


def test_a_related_text_that_is_no_shader_has_no_verdict_of_ours(tmp_path: Path) -> None:
    told = words(tmp_path, Kind.METAMORPHIC, VERDICTS, "no shader", **RELATED)
    assert (told["wgsl"], told["fake"]) == (("rejects", OPEN), ("accepts", "rejects"))


def test_both_verdicts_are_on_the_page_and_in_the_report(tmp_path: Path) -> None:
    more = {"verdicts": VERDICTS, **RELATED, "forms": ["for"]}
    run = store(tmp_path / "run", [MadeUp(IN_IF, kind=Kind.UNSTABLE, more=more, files={"related.wgsl": IN_IF})])
    console = Console(width=100)
    with console.capture() as capture:
        console.print(detail(Triage.of(run), 0))
    lines = [" ".join(line.split()) for line in capture.get().splitlines()]
    assert "this spelling, with for:" in lines
    assert "this spelling the plain spelling" in lines
    assert "fake accepts rejects made up" in lines
    (card,) = page_of(run).cards
    assert card.columns == ("This spelling", "The plain spelling")
    assert [(row.verdict, row.second, row.about) for row in card.verdicts][-1] == (
        "accepts",
        ("no", "rejects"),
        "do not fit",
    )
