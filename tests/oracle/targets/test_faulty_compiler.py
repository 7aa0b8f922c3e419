"""Fault injection: whatever a compiler does to its process, each text has its own answer, and no process is left."""

import random
import sys
import uuid
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

import psutil
import pytest

from tests.oracle.targets.watching import answers_in_flight
from wgsl_fuzz.oracle.targets.children.line_server import LineServer
from wgsl_fuzz.oracle.verdict import Answer, Verdict

CHILD = Path(__file__).with_name("faulty_child.py")
TIMEOUT = 2.0
BATCH = 64

QUICK = (
    *("crash", "crash!", "leave", "flood!", "flood-of-lines", "order", "twice", "more", "none", "kinds"),
    *("no-object", "half", "said", "child!", "orphan"),
    *("flood-aside!", "marker!", "mute", "daemon!", "daemon-aside"),
)
SLOW = ("hang", "hang!", "late", "deaf")
"""Those that cost the time for one text at least."""
LOST = {"crash!": Verdict.CRASHED, "hang!": Verdict.TIMED_OUT}
WORDS = {"ok": Verdict.ACCEPTS, "no": Verdict.INVALID}

pytestmark = pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="needs /proc to look for processes")


def drawn(count: int, faults: Sequence[str], seed: int) -> list[str]:
    """Texts with a number each, of which these many have a fault, anywhere."""
    choice = random.Random(seed)
    texts = [f"{choice.choice(('ok', 'no', 'no'))} {i}" for i in range(count)]
    for i, fault in zip(choice.sample(range(count), len(faults)), faults):
        texts[i] += f" {fault}"
    return texts


def batches_of(texts: list[str], seed: int) -> Iterator[list[str]]:
    choice, at = random.Random(seed), 0
    while at < len(texts):
        size = choice.choice((1, 2, 8, BATCH, BATCH))
        yield texts[at : at + size]
        at += size


def expected(text: str) -> Verdict:
    word, _, *faults = text.split(" ")
    return next((LOST[fault] for fault in faults if fault in LOST), WORDS[word])


def processes(mark: str) -> list[psutil.Process]:
    """The processes with this word on their command line."""
    return [one for one in psutil.process_iter(["cmdline"]) if mark in (one.info["cmdline"] or ())]


def check(count: int, faults: Sequence[str], seed: int, *, place: bool) -> None:
    texts = drawn(count, faults, seed)
    mark = f"faulty-{uuid.uuid4().hex}"
    command = [sys.executable, "-S", str(CHILD), mark, str(TIMEOUT), *(["place"] if place else [])]
    with closing(LineServer(command, lambda message: Answer(Verdict.INVALID, message), timeout=TIMEOUT)) as server:
        found = answers_in_flight(server, batches_of(texts, seed))
        assert processes(mark), "the mark can be seen"
    assert len(found) == count, "none is lost"
    wrong = [(t, a) for t, a in zip(texts, found, strict=True) if a.verdict is not expected(t)]
    assert not wrong
    refused = [(t, a) for t, a in zip(texts, found, strict=True) if a.verdict is Verdict.INVALID]
    assert all(a.message == t.split()[1] for t, a in refused), "none is mislabelled"
    assert len(refused) > count / 2
    assert processes(mark) == []


@pytest.mark.parametrize("place", [True, False])
@pytest.mark.parametrize("fault", ["crash!", "order", "half", "none", "marker!", "orphan", "mute", "daemon-aside"])
def test_one_fault_costs_no_answer(fault: str, place: bool) -> None:
    check(40, [fault], 1, place=place)


@pytest.mark.full
@pytest.mark.parametrize("place", [True, False])
def test_every_fault_among_thousands(place: bool) -> None:
    check(4000, [*QUICK, *QUICK, *SLOW], 2, place=place)
