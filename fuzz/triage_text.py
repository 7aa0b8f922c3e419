"""A triage in words, for terminals and plain text: the list of buckets, and all there is to say of one."""

from collections import Counter
from typing import Any

from rich.console import Group, RenderableType
from rich.markup import escape
from rich.rule import Rule
from rich.syntax import Syntax
from rich.table import Table
from rich.text import Text

from fuzz.answers import examine
from fuzz.commands_run import divergence_lines
from fuzz.stored import StoredFinding
from fuzz.triage import Bucket, Triage
from oracle.mutants import MUTANTS

STYLES = {"new": "bold red", "known": "yellow", "dropped": "dim"}
_TRACE_SHOWN = 30
_DIVERGES = "It does diverge:"


def because(bucket: Bucket) -> str:
    """Why these findings are one bucket, in a few words."""
    if bucket.branch is None:
        return "" if bucket.declared else "nothing known explains it" if bucket.findings else "only counted"
    said = {m.name: m.branch for m in MUTANTS}.get(bucket.branch, "")
    return f"explained by breaking {bucket.branch} ({said})" if said else f"explained by breaking {bucket.branch}"


def statements(found: StoredFinding) -> str:
    """`41 -> 7`: how many statements the shader had as drawn and has reduced."""
    sizes = found.record.get("statements") or {}
    return " -> ".join(str(sizes[name]) for name in ("drawn", "reduced") if name in sizes)


def overview(triage: Triage) -> list[str]:
    """What the run holds, in a line or two; folders without a finding are told."""
    states = Counter(triage.state(b) for b in triage.buckets)
    told = ", ".join(f"{states[name]} {name}" for name in STYLES if states[name]) or "none"
    lines = [f"{triage.run.path}: {triage.total:,} findings in {len(triage.buckets)} buckets: {told}"]
    if triage.run.record.get("finished") is False:
        lines.append("the run did not come to its end")
    return lines + [f"no finding in {line}" for line in triage.run.broken]


def table(triage: Triage, selected: int | None = None) -> Table:
    """The buckets, one a row."""
    rows = Table(box=None, pad_edge=False, show_edge=False)
    for name, justify in (("#", "right"), ("state", "left"), ("kind", "left"), ("found", "right"), ("saved", "right")):
        rows.add_column(name, justify="right" if justify == "right" else "left", no_wrap=True)
    rows.add_column("bucket", overflow="fold", ratio=1)
    for i, bucket in enumerate(triage.buckets):
        state = triage.state(bucket)
        rows.add_row(
            f"#{i + 1}",
            Text(state, STYLES[state]),
            bucket.kind.value if not bucket.declared else "declared",
            f"{bucket.count:,}",
            f"{len(bucket.findings):,}",
            Text(bucket.name) + Text(f"  {bucket.issue or triage.dropped.get(bucket.name, '')}", "dim"),
            style="reverse" if i == selected else "",
        )
    return rows


def detail(triage: Triage, index: int) -> RenderableType:
    """Everything about one bucket."""
    bucket = triage.buckets[index]
    state = triage.state(bucket)
    parts: list[RenderableType] = [
        Rule(f"#{index + 1}  {escape(bucket.name)}", align="left", style=STYLES[state]),
        *_facts(triage, bucket, state),
    ]
    shown = bucket.representative
    if shown is None:
        return Group(*parts, Text("Nothing of it is on disk: counted.jsonl says how to draw its shaders again."))
    parts += [Text(""), Text(f"{shown.folder.name}  ({statements(shown)} statements)", "bold"), wgsl(shown.text)]
    related = shown.file("related.wgsl")
    if related is not None:
        parts += [Text("the other text:", "bold"), wgsl(related)]
    parts += [_verdicts(shown), Text("")]
    trace = _trace(shown)
    parts += [Text(line) for line in explanation(shown, without_divergence=bool(trace))]
    parts += trace
    parts += _nearest(shown)
    parts += [Text(""), Text("shows it:    " + str(shown.record.get("reproduce", "")))]
    parts += [Text("draws it:    " + str(shown.record.get("draw again", "")))]
    return Group(*parts, Text(""), *[Text(line, "green") for line in what_to_do(triage, index)])


def _facts(triage: Triage, bucket: Bucket, state: str) -> list[RenderableType]:
    kinds = Counter(f.kind.value for f in bucket.findings)
    told = ", ".join(f"{n} {kind}" for kind, n in kinds.most_common())
    more = bucket.issue if state == "known" else triage.dropped.get(bucket.name)
    first = "" if bucket.first_seen is None else f"; first after {bucket.first_seen:,.0f} s"
    lines = [
        f"{state}" + (f": {more}" if more else ""),
        f"{bucket.count:,} findings, {len(bucket.findings)} saved" + (f" ({told})" if told else "") + first,
    ]
    lines += [because(bucket)] if because(bucket) else []
    return [Text(line) for line in [*lines, "raw: " + "; ".join(bucket.raw)]]


def wgsl(text: str) -> Syntax:
    """A shader with line numbers, highlighted where there are colours."""
    return Syntax(text.rstrip("\n"), "wgsl", theme="ansi_dark", line_numbers=True, background_color="default")


def _verdicts(found: StoredFinding) -> Table:
    rows = Table(box=None, pad_edge=False, show_edge=False, show_header=False)
    origins = found.record.get("targets") or {}
    verdicts: dict[str, Any] = found.record.get("verdicts") or {}
    for name, word in verdicts.items():
        own = {"paper": "the reference", "semantics": f"{found.record.get('threads', '?')} threads"}.get(name, "")
        rows.add_row(Text(name), Text(str(word)), Text(str(origins.get(name, own)), "dim"))
    return rows


def explanation(found: StoredFinding, *, without_divergence: bool) -> list[str]:
    """The record's account, on demand without the divergence at its end: a trace says it, too."""
    told = [str(line) for line in found.record.get("explanation", [])]
    return told[: told.index(_DIVERGES)] if without_divergence and _DIVERGES in told else told


def trace_lines(found: StoredFinding) -> list[str]:
    """The divergence, and how two threads part step by step; empty if the semantics saw none."""
    if (found.record.get("verdicts") or {}).get("semantics") != "diverges":
        return []
    one = examine(found.text)
    if one.case is None or one.case.execution.witness is None:
        return []
    return list(divergence_lines(one.case.shader, one.case.execution.witness, one.positions))


def _trace(found: StoredFinding) -> list[RenderableType]:
    lines = trace_lines(found)
    if not lines:
        return []
    more = len(lines) - _TRACE_SHOWN
    shown = lines[:_TRACE_SHOWN] + ([f"... {more} more lines"] if more > 0 else [])
    return [Text(""), Text("thread trace:", "bold"), *[Text(f"  {line}") for line in shown]]


def _nearest(found: StoredFinding) -> list[RenderableType]:
    """The nearest simpler shader that does not show it."""
    text = found.file("nearest.wgsl")
    if text is None:
        return []
    differs = (found.record.get("nearest") or {}).get("differs") or []
    head = "the nearest simpler shader does not show it" + (": " + "; ".join(map(str, differs)) if differs else ":")
    return [Text(""), Text(head, "bold"), wgsl(text)]


def what_to_do(triage: Triage, index: int) -> list[str]:
    """The commands that decide about a bucket."""
    run, number = triage.run.path, index + 1
    return [
        f"filed already:  wgsl-fuzz triage {run} --known {number} URL",
        f"to be filed:    wgsl-fuzz triage {run} --export markdown {number} -o issue.md    (or cts, tint, corpus)",
        f"of no interest: wgsl-fuzz triage {run} --drop {number} REASON",
    ]
