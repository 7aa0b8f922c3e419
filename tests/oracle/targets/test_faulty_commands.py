"""Fault injection for compilers by description: a process for each text, for many, and one that stays."""

import sys
import uuid
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest

from tests.oracle.targets.test_faulty_compiler import QUICK as CHILD_QUICK
from tests.oracle.targets.test_faulty_compiler import SLOW as CHILD_SLOW
from tests.oracle.targets.test_faulty_compiler import batches_of, processes
from tests.oracle.targets.test_faulty_compiler import drawn as of_child
from tests.oracle.targets.watching import answers_in_flight
from wgsl_fuzz.oracle.targets import open_target
from wgsl_fuzz.oracle.verdict import Verdict

HERE = Path(__file__).parent
SECONDS, PATIENT = 3.0, 10.0

QUICK = ("crash!", "leave!", "late", "child", "daemon", "daemon-aside", "flood", "flood-aside", "hostile", "mute")
IN_MANY = ("order", "twice", "more", "both!")
SLOW = ("hang!",)
LOST = {"crash!": Verdict.CRASHED, "hang!": Verdict.TIMED_OUT, "both!": Verdict.INVALID}
WORDS = {"ok": Verdict.ACCEPTS, "no": Verdict.INVALID, "un": Verdict.REJECTS}

SINGLE = "mode = 'single'\ncommand = ['{python}', '-S', '{{here}}/{program}', '{mark}', 'single', '{given}']\n"
FILES = (
    "mode = 'files'\nsection = '^(?P<file>/[^:]*): '\n"
    "command = ['{python}', '-S', '{{here}}/{program}', '{mark}', 'files', '{{files}}']\n"
)
LINES = "mode = 'lines'\ncommand = ['{python}', '-S', '{{here}}/{program}', '{mark}', '{seconds}', 'place']\n"
SIGNS = {
    "single": "rejects = {status = 1, output = 'is not uniform'}\n",
    "files": "accepts = {output = ': fine$'}\nrejects = {output = 'is not uniform'}\n",
    "lines": "rejects = {output = 'is not uniform'}\n",
}

pytestmark = pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="needs /proc to look for processes")


def described(folder: Path, mode: str, mark: str, *, by_input: bool = False, seconds: float = SECONDS) -> Path:
    """A description of the faulty compiler, and the compiler beside it."""
    program = "faulty_child.py" if mode == "lines" else "faulty_command.py"
    (folder / program).write_bytes((HERE / program).read_bytes())
    given = "-" if by_input else "{file}"
    form = {"single": SINGLE, "files": FILES, "lines": LINES}[mode]
    command = form.format(python=sys.executable, program=program, mark=mark, given=given, seconds=seconds)
    limits = f"limits = {{seconds = {seconds}}}\nmessage = {{error = 'error: '}}\n"
    path = folder / f"{mode}.toml"
    path.write_text(f"name = 'faulty'\n{command}{SIGNS[mode]}{limits}", encoding="utf-8")
    return path


def drawn(count: int, faults: Sequence[str], seed: int) -> list[str]:
    """Texts for commands."""
    return of_child(count, faults, seed, tuple(WORDS))


def expected(text: str, mode: str) -> Verdict:
    word, _, *faults = text.split(" ")
    if mode == "single" and "leave!" in faults:
        return Verdict.ACCEPTS  # its exit status says so
    lost = LOST | ({"leave!": Verdict.INVALID} if mode == "files" else {})
    return next((lost[fault] for fault in faults if fault in lost), WORDS[word])


def check(
    folder: Path, mode: str, texts: list[str], seed: int, *, by_input: bool = False, seconds: float = SECONDS
) -> None:
    mark = f"faulty-{uuid.uuid4().hex}"
    with closing(open_target(str(described(folder, mode, mark, by_input=by_input, seconds=seconds)))) as target:
        found = answers_in_flight(target, batches_of(texts, seed))
    assert len(found) == len(texts), "none is lost"
    wrong = [(t, a) for t, a in zip(texts, found, strict=True) if a.verdict is not expected(t, mode)]
    assert not wrong
    told = [(t, a) for t, a in zip(texts, found) if a.verdict in (Verdict.INVALID, Verdict.REJECTS)]
    mixed = [(t, a) for t, a in told if not t.endswith("!") and t.split()[1] not in a.message.split()]
    assert not mixed, "none is mislabelled"
    assert told
    assert processes(mark) == []


@pytest.mark.parametrize("fault", ["crash!", "daemon", "daemon-aside", "flood", "hostile"])
@pytest.mark.parametrize("mode", ["single", "files"])
def test_one_fault_costs_no_answer(tmp_path: Path, mode: str, fault: str) -> None:
    check(tmp_path, mode, drawn(6, [fault], 1), 1)


@pytest.mark.full
def test_every_fault_among_two_thousand(tmp_path: Path) -> None:
    check(tmp_path, "lines", of_child(1200, [*CHILD_QUICK, "hang!"], 2), 2)
    check(tmp_path, "files", drawn(740, [*QUICK, *IN_MANY], 3), 3)
    check(tmp_path, "single", drawn(30, [*QUICK, *SLOW], 4), 4)
    check(tmp_path, "single", drawn(30, QUICK, 5), 5, by_input=True)


MANY = {
    "lines": (80_000, (*CHILD_QUICK * 6, *CHILD_SLOW * 2)),
    "files": (18_000, (*QUICK * 3, *IN_MANY * 3, *SLOW)),
    "single": (1_500, (*QUICK * 4, *SLOW)),
    "input": (500, QUICK * 4),
}
"""A hundred thousand texts in all, most where they cost no process each."""


@pytest.mark.slow
@pytest.mark.parametrize("how", MANY)
def test_every_fault_among_a_hundred_thousand(tmp_path: Path, how: str) -> None:
    count, faults = MANY[how]
    mode, by_input = ("single", True) if how == "input" else (how, False)
    texts = of_child(count, faults, 6) if how == "lines" else drawn(count, faults, 7)
    check(tmp_path, mode, texts, 8, by_input=by_input, seconds=PATIENT)


def test_every_fault_is_one_of_the_command() -> None:
    shown = (HERE / "faulty_command.py").read_text(encoding="utf-8")
    assert all(f'"{fault}"' in shown for fault in (*QUICK, *IN_MANY, *SLOW))
    assert Counter((*QUICK, *IN_MANY, *SLOW)).most_common(1)[0][1] == 1
