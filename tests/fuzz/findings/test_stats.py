"""stats.jsonl: what is written is read again, it stays small, and nothing in it is too odd to be read."""

import os
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fuzz.findings.test_loading import HOSTILE
from wgsl_fuzz.fuzz.findings import stats
from wgsl_fuzz.fuzz.findings.schema import write
from wgsl_fuzz.fuzz.findings.state import StorageError
from wgsl_fuzz.fuzz.findings.stats import EVERY, STATS, Resident, StatsLine, StatsLog, read_stats, thinned

LINE = StatsLine(
    seconds=30.0,
    programs=500,
    rate=12.5,
    languages={"tiny": 300, "compute": 200},
    soundness={"accepted": 90, "sampled": 90},
    findings={"unsound": 2},
    buckets=4,
    new_buckets=1,
    to_reduce=3,
    memory={"campaign": Resident.of([100]), "workers": Resident.of(list(range(1, 40)))},
    processor={"campaign": 4.0, "workers": 9.5, "compilers": 2.25},
    stages={"drawing": 6.5, "reducing": 1.5},
    restarts={"workers": {"count": 1}, "tint@0.6.2": {"crash": 2, "hang": 1}},
)
posix = pytest.mark.skipif(os.name != "posix", reason="links and pipes as POSIX has them")


def at(seconds: float) -> StatsLine:
    return replace(LINE, seconds=seconds, programs=int(seconds))


def test_the_time_is_accounted_for_as_a_whole() -> None:
    assert LINE.times == {"drawing": 6.5, "reducing": 1.5, "compilers": 2.25, "the rest": 5.5}
    assert sum(LINE.times.values()) == sum(LINE.processor.values())
    assert StatsLine(seconds=0.0, programs=0).times == {}


def test_of_many_processes_the_largest_are_given_one_by_one() -> None:
    workers = LINE.memory["workers"]
    assert (workers.processes, workers.bytes) == (39, sum(range(1, 40)))
    assert workers.largest == tuple(range(39, 39 - stats.SHOWN, -1))


@given(st.lists(st.sampled_from([0.0, 5.0, 10.0, 10.0, 11.0, 40.0, 900.0]), max_size=300))
def test_old_lines_are_thinned_out_evenly(steps: list[float]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stats, "MOST", 32)
        lines, now = list[StatsLine](), 0.0
        for step in steps:
            now += step
            lines.append(at(now))
        kept = thinned(lines)
        assert len(kept) <= 16
        places = [next(i for i, line in enumerate(lines) if line is one) for one in kept]
        assert places == sorted(set(places))
        if not lines:
            return
        assert (kept[0], kept[-1]) == (lines[0], lines[-1])
        if len(lines) <= 15 and all(step >= EVERY for step in steps):
            assert kept == lines
        cell = next(EVERY * 2**k for k in range(40) if len({line.seconds // (EVERY * 2**k) for line in lines}) < 16)
        assert {line.seconds // cell for line in kept} == {line.seconds // cell for line in lines}


@pytest.mark.full
@settings(deadline=None)
@given(st.integers(1, 150))
def test_the_file_of_a_long_run_stays_small_and_its_end_is_all_there(count: int) -> None:
    with pytest.MonkeyPatch.context() as patch, TemporaryDirectory() as name:
        patch.setattr(stats, "MOST", 16)
        folder = Path(name)
        log, lines = StatsLog(folder), [at(10.0 * i) for i in range(count)]
        for line in lines:
            log.add(line)
            assert len((folder / STATS).read_bytes().splitlines()) < 16
        read = read_stats(folder)
        assert (read[0], read[-1]) == (lines[0], lines[-1])
        assert read == sorted(read, key=lambda line: line.seconds)


@given(st.integers(0, 5000))
def test_a_line_that_a_kill_cut_off_is_no_loss_of_others(cut: int) -> None:
    with TemporaryDirectory() as name:
        folder = Path(name)
        whole = b"".join(orjson.dumps(write(at(10.0 * i))) + b"\n" for i in range(4))
        (folder / STATS).write_bytes(whole[: cut % len(whole)])
        n = whole[: cut % len(whole)].count(b"\n")
        read = read_stats(folder)
        assert len(read) in (n, n + 1)  # a line that lacks its end only is whole
        assert read == [at(10.0 * i) for i in range(len(read))]
        StatsLog(folder).add(LINE)
        assert read_stats(folder) == [*read, LINE]


@given(st.sampled_from(sorted(write(LINE))), HOSTILE | st.sampled_from([-0.5, {"workers": -1}, {"workers": 1e300}]))
def test_a_line_that_no_run_writes_is_left_out_or_harmless(key: str, value: object) -> None:
    with TemporaryDirectory() as name:
        folder = Path(name)
        odd = write(LINE) | {key: value}
        (folder / STATS).write_bytes(b"\n".join(map(orjson.dumps, [odd, write(LINE)])))
        *odd_ones, sound = read_stats(folder)
        assert sound == LINE
        for line in odd_ones:
            assert line.is_sound
            assert all(0 <= seconds < stats.LARGEST for seconds in line.times.values())


def test_what_is_no_line_is_left_out(tmp_path: Path) -> None:
    junk = [b"", b"\xff\xfe", b"[1, 2]", b"null", b"{", b'{"seconds": 1.0}', b"[" * 100_000, b"1" * 5000]
    junk.append(b'{"seconds": NaN, "programs": 1}')
    (tmp_path / STATS).write_bytes(b"\n".join([*junk, orjson.dumps(write(LINE)), *junk]))
    assert read_stats(tmp_path) == [LINE]


@posix
def test_links_are_neither_read_nor_written_through(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_bytes(orjson.dumps(write(LINE)) + b"\n")
    before = elsewhere.read_bytes()
    run = tmp_path / "run"
    run.mkdir()
    (run / STATS).symlink_to(elsewhere)
    assert read_stats(run) == []
    with pytest.raises(StorageError, match="is a link"):
        StatsLog(run)
    (run / STATS).unlink()
    log = StatsLog(run)
    (run / STATS).symlink_to(elsewhere)
    with pytest.raises(StorageError):
        log.add(LINE)
    (run / STATS).unlink()
    (run / STATS).write_bytes(b"{")
    (run / f"{STATS}.part").symlink_to(elsewhere)
    StatsLog(run).add(LINE)
    assert read_stats(run) == [LINE]
    assert elsewhere.read_bytes() == before


@posix
def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / STATS)
    assert read_stats(tmp_path) == []
    StatsLog(tmp_path).add(LINE)
    assert read_stats(tmp_path) == [LINE]
    (tmp_path / STATS).unlink()
    log = StatsLog(tmp_path)
    os.mkfifo(tmp_path / STATS)
    with pytest.raises(StorageError):
        log.add(LINE)
