"""What only POSIX has: nothing needs it to be imported, and a campaign runs without.

No Windows is to be had here. Interpreters of these tests, and all that they start, lack what it lacks.
"""

import os
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

pytestmark = [
    pytest.mark.full,
    pytest.mark.skipif(os.name != "posix", reason="POSIX is taken away from an interpreter that has it"),
]

WITHOUT = '''
"""Takes away what Windows lacks. What the standard library and others need of it is imported before."""
import asyncio, ctypes, platformdirs, psutil
import os, select, shutil, signal, sqlite3, subprocess, sys, tempfile

for name in os.environ.get("IMPORTED_BEFORE", "").split():
    try:
        __import__(name)
    except ImportError:
        pass
for name in ("resource", "fcntl", "termios", "tty", "pty", "pwd", "grp", "readline", "curses"):
    sys.modules[name] = None
for name in (
    "fork", "forkpty", "getegid", "geteuid", "getgid", "getloadavg", "getpgid", "getsid", "getuid", "initgroups",
    "killpg", "mkfifo", "nice", "pread", "pwrite", "sched_getaffinity", "setpgid", "setsid", "set_blocking", "sysconf",
    "uname", "wait", "O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC", "O_DIRECTORY",
):
    if hasattr(os, name):
        delattr(os, name)
for name in (
    "SIGALRM", "SIGCHLD", "SIGHUP", "SIGPIPE", "SIGQUIT", "SIGUSR1", "SIGWINCH", "ITIMER_REAL", "alarm", "setitimer",
    "pthread_kill", "pthread_sigmask", "sigpending", "sigwait", "SIG_BLOCK", "SIG_SETMASK", "SIG_UNBLOCK",
):
    if hasattr(signal, name):
        delattr(signal, name)
kill = os.kill

def ends_on_windows(process, number):
    caller = sys._getframe(1).f_globals["__name__"]
    if number == 0 and not caller.startswith("psutil"):
        print("os.kill(process, 0) by", caller, file=sys.stderr)
        os._exit(99)
    kill(process, number)

os.kill = ends_on_windows
os.name = sys.platform = "elsewhere"
'''

IMPORTS_ALL = """
import importlib, pkgutil
POSIX = {"wgsl_fuzz.oracle.targets.children.supervisor"}
parts = [importlib.import_module(f"wgsl_fuzz.{name}") for name in "fuzz oracle strategies tinywgsl wgsl".split()]
names = [one.name for part in parts for one in pkgutil.walk_packages(part.__path__, f"{part.__name__}.")]
names = [name for name in names if name not in POSIX]
for name in names:
    if not name.endswith("__main__"):
        importlib.import_module(name)
print(len(names))
"""

ASKS = """
import sys
from wgsl_fuzz.fuzz.cli.main import main
for words in sys.argv[1:]:
    try:
        main(words.split())
    except SystemExit as end:
        print(end.code)
"""

MINE = """
def judge(text):
    while "hang" in text:
        pass
    return True
"""


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for interpreters without POSIX, with a function to ask."""
    folder = tmp_path_factory.mktemp("elsewhere")
    (folder / "site").mkdir()
    (folder / "site" / "sitecustomize.py").write_text(WITHOUT, encoding="utf-8")
    (folder / "mine.py").write_text(MINE, encoding="utf-8")
    (folder / "mine.toml").write_text("", encoding="utf-8")
    (folder / "shader.wgsl").write_text("fn f() {}\n", encoding="utf-8")
    (folder / "hang.wgsl").write_text("fn hang() {}\n", encoding="utf-8")
    return folder


def run(folder: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    path = os.pathsep.join([str(folder / "site"), *(str(Path(entry).absolute()) for entry in sys.path)])
    return subprocess.run(
        [sys.executable, *words],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": path, "WGSL_FUZZ_CACHE": str(folder / "cache")},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=300,
    )


def test_everything_can_be_imported(elsewhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("IMPORTED_BEFORE", "distributed prometheus_client wgpu pytest")
    done = run(elsewhere, "-c", IMPORTS_ALL)
    assert (done.returncode, done.stderr) == (0, "")
    assert int(done.stdout) > 300


def test_a_campaign_runs(elsewhere: Path) -> None:
    """With workers that are spawned, and compilers that are processes."""
    targets = ["--target", "rules:paper", "--target", "python:mine:judge"]
    size = ["--programs", "16", "--language", "tiny", "--seed", "1", "--jobs", "2"]
    done = run(elsewhere, "-m", "wgsl_fuzz", *targets, *size, "--out", "run")
    assert done.returncode == 1, done.stderr
    assert "Traceback" not in done.stderr
    assert "16 shaders" in done.stdout


def test_a_child_that_hangs_is_ended(elsewhere: Path) -> None:
    words = ["check", "hang.wgsl", "--oracle", "python:mine:judge", "--timeout", "0.3"]
    done = run(elsewhere, "-m", "wgsl_fuzz", *words)
    assert done.returncode == 1, done.stderr
    assert "timed-out" in done.stdout
    children = [one for one in psutil.process_iter(["cwd"]) if one.info["cwd"] == str(elsewhere)]
    assert not children


COMMANDS = {
    "check shader.wgsl --oracle tint:mine.py": "tint:mine.py: compiler commands need a POSIX system",
    "check shader.wgsl --oracle mine.toml": "mine.toml: compiler commands need a POSIX system",
    "check shader.wgsl --oracle chromium": "chromium: browsers need a POSIX system",
    "reduce shader.wgsl --test true": "--test needs a POSIX system",
    "serve": "serve needs a POSIX system",
}


def test_what_cannot_be_is_said_in_a_line(elsewhere: Path) -> None:
    done = run(elsewhere, "-c", ASKS, *COMMANDS)
    assert done.stderr.splitlines() == [f"wgsl-fuzz: {line}" for line in COMMANDS.values()]
    assert done.stdout.split() == ["2"] * len(COMMANDS)
