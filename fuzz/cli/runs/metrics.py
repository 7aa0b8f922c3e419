"""`--metrics PORT`: the latest sample of a campaign for Prometheus, on this machine only."""

import os
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from wgsl_fuzz.fuzz.findings.loading import load_run
from wgsl_fuzz.fuzz.findings.stats import ACCEPTED, StatsLine
from wgsl_fuzz.fuzz.problems import Problem
from wgsl_fuzz.fuzz.triage.triage import Triage
from wgsl_fuzz.oracle.targets.browsers.guests import Guests

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_Values = Iterable[tuple[Mapping[str, str], float]]


def metrics_text(line: StatsLine) -> str:
    """All that a sample says."""
    memory = line.memory.items()
    restarts = [({"of": name, "why": why}, n) for name, whys in line.restarts.items() for why, n in whys.items()]
    accepted = {word: n for word, n in line.soundness.items() if word != ACCEPTED}
    families: dict[str, tuple[str, _Values]] = {
        "programs_total": ("Shaders judged.", _by("language", line.languages)),
        "accepted_programs_total": (
            "Shaders that the reference accepts, by what the semantics says of them.",
            _by("semantics", accepted),
        ),
        "findings_total": ("Findings, saved or only counted.", _by("kind", line.findings)),
        "buckets": ("Buckets, as of triage.", [({}, line.buckets)]),
        "new_buckets": ("Those of them that are not known.", [({}, line.new_buckets)]),
        "findings_to_reduce": ("Findings that are still to be reduced.", [({}, line.to_reduce)]),
        "programs_per_second": ("Shaders judged a second of late.", [({}, line.rate or 0.0)]),
        "run_seconds_total": ("Time the run took so far.", [({}, line.seconds)]),
        "resident_memory_bytes": (
            "Resident memory of all processes of a role.",
            _by("role", {role: one.bytes for role, one in memory}),
        ),
        "largest_resident_memory_bytes": (
            "Resident memory of the largest process of a role.",
            _by("role", {role: max(one.largest, default=0) for role, one in memory}),
        ),
        "processes": ("Processes.", _by("role", {role: one.processes for role, one in memory})),
        "cpu_seconds_total": ("Processor time of a role.", _by("role", line.processor)),
        "stage_seconds_total": ("Processor time of a stage.", _by("stage", line.times)),
        "restarts_total": ("How often workers, or the child of a target, were replaced.", restarts),
    }
    return "".join(text for name, family in families.items() for text in _family(name, *family))


def _by(label: str, values: Mapping[str, float]) -> _Values:
    return [({label: key}, value) for key, value in values.items()]


def _family(name: str, meaning: str, values: _Values) -> Iterable[str]:
    kind = "counter" if name.endswith("_total") else "gauge"
    yield f"# HELP wgsl_fuzz_{name} {meaning}\n# TYPE wgsl_fuzz_{name} {kind}\n"
    for labels, value in values:
        written = ",".join(f'{label}="{_escaped(text)}"' for label, text in labels.items())
        yield f"wgsl_fuzz_{name}{{{written}}} {value!r}\n" if written else f"wgsl_fuzz_{name} {value!r}\n"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("\n", "\\n").replace('"', '\\"')


def with_buckets(line: StatsLine | None, folder: Path) -> StatsLine | None:
    """A sample with the buckets of `triage` and `status`. Raises Problem."""
    if line is None:
        return None
    work = Triage.of(load_run(folder))
    return replace(line, buckets=len(work.buckets), new_buckets=len(work.new))


LOOPBACK, PATH = "127.0.0.1", "/metrics"
SECONDS = 5.0
"""How long a client may stay; for one too many the oldest is cut."""


Sample = Callable[[], StatsLine | None]
"""Where the latest sample comes from, if there is any. It is asked by other threads."""


class MetricsServer(ThreadingHTTPServer):
    """Answers GET /metrics in threads of its own. Raises OSError if the port cannot be had; port 0 is any free one."""

    allow_reuse_address = os.name == "posix"  # elsewhere it would take a port that is in use
    daemon_threads = True

    def __init__(self, port: int) -> None:
        self.sample: Sample = lambda: None
        self.guests = Guests(SECONDS)
        super().__init__((LOOPBACK, port), _Handler)

    @property
    def address(self) -> str:
        """What to ask for."""
        return f"http://{LOOPBACK}:{self.server_address[1]}{PATH}"

    def finish_request(self, request: Any, client_address: Any) -> None:
        """As the base class's, for so many clients at once."""
        self.guests.enter(request)
        try:
            super().finish_request(request, client_address)
        finally:
            self.guests.leave(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Says nothing: a client that hangs up is none of the campaign's business."""


class _Handler(BaseHTTPRequestHandler):
    server: MetricsServer
    server_version = "wgsl-fuzz"
    sys_version = ""

    def do_GET(self) -> None:
        """The sample; 404 for what is no path of ours, 503 before the first one."""
        line = self.server.sample()
        if self.path != PATH:
            self.send_error(HTTPStatus.NOT_FOUND, f"there is only {PATH}")
        elif line is None:
            self.send_error(HTTPStatus.SERVICE_UNAVAILABLE, "nothing was measured yet")
        else:
            content = metrics_text(line).encode()
            self.send_response(HTTPStatus.OK)
            self.send_header("Content-Type", CONTENT_TYPE)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

    def log_message(self, format: str, *arguments: object) -> None:
        """Says nothing."""


@contextmanager
def served(port: int | None, say: Callable[[str], object]) -> Iterator[MetricsServer | SimpleNamespace]:
    """A context in which the samples of its `sample` are served at a port, if one is given. Raises Problem."""
    if port is None:
        yield SimpleNamespace()
        return
    try:
        server = MetricsServer(port)
    except OSError as error:
        why = error.strerror or str(error)
        raise Problem(f"cannot serve --metrics at {LOOPBACK}:{port}: {why}; --metrics 0 takes a free port") from error
    say(f"metrics: {server.address}")
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
