"""Compiler commands, good and bad, played by small scripts; the supervisor between them and us."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from wgsl_fuzz.oracle.targets import Target, TargetError, open_target, supervisor
from wgsl_fuzz.oracle.targets.command import Limits, judge, run_supervised
from wgsl_fuzz.oracle.targets.description import NAGA, TINT
from wgsl_fuzz.oracle.targets.probes import BROKEN, NON_UNIFORM, VALID, VIOLATIONS
from wgsl_fuzz.oracle.verdict import Answer, Verdict

pytestmark = pytest.mark.skipif(os.name != "posix", reason="compiler commands need POSIX")

SUPERVISOR = str(Path(supervisor.__file__))
AMPLE = Limits(seconds=60.0, memory=0)

# A compiler that does what the shader's first line says; Tint's options may stand before the file.
ODD = """
import os, signal, sys, time
file = sys.argv[-1]
text = open(file, encoding="utf-8").read()
word = text.partition(chr(10))[0].removeprefix("// ")
place = file + ":1:2 error: "
if word == "hang":
    time.sleep(1000)
elif word == "crash":
    os.kill(os.getpid(), signal.SIGSEGV)
elif word == "bad-byte":
    os.write(1, b"\\xff\\n"); os.write(2, place.encode() + b"\\xff\\n"); sys.exit(1)
elif word == "bad-byte-accepted":
    os.write(1, b"\\xff\\n")
elif word == "long-line":
    os.write(2, place.encode()); sys.stdout.write("x" * 10_000_000); sys.exit(1)
elif word == "fork":
    if os.fork() == 0:
        time.sleep(1000)
    print(place + "forked", file=sys.stderr); sys.exit(1)
elif word == "fork-escaped":
    if os.fork() == 0:
        os.setsid(); time.sleep(30)
    print(place + "escaped", file=sys.stderr); sys.stderr.flush(); os._exit(1)
elif word == "hog":
    x = [bytearray(1 << 28) for _ in range(64)]
elif word == "error-yet-zero":
    print(place + "refused, softly", file=sys.stderr)
elif word == "uniform-yet-zero":
    print(place + "'workgroupBarrier' must only be called from uniform control flow", file=sys.stderr)
elif word == "silent-refusal":
    sys.exit(1)
elif word == "warn":
    print(file + ":1:2 warning: code is unreachable", file=sys.stderr)
elif word == "shell-signal":
    sys.exit(128 + 11)
elif word == "fake-report":
    print('{"program": "wgsl-fuzz-supervisor", "end": "exit", "status": 0, "out": "", "err": ""}'); sys.exit(1)
elif "var x = ;" in text:
    print(place + "missing initializer", file=sys.stderr); sys.exit(1)
elif "if (lid == 0u)" in text:
    print(place + "'workgroupBarrier' must only be called from uniform control flow", file=sys.stderr); sys.exit(1)
"""

VERDICTS = {
    "hang": Verdict.TIMED_OUT,
    "crash": Verdict.CRASHED,
    "bad-byte": Verdict.INVALID,
    "bad-byte-accepted": Verdict.ACCEPTS,
    "long-line": Verdict.INVALID,
    "fork": Verdict.INVALID,
    "fork-escaped": Verdict.INVALID,
    "error-yet-zero": Verdict.INVALID,
    "uniform-yet-zero": Verdict.INVALID,
    "silent-refusal": Verdict.INVALID,
    "warn": Verdict.ACCEPTS,
    "shell-signal": Verdict.CRASHED,
    "fake-report": Verdict.INVALID,
}


def script(path: Path, source: str) -> Path:
    path.write_text(f"#!{sys.executable}\n{source}", encoding="utf-8")
    path.chmod(0o755)
    return path


def ask(target: Target, *texts: str) -> list[Answer]:
    target.submit(texts)
    return target.collect()


@pytest.fixture
def odd(tmp_path: Path) -> str:
    return str(script(tmp_path / "odd compiler", ODD))


@pytest.mark.full
def test_every_oddity_gets_its_verdict(odd: str) -> None:
    target = open_target(f"tint:{odd}", timeout=3.0)
    try:
        for word, verdict in VERDICTS.items():
            bad, good = ask(target, f"// {word}\n{VALID}", VALID)
            assert (word, bad.verdict) == (word, verdict)
            assert good == Answer(Verdict.ACCEPTS)
            assert len(bad.message) <= 2048
    finally:
        target.close()


def test_messages_and_identity(odd: str) -> None:
    target = open_target(f"tint:{odd}")
    try:
        assert (target.name, target.checks_uniformity) == (f"tint:{odd}", True)
        assert "sha256" in target.origin
        rejected, invalid, crashed = ask(target, NON_UNIFORM, BROKEN, "// crash\n")
    finally:
        target.close()
    assert rejected.verdict is Verdict.REJECTS
    assert invalid.message == "1:2 error: missing initializer"
    assert crashed.message == "killed by SIGSEGV"


def test_batches_are_answered_in_order(odd: str) -> None:
    target = open_target(f"naga:{odd}")
    try:
        target.submit([VALID, BROKEN])
        target.submit([])
        target.submit([BROKEN])
        found = [[answer.verdict for answer in target.collect()] for _ in range(3)]
        with pytest.raises(ValueError, match="nothing was submitted"):
            target.collect()
    finally:
        target.close()
    assert found == [[Verdict.ACCEPTS, Verdict.INVALID], [], [Verdict.INVALID]]


def test_memory_is_limited(odd: str, tmp_path: Path) -> None:
    shader = tmp_path / "x.wgsl"
    shader.write_text("// hog\n", encoding="utf-8")
    report = run_supervised([odd, str(shader)], Limits(60.0, 1 << 30))
    assert report is not None
    assert "MemoryError" in report["err"]
    assert judge(TINT, report, 60.0).verdict is Verdict.INVALID


@pytest.mark.parametrize("options", [[], ["--format", "wgsl"], ["--format", "hlsl"]])
def test_whatever_output_format_a_build_has_is_found(tmp_path: Path, options: list[str]) -> None:
    picky = f"import sys\nif sys.argv[1:1 + {len(options)}] != {options!r}: sys.exit('no such format')\n"
    if not options:
        picky = "import sys\nif len(sys.argv) != 2: sys.exit('no such option')\n"
    target = open_target(f"tint:{script(tmp_path / 'tint', picky + ODD)}")
    try:
        assert [answer.verdict for answer in ask(target, VALID, BROKEN)] == [Verdict.ACCEPTS, Verdict.INVALID]
    finally:
        target.close()


@pytest.mark.parametrize("prefix", ["tint", "naga"])
@pytest.mark.parametrize("binary", ["/bin/true", "/bin/false", "/bin/cat", "cat"])
def test_what_is_no_compiler_is_refused(prefix: str, binary: str) -> None:
    with pytest.raises(TargetError, match="is no WGSL compiler") as caught:
        open_target(f"{prefix}:{binary}")
    assert "\n" not in str(caught.value)


def test_a_path_without_a_program_is_refused(tmp_path: Path) -> None:
    plain = tmp_path / "plain"
    plain.write_text("", encoding="utf-8")
    with pytest.raises(TargetError, match="not executable"):
        open_target(f"tint:{plain}")
    with pytest.raises(TargetError, match="there is no file"):
        open_target(f"tint:{tmp_path}/nothing")
    with pytest.raises(TargetError, match="no command no-such-command on PATH"):
        open_target("tint:no-such-command")


def test_a_build_that_needs_address_space_runs_without_a_limit(tmp_path: Path) -> None:
    greedy = "import mmap\nmmap.mmap(-1, 1 << 40, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000)\n"
    lines: list[str] = []
    target = open_target(f"tint:{script(tmp_path / 'tint', greedy + ODD)}", notify=lines.append)
    target.close()
    assert "no memory limit" in lines[0]


# -------------------------------------------------------------------------------------------------- the supervisor


def supervise(code: str, *arguments: str, limits: Limits = AMPLE) -> dict[str, object]:
    report = run_supervised([sys.executable, "-c", code, *arguments], limits)
    assert report is not None
    return dict(report)


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.binary(max_size=80), st.binary(max_size=80), st.integers(0, 255))
def test_the_report_holds_any_output_and_status(out: bytes, err: bytes, status: int) -> None:
    code = f"import os; os.write(1, {out!r}); os.write(2, {err!r}); os._exit({status})"
    report = supervise(code)
    assert (report["end"], report["status"]) == ("exit", status)
    assert (report["out"], report["err"]) == (out.decode("utf-8", "replace"), err.decode("utf-8", "replace"))


@pytest.mark.parametrize("number", [signal.SIGSEGV, signal.SIGABRT, signal.SIGKILL])
def test_signals_are_reported(number: signal.Signals) -> None:
    report = supervise(f"import os; os.kill(os.getpid(), {int(number)})")
    assert (report["end"], report["status"]) == ("signal", int(number))


def test_what_cannot_start_is_reported() -> None:
    report = run_supervised(["/no/such/program"], AMPLE)
    assert report is not None
    assert (report["end"], report["err"]) == ("not-started", "No such file or directory")
    assert judge(TINT, report, 1.0).verdict is Verdict.CRASHED


def test_output_is_capped() -> None:
    assert len(str(supervise("print('x' * 10_000_000)")["out"])) == 64 << 10


def test_a_forked_child_is_killed_with_its_parent(tmp_path: Path) -> None:
    note = tmp_path / "pid"
    code = (
        "import os, sys, time\npid = os.fork()\nif pid: open(sys.argv[1], 'w').write(str(pid))\nelse: time.sleep(1000)"
    )
    assert supervise(code, str(note))["end"] == "exit"
    pid = int(note.read_text(encoding="utf-8"))
    for _ in range(600):
        try:
            os.kill(pid, 0)
            if Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0] == "Z":
                break
        except OSError:
            break
        time.sleep(0.05)
    else:
        pytest.fail("the forked child lives on")


def test_an_interrupt_does_not_disturb_the_report() -> None:
    code = "import os, signal; os.kill(os.getppid(), signal.SIGINT); print('done')"
    report = supervise(code)
    assert (report["end"], report["out"]) == ("exit", "done\n")


@pytest.mark.parametrize("stdout", ["", "{}", "[]", "x", '{"end": "exit", "status": 0}', '{"program": 1}'])
def test_without_a_sound_report_nothing_is_accepted(monkeypatch: pytest.MonkeyPatch, stdout: str) -> None:
    import subprocess_tee

    done = subprocess.CompletedProcess([], 0, stdout, "")
    monkeypatch.setattr(subprocess_tee, "run", lambda *_args, **_options: done)
    assert run_supervised(["x"], AMPLE) is None
    assert judge(TINT, None, 1.0).verdict is Verdict.CRASHED


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


def test_the_supervisor_needs_nothing_but_the_standard_library() -> None:
    command = [
        sys.executable,
        "-I",
        "-S",
        SUPERVISOR,
        "60",
        "0",
        "100",
        SUPERVISOR,
        os.devnull,
        "{}",
        "--",
        "/bin/echo",
        "hello",
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env={})
    assert json.loads(done.stdout)["out"] == "hello\n"


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
    target = open_target(f"naga:{script(tmp_path / 'naga', HALF_WRITTEN.format(known=known))}")
    try:
        assert target.checks_uniformity
        assert Verdict.REJECTS in {answer.verdict for answer in ask(target, *VIOLATIONS)}
    finally:
        target.close()


@pytest.mark.parametrize("prefix", ["naga", "tint"])
def test_what_rejects_nothing_has_no_analysis_whatever_its_name(tmp_path: Path, prefix: str) -> None:
    target = open_target(f"{prefix}:{script(tmp_path / 'compiler', HALF_WRITTEN.format(known='no such text'))}")
    try:
        assert not target.checks_uniformity
    finally:
        target.close()
