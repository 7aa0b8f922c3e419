"""Broken relations in words: what the relation says, which verdict is wrong, and that its shader is the one shown."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from tests.fuzz.judging.test_buckets import BOTH_BREAK, IN_IF
from tests.fuzz.runs import MadeUp, store
from wgsl_fuzz.fuzz.findings.loading import StoredRun
from wgsl_fuzz.fuzz.findings.records import ShaderOrigin
from wgsl_fuzz.fuzz.judging.kinds import Kind
from wgsl_fuzz.fuzz.present.report.cards import Card
from wgsl_fuzz.fuzz.present.report.page import page_of, report_page
from wgsl_fuzz.fuzz.present.triage_text import detail
from wgsl_fuzz.fuzz.triage.triage import Triage
from wgsl_fuzz.fuzz.triage.verdicts import bound_by, relation_of, who_is_right, wrong_texts
from wgsl_fuzz.strategies.edit.relations import RELATIONS

WORD = {True: "accepts", False: "rejects"}
OTHER = IN_IF.replace("lid == 0u", "lid == 1u")
"""Rejected, as IN_IF is; BOTH_BREAK is accepted."""


def pair(folder: Path, one: str, other: str, said: tuple[bool, bool], kind: Kind = Kind.METAMORPHIC) -> StoredRun:
    """A finding of two texts, of which a target says that they are accepted or not."""
    reference = "accepts" if one == BOTH_BREAK else "rejects"
    one_said, other_said = ({"fake": WORD[is_accepted]} for is_accepted in said)
    more = {"relation": "loop-around", "verdicts": {"wgsl": reference, **one_said}, "related verdicts": other_said}
    files = {"related.wgsl": other, "nearest.wgsl": BOTH_BREAK}
    return store(folder / "run", [MadeUp(one, kind=kind, cause="loop-around", more=more, files=files)])


@pytest.mark.parametrize(
    ("texts", "said", "wrong", "words"),
    [
        ((IN_IF, OTHER), (True, False), (0,), "rejects both, so the verdict on the first shader is wrong."),
        ((IN_IF, OTHER), (False, True), (1,), "rejects both, so the verdict on the second shader is wrong."),
        ((BOTH_BREAK, IN_IF), (False, False), (0,), "accepts the first shader and rejects the second shader, so the "),
        ((BOTH_BREAK, IN_IF), (False, True), (0, 1), "so the two verdicts are both wrong."),
    ],
)
def test_the_reference_says_who_is_wrong(
    tmp_path: Path, texts: tuple[str, str], said: tuple[bool, bool], wrong: tuple[int, ...], words: str
) -> None:
    (found,) = pair(tmp_path, *texts, said).findings
    assert wrong_texts(found) == wrong
    assert words in who_is_right(found)


def test_what_nobody_recorded_is_not_said(tmp_path: Path) -> None:
    (found,) = pair(tmp_path, IN_IF, OTHER, (True, False)).findings
    lacking: tuple[dict[str, Any], ...] = ({"related_verdicts": {}}, {"verdicts": {}}, {"target": "wgsl"})
    for less in lacking:
        unknown = replace(found, record=replace(found.record, **less))
        assert (wrong_texts(unknown), who_is_right(unknown)) == ((), "")


@pytest.mark.parametrize("relation", RELATIONS, ids=lambda relation: relation.name)
def test_every_relation_is_said(tmp_path: Path, relation: object) -> None:
    (found,) = pair(tmp_path, IN_IF, OTHER, (True, False)).findings
    found = replace(found, record=replace(found.record, place=ShaderOrigin(relation=getattr(relation, "name", ""))))
    assert relation_of(found) is relation
    assert any(word in bound_by(found) for word in ("accepted", "rejected", "verdict"))
    assert bound_by(replace(found, record=replace(found.record, kind=Kind.UNSTABLE))) == ""


def page(run: StoredRun) -> str:
    console = Console(width=200)
    with console.capture() as capture:
        console.print(detail(Triage.of(run), 0))
    return capture.get()


def card(run: StoredRun) -> Card:
    found: Card = page_of(run)["cards"][0]
    return found


@pytest.mark.parametrize("wrong", [0, 1])
def test_the_wrong_verdicts_shader_is_shown_and_the_other_folded(tmp_path: Path, wrong: int) -> None:
    run = pair(tmp_path, IN_IF, OTHER, (wrong == 0, wrong == 1))
    shown = card(run)
    name = ("first", "second")[wrong]
    assert shown.text == (IN_IF, OTHER)[wrong]
    assert shown.heading == f"The shader whose verdict is wrong: the {name} of two"
    assert [("whose verdict is right" in heading, opened) for heading, _, _, opened in shown.others] == [(True, False)]
    told = page(run)
    other = ("second", "first")[wrong]
    heads = [told.index(f"the {name} shader, whose verdict is wrong:"), told.index(f"the {other} shader:")]
    assert heads == sorted(heads)


def test_both_say_what_the_relation_is_and_no_nearest_neighbour(tmp_path: Path) -> None:
    run = pair(tmp_path, IN_IF, OTHER, (True, False))
    for told in (page(run), report_page(run)):
        assert "a loop around some statements" in told
        assert "so the verdict on the first shader is wrong" in told
        assert "earest" not in told
        assert "One of the two is wrong" not in told
        assert "fake: rejects" not in told, "no word on one text is held against the reference on the other"


def test_where_both_are_wrong_both_are_open(tmp_path: Path) -> None:
    shown = card(pair(tmp_path, BOTH_BREAK, IN_IF, (False, True)))
    assert (shown.text, shown.heading) == (BOTH_BREAK, "The smallest shader: the first of two")
    assert [opened for *_, opened in shown.others] == [True]


def test_of_a_well_formed_shader_invalid_is_wrong(tmp_path: Path) -> None:
    (found,) = pair(tmp_path, BOTH_BREAK, BOTH_BREAK, (True, True), Kind.UNSTABLE).findings
    found = replace(found, record=replace(found.record, verdicts={"wgsl": "accepts", "fake": "invalid"}))
    assert who_is_right(found) == "The reference accepts both, so the verdict on this spelling is wrong."


def test_a_spelling_keeps_its_neighbour(tmp_path: Path) -> None:
    shown = card(pair(tmp_path, IN_IF, IN_IF, (True, False), Kind.UNSTABLE))
    assert shown.text == IN_IF
    assert len(shown.others) == 2
    assert "so the verdict on this spelling is wrong" in shown.meaning
