"""Chromium and Firefox themselves, where they are installed; what a machine cannot have is skipped with the reason.

They are held against the nearest build of their compiler outside of a browser. What differs is what the adapter of the
browser lacks, and is told apart by its words.
"""

import os
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path

import psutil
import pytest

from tests.oracle.targets.watching import ask, comes
from wgsl_fuzz.fuzz.cases.generator import CampaignGenerator
from wgsl_fuzz.fuzz.cases.plan import MIXED, Plan
from wgsl_fuzz.fuzz.regression.corpus import load_cases
from wgsl_fuzz.fuzz.shipped import corpus_folder
from wgsl_fuzz.oracle.targets import open_target
from wgsl_fuzz.oracle.targets.browsers import local
from wgsl_fuzz.oracle.targets.browsers import local as launch
from wgsl_fuzz.oracle.targets.children.line_server import LineServer
from wgsl_fuzz.oracle.targets.children.python_child import child_environment
from wgsl_fuzz.oracle.targets.probes import BROKEN, NON_UNIFORM, VALID
from wgsl_fuzz.oracle.targets.protocol import Target, TargetError
from wgsl_fuzz.oracle.verdict import Verdict

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc to look at processes")

BROWSERS = {"chromium": "tint", "firefox": "naga"}
TRAILING_COMMA = 'parsing error: expected identifier, found ")"'
"""What the installed Naga says of `@builtin(position,)`; Firefox's Naga reads it, as the grammar of WGSL allows."""
CRASHES = "tint-while-around-contents"
"""The corpus's case at which Tint dies."""


def server_pid(target: Target) -> int:
    assert isinstance(target, LineServer)
    return target.pid


def processes_of(session: int) -> dict[int, str]:
    """The living processes of a session, with their command lines."""
    found = {}
    for one in psutil.process_iter(["cmdline", "status"]):
        with suppress(OSError):
            if os.getsid(one.pid) == os.getpgid(one.pid) == session and one.info["status"] != psutil.STATUS_ZOMBIE:
                found[one.pid] = " ".join(one.info["cmdline"] or ())
    return found


@pytest.mark.full
@pytest.mark.parametrize("browser", BROWSERS)
def test_a_browser_says_what_it_is_and_judges(opened: Callable[[str], Target], browser: str) -> None:
    target = opened(browser)
    assert re.fullmatch(rf"{browser}@\d+(\.\d+)+\w*", target.name)
    assert "WebGPU on" in target.origin
    assert target.checks_uniformity == (browser == "chromium")
    rejected = Verdict.REJECTS if browser == "chromium" else Verdict.ACCEPTS
    found = ask(target, VALID, BROKEN, NON_UNIFORM, VALID + "// é𝄞\0\ud800")
    assert [answer.verdict for answer in found] == [Verdict.ACCEPTS, Verdict.INVALID, rejected, found[3].verdict]
    assert found[1].message.startswith("1:90 error: ")
    other = open_target(target.name, timeout=120.0)
    other.close()
    with pytest.raises(TargetError, match=f"is {re.escape(target.name)}; name another one as {browser}:PATH"):
        open_target(f"{browser}@1.2.3")


@cache
def drawn(count: int) -> list[str]:
    drawer = CampaignGenerator(Plan(seed=11, language=MIXED))
    return [drawer.case(index).text for index in range(count)]


@pytest.mark.parametrize(
    "count", [pytest.param(200, marks=pytest.mark.full), pytest.param(5000, marks=pytest.mark.slow)]
)
@pytest.mark.parametrize("browser", BROWSERS)
def test_drawn_shaders_are_judged_as_by_the_browsers_compiler(
    opened: Callable[[str], Target], browser: str, count: int
) -> None:
    texts = drawn(count)
    mine, others = ask(opened(browser), *texts), ask(opened(BROWSERS[browser]), *texts)
    different = [
        (text, one, other)
        for text, one, other in zip(texts, mine, others, strict=True)
        if one.verdict not in (other.verdict, Verdict.UNSUPPORTED) and TRAILING_COMMA not in other.message
    ]
    assert not different
    assert sum(answer.verdict is Verdict.ACCEPTS for answer in mine) > count / 4
    said = {answer.verdict for answer in mine} - {Verdict.UNSUPPORTED}
    assert said == {Verdict.ACCEPTS, Verdict.REJECTS if browser == "chromium" else Verdict.INVALID}


@pytest.mark.full
def test_a_shader_that_kills_the_gpu_process_is_a_crash(opened: Callable[[str], Target]) -> None:
    target = opened("chromium")
    (case,) = [case for case in load_cases(corpus_folder()) if case.name == CRASHES]
    found = ask(target, VALID, case.text, NON_UNIFORM)
    assert [answer.verdict for answer in found] == [Verdict.ACCEPTS, Verdict.CRASHED, Verdict.REJECTS]
    assert "the device is lost" in found[1].message


@pytest.mark.full
@pytest.mark.parametrize(
    ("browser", "what"),
    [
        *(("chromium", what) for what in ("browser", "page", "gpu", "hub")),
        *(("firefox", w) for w in ("browser", "hub")),
    ],
)
def test_a_browser_killed_in_mid_batch_loses_nothing(opened: Callable[[str], Target], browser: str, what: str) -> None:
    words = {"page": "--type=renderer", "gpu": "--type=gpu-process"}
    target = opened(browser)
    texts = [VALID, BROKEN, VALID] * 100
    expected = [answer.verdict for answer in ask(target, *texts)]
    pid = server_pid(target)
    processes = processes_of(pid)
    roots = [
        one for one, line in processes.items() if "profile" in line and not re.search("--type=|-contentproc", line)
    ]
    victims = {"browser": roots[:1], "hub": [pid]}.get(what) or [
        p for p, line in processes.items() if p != pid and words[what] in line
    ]
    assert victims, "it has processes of this kind"
    target.submit(texts)
    for victim in victims:
        os.kill(victim, signal.SIGKILL)
    assert [answer.verdict for answer in target.collect()] == expected
    assert comes(lambda: not processes_of(pid)) or server_pid(target) == pid


@pytest.mark.full
@pytest.mark.parametrize("browser", BROWSERS)
def test_nothing_is_left_of_a_browser(browser: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if launch.find(launch.KINDS[browser]) is None:
        pytest.skip(launch.KINDS[browser].hint)
    home, scratch = tmp_path / "home", Path(tempfile.mkdtemp())  # a short path: Chromium's socket needs one
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setattr("tempfile.tempdir", str(scratch))
    target = open_target(browser, timeout=120.0)
    pid = server_pid(target)
    assert len(processes_of(pid)) > 3
    assert any(scratch.rglob("profile"))
    target.close()
    assert comes(lambda: not processes_of(pid))
    assert not list(home.rglob("*"))
    assert not list(scratch.iterdir())
    scratch.rmdir()


ALONE = """
import sys, time
from wgsl_fuzz.oracle.targets import open_target
target = open_target(sys.argv[1], timeout=120.0)
target.submit([sys.argv[2]] * 300)
print(target.pid, flush=True)
time.sleep(1000)
"""


@pytest.mark.full
@pytest.mark.parametrize("browser", BROWSERS)
def test_a_fuzzer_that_is_killed_in_mid_batch_leaves_no_browser(browser: str) -> None:
    if launch.find(launch.KINDS[browser]) is None:
        pytest.skip(launch.KINDS[browser].hint)
    command = [sys.executable, "-c", ALONE, browser, VALID]
    with subprocess.Popen(command, env=child_environment(), stdout=subprocess.PIPE) as fuzzer:
        assert fuzzer.stdout is not None
        pid = int(fuzzer.stdout.readline())
        assert len(processes_of(pid)) > 3
        fuzzer.kill()
    assert comes(lambda: not processes_of(pid))


def test_a_browser_that_is_missing_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    for name, kind in launch.KINDS.items():
        (info,) = local.browser_infos(name)
        assert info.reason == kind.hint
        with pytest.raises(TargetError, match=f"^{name}: there is no .*apt-get install {name}"):
            open_target(name)
    with pytest.raises(TargetError, match="there is no program /no/such"):
        open_target("chromium:/no/such")


@pytest.mark.parametrize(
    ("script", "says"),
    [
        ("exit 0", "is no browser"),
        ("echo Chromium 1.2.3; exit 3", "is no browser"),
        ('case "$*" in --version) echo Chromium 1.2.3;; *) echo no screen >&2; exit 7;; esac', "ended with status 7"),
    ],
)
def test_what_is_no_browser_is_told(tmp_path: Path, script: str, says: str) -> None:
    path = tmp_path / "browser"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    with pytest.raises(TargetError, match=says):
        open_target(f"chromium:{path}")
