"""Merging: what a history holds depends on the set of its runs alone, and no kill leaves it in between."""

import os
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fuzz.runs import DIVERGING, STRICT, MadeUpRun, change_state, key_named, strict, unsound
from wgsl_fuzz.fuzz.findings import directory
from wgsl_fuzz.fuzz.findings.directory import PART
from wgsl_fuzz.fuzz.findings.history import History
from wgsl_fuzz.fuzz.findings.loading import load_run, read_campaign
from wgsl_fuzz.fuzz.findings.records import HistoryRecord, ReplayLine
from wgsl_fuzz.fuzz.findings.schema import write
from wgsl_fuzz.fuzz.findings.state import STATE, RunState
from wgsl_fuzz.fuzz.judging.kinds import NO_RULE
from wgsl_fuzz.fuzz.problems import Problem
from wgsl_fuzz.fuzz.triage.merging import merge
from wgsl_fuzz.fuzz.triage.triage import Triage

COUNTED = "tint@0.3.8 too-strict 10c"
RUNS = ("state", "old", "short", "long", "bare")
"""Made-up runs: two of two seeds, the same run at two moments, and one that found nothing."""


def _longer(text: str) -> str:
    return text.replace("workgroupBarrier();", "workgroupBarrier();\n    workgroupBarrier();", 1)


def _line(word: str, date: str) -> bytes:
    key = key_named(COUNTED)
    line = ReplayLine(date=date, target="tint@1", family="tint", finding_class="0" * 16, bucket=key, word=word)
    return orjson.dumps(write(line)) + b"\n"


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The runs by name."""
    folder = tmp_path_factory.mktemp("runs")
    made = {name: MadeUpRun(folder / name, date=f"2026-11-{n:02}") for n, name in enumerate(RUNS, 1)}
    made["long"].record |= {"id": made["short"].record["id"], "programs": 200, "date": made["short"].record["date"]}
    made["old"].record["seed"] = 7
    made["state"].counted = [(COUNTED, None)] * 4
    made["old"].counted = [(COUNTED, "rename")]
    for name, again in (("state", 3), ("old", 2), ("short", 1), ("long", 2)):
        for i in range(again):
            text = STRICT if i else _longer(STRICT)
            made[name].found(strict(index=i, seed=made[name].record["seed"]), drawn=_longer(text), reduced=text)
    made["long"].found(unsound(index=9), drawn=DIVERGING, reduced=DIVERGING)
    for one in made.values():
        one.stored()
    (made["old"].path / "known.toml").write_text('[[known]]\nbucket = "tint* 10c"\nissue = "https://x.org/2"\n')
    (made["state"].path / "known.toml").write_text('[[known]]\nbucket = "tint* 10c"\nissue = "https://x.org/1"\n')
    (made["state"].path / "triage.json").write_text('{"dropped": {"a": "b"}, "numbers": {"a": 1}}')
    (made["old"].path / "triage.json").write_text('{"dropped": {"a": "c", "d": "e"}, "numbers": {}}')
    (made["old"].path / "replays.jsonl").write_bytes(_line("still", "2026-01-01T00:00:00Z"))
    (made["bare"].path / "replays.jsonl").write_bytes(_line("fixed", "2026-01-02T00:00:00Z") + b"{torn")
    return {name: one.path for name, one in made.items()}


def held(path: Path) -> Any:
    """All that a history holds; numbers that only the order of merging gives are left out."""
    state = RunState(path, reading=True)
    history = History(state)
    record = load_run(path).record
    runs = sorted(state.rows("SELECT identity, name, record FROM run"))
    place = "shader, relation, family, number, file"
    tables = "origin o JOIN run r ON r.id = o.run JOIN bucket b ON b.id = o.bucket"
    origins = sorted(map(repr, state.rows(f"SELECT identity, class, key, kind, {place} FROM {tables}")))
    sample = "SELECT identity, class, weight, s.record, files FROM sample s JOIN run ON id = run"
    samples = sorted(map(repr, state.rows(sample)))
    stand = [repr(sample) for sample in history.representatives()]
    state.close()
    lasting = [file for file in sorted(path.rglob("*")) if file.is_file() and not file.name.startswith("run.")]
    files = {str(file.relative_to(path)): file.read_bytes().replace(str(path).encode(), b"") for file in lasting}
    return write(record), runs, origins, samples, stand, files


Tree = str | list[Any]
_NAMES: st.SearchStrategy[Tree] = st.sampled_from(RUNS)
TREES = st.recursive(_NAMES, lambda tree: st.lists(tree, min_size=1, max_size=3), max_leaves=6)


def _leaves(tree: Tree) -> set[str]:
    return {tree} if isinstance(tree, str) else set().union(*map(_leaves, tree))


class Merging:
    """Merges as trees say, each time into a new folder, or into the first if that is a history."""

    def __init__(self, folder: Path, runs: dict[str, Path]) -> None:
        self.folder, self.runs, self._made = folder, runs, 0

    def of(self, tree: Tree, *, in_place: bool) -> Path:
        """The folder of the run, or of the history, that a tree is."""
        if isinstance(tree, str):
            return self.runs[tree]
        parts = [self.of(one, in_place=in_place) for one in tree]
        if in_place and not isinstance(tree[0], str):
            merge(parts, parts[0])
            return parts[0]
        self._made += 1
        out = self.folder / str(self._made)
        merge(parts, out)
        return out


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture], derandomize=True)
@given(tree=st.lists(TREES, min_size=1, max_size=3), in_place=st.booleans(), chance=st.randoms())
def test_what_a_history_holds_depends_on_the_set_of_its_runs(
    runs: dict[str, Path], tmp_path: Path, tree: list[Tree], in_place: bool, chance: random.Random
) -> None:
    folder = Path(os.path.realpath(tmp_path)) / str(len(list(tmp_path.iterdir())))
    folder.mkdir()
    names = sorted(_leaves(tree))
    chance.shuffle(names)
    merge([runs[name] for name in names], folder / "flat")
    got, wanted = held(Merging(folder, runs).of(tree, in_place=in_place)), held(folder / "flat")
    if not in_place:
        assert got == wanted
        return
    assert got[:5] == wanted[:5]  # what the first history says of an issue stays
    assert got[5].keys() == wanted[5].keys()


def test_neither_time_nor_the_name_of_a_run_chooses_what_stands_for_a_class(tmp_path: Path) -> None:
    texts = [STRICT, *(STRICT.replace("main", name) for name in ("mine", "some", "that"))]
    shown = set()
    for i in range(8):
        run = MadeUpRun(tmp_path / f"run{i}")
        run.record["id"] = f"{i:032x}"
        for index, text in enumerate(texts):
            run.found(strict(index=index, after=i * index / 7), drawn=_longer(text), reduced=text)
        run.stored()
        merge([tmp_path / f"run{i}"], tmp_path / f"all{i}")
        shown |= {finding.text for finding in load_run(tmp_path / f"all{i}").findings}
    assert len(shown) == 1


def test_findings_with_other_signatures_stand_for_themselves(tmp_path: Path) -> None:
    run = MadeUpRun(tmp_path / "run")
    for index, relation in enumerate(("if-for-switch", "loop-for-for", "loop-for-for")):
        run.found(strict(index=index, fit={"asked": 60, "right": [relation]}), drawn=STRICT, reduced=STRICT)
    run.stored()
    merge([tmp_path / "run"], tmp_path / "all")
    fits = [found.record.fit for found in load_run(tmp_path / "all").findings]
    assert sorted(fit.right for fit in fits if fit) == [("if-for-switch",), ("loop-for-for",)]


def test_findings_with_other_words_stand_for_themselves(tmp_path: Path) -> None:
    """With `switch` the target was right once: no history may forget that, or the word names what it does not."""
    run = MadeUpRun(tmp_path / "run")
    made = [("fn a() { switch 0u { default { } } }", []), ("fn a() { switch 0u { default { } } }", ["switch"])]
    for index, (beside, words) in enumerate([*made, ("fn a() { switch 1u { default { } } }", ["switch"])]):
        cause = write(NO_RULE)
        run.found(strict(index=index, beside=beside, words=words, cause=cause), drawn=STRICT, reduced=f"{beside}\n")
    run.stored()
    merge([tmp_path / "run"], tmp_path / "all")
    own, merged = (Triage.of(load_run(tmp_path / name)).buckets for name in ("run", "all"))
    assert {b.name for b in own} == {b.name for b in merged}
    assert not any("`switch`" in b.name for b in own)


def test_a_history_says_what_its_runs_said(runs: dict[str, Path], tmp_path: Path) -> None:
    merged = merge([runs[name] for name in ("state", "old", "short", "long", "bare")], tmp_path / "history")
    assert (merged.added, merged.there, merged.broken) == (5, 0, [])  # the longer one took the place of the other
    run = load_run(tmp_path / "history")
    assert isinstance(run.record, HistoryRecord)
    assert [one.name for one in run.runs] == ["state", "old", "long", "bare"]
    assert run.record.programs == 100 + 100 + 200 + 100
    assert not run.counted, "they are of the class of what is saved under their key"
    assert sum(found.count for found in run.findings) == Triage.of(run).total == 3 + 2 + 3 + 5
    by_class = {found.folder.name: found for found in run.findings}
    assert len(by_class) == len(run.findings) == 2, "a class has one that stands for it"
    assert {found.text for found in run.findings} == {STRICT, DIVERGING}, "the smallest"
    for found in run.findings:
        assert (found.folder / found.record.describes).read_text() == found.text
        assert str(found.folder) in found.record.reproduce


def test_a_history_is_no_run_to_go_on_with(runs: dict[str, Path], tmp_path: Path) -> None:
    merge([runs["state"]], tmp_path / "history")
    with pytest.raises(Problem, match="several runs that were merged"):
        read_campaign(tmp_path / "history")


def test_a_run_is_no_history_to_add_to(runs: dict[str, Path], tmp_path: Path) -> None:
    before = sorted(runs["old"].rglob("*"))
    with pytest.raises(Problem, match="no history"):
        merge([runs["state"]], runs["old"])
    assert sorted(runs["old"].rglob("*")) == before
    with pytest.raises(Problem, match="is no run"):
        merge([runs["state"], tmp_path], tmp_path / "history")
    assert not list(tmp_path.iterdir())


# ------------------------------------------------------------------------------------------------------------- kills


def _in_a_child(work: Callable[[], object], moment: int | None) -> int:
    """Does something in a process that ends, as by kill -9, at this change of a file; how many changes there were."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        count = 0

        def ticking(change: Callable[..., Any]) -> Callable[..., Any]:
            def one(*arguments: Any, **more: Any) -> Any:
                nonlocal count
                count += 1
                if count == moment:
                    os._exit(9)
                return change(*arguments, **more)

            return one

        try:
            for owner, name in (
                *((RunState, name) for name in ("write", "commit")),
                *((Path, name) for name in ("rename", "write_bytes", "mkdir")),
                (directory, "write_atomically"),
                (shutil, "rmtree"),
            ):
                setattr(owner, name, ticking(getattr(owner, name)))
            work()
            os.write(writing, str(count).encode())
        finally:
            os._exit(0)  # also after an error: pytest would go on in this process
    os.waitpid(child, 0)
    os.close(writing)
    with os.fdopen(reading) as told:
        return int(told.read() or 0)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes as POSIX has them")
@pytest.mark.parametrize("there", [False, True], ids=["new", "in place"])
def test_a_kill_leaves_the_history_before_or_after(runs: dict[str, Path], tmp_path: Path, there: bool) -> None:
    first, tonight = [runs["state"], runs["short"]], [runs["old"], runs["long"]]
    whole, before = tmp_path / "whole", tmp_path / "before"
    for out in (whole, before):
        merge(first if there else tonight, out)
    merge(tonight, whole)
    after, still = held(whole), held(before)
    folder = tmp_path / "try"

    def make() -> Path:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        if there:
            merge(first, folder / "whole")
        return folder / "whole"

    out = make()
    moments = _in_a_child(lambda: merge(tonight, out), None)
    assert moments > 15
    for moment in random.Random(1).sample(range(1, moments + 1), 6):
        out = make()
        _in_a_child(lambda: merge(tonight, out), moment)  # noqa: B023
        if out.exists() or there:
            seen = held(out)[:5]
            assert seen in (still[:5], after[:5]), moment
            load_run(out)
        merge(tonight, out)
        assert held(out) == after, moment
        assert {path.name for path in folder.iterdir()} == {"whole"}, "nothing is left behind"
        assert not list(out.glob(f"{PART}*"))


# --------------------------------------------------------------------------------------------------- foreign folders


@pytest.mark.parametrize(
    "change",
    [
        'UPDATE finding SET files = \'{"../../../x.wgsl": "y"}\'',
        "UPDATE finding SET files = '[]'",
        "UPDATE finding SET record = 7",
        "UPDATE finding SET record = '{}'",
    ],
)
def test_what_is_no_finding_is_left_out_and_named(runs: dict[str, Path], tmp_path: Path, change: str) -> None:
    run = Path(shutil.copytree(runs["state"], tmp_path / "run"))
    change_state(run, f"{change} WHERE number = 1")
    merged = merge([run], tmp_path / "history")
    assert len(merged.broken) == 1
    assert sum(found.count for found in load_run(tmp_path / "history").findings) == 2 + 4
    assert not list(tmp_path.rglob("x.wgsl"))


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE counted SET kind = 'nothing'",
        "UPDATE bucket SET key = 'x' || rowid",
        "UPDATE record SET content = '[]'",
        "CREATE VIEW v AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n",
        "DROP TABLE counted",
    ],
)
def test_a_state_that_is_none_of_ours_is_one_line(runs: dict[str, Path], tmp_path: Path, change: str) -> None:
    run = Path(shutil.copytree(runs["state"], tmp_path / "run"))
    change_state(run, change)
    with pytest.raises(Problem, match=STATE):
        merge([run], tmp_path / "history")
    assert {path.name for path in tmp_path.iterdir()} == {"run"}


def test_numbers_that_nobody_can_store_are_bounded(tmp_path: Path) -> None:
    made = MadeUpRun(tmp_path / "run", programs=2**63, reference={"accepts": 2**63})
    made.found(strict(index=2**63, statements={"reduced": -(2**60)}), reduced=STRICT)
    made.stored()
    other = MadeUpRun(tmp_path / "other", programs=2**63, reference={"accepts": 2**63})
    other.stored()
    merge([made.path, other.path], tmp_path / "history")
    merge([tmp_path / "history"], tmp_path / "again")
    assert load_run(tmp_path / "again").record.programs == 2**53
