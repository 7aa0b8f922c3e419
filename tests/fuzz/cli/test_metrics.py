"""`--metrics`: what Prometheus reads, and that no client can hold anything up."""

import re
import socket
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fuzz.command import wgsl_fuzz
from tests.fuzz.findings.test_stats import LINE as DONE
from wgsl_fuzz.fuzz.cli.runs import metrics
from wgsl_fuzz.fuzz.cli.runs.metrics import LOOPBACK, MetricsServer, metrics_text, served
from wgsl_fuzz.fuzz.findings.stats import Resident, StatsLine

LINE = replace(
    DONE,
    soundness={"accepted": 90, "proven": 0, "out of steps": 31},
    findings={"unsound": 2, "too-strict": 7},
    memory={"campaign": Resident.of([100]), "workers": Resident.of([70, 80])},
)
_SAMPLE = re.compile(r'wgsl_fuzz_\w+(?:\{\w+="(?:[^"\\\n]|\\[\\"n])*"(?:,\w+="(?:[^"\\\n]|\\[\\"n])*")*\})? [0-9.e+-]+')


def test_a_sample_has_every_number() -> None:
    text = metrics_text(LINE)
    for line in (
        'wgsl_fuzz_programs_total{language="tiny"} 300',
        'wgsl_fuzz_accepted_programs_total{semantics="proven"} 0',
        'wgsl_fuzz_accepted_programs_total{semantics="out of steps"} 31',
        'wgsl_fuzz_findings_total{kind="too-strict"} 7',
        "wgsl_fuzz_buckets 4",
        "wgsl_fuzz_new_buckets 1",
        "wgsl_fuzz_programs_per_second 12.5",
        'wgsl_fuzz_resident_memory_bytes{role="workers"} 150',
        'wgsl_fuzz_largest_resident_memory_bytes{role="workers"} 80',
        'wgsl_fuzz_cpu_seconds_total{role="compilers"} 2.25',
        'wgsl_fuzz_stage_seconds_total{stage="reducing"} 1.5',
        'wgsl_fuzz_stage_seconds_total{stage="the rest"} 5.5',
        'wgsl_fuzz_restarts_total{of="tint@0.6.2",why="crash"} 2',
    ):
        assert f"\n{line}\n" in text, line


@given(st.dictionaries(st.text(max_size=12), st.integers(0, 10**15), max_size=5), st.text(max_size=20))
def test_whatever_a_target_is_called_each_line_can_be_read(counts: dict[str, int], name: str) -> None:
    line = StatsLine(seconds=1.5, programs=0, languages=counts, restarts={name: counts})
    for one in metrics_text(line).removesuffix("\n").split("\n"):
        assert one.startswith(("# HELP wgsl_fuzz_", "# TYPE wgsl_fuzz_")) or _SAMPLE.fullmatch(one), one


@pytest.fixture
def address(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Iterator[tuple[str, int]]:
    monkeypatch.setattr(metrics, "SECONDS", getattr(request, "param", metrics.SECONDS))
    told: list[str] = []
    with served(0, told.append) as feed:
        feed.sample = lambda: LINE
        (line,) = told
        host, port = line.removeprefix("metrics: http://").removesuffix("/metrics").split(":")
        assert host == LOOPBACK == "127.0.0.1", "for this machine only"
        yield host, int(port)


def asked(address: tuple[str, int], path: str = "/metrics", **more: str) -> str:
    request = urllib.request.Request(f"http://{address[0]}:{address[1]}{path}", **more)  # type: ignore[arg-type]
    with urllib.request.urlopen(request, timeout=30) as answer:
        assert answer.headers["Content-Type"].startswith("text/plain; version=0.0.4")
        return str(answer.read().decode())


@pytest.mark.parametrize("address", [0.2], indirect=True)
def test_clients_that_say_nothing_are_hung_up_on_and_others_are_answered(address: tuple[str, int]) -> None:
    with socket.create_connection(address, timeout=30) as silent:
        silent.sendall(b"GET /metr")
        assert asked(address) == metrics_text(LINE)
        assert silent.recv(1) == b""  # it came to its end: no answer, and no waiting for one


def test_a_port_in_use_is_one_line(tmp_path: Path) -> None:
    taken = MetricsServer(0)
    try:
        port = taken.server_address[1]
        options = ["--programs", "8", "--jobs", "1", "--out", str(tmp_path / "run"), "--metrics", str(port)]
        result = wgsl_fuzz("--target", "rules:paper", *options)
        assert result.exit_code == 2
        line = result.stderr.splitlines()[-1]
        assert line.startswith(f"wgsl-fuzz: cannot serve --metrics at 127.0.0.1:{port}")
        assert line.endswith("; --metrics 0 takes a free port")
        assert not (tmp_path / "run").exists()
    finally:
        taken.server_close()


def test_a_campaign_says_where_it_serves(tmp_path: Path) -> None:
    options = ["--programs", "8", "--jobs", "1", "--out", str(tmp_path / "run"), "--metrics", "0"]
    result = wgsl_fuzz("--target", "rules:paper", *options)
    assert result.exit_code == 0, result.output
    assert re.search(r"^metrics: http://127\.0\.0\.1:\d+/metrics$", result.stderr, re.M)
