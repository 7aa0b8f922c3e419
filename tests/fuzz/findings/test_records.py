"""What is stored is what is read: every record comes back, and every fault of every field is one line."""

import json
from dataclasses import is_dataclass
from enum import Enum
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fuzz.command import refused
from tests.fuzz.runs import STRICT, MadeUpRun, change_record, strict
from wgsl_fuzz.fuzz.cases.plan import Plan
from wgsl_fuzz.fuzz.findings import records, schema
from wgsl_fuzz.fuzz.findings.loading import check_whole
from wgsl_fuzz.fuzz.judging import kinds
from wgsl_fuzz.fuzz.problems import Problem
from wgsl_fuzz.fuzz.regression.corpus import load_case
from wgsl_fuzz.oracle.dynamics.semantics import NOTIONS, Notion
from wgsl_fuzz.oracle.verdict import Verdict

FILES = (records.FindingRecord, records.RunRecord, records.HistoryRecord, records.TriageRecord, records.CaseRecord)
CLASSES = (*FILES, records.ReplayLine, Plan)
FEW = settings(max_examples=settings().max_examples // 10)
"""For properties of the fields of a class, whatever is in them."""
NO_FIELD: list[list[object]] = [[]]
"""What no field of any record can hold."""

_text = st.text(st.characters(exclude_categories=["Cs"]), max_size=9)
_LEAVES: dict[Any, st.SearchStrategy[Any]] = {
    str: _text,
    int: st.integers(-(2**53), 2**53),
    float: st.floats(allow_nan=False, allow_infinity=False),
    bool: st.booleans(),
    NoneType: st.none(),
    Any: st.none() | st.dictionaries(_text, st.integers(0, 9)),
    Notion: st.sampled_from(list(NOTIONS.values())),
}


def fitting(shape: Any) -> st.SearchStrategy[Any]:
    """Values of an annotation."""
    origin, arguments = get_origin(shape), get_args(shape)
    if shape in _LEAVES:
        return _LEAVES[shape]
    if origin in (Union, UnionType):
        return st.one_of(*map(fitting, arguments))
    if origin is dict:
        return st.dictionaries(*map(fitting, arguments), max_size=2)
    if origin is tuple and arguments[-1] is Ellipsis:
        return st.lists(fitting(arguments[0]), max_size=2).map(tuple)
    if origin is tuple:
        return st.tuples(*map(fitting, arguments))
    if isinstance(shape, type) and issubclass(shape, Enum):
        return st.sampled_from(shape)
    assert is_dataclass(shape), shape
    cls: Any = shape
    return st.builds(cls, **{f.name: fitting(f.type) for f in schema.fields_of(cls) if f.name != "format"})


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
@settings(max_examples=30)
@given(data=st.data())
def test_what_is_written_is_read(cls: type[Any], data: st.DataObject) -> None:
    record, nulls = data.draw(fitting(cls)), data.draw(st.booleans())
    stored = schema.from_json(orjson.dumps(schema.write(record, nulls=nulls)))
    assert schema.read(cls, stored) == record
    assert schema.write(schema.read(cls, stored), nulls=nulls) == stored


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
@FEW
@given(data=st.data())
def test_every_field_damaged_in_turn_is_named_in_one_line(cls: type[Any], data: st.DataObject) -> None:
    stored = schema.write(data.draw(fitting(cls)), nulls=True)
    for key in stored:
        if key in getattr(cls, "COMPUTED", ()):  # nothing reads it
            continue
        with pytest.raises(schema.RecordError) as fault:
            schema.read(cls, stored | {key: NO_FIELD})
        assert f"'{key}" in str(fault.value)
        assert len(str(fault.value).splitlines()) == 1


@pytest.mark.full
@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
@FEW
@given(data=st.data())
def test_what_has_no_default_must_be_there(cls: Any, data: st.DataObject) -> None:
    stored = schema.write(data.draw(fitting(cls)))
    for needed in [schema.key_of(f) for f in schema.fields_of(cls) if not schema.has_default(f)]:
        with pytest.raises(schema.RecordError, match=f"there is no '{needed}'"):
            schema.read(cls, {name: value for name, value in stored.items() if name != needed})


def test_a_fault_within_is_named_by_its_place() -> None:
    with pytest.raises(schema.RecordError, match="'nearest: differs: 2' is not a text"):
        schema.read(records.FindingRecord, strict(nearest={"differs": ["a", 5]}))
    with pytest.raises(schema.RecordError, match="'verdicts: wgsl' is not a text"):
        schema.read(records.FindingRecord, strict(verdicts={"wgsl": None}))
    with pytest.raises(schema.RecordError, match=r"'drawn: kind' is 'bad', not one of unsound, "):
        schema.read(records.FindingRecord, strict(drawn={"kind": "bad"}))
    with pytest.raises(schema.RecordError, match="'cause: departures' is not a list"):
        schema.read(records.FindingRecord, strict(cause={"departures": "k"}))
    with pytest.raises(schema.RecordError, match="'threads' is not a whole number"):
        schema.read(records.FindingRecord, strict(threads=True))


# ------------------------------------------------------------------------------------------------------------- formats


@pytest.mark.parametrize("cls", FILES, ids=lambda cls: cls.__name__)
@FEW
@given(data=st.data())
def test_the_format_is_in_every_file_and_another_is_refused(cls: type[schema.Record], data: st.DataObject) -> None:
    stored = schema.write(data.draw(fitting(cls)))
    assert next(iter(stored.items())) == ("format", schema.FORMAT)
    assert schema.read(cls, {key: value for key, value in stored.items() if key != "format"}).format == schema.FORMAT
    for wrong in ("2", True, [2]):
        with pytest.raises(schema.RecordError, match="'format' is"):
            schema.read(cls, stored | {"format": wrong})
    for version, age in ((7, "a newer"), (0, "an older"), (schema.FORMAT - 1, "an older")):
        with pytest.raises(schema.FormatError, match=f"{age} wgsl-fuzz"):
            schema.read(cls, {"format": version, "what": "ever"})


NEWER = f"was written by a newer wgsl-fuzz (format {schema.FORMAT + 1}; this one reads {schema.FORMAT})"


@pytest.mark.parametrize("reader", ["triage", "report", "--resume"])
@pytest.mark.parametrize("more", [{}, {"enumeration": {"families": "of another kind"}}])
def test_a_newer_run_is_refused_in_one_line(tmp_path: Path, reader: str, more: dict[str, Any]) -> None:
    made = MadeUpRun(tmp_path / "run")
    made.stored()
    change_record(made.path, json.dumps(made.record | more | {"format": schema.FORMAT + 1}).encode())
    assert refused(reader, made.path) == f"wgsl-fuzz: {made.path}/run.sqlite {NEWER}\n"


def test_a_newer_finding_is_left_out_and_named(tmp_path: Path) -> None:
    made = MadeUpRun(tmp_path / "run")
    made.found(strict(format=schema.FORMAT + 1), "001-newer", reduced=STRICT)
    made.found(strict(), "002-mine", reduced=STRICT)
    run = made.stored()
    assert [found.folder.name for found in run.findings] == ["002-mine"]
    with pytest.raises(Problem) as told:
        check_whole("run", run.broken)
    assert str(told.value) == f"run: left out: 001-newer (finding.json {NEWER})"


def test_newer_decisions_and_cases_are_refused(tmp_path: Path) -> None:
    made = MadeUpRun(tmp_path / "run")
    made.stored()
    (made.path / "triage.json").write_text(json.dumps({"format": schema.FORMAT + 1}))
    assert refused("triage", made.path) == f"wgsl-fuzz: {made.path}/triage.json {NEWER}\n"
    (tmp_path / "case.json").write_text(json.dumps({"format": schema.FORMAT + 1}))
    (tmp_path / "shader.wgsl").write_text(STRICT)
    with pytest.raises(Problem) as problem:
        load_case(tmp_path)
    assert problem.value.message == f"{tmp_path}/case.json {NEWER}"


# ---------------------------------------------------------------------------------------------------------------- keys


def test_a_front_ends_fault_that_a_spelling_shows_is_known_by_its_own_key() -> None:
    for verdict, kind in ((Verdict.INVALID, kinds.Kind.INVALID), (Verdict.CRASHED, kinds.Kind.CRASH)):
        spelled = kinds.BucketKey("t", kinds.Kind.UNSTABLE, kinds.Cause(told="error: expected for", drawn=verdict))
        assert spelled.plain == kinds.BucketKey("t", kind, kinds.Cause(told="error: expected for"))
    of_both = kinds.Cause(drawn=Verdict.INVALID, printed=Verdict.ACCEPTS)
    for other in (kinds.Cause(told="x", drawn=Verdict.REJECTS), of_both, kinds.TWO_RUNS):
        assert (key := kinds.BucketKey("t", kinds.Kind.UNSTABLE, other)).plain == key
