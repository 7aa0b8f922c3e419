"""Records that a run never wrote: one clear line and status 2, and what is sound is shown all the same."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fuzz.judging.test_buckets import BOTH_BREAK, IN_IF
from tests.fuzz.runs import STRICT, MadeUp, MadeUpRun, change_state, state_value, store, strict
from wgsl_fuzz.fuzz.cli.runs.report import report
from wgsl_fuzz.fuzz.cli.runs.triage import triage
from wgsl_fuzz.fuzz.findings.loading import load_run
from wgsl_fuzz.fuzz.judging.judge import Kind

RUBBISH = ("{}", "[]", "null", "5", "", "{", '"text"', "\x00", '{"version": 3}', '{"kind": "unsound"}')
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=4,
)
COMMANDS = ([triage, "--format", "json"], [triage, "--show", "all"], [report])


def invoke(command: list[Any], run: Path) -> Result:
    return CliRunner().invoke(command[0], [str(run), *command[1:]])


def full(folder: Path) -> MadeUpRun:
    """A run of which a finding's record has about everything that one can have."""
    made = MadeUpRun(folder, known={"t crash x": "https://example.org"})
    more = {
        "branches": ["B/return/is-next"],
        "noted": ["a"],
        "nearest": {"differs": ["b"]},
        "after": 1.5,
        "fine": "t crash f",
    }
    more |= {
        "spelling": {"forms": ["for"]},
        "related verdicts": {"fake": "accepts"},
        "drawn": {"bucket": "t crash k"},
        "relation": "negated",
    }
    made.found(strict(**more), reduced=STRICT, related=STRICT, nearest=STRICT, drawn=STRICT)
    made.found(strict(kind="metamorphic", **more), reduced=STRICT, related=STRICT)
    return made


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("rubbish", RUBBISH)
def test_a_damaged_finding_is_named_and_the_rest_is_shown(tmp_path: Path, rubbish: str, command: list[Any]) -> None:
    run = store(tmp_path / "run", [MadeUp(IN_IF), MadeUp(BOTH_BREAK, kind=Kind.CRASH, cause="panicked at")])
    change_state(run.path, "UPDATE finding SET record = ? WHERE number = 1", rubbish.encode())
    result = invoke(command, run.path)
    assert result.exit_code == 2
    assert len(result.stderr.splitlines()) == 1
    assert "000-finding" in result.stderr
    assert "panicked at" in result.stdout


@pytest.mark.full
@settings(max_examples=30)
@given(st.data())
def test_whatever_a_record_holds_nothing_crashes(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    made = full(tmp_path_factory.mktemp("damaged") / "run")
    made.stored()
    column = data.draw(st.sampled_from(["content FROM record", "record FROM finding", "files FROM finding"]))
    record = json.loads(state_value(made.path, f"SELECT {column} LIMIT 1"))
    for name in data.draw(st.lists(st.sampled_from(sorted(record)), min_size=1, max_size=2)):
        record[name] = data.draw(JSON)
    field, _, table = column.split()
    change_state(made.path, f"UPDATE {table} SET {field} = ? WHERE rowid = 1", json.dumps(record).encode())
    for command in COMMANDS:
        result = invoke(command, made.path)
        assert result.exception is None or isinstance(result.exception, SystemExit)
        assert len(result.stderr.splitlines()) == (result.exit_code == 2)


@pytest.mark.parametrize("files", ['{"drawn.wgsl": "x"}', '{"reduced.wgsl": 5}', '{"reduced.wgsl": ""}', "[]", "x"])
def test_a_text_that_cannot_be_read_is_damage(tmp_path: Path, files: str) -> None:
    run = store(tmp_path / "run", [MadeUp(IN_IF)])
    change_state(run.path, "UPDATE finding SET files = ?", files)
    assert [one.name for one in load_run(run.path).broken] == ["000-finding"]
    for command in COMMANDS:
        assert invoke(command, run.path).exit_code == 2


def test_no_file_outside_a_finding_is_read(tmp_path: Path) -> None:
    run = store(tmp_path / "run", [MadeUp(IN_IF, more={"describes": "../../run.json"})])
    assert run.findings == ()
