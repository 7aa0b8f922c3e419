"""Fault injection: whatever a compiler does to its process, each text has its own answer, and no process is left."""

import os
import random
import sys
import uuid
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

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

pytestmark = pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="needs /proc to look for processes")


def drawn(count: int, faults: Sequence[str], seed: int, words: Sequence[str] = ("ok", "no", "no")) -> list[str]:
    """Texts with a number each, of which these many have a fault, anywhere."""
    choice = random.Random(seed)
    texts = [f"{choice.choice(words)} {i}" for i in range(count)]
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
    word, _, *faults = text.split()
    return next((LOST[fault] for fault in faults if fault in LOST), _said(word))


def _said(word: str) -> Verdict:
    return Verdict.ACCEPTS if word == "ok" else Verdict.INVALID


def processes(mark: str) -> list[int]:
    """The processes with this word on their command line."""
    found = []
    for path in Path("/proc").iterdir():
        if path.name.isdigit() and int(path.name) != os.getpid():
            try:
                words = (path / "cmdline").read_bytes().split(b"\0")
            except OSError:
                continue
            found += [int(path.name)] * (mark.encode() in words)
    return found


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
@pytest.mark.parametrize("fault", ["crash!", "order", "half", "orphan", "mute", "daemon-aside"])
def test_one_fault_costs_no_answer(fault: str, place: bool) -> None:
    check(40, [fault], 1, place=place)


@pytest.mark.full
@pytest.mark.parametrize("place", [True, False])
def test_every_fault_among_thousands(place: bool) -> None:
    check(4000, [*QUICK, *QUICK, *SLOW], 2, place=place)


@pytest.mark.slow
@pytest.mark.parametrize("place", [True, False])
def test_every_fault_among_a_hundred_thousand(place: bool) -> None:
    check(100_000, [*QUICK * 10, *SLOW * 3], 3, place=place)


def test_every_fault_is_one_of_the_child() -> None:
    shown = CHILD.read_text(encoding="utf-8")
    assert all(f'"{fault.rstrip("!")}"' in shown for fault in (*QUICK, *SLOW))
    assert Counter((*QUICK, *SLOW)).most_common(1)[0][1] == 1
