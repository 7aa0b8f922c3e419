"""Fault injection: whatever a compiler does to its process, each text has its own answer, and no process is left."""

import os
import random
import sys
import uuid
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

import pytest

from tests.oracle.targets.watching import answers_in_flight
from wgsl_fuzz.oracle.targets import open_target
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
WORDS = {"ok": Verdict.ACCEPTS, "no": Verdict.INVALID, "un": Verdict.REJECTS}

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
    word, _, *faults = text.split(" ")
    return next((LOST[fault] for fault in faults if fault in LOST), WORDS[word])


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
@pytest.mark.parametrize("fault", ["crash!", "order", "half", "none", "marker!", "orphan", "mute", "daemon-aside"])
def test_one_fault_costs_no_answer(fault: str, place: bool) -> None:
    check(40, [fault], 1, place=place)


@pytest.mark.full
@pytest.mark.parametrize("place", [True, False])
def test_every_fault_among_thousands(place: bool) -> None:
    check(4000, [*QUICK, *QUICK, *SLOW], 2, place=place)


# ------------------ Fault injection for compilers by description: a process for each text, and one that stays


HERE = Path(__file__).parent
SECONDS = 3.0

QUICK_COMMANDS = (
    "crash!",
    "leave!",
    "late",
    "child",
    "daemon",
    "daemon-aside",
    "flood",
    "flood-aside",
    "hostile",
    "mute",
)

SINGLE = "mode = 'single'\ncommand = ['{python}', '-S', '{{here}}/{program}', '{mark}', '{given}']\n"
LINES = "mode = 'lines'\ncommand = ['{python}', '-S', '{{here}}/{program}', '{mark}', '{seconds}', 'place']\n"
SIGNS = {
    "single": "rejects = {status = 1, output = 'is not uniform'}\n",
    "lines": "rejects = {output = 'is not uniform'}\n",
}


def described(folder: Path, mode: str, mark: str, *, by_input: bool = False) -> Path:
    """A description of the faulty compiler, and the compiler beside it."""
    program = "faulty_child.py" if mode == "lines" else "faulty_command.py"
    (folder / program).write_bytes((HERE / program).read_bytes())
    given = "-" if by_input else "{file}"
    form = {"single": SINGLE, "lines": LINES}[mode]
    command = form.format(python=sys.executable, program=program, mark=mark, given=given, seconds=SECONDS)
    limits = f"limits = {{seconds = {SECONDS}}}\nmessage = {{error = 'error: '}}\n"
    path = folder / f"{mode}.toml"
    path.write_text(f"name = 'faulty'\n{command}{SIGNS[mode]}{limits}", encoding="utf-8")
    return path


def expected_of_command(text: str, mode: str) -> Verdict:
    leaves = mode == "single" and text.endswith(" leave!")
    return Verdict.ACCEPTS if leaves else expected(text)  # its exit status says so


def check_command(folder: Path, mode: str, texts: list[str], seed: int, *, by_input: bool = False) -> None:
    mark = f"faulty-{uuid.uuid4().hex}"
    with closing(open_target(str(described(folder, mode, mark, by_input=by_input)))) as target:
        found = answers_in_flight(target, batches_of(texts, seed))
    assert len(found) == len(texts), "none is lost"
    wrong = [(t, a) for t, a in zip(texts, found, strict=True) if a.verdict is not expected_of_command(t, mode)]
    assert not wrong
    told = [(t, a) for t, a in zip(texts, found) if a.verdict in (Verdict.INVALID, Verdict.REJECTS)]
    mixed = [(t, a) for t, a in told if not t.endswith("!") and t.split()[1] not in a.message.split()]
    assert not mixed, "none is mislabelled"
    assert told
    assert processes(mark) == []


@pytest.mark.parametrize("fault", ["crash!", "daemon", "daemon-aside", "flood", "hostile"])
def test_one_fault_of_a_command_costs_no_answer(tmp_path: Path, fault: str) -> None:
    check_command(tmp_path, "single", drawn(6, [fault], 1, [*WORDS]), 1)


@pytest.mark.full
def test_every_fault_among_two_thousand(tmp_path: Path) -> None:
    check_command(tmp_path, "lines", drawn(1200, [*QUICK, "hang!"], 2), 2)
    check_command(tmp_path, "single", drawn(30, [*QUICK_COMMANDS, "hang!"], 4, [*WORDS]), 4)
    check_command(tmp_path, "single", drawn(30, QUICK_COMMANDS, 5, [*WORDS]), 5, by_input=True)
