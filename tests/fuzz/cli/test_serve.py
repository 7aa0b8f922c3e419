"""`serve`: it tells an address, serves the page there, and ends in order."""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.fuzz.command import wgsl_fuzz
from tests.oracle.targets.browsers.fake_page import FakePage
from wgsl_fuzz.oracle.targets.cache import CACHE_VARIABLE

posix = pytest.mark.skipif(os.name != "posix", reason="serve needs a POSIX system")
WITH_INTERRUPTS = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler);"
RUN = f"{WITH_INTERRUPTS} from wgsl_fuzz.fuzz.cli.main import main; main()"


@posix
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_serves_the_page_until_it_is_stopped(tmp_path: Path, number: signal.Signals) -> None:
    environment = {**os.environ, CACHE_VARIABLE: str(tmp_path)}
    command = [sys.executable, "-c", RUN, "serve"]
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        found = re.fullmatch(r"http://localhost:(\d+)(/[\w-]{20,}/)\n", process.stdout.readline())
        assert found
        page = FakePage(int(found[1]), found[2].strip("/"), {"userAgent": "HeadlessChrome/156.0"})
        assert b"wgsl-fuzz" in page.request("GET", found[2])[1]
        page.connect()
        page.leave()
        assert len(list(tmp_path.rglob("*.json"))) == 1
        said = ""
        while "chrome-156.0: is gone after 0 texts; it is waited for" not in said:
            said += process.stderr.readline() or pytest.fail(said)
        process.send_signal(number)
        assert process.communicate(timeout=60)[1] == ""
    assert process.returncode == 0
    assert not list(tmp_path.rglob("*.json"))
    assert f"--target browser:{found[1]}" in said


def test_a_port_that_is_taken_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import socket

    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path))
    with socket.create_server(("127.0.0.1", 0)) as taken:
        result = wgsl_fuzz("serve", "--port", taken.getsockname()[1])
    assert result.exit_code == 2
    assert len(result.output.splitlines()) == 1
    assert "--port" in result.output
