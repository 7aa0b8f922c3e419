"""The report page: what it says of a run, that it needs nothing but itself, and that it escapes what it shows."""

import html
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st
from markupsafe import Markup

from tests.fuzz.pages import Page
from tests.fuzz.runs import DIVERGING, STRICT, MadeUpRun, bucket_of, counts, strict, unsound
from wgsl_fuzz.fuzz.cli.runs.report import report
from wgsl_fuzz.fuzz.findings.finding import Finding
from wgsl_fuzz.fuzz.findings.loading import StoredRun
from wgsl_fuzz.fuzz.findings.records import FindingRecord
from wgsl_fuzz.fuzz.findings.schema import read
from wgsl_fuzz.fuzz.judging.kinds import NO_ANALYSIS, Kind
from wgsl_fuzz.fuzz.present.pages import highlighted
from wgsl_fuzz.fuzz.present.report.cards import Card, Command, commands_of, difference
from wgsl_fuzz.fuzz.present.report.page import CARDS, page_of, report_page
from wgsl_fuzz.fuzz.present.report.words import MEANINGS, groups_of, title, totals_of
from wgsl_fuzz.fuzz.triage.triage import Triage

POISON = "</script><b>bold</b><img src=x onerror=alert(1)>\"'&amp;"


def shown(run: StoredRun) -> Page:
    return Page(report_page(run))


def card(made: MadeUpRun) -> Card:
    found: Card = page_of(made.stored())["cards"][0]
    return found


@pytest.fixture
def made(tmp_path: Path) -> MadeUpRun:
    return MadeUpRun(tmp_path / "run")


# --------------------------------------------------------------------------------------------------------- the page


def full(made: MadeUpRun) -> MadeUpRun:
    """A run with something in every section."""
    made.found(strict(nearest={"differs": ["without `break;` on line 6"]}), reduced=STRICT,
               nearest=STRICT.replace("    continue;\n", ""))  # fmt: skip
    made.found(unsound(after=3.5), reduced=DIVERGING)
    made.count(bucket_of(strict()), issue="https://example.org/issues/1")
    made.progress = [{"seconds": s * 10, "programs": s * 1000, "findings": {"unsound": s}} for s in range(1, 9)]
    return made


def test_the_page_needs_nothing_but_itself(made: MadeUpRun) -> None:
    text = report_page(full(made).stored())
    page = Page(text)
    assert page.loads == ["data:,"]  # no icon is asked for either
    policy = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"
    assert page.policy == policy
    assert "@import" not in text
    assert "url(" not in text
    known = {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink", "https://example.org/issues/1"}
    assert set(re.findall(r"https?://[^\"'\s<]+", text)) == known


def test_links_headings_and_ids_are_in_order(made: MadeUpRun) -> None:
    page = shown(full(made).stored())
    inner = [link[1:] for link in page.links if link.startswith("#")]
    assert set(inner) <= page.ids.keys()
    assert "finding-1-L7" in inner
    assert page.headings[0] == 1
    assert all(after - before <= 1 for before, after in zip(page.headings, page.headings[1:], strict=False))


def test_a_finding_is_told_in_full(made: MadeUpRun) -> None:
    made.found(unsound(cause="before-2025-10-14/10a"), reduced=DIVERGING)
    page = shown(made.stored())
    assert page.tags.count("svg") == 2  # the reference's graph, and that of the rules without 10a
    assert "thread 0 waits at the barrier on line 6, in round 3 of the loop on line 3" in page.text
    assert "invocations may leave the loop on line 3 here in different iterations" in page.text
    check = "wgsl-fuzz check - --oracle wgsl --oracle semantics --oracle tint@0.3.8 <<'WGSL' "
    assert f"{check}{' '.join(DIVERGING.split())} WGSL" in page.text
    assert "5 statements, reduced from 30" in page.text
    assert "-> false (lid = 0)" in page.text


@pytest.mark.parametrize("kind", list(Kind))
def test_every_kind_is_told(made: MadeUpRun, kind: Kind) -> None:
    made.found(strict(kind=kind.value, cause="a cause"), reduced=STRICT, related=DIVERGING)
    page = shown(made.stored())
    assert MEANINGS[kind][0].split("{shaders}")[0].strip() in page.text
    assert MEANINGS[kind][1].rsplit("{target}", 1)[-1].strip() in page.text
    assert "{" not in title(groups_of(made.stored())[0][0])


@pytest.mark.parametrize("guard", ["lid == 0u", "true"])
def test_where_a_module_diverges_it_is_said_once_and_never_without_how(made: MadeUpRun, guard: str) -> None:
    module = f"""@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {{
  let p = &lid_of;
  *p = lid;
  if {guard} {{ textureBarrier(); }}
}}
var<private> lid_of: u32;
"""
    made.found(unsound(reference="wgsl"), reduced=module)
    page, diverges = shown(made.stored()), guard != "true"
    assert ("thread 0 waits at the textureBarrier on line 5" in page.text) == diverges
    assert "`" not in page.text
    assert "It does diverge" not in page.text  # the steps say it, if they are met again


def test_a_run_that_was_killed_at_once(tmp_path: Path) -> None:
    made = MadeUpRun(tmp_path / "run")
    made.record = {"version": "1", "generator": 1, "seed": 5, "profile": "x", "finished": False}
    made.stored()
    result = CliRunner().invoke(report, [str(made.path)])
    assert (result.exit_code, result.exception) == (0, None)
    assert "did not come to its end" in Page(result.output).text


@pytest.mark.parametrize(
    ("record", "texts", "words"),
    [
        (
            None,
            {},
            (
                "Nothing found",
                "Tint 0.3.8 agrees with the reference on all 100 shaders.",
                "!did not come to its end",
            ),
        ),
        (strict(), {}, ("001-too-strict-tint",)),
        (strict(describes="drawn.wgsl", statements={"drawn": 8}), {"drawn": STRICT}, ("never reduced", "!Nearest")),
        (
            strict(kind="crash", verdicts={"tint@0.3.8": "crashed"}, message="it died"),
            {"reduced": "not a shader"},
            ("it died", "not a shader"),
        ),
    ],
    ids=["nothing", "without a text", "not reduced", "no shader"],
)
def test_what_there_is_of_a_finding_is_shown(
    made: MadeUpRun, record: dict[str, Any] | None, texts: dict[str, str], words: tuple[str, ...]
) -> None:
    if record is not None:
        made.found(record, **texts)
    page = shown(made.stored()).text
    assert [word for word in words if (word.lstrip("!") in page) == word.startswith("!")] == []


def test_of_many_buckets_the_most_severe_have_cards(made: MadeUpRun) -> None:
    for n in range(CARDS + 9):
        made.found(strict(cause=f"cause {n}"), reduced=f"no shader {n}: nothing to draw")
    made.found(unsound(), reduced=DIVERGING)
    for _ in range(400 - CARDS):
        made.found(strict(cause="cause 0"), reduced="no shader")
    run = made.stored()
    page = page_of(run)
    assert page["cards"][0].group.bucket.kind is Kind.UNSOUND
    assert (len(page["cards"]), len(page["lines"])) == (CARDS, 10)
    text = report_page(run)
    assert len(text) < 1_000_000
    assert all(f"cause {n}" in text for n in range(CARDS + 9))


@settings(max_examples=12)
@given(poison=st.text(max_size=20).map(lambda text: text + POISON))
def test_everything_that_others_wrote_is_escaped(tmp_path_factory: pytest.TempPathFactory, poison: str) -> None:
    pages = []
    for words in (poison, "harmless"):
        made = MadeUpRun(tmp_path_factory.mktemp("run") / "run", profile=words, version=words)
        made.record |= {"targets": {words: words}, "known": {f"b crash {words}": words}}
        record: dict[str, Any] = {name: words for name in ("cause", "message", "reproduce", "draw again", "relation")}
        record |= {"nearest": {"differs": [words]}, "verdicts": {words: words}}
        record |= {"kind": "metamorphic", "target": words}
        text = " ".join(words.split())
        made.found(strict(**record), reduced=text, related=text, nearest=text)
        pages.append(shown(made.stored()))
    assert set(pages[0].tags) - {"span"} == set(pages[1].tags) - {"span"}  # highlighting makes spans
    assert pages[0].text.count("<b>bold</b>") > 10  # it shows as text


def test_a_known_issue_that_is_no_web_address_is_no_link(made: MadeUpRun) -> None:
    made.found(strict(), reduced=STRICT)
    made.count(bucket_of(strict()), issue="javascript:alert(1)")
    page = shown(made.stored())
    assert "javascript:alert(1)" in page.text
    assert not [link for link in page.links if not link.startswith("#")]


# ---------------------------------------------------------------------------------------------------------- its parts


def test_a_bucket_shows_its_smallest_reduced_shader_and_counts_all(made: MadeUpRun) -> None:
    made.found(strict(describes="drawn.wgsl", statements={"drawn": 3}), drawn=STRICT)
    made.found(strict(statements={"drawn": 9, "reduced": 8}), reduced=STRICT)
    small = made.found(strict(statements={"drawn": 9, "reduced": 7}), reduced=STRICT)
    made.counted = [(bucket_of(strict()), None)] * 2
    run = made.stored()
    ((group,), _) = groups_of(run)
    assert group.bucket.findings[0].folder == small
    assert group.bucket.count == 5
    assert totals_of(run) == {("tint@0.3.8", Kind.TOO_STRICT): 5}  # the record of a killed run knows of fewer


def test_a_bucket_of_two_kinds_shows_the_worse_and_names_the_other(made: MadeUpRun) -> None:
    made.found(unsound(kind="too-lenient"), reduced=DIVERGING)
    made.found(unsound(), reduced=DIVERGING)
    (one,) = page_of(made.stored())["cards"]
    assert (one.kind, one.also) == ("unsound", "too-lenient")
    assert "found 2 times, some only too-lenient" in shown(made.stored()).text


def test_what_was_only_counted_is_named(made: MadeUpRun) -> None:
    made.counted = [("tint@0.3.8 unsound 10a", None)]
    run = made.stored()
    page = page_of(run)
    assert ([group.bucket.kind for group in page["lines"]], page["cards"]) == ([Kind.UNSOUND], [])
    assert "only counted" in shown(run).text


def test_the_headline_says_whether_to_worry(made: MadeUpRun) -> None:
    made.found(strict(), reduced=STRICT)
    assert "Nothing unsound: no accepted shader was seen to diverge." in page_of(made.stored())["headline"]
    made.found(unsound(), reduced=DIVERGING)
    page = page_of(made.stored())
    assert page["worry"][0] == "bad"
    told = "Tint 0.3.8 accepts 1 shader whose threads can end up at different barriers; "
    assert page["headline"][0].startswith(told)


def test_what_a_target_declares_is_no_reason_to_worry(made: MadeUpRun) -> None:
    made.found(unsound(cause=str(NO_ANALYSIS)), reduced=DIVERGING)
    page = page_of(made.stored())
    assert page["worry"][0] == "good"
    assert page["cards"][0].title == "Tint 0.3.8 has no uniformity analysis"


@pytest.mark.parametrize(
    ("record", "text", "notes"),
    [
        (unsound(), DIVERGING, {3: ["path"], 6: ["demand"], 7: ["root"]}),
        (  # it is accepted: the rules that reject it mark lines
            strict(cause="before-2025-12-01/10c"),
            STRICT,
            {3: ["path"], 4: ["demand", "target"], 5: ["root", "target"], 6: ["path"]},
        ),
    ],
)
def test_lines_are_marked_by_the_rules_and_the_message(
    made: MadeUpRun, record: dict[str, Any], text: str, notes: dict[int, list[str]]
) -> None:
    made.found(record, reduced=text)
    assert notes == {line.number: [style for style, _ in line.notes] for line in card(made).shader if line.notes}


@given(st.text())
def test_highlighting_loses_nothing(text: str) -> None:
    lines = [re.sub(r"<[^>]*>", "", line) for line in highlighted(text)]
    assert [Markup(line).unescape() for line in lines] == text.splitlines()


@given(st.lists(st.sampled_from("abcd")), st.lists(st.sampled_from("abcd")))
def test_a_difference_holds_both_texts(one: list[str], other: list[str]) -> None:
    lines = difference("\n".join(one), "\n".join(other))
    assert [line.code.striptags() for line in lines if line.sign != "+"] == one
    assert [line.code.striptags() for line in lines if line.sign != "-"] == other


# -------------------------------------------------------------------------------------------------------- the command


def test_a_terminal_gets_a_file_and_its_name(made: MadeUpRun, monkeypatch: pytest.MonkeyPatch) -> None:
    run = made.stored()
    assert CliRunner().invoke(report, [str(made.path)]).output == report_page(run)
    assert not (made.path / "report.html").exists()
    monkeypatch.setattr("wgsl_fuzz.fuzz.cli.runs.report.in_terminal", lambda: True)
    result = CliRunner().invoke(report, [str(made.path)])
    written = made.path / "report.html"
    assert (result.exit_code, result.output) == (0, f"written: {written}\n")
    assert written.read_text(encoding="utf-8") == report_page(run)


# ---------------------- The commands of the report page work wherever it is opened, and none is broken within an option


CAUSE = "before-2025-10-14/10a"
TARGET = f"rules:{CAUSE}"


def copied(command: Command) -> str:
    """A command as it is copied: the text of its element."""
    return html.unescape(re.sub("<[^>]*>", "", command.html))


def commands(made: MadeUpRun) -> list[Command]:
    return card(made).commands


def test_a_command_shows_the_finding_in_any_folder(tmp_path: Path) -> None:
    made = MadeUpRun(tmp_path / "run")
    made.found(unsound(target=TARGET, cause=CAUSE), reduced=DIVERGING)
    (command, *_) = commands(made)
    script = f'wgsl-fuzz() {{ "{sys.executable}" -m wgsl_fuzz "$@"; }}\n{copied(command)}\n'
    done = subprocess.run(["bash", "-c", script], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 1, done.stderr
    assert f"unsound: {TARGET} unsound {CAUSE}" in done.stdout


@given(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\0\r"), min_size=1), min_size=1))
def test_what_is_copied_is_what_is_meant(words: list[str]) -> None:
    command = Command("", tuple(words))
    assert shlex.split(copied(command)) == words
    assert " ".join(command.parts) == shlex.join(words)


@pytest.mark.parametrize("text", ["a\nWGSL\nb", "a\nWGSL\nWGSL_\n"])
def test_a_text_does_not_end_early(text: str) -> None:
    head, *lines = copied(Command("", ("wgsl-fuzz", "check", "-"), text)).splitlines()
    end = head.split("'")[1]
    assert lines.index(end) == len(lines) - 1
    assert "\n".join(lines[:-1]) == text.rstrip("\n")


def test_where_no_reference_judges_a_text_all_targets_are_asked() -> None:
    record = read(FindingRecord, strict(reference="none", targets={"a": "", "tint@0.3.8": ""}))
    (again, _) = commands_of(Finding(record, {"reduced.wgsl": "x"}), ["x"])
    assert again.parts == ["wgsl-fuzz", "check", "-", "--oracle tint@0.3.8", "--oracle a"]


# -------------------------- The report's numbers: the verdicts, and the totals


def test_the_totals_of_triage_and_report_agree(made: MadeUpRun) -> None:
    """The record is older than the folder: a finding was taken for too lenient when it was written."""
    made.found(unsound(), reduced=DIVERGING)
    made.found(unsound(relation="negated"), reduced=DIVERGING)
    made.counted = [(key, "negated") for key in [bucket_of(unsound())] * 3]
    made.counted.append(("tint@0.3.8 metamorphic negated", "negated"))
    made.progress = [{"seconds": 9, "programs": 50, "findings": {"unsound": 1}}]
    made.record |= {
        "buckets": counts({bucket_of(unsound()): 5}),
        "answers": {"tint@0.3.8": {"accepts": 71, "rejects": 29}},
    }
    run = made.stored()
    page, total = page_of(run), Triage.of(run).total
    assert (
        total
        == 6
        == sum(page["totals"].values())
        == sum(card.group.bucket.count for card in page["cards"]) + sum(group.bucket.count for group in page["lines"])
    )
    assert page["verdicts"][1:] == [["reference", "70", "30"], ["tint@0.3.8", "71", "29"]]


def test_a_record_that_knows_of_more_does_not_make_the_report_count_them(made: MadeUpRun) -> None:
    made.found(unsound(), reduced=DIVERGING)
    made.record["buckets"] += counts({"tint@0.3.8 too-lenient 10a": 1})  # before its reduced shader was seen to diverge
    run = made.stored()
    assert sum(page_of(run)["totals"].values()) == Triage.of(run).total == 1
