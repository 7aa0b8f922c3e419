"""Current Tint on the shaders of applications: as they are, with each fault planted, and with each harmless change."""

import re
from collections.abc import Mapping

import pytest

from tests.wgsl.applications import Change, applications, changes, faults, forms
from tests.wgsl.current_tint import ask_tint
from wgsl_fuzz.oracle.verdict import Answer, Verdict

OPERATION = re.compile(
    r"\b(?:workgroupBarrier|storageBarrier|textureBarrier|workgroupUniformLoad|dpd[xy]\w*|fwidth\w*"
    r"|textureSample(?:Bias|Compare)?|subgroup[A-Z]\w*|quad[A-Z]\w*)\("
)
ERROR = re.compile(r"(\d+):\d+ error: ")
BRANCH = re.compile(r"^(\d+):\d+ note: control flow depends", re.MULTILINE)


@pytest.fixture(scope="module")
def answers() -> Mapping[str, Answer]:
    """Tint's answer to every text, asked for in one batch."""
    texts = {f"application {name}": text for name, text in applications().items()}
    texts |= {f"form {name}": text for name, text in forms().items()}
    texts |= {str(change): change.text for change in changes()}
    return dict(zip(texts, ask_tint(list(texts.values())), strict=True))


@pytest.mark.parametrize("change", changes(), ids=str)
def test_a_change_is_made_at_one_place(change: Change) -> None:
    text = applications()[change.application]
    assert text.count(change.replace) == 1
    assert change.text != text


@pytest.mark.parametrize("fault", [change for change in changes() if change.severity], ids=str)
def test_the_lines_of_a_fault_are_those_of_operations_and_branches(fault: Change) -> None:
    lines = fault.text.splitlines()
    assert fault.line in fault.lines
    assert fault.tint_line in fault.lines
    assert all(OPERATION.search(lines[n - 1]) for n in fault.lines)
    assert all(re.search(r"\b(?:if|for|while|switch)\b", lines[n - 1]) for n in fault.branches)
    assert fault.branches or "argument" in fault.cause or "has to be uniform" in fault.cause


def test_tint_accepts_applications_forms_and_harmless_changes(answers: Mapping[str, Answer]) -> None:
    """All but the faults."""
    refused = {name for name, answer in answers.items() if answer != Answer(Verdict.ACCEPTS)}
    assert refused <= {str(change) for change in faults()}


@pytest.mark.parametrize("fault", faults(), ids=str)
def test_tint_rejects_the_fault_and_names_its_line(answers: Mapping[str, Answer], fault: Change) -> None:
    answer = answers[str(fault)]
    assert answer.verdict is Verdict.REJECTS, answer.message
    assert [int(line) for line in ERROR.findall(answer.message)] == [fault.tint_line]
    branches = {int(line) for line in BRANCH.findall(answer.message)}
    assert branches <= ({fault.tint_branch} if fault.tint_branch else set(fault.branches))
    assert bool(branches) == bool(fault.branches)
