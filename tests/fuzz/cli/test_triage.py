"""The command `triage`: it says what is new, takes decisions, and exports; what would have no effect is refused."""

import io
import re
import signal
from functools import partial
from pathlib import Path

import click
import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fuzz.command import wgsl_fuzz
from tests.fuzz.judging.test_buckets import BOTH_BREAK, IN_CALL, IN_IF
from tests.fuzz.runs import STRICT, MadeUp, MadeUpRun, change_state, store, strict
from wgsl_fuzz.fuzz.cli.runs.triage_screen import _KEYS, _KEYS_DETAIL, Screen, footer, keys_in
from wgsl_fuzz.fuzz.findings.loading import load_run
from wgsl_fuzz.fuzz.judging.kinds import NO_ANALYSIS, Kind
from wgsl_fuzz.fuzz.output import Console
from wgsl_fuzz.fuzz.present.export import slug
from wgsl_fuzz.fuzz.present.report import report_page
from wgsl_fuzz.fuzz.present.report.page import page_of
from wgsl_fuzz.fuzz.triage.merging import DECISIONS
from wgsl_fuzz.fuzz.triage.triage import Bucket, Triage, bucketed

URL = "https://example.org/issues/1"
CRASH = MadeUp(IN_IF, kind=Kind.CRASH, cause="panicked at")


invoke = partial(wgsl_fuzz, "triage")


def test_the_exit_status_says_whether_anything_is_new(tmp_path: Path) -> None:
    path = store(tmp_path / "run", [MadeUp(IN_IF), CRASH]).path
    assert invoke(path).exit_code == 1
    assert invoke(path, "--mark-known", "1", URL).exit_code == 1
    assert invoke(path, "--drop", "#2", "a fake").exit_code == 0  # numbers stay
    listed = invoke(path).output
    assert URL in listed
    assert "a fake" in listed
    assert invoke(path, "--drop", "2", "").exit_code == 1


def test_json_has_every_bucket(tmp_path: Path) -> None:
    run = store(tmp_path / "run", [MadeUp(IN_IF), CRASH], {"fake hang x": 3})
    said = orjson.loads(invoke(run.path, "--format", "json").output)
    assert said["findings"] == 5
    assert [b["number"] for b in said["buckets"]] == [1, 2, 3]
    assert {b["name"] for b in said["buckets"]} == {b.name for b in bucketed(run)}
    assert said["buckets"][0]["shader"] == IN_IF


def test_a_bucket_is_shown_whole(tmp_path: Path) -> None:
    files = {"nearest.wgsl": IN_IF.replace("lid == 0u", "true")}
    more = {"account": {"why": ["because [of] it"]}, "reproduce": "do this", "nearest": {"differs": ["with `true`"]}}
    more["verdicts"] = {"paper": "rejects", "semantics": "diverges", "fake": "accepts"}
    output = invoke(store(tmp_path / "run", [MadeUp(IN_IF, more=more, files=files)]).path, "--show", "1").output
    for part in ("if (lid == 0u)", "if (true)", "because [of] it", "do this", "with `true`", "they part at line 3"):
        assert part in output


@pytest.mark.parametrize(
    "wrong",
    [("--show", "7"), ("--mark-known", "1", "no url"), ("--drop", "1", " "), ("--drop", "1", ""), ("-o", "x"),
     ("--show", "1", "--format", "corpus"), ("--known-file", "missing.toml"),
     ("--show", "1", "--format", "cts", "--name", "No Name"),
     # what would have no effect
     ("--name", "x"), ("--format", "cts"), ("--format", "cts", "--show", "1", "--mark-known", "1", URL),
     ("--format", "cts", "--show", "1", "--drop", "1", "x"), ("--format", "json", "--show", "1"),
     ("--show", "1", "--format", "markdown", "--name", "x"),
     # what contradicts itself
     ("--drop", "1", "x", "--mark-known", "#1", URL), ("--drop", "1", "x", "--drop", "1", "y")],
)  # fmt: skip
def test_a_wrong_request_is_one_line_and_status_2(tmp_path: Path, wrong: tuple[str, ...]) -> None:
    run = store(tmp_path / "run", [CRASH])
    before = sorted(run.path.rglob("*"))
    result = invoke(run.path, *wrong)
    assert (result.exit_code, result.stdout, len(result.stderr.splitlines())) == (2, "", 1)
    assert sorted(run.path.rglob("*")) == before


def test_it_is_said_which_file_has_a_decision(tmp_path: Path) -> None:
    run = store(tmp_path / "run", [MadeUp(IN_IF), CRASH])
    file, decisions = tmp_path / "ours.toml", run.path / DECISIONS
    lines = invoke(
        run.path, "--mark-known", "1", URL, "--known-file", file, "--drop", "2", "boring"
    ).stdout.splitlines()
    said = [line for line in lines if "noted in" in line]
    assert said == [f"#1 is known: noted in {file}", f"#2 is dropped: noted in {decisions}"]
    assert file.exists()
    again = invoke(run.path, "--drop", "2", "", "--mark-known", "1", URL, "--format", "json")
    assert [line for line in again.stderr.splitlines() if "noted in" in line] == [
        f"#1 is known: noted in {run.path / 'known.toml'}", f"#2 is no longer dropped: noted in {decisions}"
    ]  # fmt: skip
    assert orjson.loads(again.stdout)["findings"] == 2


def test_of_several_decisions_none_is_made_if_one_is_wrong(tmp_path: Path) -> None:
    run = store(tmp_path / "run", [MadeUp(IN_IF), CRASH])
    for wrong in (("--drop", "9", "x"), ("--drop", "2", " "), ("--mark-known", "2", "no url"), ("--drop", "2", "")):
        assert invoke(run.path, "--mark-known", "1", URL, *wrong).exit_code == 2
    assert Triage.of(load_run(run.path)).new == bucketed(run)
    assert not (run.path / DECISIONS).exists()


def test_several_exports_go_into_a_folder(tmp_path: Path) -> None:
    run = store(tmp_path / "run", [MadeUp(IN_IF), CRASH])
    out = tmp_path / "out"
    out.mkdir()
    result = invoke(run.path, "--format", "tint", "--show", "all", "-o", out)
    names = [slug(bucket, "-") for bucket in bucketed(run)]
    assert result.exit_code == 0
    assert result.output.splitlines() == [str(out / f"{names[0]}.cc"), str(out / f"{names[1]}.cc")]
    assert all(Path(line).read_text() for line in result.output.splitlines())


def test_an_export_has_the_name_it_is_given(tmp_path: Path) -> None:
    run = store(tmp_path / "run", [CRASH])
    assert (
        "g.test('wgsl_fuzz,it_panics')"
        in invoke(run.path, "--show", "1", "--format", "cts", "--name", "it-panics").output
    )
    assert "WgslFuzz_ItPanics)" in invoke(run.path, "--show", "1", "--format", "tint", "--name", "it-panics").output
    out = tmp_path / "corpus"
    assert invoke(run.path, "--show", "1", "--format", "corpus", "--name", "it-panics", "-o", out).exit_code == 0
    assert [folder.name for folder in out.iterdir()] == ["it-panics"]


def test_what_is_new_comes_first_in_triage_and_report(tmp_path: Path) -> None:
    run = store(tmp_path / "run", [MadeUp(IN_IF), MadeUp(BOTH_BREAK), CRASH])
    before = [bucket.name for bucket in bucketed(run)]
    assert invoke(run.path, "--drop", "1", "a fault of the driver", "--mark-known", "2", URL).exit_code == 1
    said = orjson.loads(invoke(run.path, "--format", "json").output)["buckets"]
    assert [(b["number"], b["state"], b["name"]) for b in said] == [
        (3, "new", before[2]), (2, "known", before[1]), (1, "dropped", before[0])
    ]  # fmt: skip
    cards = page_of(load_run(run.path)).cards
    assert [(card.group.number, str(card.group.bucket.key)) for card in cards] == [
        (b["number"], b["name"]) for b in said
    ]
    page = report_page(load_run(run.path))
    assert "#3" in page
    assert "a fault of the driver" in page


def numbers(path: Path) -> dict[str, int]:
    return {b["name"]: b["number"] for b in orjson.loads(invoke(path, "--format", "json").output)["buckets"]}


def test_what_a_resumed_run_finds_gets_the_numbers_behind(tmp_path: Path) -> None:
    run = store(tmp_path / "run", [CRASH])
    before = numbers(run.path)
    store(run.path, [CRASH, MadeUp(BOTH_BREAK), MadeUp(IN_IF, "other")])
    after = numbers(run.path)
    assert after | before == after
    assert sorted(after.values()) == [1, 2, 3]
    assert [card.group.number for card in page_of(load_run(run.path)).cards] == list(after.values())


def test_a_folder_that_cannot_be_written_to_has_numbers_all_the_same(tmp_path: Path) -> None:
    run = store(tmp_path / "run", [MadeUp(IN_IF), CRASH])
    (run.path / "triage.json.part").mkdir()  # in the way of every write
    assert sorted(numbers(run.path).values()) == [1, 2]


def test_an_export_makes_the_folder_of_its_file(tmp_path: Path) -> None:
    run = store(tmp_path / "run", [CRASH])
    out = tmp_path / "not" / "there" / "issue.md"
    assert invoke(run.path, "--show", "9", "--format", "markdown", "-o", out).exit_code == 2
    assert not out.parent.parent.exists()
    assert invoke(run.path, "--show", "1", "--format", "markdown", "-o", out).exit_code == 0
    assert out.read_text().startswith("# fake crashes")


def test_no_command_is_wrapped(tmp_path: Path) -> None:
    reproduce = "wgsl-fuzz check " + "-".join("x" * 99)
    run = store(tmp_path / ("a" * 60) / ("b" * 60) / "run", [MadeUp(IN_IF, more={"reproduce": reproduce})])
    lines = invoke(run.path, "--show", "1").output.splitlines()
    assert f"filed already:  wgsl-fuzz triage {run.path} --mark-known 1 URL" in lines
    assert f"shows it:    {reproduce}" in lines
    assert f"Look at one: wgsl-fuzz triage {run.path} --show 1" in invoke(run.path).output.splitlines()


# --------------------------------------------------- The command `merge`, and what the other commands make of a history


def made(path: Path) -> Path:
    """A run with one finding."""
    run = MadeUpRun(path)
    run.record["findings"] = {"too-strict": 1}
    run.found(strict(), reduced=STRICT, drawn=STRICT)
    run.stored()
    return path


def test_what_it_says(tmp_path: Path) -> None:
    one, two, out = made(tmp_path / "one"), made(tmp_path / "two"), tmp_path / "a history"
    first = wgsl_fuzz("merge", one, "-o", out)
    assert first.output == (
        f"{out}: 1 run (1 added, 0 there already), 100 shaders, 1 finding\nnext: wgsl-fuzz triage '{out}'\n"
    )
    assert (
        "2 runs (1 added, 1 there already), 200 shaders, 2 findings" in wgsl_fuzz("merge", one, two, "-o", out).output
    )
    assert wgsl_fuzz("merge", out, "-o", out).exit_code == 0
    assert [run["name"] for run in orjson.loads((out / "run.json").read_bytes())["runs"]] != []


def test_the_commands_read_a_history_like_a_run(tmp_path: Path) -> None:
    out = tmp_path / "history"
    wgsl_fuzz("merge", made(tmp_path / "one"), made(tmp_path / "two"), "-o", out)
    assert "found 2 times" in wgsl_fuzz("triage", out, "--show", "1").output
    assert "200 shaders" in wgsl_fuzz("status", out).output
    assert "2 runs" in wgsl_fuzz("report", out).output
    assert wgsl_fuzz("triage", out, "--mark-known", "1", "https://x.org/1").exit_code == 0
    assert wgsl_fuzz("triage", out, "--show", "1", "--format", "markdown").exit_code == 0


def test_what_is_damaged_is_left_out_and_named(tmp_path: Path) -> None:
    run = made(tmp_path / "one")
    change_state(run, "UPDATE finding SET record = ?", b"{")
    result = wgsl_fuzz("merge", run, "-o", tmp_path / "history")
    assert result.exit_code == 2
    assert result.stderr.startswith("wgsl-fuzz: merge: left out: 001-too-strict-tint")
    assert "1 run" in result.stdout


# ----------------------------- The triage by keys: everything that can be done is told, and nothing is ever out of view


@pytest.fixture(scope="module")
def triage(tmp_path_factory: pytest.TempPathFactory) -> Triage:
    """A dozen buckets, some with long names; for tests that decide nothing."""
    found = [MadeUp(text, f"target-{n}") for n in range(3) for text in (IN_IF, IN_CALL, BOTH_BREAK)]
    found += [MadeUp(IN_IF, kind=Kind.CRASH, cause=f"panicked at {'the very same place ' * 8}")]
    found += [CRASH, MadeUp(IN_IF, "gap", cause=NO_ANALYSIS)]
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


@settings(max_examples=40)
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
