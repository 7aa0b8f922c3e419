"""The triage by keys: everything that can be done is told, and nothing is ever out of view."""

import io
import re
import signal
from pathlib import Path

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fuzz.judging.test_buckets import BOTH_BREAK, IN_CALL, IN_IF
from tests.fuzz.runs import MadeUp, store
from wgsl_fuzz.fuzz.cli.runs.triage_screen import _KEYS, _KEYS_DETAIL, Screen, footer, keys_in
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
    st.lists(
        st.sampled_from(["\r", "n", "p", "j", "k", "g", "G", " ", "b", "\x1b", "\x1b[A", "\x1b[B", "u", "x", "q", "?"]),
        max_size=15,
    ),
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
        if not screen.looking and not screen.helping:
            assert any(re.match(rf" *#{screen.selected + 1} ", line) for line in lines)
    assert triage.new == triage.buckets


@given(st.sampled_from([_KEYS, _KEYS_DETAIL]), st.integers(24, 200))
def test_no_key_is_cut_from_the_footer(keys: tuple[str, ...], width: int) -> None:
    lines = footer(keys, width)
    assert "   ".join(lines) == "   ".join(keys)
    assert max(map(len, lines)) <= width
    assert all(any(key in line for line in lines) for key in keys)


@pytest.mark.parametrize("leave", ["q", "\x1b"])
def test_esc_leaves_as_q_does(triage: Triage, monkeypatch: pytest.MonkeyPatch, leave: str) -> None:
    typed = iter(["\r", "?", leave, leave, "j", leave, "never read"])
    screen = screen_of(triage)
    monkeypatch.setattr(click, "getchar", lambda: next(typed))
    screen.run()
    assert (screen.selected, screen.looking, screen.helping) == (1, False, False)
    assert list(typed) == ["never read"]


def test_keys_move_as_in_less_and_vim(triage: Triage) -> None:
    screen, last = screen_of(triage, 100, 12), len(triage.buckets) - 1
    for keys, selected in (("jj", 2), ("k", 1), ("G", last), ("j", last), ("g", 0), ("k", 0)):
        for key in keys:
            screen.press(key)
        assert screen.selected == selected, keys
    screen.press("\r")
    tops = []
    for key in "jjkGg":
        screen.press(key)
        drawn(screen)
        tops.append(screen.top)
    assert tops[:3] == [1, 2, 1]
    assert tops[3] > tops[4] == 0
    assert screen.selected == 0


@pytest.mark.parametrize("opened", [False, True])
def test_the_help_names_every_key(triage: Triage, opened: bool) -> None:
    screen = screen_of(triage)
    screen.press("\r" if opened else "x")
    before = drawn(screen)
    screen.press("?")
    told = "\n".join(drawn(screen)[:-3])
    for keys in (*_KEYS, *_KEYS_DETAIL):
        for key in re.split(r"[/,] ?", keys.partition(":")[0]):
            assert re.search(rf"^(\S+, )?{re.escape(key)}\b|^{re.escape(key)} ", told, re.M), key
    screen.press("?")
    assert drawn(screen) == before


@pytest.mark.skipif(not hasattr(signal, "SIGWINCH"), reason="no such signal")
def test_a_terminal_that_is_resized_is_drawn_anew(triage: Triage, monkeypatch: pytest.MonkeyPatch) -> None:
    screen = screen_of(triage, 100, 30)
    before = signal.getsignal(signal.SIGWINCH)
    heights = []

    def typed() -> str:
        file = screen.console.file
        assert isinstance(file, io.StringIO)
        screen.console.size = screen.console.size._replace(height=24)
        file.truncate(0)
        signal.raise_signal(signal.SIGWINCH)
        heights.append(len(file.getvalue().split("\n")))
        return "q"

    monkeypatch.setattr(click, "getchar", typed)
    screen.run()
    assert heights == [23]
    assert signal.getsignal(signal.SIGWINCH) == before


@given(st.lists(st.sampled_from(["\r", "n", "q", "\x1b[A", "\x1bOB", "\x1b[6~"]), max_size=9))
def test_keys_that_come_at_once_are_told_apart(keys: list[str]) -> None:
    assert keys_in("".join(keys)) == keys


def test_keys_decide(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    triage = Triage.of(store(tmp_path / "run", [MadeUp(IN_IF), CRASH]))
    screen = screen_of(triage)
    issue = tmp_path / "issue.md"
    answers = iter([URL, "", "boring", "markdown", str(issue)])
    monkeypatch.setattr(click, "prompt", lambda *_, **__: next(answers))
    for key in "mnde":
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
    screen.press("m")
    assert "'notaurl' is not a URL" in screen.message
    assert not triage.known_file.exists()


def test_the_arrows_of_windows_are_those_of_posix() -> None:
    """`click.getchar` gives NUL or E0 and a letter there."""
    for head in "\x00\xe0":
        assert keys_in("".join(f"{head}{letter}" for letter in "HPIQGO")) == [
            "\x1b[A",
            "\x1b[B",
            "\x1b[5~",
            "\x1b[6~",
            "\x1b[H",
            "\x1b[F",
        ]
    assert keys_in("jà?") == ["j", "à", "?"]
