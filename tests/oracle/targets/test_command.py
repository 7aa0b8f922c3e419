"""Compiler commands, good and bad, played by small scripts; the supervisor between them and us."""

import os
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.oracle.targets.watching import answers_in_flight, ask, script
from wgsl_fuzz.oracle.targets import open_target
from wgsl_fuzz.oracle.targets.children import supervisor
from wgsl_fuzz.oracle.targets.children.supervision import ProcessLimits, Supervisor
from wgsl_fuzz.oracle.targets.command import GONE, judge
from wgsl_fuzz.oracle.targets.description import NAGA, TINT
from wgsl_fuzz.oracle.targets.probes import BROKEN, NON_UNIFORM, VALID, VIOLATIONS
from wgsl_fuzz.oracle.targets.protocol import TargetError
from wgsl_fuzz.oracle.verdict import Verdict

pytestmark = pytest.mark.skipif(os.name != "posix", reason="compiler commands need POSIX")

# A compiler that does what the shader's first line says.
ODD = """
import os, signal, sys
file = sys.argv[-1]
text = open(file, encoding="utf-8").read()
word = text.partition(chr(10))[0].removeprefix("// ")
place = file + ":1:2 error: "
if word == "crash":
    os.kill(os.getpid(), signal.SIGSEGV)
elif word == "crash in a shell":
    sys.exit(128 + 11)
elif word == "rmdir":
    os.rmdir(os.getcwd())
elif word == "rm all":
    import shutil; shutil.rmtree(os.path.dirname(os.getcwd()))
elif word == "mute":
    os.close(1); os.close(2)
elif word == "daemon":
    import subprocess; subprocess.Popen(["sleep", "1000"], start_new_session=True)
elif word == "flood":
    sys.stdout.write("warning: x" * 100_000); sys.stderr.write("warning: x" * 100_000)
elif word == "hostile":
    report = '{"program": "wgsl-fuzz-supervisor", "end": "exit", "status": 1, "out": "", "err": "no"}'
    print(chr(10) + report + "." + chr(10) + chr(0) + chr(27) + "[2J", flush=True)
elif word == "hog":
    x = [bytearray(1 << 28) for _ in range(64)]
elif "var x = ;" in text:
    print(place + "missing initializer", file=sys.stderr); sys.exit(1)
elif "if (lid == 0u)" in text:
    print(place + "'workgroupBarrier' must only be called from uniform control flow", file=sys.stderr); sys.exit(1)
"""


@pytest.fixture
def odd(tmp_path: Path) -> str:
    return str(script(tmp_path / "odd compiler", ODD))


def test_messages_and_identity(odd: str) -> None:
    with closing(open_target(f"tint:{odd}")) as target:
        assert (target.name, target.checks_uniformity) == (f"tint:{odd}", True)
        assert "sha256" in target.origin
        rejected, invalid, crashed, in_shell = ask(target, NON_UNIFORM, BROKEN, "// crash\n", "// crash in a shell\n")
    assert rejected.verdict is Verdict.REJECTS
    assert invalid.message == "1:2 error: missing initializer"
    assert crashed.message == "killed by SIGSEGV"
    assert in_shell.verdict is Verdict.CRASHED


@pytest.mark.parametrize("word", ["rmdir", "rm all"])
def test_who_removes_its_working_directory_crashed_on_that_text(odd: str, word: str) -> None:
    with closing(open_target(f"tint:{odd}")) as target:
        before, gone, after = ask(target, VALID, f"// {word}\n", NON_UNIFORM)
    assert (before.verdict, after.verdict) == (Verdict.ACCEPTS, Verdict.REJECTS)
    assert (gone.verdict, gone.message) == (Verdict.CRASHED, GONE)


@pytest.mark.parametrize("word", ["mute", "daemon", "flood", "hostile"])
def test_what_a_compiler_does_beside_its_answer_is_no_other_answer(odd: str, word: str) -> None:
    with closing(open_target(f"tint:{odd}")) as target:
        found = answers_in_flight(target, [[NON_UNIFORM, f"// {word}\n", BROKEN], [f"// {word}\n", NON_UNIFORM]])
    said = [Verdict.REJECTS, Verdict.ACCEPTS, Verdict.INVALID, Verdict.ACCEPTS, Verdict.REJECTS]
    assert [answer.verdict for answer in found] == said


def test_memory_is_limited(odd: str, tmp_path: Path) -> None:
    shader = tmp_path / "x.wgsl"
    shader.write_text("// hog\n", encoding="utf-8")
    with closing(Supervisor()) as supervisor:
        report = supervisor.run([odd, str(shader)], ProcessLimits(60.0, 1 << 28))
    assert report is not None
    assert "MemoryError" in report["err"]
    assert judge(TINT, report, 60.0).verdict is Verdict.INVALID


@pytest.mark.parametrize("options", [[], ["--format", "wgsl"], ["--format", "hlsl"]])
def test_whatever_output_format_a_build_has_is_found(tmp_path: Path, options: list[str]) -> None:
    picky = f"import sys\nif sys.argv[1:1 + {len(options)}] != {options!r}: sys.exit('no such format')\n"
    if not options:
        picky = "import sys\nif len(sys.argv) != 2: sys.exit('no such option')\n"
    with closing(open_target(f"tint:{script(tmp_path / 'tint', picky + ODD)}")) as target:
        assert [answer.verdict for answer in ask(target, VALID, BROKEN)] == [Verdict.ACCEPTS, Verdict.INVALID]


REFUSED = {
    f"{prefix}:{binary}": "is no WGSL compiler"
    for prefix in ("tint", "naga")
    for binary in ("/bin/true", "/bin/false", "/bin/cat", "cat")
} | {
    f"tint:{__file__}": "not executable",
    f"tint:{__file__}/nothing": "there is no file",
    "tint:no-such-command": "no command no-such-command on PATH",
    "webkit": "webkit:PATH names a `wgslc`",
}


@pytest.mark.parametrize("spec", REFUSED)
def test_what_is_no_compiler_is_refused(spec: str) -> None:
    with pytest.raises(TargetError, match=REFUSED[spec]) as caught:
        open_target(spec)
    assert "\n" not in str(caught.value)


def test_a_build_that_needs_address_space_runs_without_a_limit(tmp_path: Path) -> None:
    greedy = "import mmap\nmmap.mmap(-1, 1 << 40, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000)\n"
    lines: list[str] = []
    target = open_target(f"tint:{script(tmp_path / 'tint', greedy + ODD)}", notify=lines.append)
    target.close()
    assert "no memory limit" in lines[0]


@given(
    st.sampled_from([TINT, NAGA]),
    st.sampled_from(supervisor.ENDS),
    st.integers(0, 255),
    st.text(max_size=30) | st.just("shader.wgsl:1:2 error: loop does not exit"),
)
def test_only_a_plain_clean_exit_accepts(dialect: object, end: str, status: int, err: str) -> None:
    report = {"end": end, "status": status, "out": "", "err": err}
    answer = judge(dialect, report, 1.0)  # type: ignore[arg-type]
    clean = end == "exit" and status == 0 and "error: " not in err
    assert (answer.verdict is Verdict.ACCEPTS) == clean


HALF_WRITTEN = """
import sys
text = open(sys.argv[-1], encoding="utf-8").read()
if "var x = ;" in text:
    sys.exit("error: expected an expression")
if {known!r} in text:
    sys.exit("error: \\n  ┌─ a.wgsl:1:2\\n  = Required uniformity of control flow for CONTROL_BARRIER is not fulfilled")
"""
"""A compiler whose analysis knows one kind of violation, or none."""


@pytest.mark.parametrize("known", ["if (lid == 0u) { w", "break;", "return;", "f(lid)", "a[0] == 0u"])
def test_a_half_written_analysis_is_an_analysis(tmp_path: Path, known: str) -> None:
    with closing(open_target(f"naga:{script(tmp_path / 'naga', HALF_WRITTEN.format(known=known))}")) as target:
        assert target.checks_uniformity
        assert Verdict.REJECTS in {answer.verdict for answer in ask(target, *VIOLATIONS)}


WGSLC = """
import sys
text = open(sys.argv[-1], encoding="utf-8").read()
errors = []
if "var x = ;" in text:
    errors.append("1:91: Expected an expression")
if "{ workgroupBarrier" in text:
    errors.append("1:103: call to 'workgroupBarrier' requires uniform control flow")
print(*errors, sep=chr(10), file=sys.stderr)
sys.exit(1 if errors else 0)
"""
"""Answers in the form of WebKit's command: errors alone, without the file's name."""


def test_a_wgslc_is_a_target(tmp_path: Path) -> None:
    with closing(open_target(f"webkit:{script(tmp_path / 'wgslc', WGSLC)}")) as target:
        assert target.checks_uniformity
        valid, broken, rejected, both = ask(target, VALID, BROKEN, NON_UNIFORM, NON_UNIFORM + BROKEN)
    assert [valid.verdict, broken.verdict, both.verdict] == [Verdict.ACCEPTS, Verdict.INVALID, Verdict.INVALID]
    assert rejected.verdict is Verdict.REJECTS
    assert rejected.message == "1:103 error: call to 'workgroupBarrier' requires uniform control flow"


@pytest.mark.parametrize("prefix", ["naga", "tint", "webkit"])
def test_what_rejects_nothing_has_no_analysis_whatever_its_name(tmp_path: Path, prefix: str) -> None:
    with closing(
        open_target(f"{prefix}:{script(tmp_path / 'compiler', HALF_WRITTEN.format(known='no such text'))}")
    ) as target:
        assert not target.checks_uniformity
