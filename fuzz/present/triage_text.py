"""A triage in words: titles of buckets, the list, all there is to say of one, and what changed since another run."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from shlex import quote
from typing import Any

from rich.console import Group, RenderableType
from rich.rule import Rule
from rich.syntax import Syntax
from rich.table import Table
from rich.text import Text

from wgsl_fuzz.fuzz.cases.case import SEMANTICS
from wgsl_fuzz.fuzz.findings.finding import Finding
from wgsl_fuzz.fuzz.findings.records import NEAREST, RELATED
from wgsl_fuzz.fuzz.judging import kinds
from wgsl_fuzz.fuzz.judging.buckets import common_causes
from wgsl_fuzz.fuzz.judging.certainty import Certainty
from wgsl_fuzz.fuzz.judging.departures import variants_of
from wgsl_fuzz.fuzz.present.divergence import witness_lines
from wgsl_fuzz.fuzz.present.wording import count
from wgsl_fuzz.fuzz.triage.merging import DECISIONS
from wgsl_fuzz.fuzz.triage.replayed import in_words
from wgsl_fuzz.fuzz.triage.since import Regression, RunComparison, regressions
from wgsl_fuzz.fuzz.triage.triage import Bucket, Sighting, Triage, counterparts, shared_with, sightings
from wgsl_fuzz.fuzz.triage.verdicts import bound_by, labels, said_of, who_is_right, wrong_texts
from wgsl_fuzz.oracle.dynamics.semantics import CONTROL_STACKS
from wgsl_fuzz.oracle.rules import in_words as rules
from wgsl_fuzz.oracle.verdict import Outcome
from wgsl_fuzz.strategies.edit.relations import RELATION


def titles(buckets: Sequence[Bucket]) -> list[str]:
    """A title for each bucket: no two buckets of one kind have the same."""
    return [f"{bucket.target} {what}" for bucket, what in zip(buckets, causes(buckets), strict=True)]


def causes(buckets: Sequence[Bucket]) -> list[str]:
    """What each bucket is, without its target: no two of one target and kind are the same."""
    said = [cause(bucket) for bucket in buckets]
    places = list(zip((b.target for b in buckets), (b.kind for b in buckets), said, strict=True))
    often = Counter(places)
    return [
        what if often[place] == 1 else str(bucket.key.cause)
        for bucket, what, place in zip(buckets, said, places, strict=True)
    ]


def cause(bucket: Bucket) -> str:
    """A bucket's cause as short as can be: its departures in words, else the raw cause and the constructs."""
    if bucket.is_missing_analysis:
        return str(kinds.NO_ANALYSIS)
    key = bucket.key
    verb = "rejects" if bucket.kind is kinds.Kind.TOO_STRICT else "accepts"
    if bucket.is_no_rule:
        plain = "a shader without anything non-uniform" if verb == "rejects" else "a plain violation"
        return f"{verb} {plain} beside {' together with '.join(key.cause.left)}"
    if key.cause.right:
        return f"{verb} wrongly; {signature(key.cause.right)}; cause unknown"
    named = variants_of(key.cause.explains) if bucket.kind in kinds.VERDICTS_DIFFER else []
    told = rules.predicates([bucket.branch] if bucket.branch is not None else [it.name for it in named])
    if told and bucket.certainty is Certainty.UNKNOWN:
        told = f"{verb} wrongly; behaves as if it {told}; cause unknown"
    if bucket.branch is not None:
        return told
    told = told or (f"{verb} wrongly; no known cause" if key.cause.told == kinds.UNEXPLAINED.told else key.cause.raw)
    if key.cause.left:
        return f"{told}: {', '.join(key.cause.left)}"
    if bucket.kind is not kinds.Kind.METAMORPHIC:
        return told
    broken = rules.predicates(it.name for it in variants_of(key.cause.departures))
    return f"breaks the relation “{key.cause.relation or key.cause.told}”" + (f": {broken}" if broken else "")


_SAID = 2
"""So many relations of a signature are in a title."""


def signature(right: Sequence[str], most: int = _SAID) -> str:
    """After what changes of the shader a target answers rightly."""
    more = f", or {len(right) - most} more" if len(right) > most else ""
    return f"right with {', or '.join(RELATION[name].what or name for name in right[:most])}{more}"


def guess(bucket: Bucket) -> str:
    """That what fits its findings may not be their cause; empty where the cause is sure, and where nothing fits."""
    branch, right = bucket.branch, bucket.key.cause.right
    if right:
        branches = [frozenset(f.record.branches) for f in bucket.findings if f.is_reduced and f.record.branches]
        branch = common_causes([frozenset.intersection(*branches)])[0] if branches else None
    elif bucket.certainty is not Certainty.UNKNOWN:
        return ""
    if not any(found.is_reduced for found in bucket.findings):
        return "cause unknown: nothing of it is reduced yet"
    asif = "" if branch is None else rules.coincidence_in_words(branch)
    if asif or right:
        return "; ".join(filter(None, [signature(right, len(right)) if right else "", asif or "cause unknown"]))
    named = variants_of(bucket.findings[0].record.cause.explains)
    told = rules.predicates(it.name for it in named)
    return f"cause unknown; of the departures of other compilers and texts this fits first: it {told}" if told else ""


STYLES = {"new": "bold red", "seen": "cyan", "known": "yellow", "dropped": "dim"}
_TRACE_SHOWN = 30
_NARROW = 100
"""Columns: of a narrower list the number of saved findings is left out, for the titles to have room."""


def decided(triage: Triage, bucket: Bucket, word: str) -> str:
    """That a bucket is `known`, `dropped` or `no longer dropped`, and which file says so."""
    file = triage.known_file if word == "known" else triage.run.path / DECISIONS
    return f"#{triage.number(bucket)} is {word}: noted in {file}"


def marked(triage: Triage, index: int, url: str) -> list[str]:
    """Ties a bucket to an issue; what was written, a line each. Raises Problem."""
    written = triage.mark_known(index, url)
    return [decided(triage, triage.buckets[index], "known"), *(f"  {entry}" for entry in written)]


def because(bucket: Bucket) -> str:
    """Why these findings are one bucket, in a few words."""
    if bucket.own:
        return f"known departures of {bucket.target} from the rules explain it: {'+'.join(bucket.own)}"
    if told := guess(bucket):
        return told
    if bucket.branch is None:
        if not bucket.findings:
            return "only counted"
        of_verdicts = bucket.kind in kinds.VERDICTS_DIFFER and not bucket.is_missing_analysis
        if bucket.is_no_rule:
            return "what makes the answer wrong is nothing that a rule asks about: without it the answer is right"
        unexplained = of_verdicts and not bucket.findings[0].record.cause.is_about_spelling
        return "nothing known explains it" if unexplained else ""
    return f"explained by {rules.change_in_words(bucket.branch)}"


def statements(finding: Finding) -> str:
    """`41 -> 7`: how many statements the shader had as drawn and has reduced."""
    sizes = finding.record.statements
    return " -> ".join(str(n) for n in (sizes.drawn, sizes.reduced) if n is not None)


def overview(triage: Triage) -> list[str]:
    """What the run holds, in a line or two; folders without a finding are told."""
    states = Counter(triage.state(b) for b in triage.buckets)
    told = ", ".join(f"{states[name]} {name}" for name in STYLES if states[name]) or "none"
    lines = [f"{triage.run.path}: {count(triage.total, 'finding')} in {count(len(triage.buckets), 'bucket')}: {told}"]
    if triage.run.record.finished is False:
        lines.append("the run did not come to its end")
    if triage.run.notion is not CONTROL_STACKS:
        lines.append(triage.run.notion.sentence)
    return lines + [f"no finding in {name}: {fault}" for name, fault in triage.run.broken]


def table(triage: Triage, width: int) -> Table:
    """The buckets, one a row, for a terminal of so many columns."""
    rows = Table(box=None, pad_edge=False, show_edge=False)
    saved = ["saved"] * (width >= _NARROW)
    for name in ("#", "state", "kind", "found", *saved):
        rows.add_column(name, justify="left" if name in ("state", "kind") else "right", no_wrap=True)
    others = {bucket.name: ", ".join(shared_with(bucket)) for bucket in triage.buckets}
    also = ["also in"] * any(others.values())
    for name in also:
        rows.add_column(name, overflow="fold")
    rows.add_column("bucket", overflow="fold", ratio=1)
    for bucket, title in zip(triage.buckets, titles(triage.buckets), strict=True):
        state = triage.state(bucket)
        said = bucket.issue or triage.dropped.get(bucket.name, ""), in_words(triage.replayed.get(bucket.name, {}))
        more = "; ".join(filter(None, said))
        rows.add_row(
            f"#{triage.number(bucket)}",
            Text(state, STYLES[state]),
            _kind(bucket),
            f"{bucket.count:,}",
            *[f"{len(bucket.findings):,}" for _ in saved],
            *[Text(others[bucket.name]) for _ in also],
            Text(title) + (Text(f"  {more}", "dim") if more else ""),
        )
    return rows


def _kind(bucket: Bucket) -> str:
    return "declared" if bucket.is_missing_analysis else bucket.kind.value


def detail(triage: Triage, index: int) -> RenderableType:
    """Everything about one bucket."""
    bucket = triage.buckets[index]
    state, title = triage.state(bucket), titles(triage.buckets)[index]
    parts: list[RenderableType] = [
        Rule(style=STYLES[state]),
        Text(f"#{triage.number(bucket)}  {title}", "bold"),
        *_facts(triage, bucket, state, title),
    ]
    shown = bucket.representative
    if shown is None:
        return Group(*parts, Text("Nothing of it is saved: run.sqlite lists its shaders, in the table `counted`."))
    sizes = statements(shown)
    sizes = f"  ({sizes} statement{'s' * (sizes != '1')})" if sizes else ""
    parts += [Text(""), Text(f"{shown.folder.name}{sizes}", "bold")]
    parts += [Text(f"not reduced: {why}") for why in [shown.record.unreduced] if why]
    parts += _texts(shown)
    parts += [_verdicts(shown), Text("")]
    parts += [Text(line) for line in (bound_by(shown), who_is_right(shown)) if line]
    trace, account = _trace(shown), shown.account
    if bucket.branch and shown.record.cause == kinds.UNEXPLAINED:
        account = replace(account, departures=())  # the branch explains all findings of the bucket
    parts += [Text(line) for line in account.lines(witness=not trace)]
    parts += trace
    parts += _nearest(shown)
    parts += [Text(""), Text("shows it:    " + shown.record.reproduce)]
    again, file = shown.record.draw_again, shown.record.place.file
    parts += [Text(f"draws it:    {again}")] if file is None else [Text(f"comes from:  {file}")]
    return Group(*parts, Text(""), *[Text(line, "green") for line in what_to_do(triage, index)])


def _facts(triage: Triage, bucket: Bucket, state: str, title: str) -> list[RenderableType]:
    kinds = Counter(f.kind.value for f in bucket.findings)
    told = ", ".join(f"{n} {kind}" for kind, n in kinds.most_common()) if len(kinds) > 1 else ""
    more = bucket.issue if state == "known" else triage.dropped.get(bucket.name)
    times = "once" if bucket.count == 1 else f"{bucket.count:,} times"
    first = "" if bucket.first_seen is None else f"; first after {bucket.first_seen:,.0f} s"
    lines = [
        f"{_kind(bucket)}, {state}" + (f": {more}" if more else ""),
        f"found {times}, {len(bucket.findings)} saved" + (f" ({told})" if told else "") + first,
    ]
    lines += [because(bucket)] if because(bucket) else []
    lines += _shared(triage, bucket)
    lines += [f"name: {bucket.name}"] if bucket.name != title else []
    keys = [str(key) for key in bucket.raw if key != bucket.key]
    lines += ["keys: " + "; ".join(keys)] if keys else []
    lines += [replayed] if (replayed := in_words(triage.replayed.get(bucket.name, {}))) else []
    lines += _met(sightings(triage.run, bucket), len(triage.run.runs))
    return [Text(line) for line in lines]


def _shared(triage: Triage, bucket: Bucket) -> list[str]:
    """Which other targets show it, too, and which buckets of theirs it is in."""
    told = []
    for name, held in counterparts(bucket, triage.buckets).items():
        numbers = ", ".join(f"#{triage.number(other)}" for other in held)
        told.append(f"{name} ({numbers})" if numbers else name)
    return [f"also in: {', '.join(told)}"] if told else []


def _met(seen: Sequence[Sighting], runs: int) -> list[str]:
    """In which runs of a history it was met: in how many, the first and the last."""
    if not seen:
        return []
    if len(seen) == 1:
        return [f"met in one of {count(runs, 'run')}: {seen[0]}"]
    return [f"met in {len(seen)} of {count(runs, 'run')}", f"first in  {seen[0]}", f"last in   {seen[-1]}"]


def _texts(found: Finding) -> list[RenderableType]:
    """The shader, and the other text if there is one, each under its name."""
    related = found.files.get(RELATED)
    if related is None:
        return [wgsl(found.text)]
    (one, other), used = labels(found), ", ".join(found.forms)
    heads, texts, wrong = [f"{one}, with {used}" if used else one, other], (found.text, related), wrong_texts(found)
    for i in wrong if found.kind is kinds.Kind.METAMORPHIC else ():
        heads[i] += ", whose verdict is wrong"
    parts: list[RenderableType] = []
    for i in (1, 0) if wrong == (1,) else (0, 1):
        parts += [Text(f"{heads[i]}:", "bold"), wgsl(texts[i])]
    return parts


def wgsl(text: str) -> Syntax:
    """A shader with line numbers, highlighted where there are colours."""
    return Syntax(text.rstrip("\n"), "wgsl", theme="ansi_dark", line_numbers=True, background_color="default")


def _verdicts(found: Finding) -> Table:
    """A row for each oracle; of two texts the verdicts stand side by side."""
    names = labels(found)
    rows = Table(box=None, pad_edge=False, show_edge=False, show_header=len(names) > 1)
    for name in ("", *names, ""):
        rows.add_column(name)
    for said in said_of(found):
        rows.add_row(Text(said.oracle), *map(Text, said.words), Text(said.origin, "dim"))
    return rows


def trace_lines(finding: Finding) -> list[str]:
    """The divergence, and how two threads part step by step; empty if the semantics saw none."""
    if finding.record.verdicts.get(SEMANTICS) != Outcome.DIVERGES.value:
        return []
    case = finding.case()
    return list(witness_lines(case, case.execute_placed()))


def _trace(found: Finding) -> list[RenderableType]:
    lines = trace_lines(found)
    if not lines:
        return []
    more = len(lines) - _TRACE_SHOWN
    shown = lines[:_TRACE_SHOWN] + ([f"... {more} more lines"] if more > 0 else [])
    return [Text(""), Text("thread trace:", "bold"), *[Text(f"  {line}") for line in shown]]


def _nearest(found: Finding) -> list[RenderableType]:
    """The nearest simpler shader that does not show it; of a broken relation the other shader is nearer."""
    text = found.files.get(NEAREST)
    if text is None or found.kind is kinds.Kind.METAMORPHIC:
        return []
    differs = () if found.record.nearest is None else found.record.nearest.get("differs", ())
    head = "the nearest simpler shader does not show it" + (": " + "; ".join(differs) if differs else ":")
    return [Text(""), Text(head, "bold"), wgsl(text)]


def what_to_do(triage: Triage, index: int) -> list[str]:
    """The commands that decide about a bucket."""
    run, number = quote(str(triage.run.path)), triage.number(triage.buckets[index])
    return [
        f"filed already:  wgsl-fuzz triage {run} --mark-known {number} URL",
        f"to be filed:    wgsl-fuzz triage {run} --show {number} --format markdown -o issue.md  (or cts, tint, corpus)",
        f"of no interest: wgsl-fuzz triage {run} --drop {number} REASON",
    ]


def since_lines(triage: Triage, comparison: RunComparison) -> list[str]:
    """What is new, what was seen before, and what was not found again."""
    new, seen = len(triage.new), len(comparison.seen)
    head = f"since {comparison.earlier.path}: {new:,} new, {seen:,} seen before, {len(comparison.missing):,} not found"
    return [head, *comparison.builds, *missing_lines(comparison)]


def regressed(regression: Regression | None) -> str:
    """Since when a target has a fault that earlier builds did not show; empty without one."""
    if regression is None:
        return ""
    return f"{regression.first}; {count(regression.runs_before, 'run')} of earlier builds did not meet it"


def regression_lines(triage: Triage) -> list[str]:
    """What regressed in a history by target, the newest first; nobody need look at what was dropped."""
    found = [one for one in regressions(triage).values() if triage.state(one.bucket) != "dropped"]
    found.sort(key=lambda one: (one.bucket.target, one.first.run.date or ""), reverse=True)
    return [f"regressed: {one.bucket.target} #{triage.number(one.bucket)}: {regressed(one)}" for one in found]


def missing_lines(comparison: RunComparison) -> list[str]:
    """A line for each bucket of the earlier run that the later one does not have."""
    named = zip(comparison.missing, titles([one.bucket for one in comparison.missing]), strict=True)
    return [f"{one.word}: {one.bucket.kind.value} {title} ({one.why})" for one, title in named]


def since_json(comparison: RunComparison) -> dict[str, Any]:
    """The same as JSON has it (docs/commands.md)."""
    named = zip(comparison.missing, titles([one.bucket for one in comparison.missing]), strict=True)
    return {
        "since": str(comparison.earlier.path),
        "compared": dict(comparison.stand_ins),
        "missing": [bucket_json(one.bucket, title) | {"word": one.word, "why": one.why} for one, title in named],
    }


def bucket_json(bucket: Bucket, title: str) -> dict[str, Any]:
    """What JSON says of a bucket of any run."""
    shown = bucket.representative
    return {
        "name": bucket.name,
        "title": title,
        "target": bucket.target,
        "kind": bucket.kind.value,
        "count": bucket.count,
        "findings": [found.folder.name for found in bucket.findings],
        "shader": None if shown is None else shown.text,
    }
