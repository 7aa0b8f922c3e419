"""What a run uses, in words and as JSON: memory, restarts, and where the time goes."""

from collections.abc import Sequence
from typing import Any

from wgsl_fuzz.fuzz.findings.records import CampaignRecord, RunRecord
from wgsl_fuzz.fuzz.findings.schema import write
from wgsl_fuzz.fuzz.findings.stats import ROLES, StatsLine
from wgsl_fuzz.fuzz.present.plurals import count

NOW = 60.0
"""The window of current rates, in seconds."""
_UNITS = ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB"))


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
    plan = record.plan if isinstance(record, CampaignRecord) else None
    if plan is None:
        return {}
    rates = _rates_now(stats)
    return {
        language: {
            "programs": n,
            "rate": round(n / record.seconds, 2) if record.seconds else None,
            "rate now": rates.get(language),
        }
        for language, n in plan.languages_of(record.programs).items()
    }


def _rates_now(stats: Sequence[StatsLine]) -> dict[str, float]:
    """Programs a second of late, by language; empty if that cannot be said yet."""
    if len(stats) < 2:
        return {}
    last = stats[-1]
    before = next((one for one in reversed(stats) if last.seconds - one.seconds >= NOW), stats[0])
    passed = last.seconds - before.seconds
    done = {language: n - before.languages.get(language, 0) for language, n in last.languages.items()}
    return {language: round(n / passed, 2) for language, n in done.items()} if passed > 0 else {}


def usage_lines(state: dict[str, Any]) -> list[str]:
    """The same for people: lines about what was recorded."""
    lines = list[str]()
    if memory := state.get("memory"):
        whole = sum(one["bytes"] for one in memory.values())
        parts = "; ".join(_resident(role, one) for role, one in memory.items())
        lines.append(f"memory: {size(whole)}: {parts}")
    if restarts := state.get("restarts"):
        lines.append(f"restarts: {'; '.join(_restarts(name, whys) for name, whys in restarts.items())}")
    if (times := state.get("time")) and (whole := sum(times.values())):
        shares = sorted(times.items(), key=lambda one: -one[1])
        lines.append("time: " + ", ".join(f"{stage} {100 * s / whole:.0f} %" for stage, s in shares if s))
    return lines


def _resident(role: str, one: dict[str, Any]) -> str:
    if one["processes"] == 1:
        return f"{role} {size(one['bytes'])}"
    return f"{one['processes']} {role} {size(one['bytes'])} (the largest {size(max(one['largest'], default=0))})"


def _restarts(name: str, whys: dict[str, int]) -> str:
    return f"{name} {sum(whys.values()):,} ({', '.join(f'{n:,} {why}' for why, n in whys.items())})"


def size(n: int) -> str:
    """Bytes for people: `12 MiB`, `1.5 GiB`."""
    for unit, word in _UNITS:
        if n >= unit:
            return f"{n / unit:.1f} {word}" if n < 10 * unit else f"{n / unit:,.0f} {word}"
    return count(n, "byte")
