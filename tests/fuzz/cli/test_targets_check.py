"""`targets check`, and campaigns against compilers by description, from the command line."""

import os
import re
import sys
from pathlib import Path

import pytest

from tests.fuzz.command import wgsl_fuzz

pytestmark = pytest.mark.skipif(os.name != "posix", reason="compiler commands need POSIX")

HEAD = 'name = "mine"\nversion = "1"\nmode = "lines"\ncommand = ["{python}", "-S", "{{here}}/server.py"]\n'
SIGN = 'rejects = {{output = "not uniform"}}\n'

SERVER = """
import json, sys
def say(value):
    print("\\x1e" + json.dumps(value), flush=True)
def check(text):
{check}
say({{"ready": {{}}}})
n = 0
for line in sys.stdin:
    answers = [check(text) for text in json.loads(line)]
    say({{"n": n, "answers": answers}})
    n += len(answers)
"""

GOOD = """
    if "var x = ;" in text: return "error: syntax"
    if "i32 = lid" in text or "bool = lid" in text: return "error: type"
    if "dpdx" in text or "arrier" in text and "if (" in text: return "error: not uniform"
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def described(check: str = GOOD, sign: str = SIGN) -> None:
    Path("server.py").write_text(SERVER.format(check=check), encoding="utf-8")
    Path("my.toml").write_text((HEAD + sign).format(python=sys.executable), encoding="utf-8")


@pytest.mark.usefixtures("folder")
def test_nothing_looks_wrong_of_a_sound_description() -> None:
    described()
    result = wgsl_fuzz("targets", "check", "my.toml")
    assert result.exit_code == 0, result.output
    lines = result.stdout.splitlines()
    assert lines[0].startswith("mine@1  my.toml: ")
    assert re.search(r"a violation after a return +rejects +error: not uniform$", result.stdout, re.M)
    assert "(not " not in result.stdout
    assert lines[-2].startswith("  asked twice: the same answers")
    assert lines[-1] == "next: wgsl-fuzz --target my.toml --minutes 1"


DOUBTS = {
    "wrong-pattern": (
        GOOD,
        'rejects = {{output = "uniforn"}}\n',
        "wrong: Uniformity violations are invalid: [rejects] is missing",
    ),
    "no-analysis": (
        '    return "error" if "var x = ;" in text else None',
        SIGN,
        "note: No uniformity violation is rejected: does it have an analysis?",
    ),
    "finds-too-much": (GOOD, 'rejects = {{output = "error"}}\n', "wrong: A syntax error counts as a uniformity"),
    "one-of-two": (
        GOOD.replace('if "i32', 'if "bool = lid" in text: return "error: type; not uniform"\n    if "i32'),
        SIGN,
        "wrong: A text with a type error counts as one with a uniformity violation only",
    ),
    "unstable": (
        GOOD + "    global asked\n    asked = globals().get('asked', 0) + ('größe' in text)\n"
        "    return 'no' * (asked % 2) or None",
        SIGN,
        "wrong: The same text got two answers (names that are not ASCII)",
    ),
    "crash": (
        GOOD + "    if len(text) > 99999: import os; os.abort()",
        SIGN,
        "wrong: No answer to 20,000 lines: crashed",
    ),
    "no-unicode": (
        GOOD + '    if not text.isascii(): return "error: what?"',
        SIGN,
        "wrong: It does not accept names that are not ASCII: invalid. error: what?",
    ),
}


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("name", DOUBTS)
def test_what_looks_wrong_is_said(name: str) -> None:
    check, sign, says = DOUBTS[name]
    described(check, sign)
    result = wgsl_fuzz("targets", "check", "my.toml")
    assert says in result.stdout, result.output
    assert result.exit_code == int("wrong: " in result.stdout)
    assert result.stdout.splitlines()[-1].endswith("targets check my.toml" if result.exit_code else "--minutes 1")


@pytest.mark.usefixtures("folder")
def test_what_is_unsupported_is_no_finding() -> None:
    known = 'text.startswith("@compute") and "lid" in text and "if (" not in text'
    lost = f'    return None if {known} else "error: what is this?"'
    described(lost, 'unsupported = {{output = "what is this"}}\n')
    result = wgsl_fuzz("--target", "my.toml", "--programs", "32", "--seed", "1", "--jobs", "1", "--out", "run")
    assert "invalid" not in result.stdout
    assert "metamorphic" not in result.stdout
    result = wgsl_fuzz("targets", "check", "my.toml")
    assert "unsupported" in result.stdout


@pytest.mark.usefixtures("folder", "few_questions", "no_causes")
def test_records_name_it_and_what_opens_it_again() -> None:
    described()
    campaign = ("--target", "my.toml", "--programs", "16", "--seed", "1", "--jobs", "1", "--out", "run")
    result = wgsl_fuzz(*campaign)
    assert "mine@1 " in result.stdout
    shown = wgsl_fuzz("triage", "run", "--format", "json").stdout
    assert "mine@1" in shown
    assert "my.toml" in shown, "what reproduces a finding opens the target"
    result = wgsl_fuzz("--resume", "run", "--programs", "32", "--jobs", "1")
    assert (result.exit_code, "add --target my.toml" in result.stderr) == (2, True)
    assert wgsl_fuzz("--resume", "run", "--programs", "32", "--jobs", "1", "--target", "./my.toml").exit_code in (0, 1)
