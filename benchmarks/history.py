"""What a history costs: nights are merged one by one, and each time triage reads all of it.

    python benchmarks/history.py [--nights 30] [--saved 3000] [--counted 0] [--classes 120]

A night is a made-up run: findings with a shader of nine lines and a record as campaigns write them, of so many classes.
CPU time and peak memory are those of a process of its own for each step.
"""

import multiprocessing
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click
import orjson

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from wgsl_fuzz.fuzz.findings.loading import load_run
from wgsl_fuzz.fuzz.findings.state import RunState
from wgsl_fuzz.fuzz.triage.merging import merge
from wgsl_fuzz.fuzz.triage.triage import Triage

SHADER = """@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
  loop {
    workgroupBarrier();
    if (lid >= NUMBERu) {
      break;
    }
    break;
  }
}
"""
TARGET = "tint@0.6.2"


def night(path: Path, number: int, saved: int, counted: int, classes: int) -> None:
    """Writes a made-up run."""
    path.mkdir()
    state = RunState(path, new=True)
    record = {
        "format": 2,
        "version": "1",
        "id": f"{number:032x}",
        "date": f"2026-01-{number % 28 + 1:02}",
        "seed": number,
    }
    record |= {"programs": 10_000_000, "seconds": 86400.0, "targets": {TARGET: "made up"}}
    record |= {"findings": {"too-strict": saved + counted}, "finished": True}
    state.write("INSERT INTO record VALUES (0, ?)", orjson.dumps(record))
    for i in range(saved):
        row = (TARGET, "too-strict", i, i, 1, "none", f"{i:03}-too-strict")
        state.write(
            "INSERT INTO finding (bucket, target, kind, shader, number, nth, reduction, folder, record, files)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            *(state.bucket(_key(i % classes)), *row, *_finding(number, i, i % classes)),
        )
    for i in range(counted):
        place = (state.bucket(_key(i % classes)), TARGET, "too-strict", saved + i, None, None, None, None)
        state.write("INSERT INTO counted VALUES (?, ?, ?, ?, ?, ?, ?, ?)", *place)
    state.commit()
    state.close()


def _key(kind: int) -> str:
    return f"{TARGET} too-strict rule {kind}"


def _finding(number: int, i: int, kind: int) -> tuple[bytes, bytes]:
    text = SHADER.replace("NUMBER", str(number * 10_000 + i))
    record = {
        "format": 2,
        "version": "1",
        "kind": "too-strict",
        "target": TARGET,
        "bucket": _key(kind),
        "cause": f"rule {kind}",
        "fine": f"{_key(kind)} | binary, condition | if, loop",
        "describes": "reduced.wgsl",
        "branches": [f"branch {kind}"],
        "seed": number,
        "index": i,
        "statements": {"drawn": 40, "reduced": 5 + i % 5},
        "verdicts": {"paper": "accepts", "semantics": "converges", TARGET: "rejects"},
        "targets": {TARGET: "made up"},
        "explanation": ["a line of words about it"] * 12,
        "swarm": {f"weight {n}": n for n in range(100)},
    }
    return orjson.dumps(record), orjson.dumps({"drawn.wgsl": text * 4, "reduced.wgsl": text, "nearest.wgsl": text})


def _measured(work: Callable[[], Any], told: Any) -> None:
    before = time.process_time()
    result = work()
    told.put((time.process_time() - before, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, result))


def measured(work: Callable[[], Any]) -> tuple[float, float, Any]:
    """CPU seconds and MB of a process that does this, and what comes of it."""
    context = multiprocessing.get_context("fork")
    told: Any = context.Queue()
    process = context.Process(target=_measured, args=(work, told))
    process.start()
    answer: tuple[float, float, Any] = told.get()
    process.join()
    return answer


def triaged(path: Path) -> tuple[int, int]:
    """How many findings and buckets triage sees."""
    triage = Triage.of(load_run(path))
    return triage.total, len(triage.buckets)


@click.command()
@click.option("--nights", default=30, show_default=True)
@click.option("--saved", default=3000, show_default=True, help="Findings of a night that are saved ...")
@click.option("--counted", default=0, show_default=True, help="... and that are only counted.")
@click.option("--classes", default=120, show_default=True)
def main(nights: int, saved: int, counted: int, classes: int) -> None:
    """Prints a line for each merge."""
    with TemporaryDirectory() as folder:
        history = Path(folder) / "history"
        for number in range(1, nights + 1):
            run = Path(folder) / f"night-{number}"
            night(run, number, saved, counted, classes)
            merging, most, _ = measured(lambda: merge([run], history) and None)  # noqa: B023
            reading, held, (findings, buckets) = measured(lambda: triaged(history))
            size = sum(file.stat().st_size for file in history.rglob("*") if file.is_file()) / 2**20
            print(
                f"night {number:3}: merge {merging:6.2f} s, {most:5.0f} MB; triage {reading:6.2f} s, {held:5.0f} MB;"
                f" {findings:,} findings in {buckets} buckets, {size:,.0f} MB on disk",
                flush=True,
            )


if __name__ == "__main__":
    main()
