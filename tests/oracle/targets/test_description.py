"""Compilers by description: how the file is read, how answers are, and what the commands are given."""

import os
import re
import tomllib
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.oracle.targets.watching import ask, script
from wgsl_fuzz.oracle.targets import description, open_target
from wgsl_fuzz.oracle.targets.description import NAGA, TINT, Dialect, Said, answer, described, load
from wgsl_fuzz.oracle.targets.protocol import TargetError, is_akin, own_names, spec_of
from wgsl_fuzz.oracle.verdict import Answer, Verdict

pytestmark = pytest.mark.skipif(os.name != "posix", reason="compiler commands need POSIX")

HEAD = 'name = "mine"\ncommand = ["./compiler", "{file}"]\n'
SIGN = 'rejects = {status = 1, output = "not uniform"}\n'

COMPILER = """
import os, sys
text = open(sys.argv[-1], encoding="utf-8").read() if os.path.exists(sys.argv[-1]) else sys.stdin.read()
if "fn main" not in text:
    print(text)
elif "if (lid == 0u)" in text:
    print("error: not uniform"); sys.exit(1)
elif "var x = ;" in text:
    print("error: syntax"); sys.exit(1)
elif os.environ.get("TELL"):
    pass
"""
"""Knows shaders; of any other text it prints what it is."""


def write(folder: Path, text: str, compiler: str = COMPILER) -> Path:
    script(folder / "compiler", compiler)
    path = folder / "my.toml"
    path.write_text(text, encoding="utf-8")
    return path


def answers(path: Path, *texts: str) -> list[Answer]:
    with closing(open_target(str(path))) as target:
        return ask(target, *texts)


# --------------------------------------------------------------------------------------------------- how a file is read

WRONG = {
    'name = "mine"': "command: it is missing",
    'command = ["x"]': "name: it is missing",
    HEAD + "nam = 1": "nam: there is no such key; did you mean name",
    'name = "a b"\ncommand = ["x"]': "name: it is a word of letters",
    'name = "a"\ncommand = "x"': "command: it is a list of words",
    'name = "a"\ncommand = []': "command: it is empty",
    'name = "a"\ncommand = ["x", "{fil}"]': "command: {fil} stands for nothing",
    'name = "a"\ncommand = ["x", "{files}"]': "command: {files} stands for nothing with mode = 'single'",
    'name = "a"\ncommand = ["x", "-o{options}"]\noptions = [[]]': "command: {options} stands for several words",
    'name = "a"\nmode = "lines"\ncommand = ["x", "{file}"]': "{file} stands for nothing with mode = 'lines'",
    'name = "a"\nmode = "lines"\ncommand = ["x"]\naccepts = {output = "a"}': "accepts: with mode = 'lines' null",
    HEAD + 'mode = "many"': "mode: it is one of single, lines",
    HEAD + "options = [[]]": "options: they go with {options}",
    HEAD + "version = 1": "version: it is a word",
    HEAD + "environment = {A = 1}": "environment: A: it is no variable with a text",
    HEAD + "limits = {seconds = 0}": "limits: seconds: it is a number from 0.1 to 3600",
    HEAD + "limits = {memory = 1.5}": "limits: memory: it is a whole number",
    HEAD + "limits = 1": "limits: it is a table",
    HEAD + "rejects = {}": "rejects: it is empty",
    HEAD + "rejects = {status = 1}": "rejects: a status alone does not tell",
    HEAD + "accepts = {status = 256}": "accepts: status: it is a number from 0 to 255",
    HEAD + 'accepts = {output = "("}': "accepts: output: '(' is no regular expression",
    HEAD + "accepts = {output = []}": "accepts: output: it is a regular expression, or a list",
    HEAD + 'message = {place = "a"}': "message: place: it has no group",
    HEAD + 'message = {headline = "a"}': "message: headline: it has no group (?P<text>...)",
    "name = ": "is not TOML",
    HEAD + "limits = {seconds = nan}": "limits: seconds: it is a number",
    HEAD + 'accepts = {stdout = "a{99999999999}"}': "accepts: stdout: 'a{99999999999}' is no regular expression",
}


@pytest.mark.parametrize("text", WRONG)
def test_what_is_wrong_with_a_file_is_one_line_with_file_and_key(tmp_path: Path, text: str) -> None:
    path = write(tmp_path, text)
    with pytest.raises(TargetError) as caught:
        load(path)
    assert str(caught.value).startswith(str(path))
    assert WRONG[text] in str(caught.value)
    assert "\n" not in str(caught.value)


JSON = st.recursive(
    st.booleans()
    | st.integers(-1, 300)
    | st.text(max_size=4)
    | st.sampled_from(["{file}", "single", "lines", "not 0"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["status", "output", "x"]), inner),
    max_leaves=5,
)
NAMES = ("name", "version", "command", "options", "mode", "environment", "limits", "accepts", "message")


@given(st.dictionaries(st.sampled_from([*NAMES, "rejects"]), JSON, max_size=3))
def test_any_value_is_read_or_refused(values: dict[str, Any]) -> None:
    whole = {"name": "mine", "command": ["x", "{file}"]} | values
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tomllib, "loads", lambda _: whole)
        patch.setattr(Path, "read_bytes", lambda _: b"")
        try:
            found = load(Path("x.toml"))
        except TargetError as error:
            said = re.fullmatch(r"x\.toml: (\w+): .*", str(error), re.DOTALL)
            assert said, error  # noqa: PT017
            assert said[1] in whole or "missing" in str(error) or "needs" in str(error)  # noqa: PT017
        else:
            assert found.mode in ("single", "lines")


def test_files_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    with pytest.raises(TargetError, match=r"no\.toml: No such file"):
        load(tmp_path / "no.toml")
    bad = tmp_path / "bad.toml"
    bad.write_bytes(b"name = '\xff'")
    with pytest.raises(TargetError, match=r"bad\.toml is not UTF-8"):
        load(bad)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('name = "mine"\ncommand = ["./no"]', "command: there is no file ./no"),
        ('name = "mine"\ncommand = ["no-such-command"]', "command: there is no command no-such-command on PATH"),
        ('name = "mine"\ncommand = ["compiler"]', "for the one beside my.toml write ./compiler"),
        ('name = "mine"\ncommand = ["cat", "compiler"]', "write {here}/compiler for compiler"),
        ('name = "mine"\ncommand = ["./my.toml"]', "is not executable: chmod"),
        (HEAD + 'version = ["echo", "none"]', "version: there is no number in 'none'"),
        ('name = "tint"\ncommand = ["cat"]', "name: 'tint' is the name of another target"),
        ('name = "mine"\ncommand = ["false"]', "does not fit its compiler: a plain valid shader is answered invalid"),
        ('name = "mine"\ncommand = ["true"]', "it accepts a syntax error, and every uniformity violation"),
        ('name = "mine"\nmode = "lines"\ncommand = ["true"]', "does not start: exit status 0"),
    ],
)
def test_what_cannot_be_opened_says_why(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(TargetError, match=re.escape(says)) as caught:
        open_target(str(write(tmp_path, text)))
    assert "\n" not in str(caught.value)


# ----------------------------------------------------------------------------------------------------- how it is called


def test_marks_input_environment_and_limits(tmp_path: Path) -> None:
    tell = (
        "import os, sys\ntext = sys.stdin.read()\nif 'fn main' not in text: print(sys.argv[1:], os.getcwd(),"
        " os.environ['TOLD'], 'x' * 1000); open(sys.argv[2], 'w').write('out'); sys.exit(3)\n"
        "sys.exit('error' if 'var x = ;' in text else 0)\n"
    )
    text = (
        'name = "mine"\ncommand = ["./compiler", "{here}/a b", "{out}", "{options}", "-"]\n'
        'options = [["--no"], ["--yes", "1"]]\nenvironment = {TOLD = "told {file}"}\nlimits = {output = 500}\n'
    )
    path = write(tmp_path, text, tell)
    (answer,) = answers(path, "what")
    assert answer.verdict is Verdict.INVALID
    assert f"['{tmp_path}/a b', " in answer.message
    assert "'--no', '-']" in answer.message
    assert "told {file}" in answer.message
    assert len(answer.message) <= 500
    assert str(Path.cwd()) not in answer.message


def test_names_versions_and_what_opens_it_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    path = write(tmp_path, HEAD + SIGN + 'version = ["echo", "compiler v1.2-rc"]\n')
    for spec in ("my.toml", "./my.toml", str(path)):
        target = open_target(spec)
        target.close()
        assert (target.name, spec_of(target)) == ("mine@1.2-rc", "my.toml")
        assert own_names([target]) == {"mine@1.2-rc": "my.toml"}
        assert target.checks_uniformity
        assert "sha256" in target.origin
    named = "my@main=my.toml"
    again = open_target(named)
    again.close()
    assert (again.name, spec_of(again)) == ("my@main", named)
    path.write_text(path.read_text() + 'like = "tint@0.6.2"\n')
    akin = open_target("my.toml")
    akin.close()
    assert (akin.name, spec_of(akin)) == ("tint@0.6.2+mine-1.2-rc", "tint@0.6.2+mine-1.2-rc=my.toml")
    assert is_akin(akin.name, description.like_of(spec_of(akin)))
    assert description.like_of("tint@x=gone.toml") == ""


def test_the_origin_changes_with_the_compiler_and_with_its_description(tmp_path: Path) -> None:
    seen = set()
    for compiler, more in ((COMPILER, ""), (COMPILER + "\n", ""), (COMPILER, "\n")):
        target = open_target(str(write(tmp_path, HEAD + SIGN + more, compiler)))
        target.close()
        seen.add(target.origin)
    assert len(seen) == 3


# ------------------------------------------------------------------------------------------------- how answers are read

STRICT = described(
    HEAD
    + SIGN
    + 'invalid = {status = 1}\ncrashed = [{status = 9}, {output = "internal"}]\nunsupported = {output = "unknown"}\n'
    + 'message = {error = ["^hint", "error"]}\n'
).dialect


@pytest.mark.parametrize(
    ("status", "out", "verdict", "says"),
    [
        (0, "", Verdict.ACCEPTS, ""),
        (0, "warning: x", Verdict.ACCEPTS, ""),
        (0, "error: x", Verdict.INVALID, "exit status 0, yet: error: x"),
        (1, "error: not uniform", Verdict.REJECTS, "error: not uniform"),
        (1, "not uniform", Verdict.INVALID, "not uniform"),
        (1, "error: not uniform\nerror: type", Verdict.INVALID, "error: not uniform\nerror: type"),
        (1, "error: a\nhint: not uniform", Verdict.REJECTS, "error: a\nhint: not uniform"),
        (1, "error: type", Verdict.INVALID, "error: type"),
        (2, "error: not uniform", Verdict.INVALID, "not classified (exit status 2): error: not uniform"),
        (2, "", Verdict.INVALID, "not classified (exit status 2): refused without a word"),
        (9, "", Verdict.CRASHED, "exit status 9"),
        (0, "internal", Verdict.CRASHED, "internal"),
        (1, "error: unknown", Verdict.UNSUPPORTED, "error: unknown"),
    ],
)
def test_answers_by_status_and_words(status: int, out: str, verdict: Verdict, says: str) -> None:
    assert answer(STRICT, Said(status, out, "")) == Answer(verdict, says)
    if verdict is not Verdict.ACCEPTS:
        assert answer(STRICT, Said(status, "", out)).verdict is verdict


def test_what_both_accepts_and_rejects_is_invalid() -> None:
    dialect = described(HEAD + 'rejects = {output = "not uniform"}').dialect
    found = answer(dialect, Said(0, "not uniform", ""))
    assert found == Answer(Verdict.INVALID, "[accepts] and [rejects] both fit: not uniform")


WORDS = st.sampled_from(["error: ", "not uniform", "unknown", "internal", "hint", "\n", "x", "\x1b[1m", "\0", "é"])


@given(st.sampled_from([STRICT, TINT, NAGA]), st.integers(0, 255), st.lists(WORDS, max_size=8), st.booleans())
def test_only_known_words_are_more_than_invalid(dialect: Dialect, status: int, words: list[str], is_err: bool) -> None:
    text = "".join(words)
    found = answer(dialect, Said(status, "" if is_err else text, text if is_err else ""))
    if found.verdict is Verdict.ACCEPTS:
        assert status == 0
        assert "error: " not in text.replace("\x1b[1m", "")
    if found.verdict is Verdict.REJECTS:
        assert "not uniform" in text.replace("\x1b[1m", "")
    assert dialect.refusal(text).verdict is not Verdict.ACCEPTS


TINT_UNIFORMITY = [
    "5:19 error: 'workgroupBarrier' must only be called from uniform control flow",
    "5:19 error: 'storageBarrier' must only be called from uniform control flow",
    "6:23 error: 'subgroupAdd' must only be called from subgroup uniform control flow",
    "5:27 error: 'workgroupUniformLoad' requires argument 0 to be uniform",
    "1:96 error: 'dpdx' must only be called from uniform control flow",
]

TINT_OTHER = [
    "5:6 error: unable to parse right side of assignment",
    "5:30 error: expected ';' for break statement",
    "5:2 error: loop does not exit",
    "5:129 error: maximum parser recursive depth reached",
    "3:1 error: unresolved value 'uniform'",
]

DAWN_ERROR = """Error while parsing WGSL: :5:19 error: 'workgroupBarrier' must only be called from uniform control flow
 if (lid == 0u) { workgroupBarrier(); }
                  ^^^^^^^^^^^^^^^^

:5:2 note: control flow depends on possibly non-uniform value
 if (lid == 0u) { workgroupBarrier(); }
 ^^

 - While calling [Device].CreateShaderModule([ShaderModuleDescriptor]).
"""

NAGA_COMMAND = """\x1b[31merror\x1b[0m: expected expression, found ";"
  ┌─ shader.wgsl:1:90
"""

NAGA_INVALID = """Shader validation error: Function [0] 'f' is invalid
  ┌─ :1:1
  │
  = The `return` expression None does not match the declared return type Some([0])
"""

NAGA_UNIFORMITY = """Shader validation error: Entry point main at Compute is invalid
  ┌─ :1:1
  │
  = Required uniformity of control flow for WORK_GROUP_BARRIER in [3] is not fulfilled because of Expression([2])
"""


@given(st.lists(st.sampled_from(TINT_UNIFORMITY + TINT_OTHER), min_size=1, max_size=4))
def test_one_other_error_makes_the_text_invalid(lines: list[str]) -> None:
    expected = Verdict.REJECTS if set(lines) <= set(TINT_UNIFORMITY) else Verdict.INVALID
    assert TINT.refusal("\n".join(lines)) == Answer(expected, "\n".join(lines))


@given(st.sampled_from([TINT, NAGA]), st.text(max_size=60))
def test_unknown_words_are_invalid_and_kept(dialect: Dialect, raw: str) -> None:
    answer = dialect.refusal(raw)
    assert answer.verdict is Verdict.INVALID
    assert answer.message
    assert len(answer.message) <= description.MESSAGE_LIMIT


ADMITTED = "internal compiler error: TINT_UNREACHABLE"
PANICKED = "thread 'main' panicked at src/front.rs:1"
NOTED = f"{TINT_UNIFORMITY[0]}\n5:2 note: control flow depends on possibly non-uniform value"


@pytest.mark.parametrize(
    ("dialect", "raw", "verdict", "begins"),
    [
        (TINT, DAWN_ERROR, Verdict.REJECTS, NOTED),  # notes and places without excerpts
        (TINT, "/a b/x.wgsl:1:2 error: loop does not exit", Verdict.INVALID, "1:2 error: loop does not exit"),
        (TINT, f"resolver.cc:1 {ADMITTED}", Verdict.CRASHED, ""),
        (NAGA, PANICKED, Verdict.CRASHED, ""),
        (NAGA, NAGA_COMMAND, Verdict.INVALID, '1:90 error: expected expression, found ";"'),
        (NAGA, NAGA_INVALID, Verdict.INVALID, "1:1 error: Shader validation error: Function [0] 'f' is invalid"),
        (NAGA, NAGA_UNIFORMITY, Verdict.REJECTS, "1:1 error: Shader validation error: Entry point main at Compute is"),
    ],
)
def test_words_of_compilers(dialect: Dialect, raw: str, verdict: Verdict, begins: str) -> None:
    answer = dialect.refusal(raw)
    assert answer.verdict is verdict
    assert answer.message == begins if dialect is TINT and begins else answer.message.startswith(begins)


COMPILERS_WORDS = st.sampled_from(
    ["error[", "1:1:", "┌─ ", "thread '", "\n \n", "9" * 50, "\x1b[1", "Shader '", "= Required ", "error: "]
)


@given(st.sampled_from([TINT, NAGA]), st.lists(COMPILERS_WORDS, max_size=3), st.integers(1, 30_000))
def test_no_more_of_a_message_is_looked_at_than_its_bounds(dialect: Dialect, words: list[str], times: int) -> None:
    raw = "".join(words) * times
    seen = description.bounded(raw)
    assert len(seen) <= description.READ_LIMIT
    assert all(len(line) <= description.LINE_LIMIT for line in seen.split("\n"))
    assert dialect.refusal(raw) == dialect.refusal(seen)
    assert description.says_error(raw) == description.says_error(seen)
