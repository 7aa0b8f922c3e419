"""A run's record, read in one place: what is damaged is one line in the same words, whichever command reads it."""

import os
import shutil
from contextlib import suppress
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fuzz.command import refused, wgsl_fuzz
from tests.fuzz.judging.test_buckets import BOTH_BREAK, IN_IF
from tests.fuzz.runs import MadeUp, MadeUpRun, change_record, change_state, record_of, state_value, store
from wgsl_fuzz.fuzz import files
from wgsl_fuzz.fuzz.cases.plan import Plan
from wgsl_fuzz.fuzz.files import REPLACE_TRIES
from wgsl_fuzz.fuzz.findings.directory import FINDING, RUN, StorageError, write_atomically
from wgsl_fuzz.fuzz.findings.loading import load_run, read_campaign
from wgsl_fuzz.fuzz.findings.schema import write
from wgsl_fuzz.fuzz.findings.state import STATE
from wgsl_fuzz.fuzz.findings.stats import STATS
from wgsl_fuzz.fuzz.judging.kinds import Kind
from wgsl_fuzz.fuzz.problems import Problem
from wgsl_fuzz.fuzz.triage.triage import Triage
from wgsl_fuzz.strategies import GENERATOR_VERSION

READERS = ("--resume", "triage", "report", "status")


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize(
    ("content", "fault"),
    [
        ("", "it is not JSON"),
        ('{"version": ', "it is not JSON"),
        ("[]", "it is no JSON object"),
        ("{}", "there is no 'version'"),
        ("\0", "it is not JSON"),
    ],
)
def test_a_damaged_record_is_one_line_everywhere(tmp_path: Path, reader: str, content: str, fault: str) -> None:
    MadeUpRun(tmp_path / "run").stored()
    change_record(tmp_path / "run", content.encode())
    said = refused(reader, tmp_path / "run")
    assert said.startswith(f"wgsl-fuzz: {tmp_path}/run/run.sqlite is damaged: {fault}")


@pytest.mark.parametrize("reader", READERS)
def test_a_folder_without_a_record_is_the_same_one_line_everywhere(tmp_path: Path, reader: str) -> None:
    (tmp_path / "file").touch()
    missing = tmp_path / "missing"
    for place in (tmp_path, missing, tmp_path / "file"):
        said = f"there is no folder {place}" if place == missing else f"{place} is no run: it has no run.sqlite"
        assert refused(reader, place) == f"wgsl-fuzz: {said}\n"


@pytest.mark.parametrize("runs", [1, 2, 3, 5])
def test_a_folder_of_runs_names_the_latest(tmp_path: Path, runs: int) -> None:
    for i in range(runs):
        (tmp_path / f"{i}").mkdir()
        (tmp_path / f"{i}/run.sqlite").touch()
        os.utime(tmp_path / f"{i}/run.sqlite", (i, i))
    latest = ", ".join(str(tmp_path / f"{i}") for i in reversed(range(max(0, runs - 3), runs)))
    more = " and 2 more" if runs == 5 else ""
    said = f"wgsl-fuzz: {tmp_path} is no run: it has no run.sqlite; it holds runs, the latest first: {latest}{more}\n"
    assert refused("triage", tmp_path) == said


@pytest.mark.parametrize("plan", [write(Plan(5), nulls=True), {"seed": 5}], ids=["of today", "with other keys"])
def test_a_run_of_an_older_generator_is_not_resumed(tmp_path: Path, plan: dict[str, Any]) -> None:
    made = MadeUpRun(tmp_path / "run", generator=GENERATOR_VERSION - 1, plan=plan, targets={"rules:paper": "ours"})
    made.stored()
    with pytest.raises(Problem, match=f"was drawn by generator {GENERATOR_VERSION - 1}; this one is"):
        read_campaign(tmp_path / "run")


@pytest.mark.parametrize(
    "damaged",
    [
        {"reference": {"maybe": 1}},
        {"answers": {"x": 1}},
        {"buckets": [1]},
        {"plan": {}},
        {"plan": {"seed": 5, "language": "klingon"}},
    ],
)
def test_a_campaign_with_a_damaged_record_is_not_resumed(tmp_path: Path, damaged: dict[str, Any]) -> None:
    made = MadeUpRun(tmp_path / "run", targets={"rules:paper": "ours"})
    made.record |= damaged
    with suppress(Problem):
        made.stored()
    before = record_of(made.path)
    assert "run.sqlite is damaged: " in refused("--resume", made.path, "--programs", "1")
    assert record_of(made.path) == before


@pytest.mark.parametrize("kind", ["campaign", "enumeration"])
def test_what_triage_tied_to_an_issue_fails_no_resumed_run(tmp_path: Path, kind: str) -> None:
    """Triage writes known.toml into the run's folder; --known-file names another."""
    run, known = tmp_path / "run", tmp_path / "known.toml"
    target, *request = "rules:whlsl-2019", "enumerate", "--family", "main", "--max-statements", "3", "--programs", "30"
    again = ["--resume", run, "--jobs", "1"]
    if kind == "campaign":
        target, *request = "rules:without-10a", "--language", "tiny", "--programs", "60", "--seed", "5", "--jobs", "1"
        again += ["--programs", "1"]
    first = wgsl_fuzz(*request, "--target", target, "--out", run)
    known.write_text(f'[[known]]\nbucket = "{target} *"\nissue = "https://example.org/1"\n')
    before = shutil.copytree(run, tmp_path / "before")
    given = wgsl_fuzz(*again, "--known-file", known)
    assert (first.exit_code, given.exit_code) == (1, 0)
    shutil.rmtree(run)
    known.rename(before.rename(run) / "known.toml")
    assert wgsl_fuzz(*again).exit_code == 0


# ------------------------------------------------- Files of a run are replaced whole, also where a reader is in the way


@pytest.mark.parametrize("refusals", [0, 2, REPLACE_TRIES - 1, REPLACE_TRIES])
@pytest.mark.parametrize("system", ["posix", "elsewhere"])
def test_readers_are_waited_for(refusals: int, system: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, real, tries = tmp_path / "run.json", Path.replace, 0
    path.write_bytes(b"old")

    def replace(part: Path, target: Path) -> Path:
        nonlocal tries
        tries += 1
        if tries <= refusals:
            raise PermissionError(13, "Access is denied")
        return real(part, target)

    monkeypatch.setattr(Path, "replace", replace)
    monkeypatch.setattr(os, "name", system)
    monkeypatch.setattr(files, "REPLACE_SECONDS", 0.0)
    if refusals < (REPLACE_TRIES if system == "elsewhere" else 1):
        write_atomically(path, b"new")
        assert path.read_bytes() == b"new"
    else:
        with pytest.raises(StorageError, match=r"cannot write .*run\.json: Access is denied"):
            write_atomically(path, b"new")
        assert path.read_bytes() == b"old"
    assert tries == min(refusals + 1, REPLACE_TRIES if system == "elsewhere" else 1)


# ------ A run's folder may be anybody's: what is in it never ends a command with a traceback, a hang, or a foreign file


SECRET = "a line of somebody's private file"


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished campaign with findings."""
    out = tmp_path_factory.mktemp("sound") / "run"
    options = ["--language", "tiny", "--programs", "150", "--seed", "2", "--jobs", "1", "--out", str(out)]
    result = wgsl_fuzz("--target", "rules:without-10a", *options)
    assert result.exit_code == 1, result.output
    return out


@pytest.fixture
def run(sound: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    return Path(shutil.copytree(sound, tmp_path / "run"))


def _command(*arguments: object) -> str:
    """What a command prints; it ends with 0, 1, or 2 and one line."""
    result = wgsl_fuzz(*arguments)
    assert result.exit_code in (0, 1, 2), result.output
    if result.exit_code == 2:
        *told, last = result.stderr.splitlines()
        assert last.startswith("wgsl-fuzz: "), result.stderr
        assert all(line.startswith("target ") for line in told), result.stderr
    return str(result.output)


HOSTILE = st.one_of(
    st.none(),
    st.booleans(),
    st.sampled_from([-1, 2**63, 2**64 - 1, 1e308, -1e308, 0.5]),
    st.sampled_from(["", "x", "../../etc/passwd", "tint unsound 10a", "\x1b[2J", "a" * 5000]),
    st.sampled_from([[], {}, [[[[[[]]]]]], {"a": {"a": {"a": None}}}]),
)


def _changed(value: Any, data: st.DataObject, depth: int = 0) -> Any:
    """A JSON value with one part replaced, or taken away."""
    if isinstance(value, dict) and value and (depth < 1 or data.draw(st.booleans())):
        key = data.draw(st.sampled_from(sorted(value)))
        if data.draw(st.integers(0, 5)) == 0:
            return {k: v for k, v in value.items() if k != key}
        return value | {key: _changed(value[key], data, depth + 1)}
    if isinstance(value, list) and value and data.draw(st.booleans()):
        i = data.draw(st.integers(0, len(value) - 1))
        return [*value[:i], _changed(value[i], data, depth + 1), *value[i + 1 :]]
    return data.draw(HOSTILE)


CELLS = ("record.content", "bucket.key", "finding.record", "finding.files")
"""What readers look at in a state, by table and column."""


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_no_state_is_too_odd_to_be_read_or_refused(run: Path, data: st.DataObject) -> None:
    table, column = data.draw(st.sampled_from(CELLS)).split(".")
    before = (run / STATE).read_bytes()
    content = state_value(run, f"SELECT {column} FROM {table}")
    value = orjson.loads(content) if column != "key" and content else None
    try:
        odd = data.draw(st.sampled_from(["", "x", b"\xff"])) if value is None else orjson.dumps(_changed(value, data))
        change_state(run, f"UPDATE {table} SET {column} = ? WHERE rowid = (SELECT max(rowid) FROM {table})", odd)
        for read in (lambda: Triage.of(load_run(run)), lambda: read_campaign(run)):
            try:
                read()
            except Problem as problem:
                assert len(problem.message.splitlines()) == 1  # noqa: PT017
                assert any(word in problem.message for word in ("damaged", "newer wgsl-fuzz", "generator"))  # noqa: PT017
    finally:
        (run / STATE).write_bytes(before)


@pytest.mark.full
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_no_record_is_too_odd_for_the_commands(run: Path, data: st.DataObject) -> None:
    state, finding = (run / STATE).read_bytes(), orjson.loads(state_value(run, "SELECT record FROM finding"))
    try:
        change_state(run, "UPDATE finding SET record = ? WHERE number = 1", orjson.dumps(_changed(finding, data)))
        change_record(run, orjson.dumps(_changed(orjson.loads(record_of(run)), data)))
        for command in (["triage", run, "--format", "text"], ["report", run, "-o", run.with_name("page.html")]):
            _command(*command)
        again = Path(shutil.copytree(run, run.with_name("again"), dirs_exist_ok=True))
        _command("--resume", again, "--programs", 1, "--jobs", 1)
        shutil.rmtree(again)
    finally:
        (run / STATE).write_bytes(state)


def test_deep_and_long_records_are_damaged(run: Path) -> None:
    for content in (b"[" * 100_000, b'{"a":' * 2000 + b"1" + b"}" * 2000, b"1" * 100_000, b"\xff\xfe", b""):
        change_record(run, content)
        assert "damaged" in _command("triage", run, "--format", "text")


@pytest.mark.skipif(os.name != "posix", reason="links, pipes and devices as POSIX has them")
def test_no_file_but_the_state_is_read(run: Path, tmp_path: Path) -> None:
    said = _command("triage", run, "--format", "json")
    secret = tmp_path / "secret"
    secret.write_text(SECRET, encoding="utf-8")
    for file in [*run.rglob("*.wgsl"), *run.rglob("finding.json"), run / RUN]:
        file.unlink()
        file.symlink_to(secret)
    os.mkfifo(run / "replays.jsonl")
    assert _command("triage", run, "--format", "json") == said
    assert SECRET not in _command("report", run)


@pytest.mark.skipif(os.name != "posix", reason="links as POSIX has them")
@pytest.mark.parametrize("name", [RUN, FINDING, STATS])
def test_nothing_is_written_through_a_link(tmp_path: Path, name: str) -> None:
    secret = tmp_path / "secret"
    secret.write_text(SECRET, encoding="utf-8")
    for link in (name, f"{name}.part"):
        (tmp_path / link).symlink_to(secret)
    write_atomically(tmp_path / name, b"{}")
    assert secret.read_text(encoding="utf-8") == SECRET
    assert (tmp_path / name).read_bytes() == b"{}"


@pytest.mark.skipif(os.name != "posix", reason="links as POSIX has them")
def test_a_state_that_is_a_link_is_not_opened(run: Path, tmp_path: Path) -> None:
    elsewhere = (run / STATE).rename(tmp_path / STATE)
    (run / STATE).symlink_to(elsewhere)
    for command in (["triage", run, "--format", "text"], ["--resume", run, "--programs", 1]):
        assert "is a link" in _command(*command)


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="there is no such device")
@pytest.mark.parametrize("command", [["check"], ["run"], ["explain"], ["reduce", "-t", "paper"]])
def test_a_file_without_an_end_is_one_line(command: list[str]) -> None:
    assert "larger than 64 MiB" in _command(command[0], "/dev/zero", *command[1:])


RUBBISH = ("{}", "[]", "null", "5", "", "{", '"text"', "\x00", '{"version": 3}', '{"kind": "unsound"}')
COMMANDS = (["triage", "--format", "json"], ["triage", "--show", "all"], ["report"])


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("rubbish", RUBBISH)
def test_a_damaged_finding_is_named_and_the_rest_is_shown(tmp_path: Path, rubbish: str, command: list[str]) -> None:
    run = store(tmp_path / "run", [MadeUp(IN_IF), MadeUp(BOTH_BREAK, kind=Kind.CRASH, cause="panicked at")])
    change_state(run.path, "UPDATE finding SET record = ? WHERE number = 1", rubbish.encode())
    result = wgsl_fuzz(*command, run.path)
    assert result.exit_code == 2
    assert len(result.stderr.splitlines()) == 1
    assert "000-finding" in result.stderr
    assert "panicked at" in result.stdout


@pytest.mark.parametrize("files", ['{"drawn.wgsl": "x"}', '{"reduced.wgsl": 5}', '{"reduced.wgsl": ""}', "[]", "x"])
def test_a_text_that_cannot_be_read_is_damage(tmp_path: Path, files: str) -> None:
    run = store(tmp_path / "run", [MadeUp(IN_IF)])
    change_state(run.path, "UPDATE finding SET files = ?", files)
    assert [name for name, _ in load_run(run.path).broken] == ["000-finding"]
    for command in COMMANDS:
        assert wgsl_fuzz(*command, run.path).exit_code == 2


def test_no_file_outside_a_finding_is_read(tmp_path: Path) -> None:
    run = store(tmp_path / "run", [MadeUp(IN_IF, more={"describes": "../../run.json"})])
    assert run.findings == ()
