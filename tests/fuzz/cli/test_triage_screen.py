"""The triage by keys: everything that can be done is told, and nothing is ever out of view."""

import io
import re
from pathlib import Path

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fuzz.judging.test_buckets import BOTH_BREAK, IN_CALL, IN_IF
from tests.fuzz.runs import MadeUp, store
from wgsl_fuzz.fuzz.cli.triage_screen import _KEYS, _KEYS_DETAIL, Screen, footer, keys_in
from wgsl_fuzz.fuzz.judging.judge import NOT_IMPLEMENTED, Kind
from wgsl_fuzz.fuzz.output import Console
from wgsl_fuzz.fuzz.triage.triage import Bucket, Triage

URL = "https://example.org/issues/1"
CRASH = MadeUp(IN_IF, kind=Kind.CRASH, cause="panicked at")


@pytest.fixture(scope="module")
def triage(tmp_path_factory: pytest.TempPathFactory) -> Triage:
    """A dozen buckets, some with long names; for tests that decide nothing."""
    found = [MadeUp(text, f"target-{n}") for n in range(3) for text in (IN_IF, IN_CALL, BOTH_BREAK)]
    found += [MadeUp(IN_IF, kind=Kind.CRASH, cause=f"panicked at {'the very same place ' * 8}")]
    found += [CRASH, MadeUp(IN_IF, "gap", cause=NOT_IMPLEMENTED)]
    return Triage.of(store(tmp_path_factory.mktemp("screen") / "run", found))


def screen_of(triage: Triage, width: int = 100, height: int = 30) -> Screen:
    return Screen(triage, Console(width=width, height=height, force_terminal=True, file=io.StringIO()))


def drawn(screen: Screen) -> list[str]:
    """The lines that `draw` puts on the terminal."""
    file = screen.console.file
    assert isinstance(file, io.StringIO)
    file.seek(0)
    file.truncate()
    screen.draw()
    return re.sub(r"\x1b\[[0-9;]*[A-Za-z]", "", file.getvalue()).split("\n")


@given(
    st.lists(st.sampled_from(["\r", "n", "p", " ", "b", "\x1b", "\x1b[A", "\x1b[B", "u", "x", "q"]), max_size=15),
    st.sampled_from([(100, 30), (80, 24), (60, 24), (40, 12)]),
)
def test_any_keys_keep_the_screen_in_bounds(triage: Triage, keys: list[str], size: tuple[int, int]) -> None:
    width, height = size
    screen = screen_of(triage, width, height)
    for key in keys:
        screen.press(key)
        lines = drawn(screen)
        assert 0 <= screen.selected < len(triage.buckets)
        assert screen.top >= 0
        assert len(lines) < height
        assert max(map(len, lines)) <= width
        if not screen.looking:
            assert any(re.match(rf" *#{screen.selected + 1} ", line) for line in lines)
    assert triage.new == triage.buckets


@given(st.sampled_from([_KEYS, _KEYS_DETAIL]), st.integers(24, 200))
def test_no_key_is_cut_from_the_footer(keys: tuple[str, ...], width: int) -> None:
    lines = footer(keys, width)
    assert "   ".join(lines) == "   ".join(keys)
    assert max(map(len, lines)) <= width
    assert all(any(key in line for line in lines) for key in keys)


@pytest.mark.parametrize("width", [80, 60])
@pytest.mark.parametrize("opened", [False, True])
def test_every_key_is_seen_on_a_small_terminal(triage: Triage, width: int, opened: bool) -> None:
    screen = screen_of(triage, width, 24)
    screen.press("\r" if opened else "x")
    lines = drawn(screen)
    for key in _KEYS_DETAIL if opened else _KEYS:
        assert any(key in line for line in lines)


def test_q_leaves_a_page_for_the_list_and_the_list_for_good(triage: Triage, monkeypatch: pytest.MonkeyPatch) -> None:
    typed = iter(["\r", "q", "n", "\r", "q", "q", "never read"])
    screen = screen_of(triage)
    monkeypatch.setattr(click, "getchar", lambda: next(typed))
    screen.run()
    assert (screen.selected, screen.looking) == (1, False)
    assert list(typed) == ["never read"]


@given(st.lists(st.sampled_from(["\r", "n", "q", "\x1b[A", "\x1bOB", "\x1b[6~"]), max_size=9))
def test_keys_that_come_at_once_are_told_apart(keys: list[str]) -> None:
    assert keys_in("".join(keys)) == keys


def test_keys_decide(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    triage = Triage.of(store(tmp_path / "run", [MadeUp(IN_IF), CRASH]))
    screen = screen_of(triage)
    issue = tmp_path / "issue.md"
    answers = iter([URL, "", "boring", "markdown", str(issue)])
    monkeypatch.setattr(click, "prompt", lambda *_, **__: next(answers))
    for key in "knde":
        screen.press(key)
    assert [triage.state(b) for b in triage.buckets] == ["known", "dropped"]
    assert issue.read_text().startswith("# fake crashes")
    screen.press("u")
    assert isinstance(triage.buckets[1], Bucket)
    assert [triage.state(b) for b in triage.buckets] == ["known", "new"]


def test_what_is_no_url_is_said_before_a_note_is_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    triage = Triage.of(store(tmp_path / "run", [MadeUp(IN_IF), CRASH]))
    screen = screen_of(triage)
    answers = iter(["notaurl"])
    monkeypatch.setattr(click, "prompt", lambda *_, **__: next(answers))
    screen.press("k")
    assert "'notaurl' is not a URL" in screen.message
    assert not triage.known_file.exists()
