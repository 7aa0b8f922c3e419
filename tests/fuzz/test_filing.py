"""Findings that only a spelling, a second run or a second shader shows; and runs that are resumed."""

from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import orjson
import pytest

from fuzz.campaign import TASK, Budget, Campaign
from fuzz.completion import RELATION
from fuzz.counters import Counters
from fuzz.drawing import Plan
from fuzz.findings import RunDirectory
from fuzz.stored import load_run
from oracle.analysis import analyse
from oracle.rules import REVERSIONS
from oracle.verdict import Answer, Verdict
from tests.fuzz.fakes import FakeTarget
from tinywgsl.ast import Expr, Lid, Shader, SharedRead, expressions_in
from tinywgsl.parser import parse
from tinywgsl.printer import print_shader


class Reader(FakeTarget):
    """A target that is wrong about some texts, whatever shader they are of."""

    def __init__(self, wrong: Callable[[str], Answer | None]) -> None:
        super().__init__()
        self._wrong = wrong
        self._texts: deque[list[str]] = deque()

    def submit(self, texts: Sequence[str]) -> None:
        self._texts.append(list(texts))
        super().submit(texts)

    def collect(self) -> list[Answer]:
        return [self._wrong(text) or right for text, right in zip(self._texts.popleft(), super().collect())]


def _run(target: FakeTarget, out: Path, programs: int, **options: Any) -> Counters:
    return Campaign([target], RunDirectory(out), plan=Plan(5), **options).run(Budget(programs=programs))


def _no_for(text: str) -> Answer | None:
    return Answer(Verdict.INVALID, "error: unknown statement") if "for (" in text else None


def test_a_spelling_that_is_judged_differently_is_unstable(tmp_path: Path) -> None:
    counters = _run(Reader(_no_for), tmp_path / "run", 500)
    assert set(counters.buckets) == {"fake unstable invalid only as drawn: error: unknown statement"}
    for found in load_run(tmp_path / "run").findings:
        drawn, reduced, plain = (found.file(f"{name}.wgsl") for name in ("drawn", "reduced", "related"))
        assert drawn is not None
        assert reduced is not None
        assert plain is not None
        assert "for (" in drawn
        assert "for (" in reduced
        assert "for (" not in plain
        assert parse(reduced) == parse(plain) or analyse(parse(reduced)).verdict is analyse(parse(plain)).verdict
        assert found.record["statements"]["reduced"] <= 4
        assert found.record["spelling"]["features"] == ["loops"]
        assert _words(found.record) == ("invalid", analyse(parse(plain)).verdict.value)
        assert _words(found.record["drawn"]) == ("invalid", analyse(parse(drawn)).verdict.value)
        assert str(found.folder / "related.wgsl") in found.record["reproduce"]


def test_a_target_that_changes_its_mind_is_unstable(tmp_path: Path) -> None:
    asked: set[str] = set()

    def moody(text: str) -> Answer | None:
        if text in asked:
            return None
        asked.add(text)
        return Answer(Verdict.CRASHED, "signal 11") if len(text) % 97 == 0 else None

    counters = _run(Reader(moody), tmp_path / "run", 300)
    assert counters.findings.keys() == {"unstable"}
    assert "fake unstable two runs of one text" in counters.buckets


def _rejects_without_a_source(shader: Shader) -> Answer | None:
    expressions: list[Expr] = [e for f in shader.all_functions for e in expressions_in(f.body)]
    if any(isinstance(e, (Lid, SharedRead)) for e in expressions):
        return None
    return Answer(Verdict.REJECTS, "error: not uniform")


def test_a_broken_relation_is_a_finding_of_its_own(tmp_path: Path) -> None:
    counters = _run(FakeTarget(instead=_rejects_without_a_source), tmp_path / "run", 4 * TASK)
    assert counters.findings["metamorphic"]
    found = next(f for f in load_run(tmp_path / "run").findings if f.kind.value == "metamorphic")
    assert found.record["relation"] in RELATION
    twin, reduced = found.file("related.wgsl"), found.file("reduced.wgsl")
    assert twin is not None
    assert reduced is not None
    assert found.record["statements"]["reduced"] <= 3
    broken = [_rejects_without_a_source(parse(text)) is not None for text in (reduced, twin)]
    assert sorted(broken) == [False, True]
    said = [Verdict.REJECTS if rejected else Verdict.ACCEPTS for rejected in broken]
    assert _words(found.record) == (said[0].value, said[1].value)


def _words(record: dict[str, Any]) -> tuple[str, str]:
    """What the target says of the text shown and of the other one."""
    return record["verdicts"]["fake"], record["related verdicts"]["fake"]


@pytest.mark.parametrize("killed", [False, True])
def test_a_resumed_run_finds_what_one_run_finds(tmp_path: Path, killed: bool) -> None:
    whole = _run(FakeTarget(REVERSIONS["10a"]), tmp_path / "whole", 4 * TASK)
    part = _run(FakeTarget(REVERSIONS["10a"]), tmp_path / "part", 2 * TASK)
    record = orjson.loads((tmp_path / "part/run.json").read_bytes())
    if killed:  # the record on disk is older than the findings
        record |= {"programs": TASK}
        for name, some in (("reference", whole.reference), ("semantics", whole.outcomes)):
            record[name] = {key.value: 0 for key in some}
    directory = RunDirectory(tmp_path / "part")
    directory.reopen()
    work = Campaign([FakeTarget(REVERSIONS["10a"])], directory, plan=Plan.from_json(record["plan"]))
    work.resume(record)
    counters = work.run(Budget(programs=4 * TASK - record["programs"]))
    assert counters.programs == 4 * TASK
    assert part.buckets
    if not killed:
        assert counters.buckets == whole.buckets
        assert counters.reference == whole.reference
    assert _findings(tmp_path / "part") == _findings(tmp_path / "whole")


def _findings(out: Path) -> list[tuple[int, str, str]]:
    return sorted((f.record["index"], f.target, print_shader(parse(f.text))) for f in load_run(out).findings)


def _rejects_for(text: str) -> Answer | None:
    return Answer(Verdict.REJECTS, "error: not uniform") if "for (" in text else None


def test_a_verdict_that_only_the_spelling_changes_breaks_no_relation(tmp_path: Path) -> None:
    counters = _run(Reader(_rejects_for), tmp_path / "run", 5 * TASK)
    assert counters.findings["unstable"]
    assert not counters.findings["metamorphic"]
