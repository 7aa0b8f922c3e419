"""The process in which the work of a campaign is done: it can be ended at any moment, and replaced.

It exchanges pickles on its standard streams. It sends its version, receives the targets to open, and sends what it
opened; then it answers each piece of work. Only what started it is at the other end.
"""

import os
import pickle
import queue
import sys
import threading
import time
import traceback
import zlib
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, BinaryIO

import psutil

from wgsl_fuzz.fuzz.campaign.garbage import collect_rarely
from wgsl_fuzz.fuzz.campaign.reduce_task import ReductionResult, ReductionTask
from wgsl_fuzz.fuzz.campaign.remote import Fault, code_identity, target_identity
from wgsl_fuzz.fuzz.campaign.worker import TASK_SECONDS, Task, TaskResult, Worker
from wgsl_fuzz.fuzz.internal_errors import described
from wgsl_fuzz.oracle.targets import open_target
from wgsl_fuzz.oracle.targets.features import with_features
from wgsl_fuzz.oracle.targets.protocol import Target, TargetError

PIECE_SECONDS = TASK_SECONDS
"""After so long no other one of some tasks is begun: what is left of them is for whoever is free."""


def main() -> None:
    """Works until the input ends."""
    collect_rarely()
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what others print is no answer
    _say(out, code_identity())
    try:
        plan, names, timeout = pickle.load(sys.stdin.buffer)
    except EOFError:  # it is not needed after all
        return
    try:
        targets = [with_features(open_target(name, timeout=timeout)) for name in names]
    except TargetError as error:
        _say(out, str(error))
        return
    _say(out, target_identity(targets))
    worker = Worker(plan, targets)
    asked: queue.SimpleQueue[Any] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(asked, targets), daemon=True).start()
    while True:
        work, seconds = asked.get()
        try:
            done = _done(worker, work, seconds)
            tasks = len(done) if isinstance(done, list) else 1
            _say(out, (psutil.Process().memory_info().rss, tasks, zlib.compress(pickle.dumps(done), 1)))
        except TargetError as error:
            _say(out, str(error))
        except Exception as fault:  # not every one can be pickled
            told = " ".join([f"{described(fault)}:", *str(fault).split()])
            _say(out, Fault(told, traceback.format_exc()))


def _done(
    worker: Worker, work: Sequence[Task] | ReductionTask, seconds: float | None
) -> list[TaskResult] | ReductionResult:
    """The answers to the first of some tasks, which may be begun for so many seconds, or the one to a reduction."""
    if isinstance(work, tuple):
        return worker.reduce(work)
    begun = time.monotonic()
    deadline = None if seconds is None else begun + seconds
    done: list[TaskResult] = []
    for task in work:
        if not done or time.monotonic() < begun + PIECE_SECONDS:
            done.append(worker.work(replace(task, deadline=deadline)))
    return done


def _listen(asked: "queue.SimpleQueue[Any]", targets: Sequence[Target]) -> None:
    """Hands on what comes. At its end nobody waits for an answer: ends the compilers, then the process at once."""
    try:
        while True:
            asked.put(pickle.loads(pickle.load(sys.stdin.buffer)))
    finally:
        for target in targets:
            with suppress(Exception):
                target.close()
        os._exit(1)


def _say(out: BinaryIO, value: object) -> None:
    try:
        pickle.dump(value, out)
        out.flush()
    except BrokenPipeError:
        os._exit(1)


if __name__ == "__main__":
    main()
