"""Repairs of shaders: those of applications, broken in the common ways, and drawn ones."""

from collections.abc import Iterator
from functools import cache
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.strategies.edit.parents import KINDS, parent_of
from wgsl_fuzz.fuzz.cases.case import Case, read_module
from wgsl_fuzz.fuzz.repair.edit import Cost, Patch, applied, changed_lines
from wgsl_fuzz.fuzz.repair.search import Meaning, Repair, accepted, best, compared, is_refuted
from wgsl_fuzz.oracle.verdict import Verdict
from wgsl_fuzz.wgsl.printer import print_module

HERE = Path(__file__).parent
SHADERS = sorted((HERE / "shaders").glob("*.wgsl"))
CHANGES_LITTLE = {"sample-in-loop": Cost.ASSUMED, "shadow-map": Cost.RESULT, "read-write-count": Cost.BINDING}
"""What the repairs of some shaders of applications change; those of all others keep the meaning."""

NOT_SHOWN = "loop-of-min"
"""Its invocations come to other barriers if some `continue`: what the original leaves then is another matter."""


def _read(path: Path) -> Case:
    return read_module(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", SHADERS, ids=[path.stem for path in SHADERS])
def test_shaders_of_applications_are_repaired(path: Path) -> None:
    case = _read(path)
    repair = best(case)
    assert repair is not None
    assert case.verdict is Verdict.REJECTS
    assert repair.text == (HERE / "repaired" / path.name).read_text(encoding="utf-8")
    assert repair.cost is CHANGES_LITTLE.get(path.stem, Cost.SAME)
    assert repair.is_safe == (repair.cost <= Cost.WAITS and path.stem != NOT_SHOWN)


@cache
def _rejected(kind: str, count: int) -> tuple[Case, ...]:
    """Drawn modules that the reference rejects, as they are printed."""
    cases = (read_module(print_module(parent_of(kind, seed).module)) for seed in range(26, 26 + 20 * count))
    return tuple(islice((case for case in cases if case.verdict is Verdict.REJECTS), count))


def _repaired(count: int) -> Iterator[tuple[Case, list[Repair]]]:
    for kind in KINDS:
        for case in _rejected(kind, count):
            yield case, list(islice(accepted(case), 3))


def test_the_reference_accepts_repairs_and_runs_refute_none() -> None:
    found = [(case, one) for case, many in _repaired(5) for one in many]
    assert len(found) > 20
    for case, one in found:
        assert one.original.text == case.text != one.text
        assert read_module(one.text).verdict is Verdict.ACCEPTS
        assert not is_refuted(one), one
    assert any(one.meaning is Meaning.SAME for _, one in found)


def test_repairs_come_in_the_order_of_what_they_change() -> None:
    for case, many in _repaired(5):
        ranks = [(one.cost, changed_lines(case.text, one.text)) for one in many]
        assert ranks == sorted(ranks)


@pytest.mark.full
def test_most_drawn_shaders_can_be_repaired() -> None:
    counted = [bool(many) for _, many in _repaired(500 // len(KINDS))]
    assert sum(counted) > 0.6 * len(counted)


def test_an_accepted_shader_needs_no_repair() -> None:
    assert not list(accepted(_read(HERE / "repaired" / "reduction.wgsl")))


def test_running_tells_other_meanings_apart() -> None:
    before = _read(HERE / "shaders" / "workgroup-flag.wgsl")
    text = (HERE / "repaired" / "workgroup-flag.wgsl").read_text(encoding="utf-8")
    assert compared(before, read_module(text)) is Meaning.SAME
    assert compared(before, read_module(text.replace("+= 1u", "+= 2u"))) is Meaning.OTHER
    assert compared(before, before) is Meaning.SAME
    diverging = _read(HERE / "shaders" / "reduction.wgsl")
    assert compared(diverging, diverging) is Meaning.DIVERGES


@given(st.text("abc", max_size=9), st.lists(st.integers(0, 9), max_size=6), st.text("xy", max_size=2))
def test_patches_replace_their_pieces_and_nothing_else(text: str, ends: list[int], new: str) -> None:
    ends = sorted(min(end, len(text)) for end in ends[: len(ends) // 2 * 2])
    pairs = list(zip(ends[::2], ends[1::2], strict=True))
    kept = [text[start:end] for start, end in zip([0, *ends[1::2]], [*ends[::2], len(text)], strict=True)]
    assert applied(text, [Patch(start, end, new) for start, end in pairs]) == new.join(kept)
