"""A sample of a run in the text format that Prometheus reads (version 0.0.4)."""

from collections.abc import Iterable, Mapping

from wgsl_fuzz.fuzz.findings.soundness import ACCEPTED
from wgsl_fuzz.fuzz.findings.stats import StatsLine

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_Values = Iterable[tuple[Mapping[str, str], float]]


def metrics_text(line: StatsLine) -> str:
    """All that a sample says."""
    families: list[tuple[str, str, str, _Values]] = [
        ("programs_total", "counter", "Shaders judged.", _by("language", line.languages)),
        (
            "accepted_programs_total",
            "counter",
            "Shaders that the reference accepts, by what the semantics says of them.",
            _by("semantics", {word: n for word, n in line.soundness.items() if word != ACCEPTED}),
        ),
        ("findings_total", "counter", "Findings, saved or only counted.", _by("kind", line.findings)),
        ("buckets", "gauge", "Raw buckets.", [({}, line.buckets)]),
        ("new_buckets", "gauge", "Raw buckets that are not known.", [({}, line.new_buckets)]),
        ("findings_to_reduce", "gauge", "Findings that are still to be reduced.", [({}, line.to_reduce)]),
        ("programs_per_second", "gauge", "Shaders judged a second of late.", [({}, line.rate or 0.0)]),
        ("run_seconds_total", "counter", "Time the run took so far.", [({}, line.seconds)]),
        (
            "resident_memory_bytes",
            "gauge",
            "Resident memory of all processes of a role.",
            _by("role", {role: one.bytes for role, one in line.memory.items()}),
        ),
        (
            "largest_resident_memory_bytes",
            "gauge",
            "Resident memory of the largest process of a role.",
            _by("role", {role: max(one.largest, default=0) for role, one in line.memory.items()}),
        ),
        ("processes", "gauge", "Processes.", _by("role", {r: one.processes for r, one in line.memory.items()})),
        ("cpu_seconds_total", "counter", "Processor time of a role.", _by("role", line.processor)),
        ("stage_seconds_total", "counter", "Processor time of a stage.", _by("stage", line.times)),
        (
            "restarts_total",
            "counter",
            "How often workers, or the child of a target, were replaced.",
            [({"of": name, "why": why}, n) for name, whys in line.restarts.items() for why, n in whys.items()],
        ),
    ]
    return "".join(text for family in families for text in _family(*family))


def _by(label: str, values: Mapping[str, float]) -> _Values:
    return [({label: key}, value) for key, value in values.items()]


def _family(name: str, kind: str, meaning: str, values: _Values) -> Iterable[str]:
    yield f"# HELP wgsl_fuzz_{name} {meaning}\n# TYPE wgsl_fuzz_{name} {kind}\n"
    for labels, value in values:
        written = ",".join(f'{label}="{_escaped(text)}"' for label, text in labels.items())
        yield f"wgsl_fuzz_{name}{{{written}}} {value!r}\n" if written else f"wgsl_fuzz_{name} {value!r}\n"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("\n", "\\n").replace('"', '\\"')
