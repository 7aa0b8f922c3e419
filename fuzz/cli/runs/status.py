"""The command `status`: how a run is going, asked from another terminal or from a script."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
import orjson

from wgsl_fuzz.fuzz.cli.options import RunFolder, format_option
from wgsl_fuzz.fuzz.cli.runs.progress import faults_lines
from wgsl_fuzz.fuzz.findings.loading import is_in_use, load_run, pending_of
from wgsl_fuzz.fuzz.findings.records import HistoryRecord, RunRecord
from wgsl_fuzz.fuzz.findings.schema import write
from wgsl_fuzz.fuzz.findings.stats import ROLES, StatsLine, read_stats, soundness_line, soundness_of
from wgsl_fuzz.fuzz.output import as_csv, echo
from wgsl_fuzz.fuzz.present.wording import clock, count, size
from wgsl_fuzz.fuzz.triage.triage import Triage

NOW = 60.0
"""The window of current rates, in seconds."""


def usage_of(stats: Sequence[StatsLine]) -> dict[str, Any]:
    """The latest sample of a run, as `status --format json` has it; null for what was not recorded."""
    if not stats:
        return dict.fromkeys(("sampled", "memory", "restarts", "time"))
    last = stats[-1]
    return {
        "sampled": last.seconds,
        "memory": {role: write(last.memory[role]) for role in ROLES if role in last.memory},
        "restarts": last.restarts,
        "time": {stage: round(seconds, 3) for stage, seconds in last.times.items()},
    }


def languages_of(record: RunRecord, stats: Sequence[StatsLine]) -> dict[str, dict[str, float | None]]:
    """Of each language that a campaign draws: how many programs, how many a second, and how many of late."""
    if (plan := record.plan) is None:
        return {}
    return {
        language: {
            "programs": n,
            "rate": round(n / record.seconds, 2) if record.seconds else None,
            "rate now": _rate_now(stats, language),
        }
        for language, n in plan.languages_of(record.programs).items()
    }


def _rate_now(lines: Sequence[StatsLine], language: str = "") -> float | None:
    """Programs a second of late, of all languages or of one; None if that cannot be said yet."""
    if not lines:
        return None
    last = lines[-1]
    before = next((one for one in reversed(lines) if last.seconds - one.seconds >= NOW), lines[0])
    if last.seconds <= before.seconds or (language and language not in last.languages):
        return None
    more = last.languages[language] - before.languages.get(language, 0) if language else last.programs - before.programs
    return round(more / (last.seconds - before.seconds), 2)


def usage_lines(state: dict[str, Any]) -> list[str]:
    """The same for people: lines about what was recorded."""
    lines = list[str]()
    if memory := state.get("memory"):
        whole = sum(one["bytes"] for one in memory.values())
        parts = []
        for role, one in memory.items():
            many, largest = one["processes"] != 1, size(max(one["largest"], default=0))
            told = f"{role} {size(one['bytes'])}"
            parts.append(f"{one['processes']} {told} (the largest {largest})" if many else told)
        lines.append(f"memory: {size(whole)}: {'; '.join(parts)}")
    if restarts := state.get("restarts"):
        why = {name: ", ".join(f"{n:,} {why}" for why, n in whys.items()) for name, whys in restarts.items()}
        counted = (f"{name} {sum(whys.values()):,} ({why[name]})" for name, whys in restarts.items())
        lines.append(f"restarts: {'; '.join(counted)}")
    if (times := state.get("time")) and (whole := sum(times.values())):
        shares = sorted(times.items(), key=lambda one: -one[1])
        lines.append("time: " + ", ".join(f"{stage} {100 * s / whole:.0f} %" for stage, s in shares if s))
    return lines


_RATES = ("seconds", "programs", "rate", "buckets", "new_buckets", "to_reduce")
"""The numbers of a sample that have one value each."""


@click.command()
@click.argument("folder", metavar="DIR", type=RunFolder())
@format_option("text", "json", "csv")
def status(folder: Path, form: str) -> None:
    """Show how a run is going: progress, findings, speed.

    It also shows how long the run will take, its memory, what was restarted, and where the time goes. It only reads
    the run's folder. A run that ended is shown as well. --format csv has a line for each sample, with its rate.

    Exit status: 0.
    """
    if form == "csv":
        _ = load_run(folder)  # raises Problem for what is no run
        lines = read_stats(folder)
        rows = [{name.replace("_", " "): getattr(line, name) for name in _RATES} for line in lines]
        findings = ({"findings": sum(line.findings.values())} for line in lines)
        echo(as_csv([row | more for row, more in zip(rows, findings, strict=True)]), nl=False)
        return
    state = status_of(folder)
    echo(orjson.dumps(state) if form == "json" else "\n".join(status_lines(state)))


def status_of(folder: Path) -> dict[str, Any]:
    """What is known of a run, as `status --format json` has it (docs/commands.md). Raises Problem."""
    work, stats = Triage.of(load_run(folder)), read_stats(folder)
    record = work.run.record
    seconds, programs = record.seconds, record.programs
    return {
        "running": is_in_use(folder),
        "finished": bool(record.finished),
        "seconds": round(seconds, 1),
        "programs": programs,
        "rate": round(programs / seconds, 2) if seconds else None,
        "rate now": _rate_now(stats),
        "languages": languages_of(record, stats),
        "left": _left(record, seconds, programs),
        "soundness": soundness_of(record.reference, record.semantics),
        "findings": {kind.value: n for kind, n in record.findings.items()},
        "buckets": len(work.buckets),
        "new buckets": len(work.new),
        "since new bucket": _since_new_bucket(stats, seconds),
        "to reduce": pending_of(folder),
        "faults": record.faults,
        "runs": len(record.runs) if isinstance(record, HistoryRecord) else None,
        "targets": list(record.targets),
        "asked": {name: sum(answers.values()) for name, answers in record.answers.items()},
        "workers": record.workers,
        **usage_of(stats),
    }


def _left(record: RunRecord, seconds: float, programs: int) -> float | None:
    """Seconds until the run comes to its end at its rate so far; None if it has no end, or no rate."""
    ends = []
    budget = record.budget
    if budget is not None and budget.seconds is not None:
        ends.append(budget.seconds - seconds)
    whole = None if budget is None else budget.programs
    if whole is not None and programs:
        ends.append((whole - programs) * seconds / programs)
    return round(max(0.0, min(ends)), 1) if ends else None


def _since_new_bucket(stats: Sequence[StatsLine], seconds: float) -> float | None:
    """Seconds since a bucket was last seen for the first time; None if that is not recorded."""
    first = next((line for line in stats if line.buckets == stats[-1].buckets), None)
    return None if first is None or not first.buckets else round(max(0.0, seconds - first.seconds), 1)


def status_lines(state: dict[str, Any]) -> list[str]:
    """The same for people."""
    how = "running" if state["running"] else "came to its end" if state["finished"] else "broken off: --resume goes on"
    if state.get("runs") is not None:
        how = f"a history of {count(state['runs'], 'run')}"
    rate = "" if state["rate"] is None else f", {state['rate']:,.0f} a second"
    rate += "" if state["rate now"] is None else f" ({state['rate now']:,.0f} now)"
    left = "" if state["left"] is None or not state["running"] else f"; {clock(state['left'])} to go"
    found = ", ".join(f"{n:,} {kind}" for kind, n in Counter(state["findings"]).most_common()) or "nothing yet"
    ago = "ago" if state["running"] else "before the end"
    since = "" if state["since new bucket"] is None else f", the last one {clock(state['since new bucket'])} {ago}"
    of_languages = [
        f"{name} {n['programs']:,}" + ("" if n["rate"] is None else f" ({n['rate']:,.1f} a second)")
        for name, n in state["languages"].items()
    ]
    asked = {name: n for name, n in state.get("asked", {}).items() if n < state["programs"]}
    targets = [f"{name} (asked about {asked[name]:,})" if name in asked else name for name in state["targets"]]
    lines = [
        f"{how}: {clock(state['seconds'])}, {count(state['programs'], 'shader')}{rate}{left}",
        f"targets: {', '.join(targets) or 'none'}",
        *([f"languages: {', '.join(of_languages)}"] if len(of_languages) > 1 else []),
        soundness_line(state["soundness"]),
        f"found: {found}; {count(state['buckets'], 'bucket')}, {state['new buckets']:,} new{since}",
        *([f"{count(state['to reduce'], 'finding')} to reduce"] if state["to reduce"] else []),
    ]
    if state["running"] and state.get("workers"):
        hosts = ", ".join(f"{host} ({n:,})" for host, n in sorted(state["workers"].items()))
        lines.append(f"workers: {sum(state['workers'].values()):,} on {hosts}")
    return [*lines, *faults_lines(state.get("faults", {})), *usage_lines(state)]
