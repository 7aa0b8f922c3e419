"""A run's folder may be anybody's: what is in it never ends a command with a traceback, a hang, or a foreign file."""

import os
import shutil
from contextlib import suppress
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fuzz.command import wgsl_fuzz
from tests.fuzz.runs import change_record, change_state, record_of, state_value
from wgsl_fuzz.fuzz.findings.directory import FINDING, RUN, write_atomically
from wgsl_fuzz.fuzz.findings.loading import load_run, read_campaign
from wgsl_fuzz.fuzz.findings.state import STATE
from wgsl_fuzz.fuzz.findings.stats import STATS
from wgsl_fuzz.fuzz.problems import Problem
from wgsl_fuzz.fuzz.triage.triage import Triage

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
    result = wgsl_fuzz(*[str(a) for a in arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
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


CELLS = ("record.content", "bucket.key", "progress.line", "finding.record", "finding.files")
"""What readers look at in a state, by table and column."""


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_no_state_is_too_odd_to_be_read_or_refused(run: Path, data: st.DataObject) -> None:
    table, column = data.draw(st.sampled_from(CELLS)).split(".")
    before = (run / STATE).read_bytes()
    content = state_value(run, f"SELECT {column} FROM {table}")
    value = orjson.loads(content) if column != "key" and content else None
    try:
        odd = (
            orjson.dumps(_changed(value, data)) if value is not None else data.draw(st.sampled_from(["", "x", b"\xff"]))
        )
        change_state(run, f"UPDATE {table} SET {column} = ? WHERE rowid = (SELECT max(rowid) FROM {table})", odd)
        reads = (lambda: Triage.of(load_run(run)), lambda: read_campaign(run))
        for read in (*reads, lambda: load_run(run).progress()):
            with suppress(Problem):
                read()
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
