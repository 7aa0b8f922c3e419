"""`serve`: it tells an address, serves the page there, and ends in order."""

import http.client
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fuzz.command import wgsl_fuzz
from wgsl_fuzz.fuzz.cli.serve import _drawn
from wgsl_fuzz.oracle.targets.cache import CACHE_VARIABLE

posix = pytest.mark.skipif(os.name != "posix", reason="serve needs a POSIX system")
WITH_INTERRUPTS = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler);"
RUN = f"{WITH_INTERRUPTS} from wgsl_fuzz.fuzz.cli.main import main; main()"


def lines_of(process: "subprocess.Popen[str]") -> Iterator[str]:
    assert process.stdout is not None
    yield from process.stdout


@posix
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_serves_the_page_until_it_is_stopped(tmp_path: Path, number: signal.Signals) -> None:
    environment = {**os.environ, CACHE_VARIABLE: str(tmp_path)}
    command = [sys.executable, "-c", RUN, "serve"]
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        found = re.fullmatch(r"http://localhost:(\d+)(/[\w-]{20,}/)\n", next(lines_of(process)))
        assert found
        connection = http.client.HTTPConnection("127.0.0.1", int(found[1]), timeout=30)
        connection.request("GET", found[2])
        assert b"wgsl-fuzz" in connection.getresponse().read()
        connection.close()
        assert len(list(tmp_path.rglob("*.json"))) == 1
        process.send_signal(number)
        _, said = process.communicate(timeout=60)
    assert process.returncode == 0
    assert not list(tmp_path.rglob("*.json"))
    assert f"--target browser:{found[1]}" in said
    assert "Traceback" not in said


def test_a_port_that_is_taken_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import socket

    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path))
    with socket.create_server(("127.0.0.1", 0)) as taken:
        result = wgsl_fuzz("serve", "--port", taken.getsockname()[1])
    assert result.exit_code == 2
    assert len(result.output.splitlines()) == 1
    assert "--port" in result.output


def test_the_qr_code_is_that_of_the_address() -> None:
    segno = pytest.importorskip("segno", reason="a QR code needs the extra [serve]")
    address = "https://192.168.1.23:45123/abcdefghijklmnopqrstuv/"
    dark = [[bool(module) for module in row] for row in segno.make(address, micro=False).matrix]
    pairs = {"█": (False, False), " ": (True, True), "▀": (False, True), "▄": (True, False)}
    drawn: list[list[bool]] = []
    for line in _drawn(address).splitlines():
        drawn += [[pairs[block][half] for block in line] for half in (0, 1)]
    border = 2
    inner = [row[border : border + len(dark)] for row in drawn[border : border + len(dark)]]
    assert inner == dark
    behind = border + len(dark)
    assert not any(any(row) for row in (*drawn[:border], *drawn[behind : behind + border]))
