"""Runs made up for tests of what reads them: folders as a campaign of today writes them."""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

from wgsl_fuzz.fuzz.campaign.campaign import Campaign
from wgsl_fuzz.fuzz.campaign.recorder import drawn_record
from wgsl_fuzz.fuzz.cases.case import Case, read_module
from wgsl_fuzz.fuzz.cases.plan import Plan
from wgsl_fuzz.fuzz.findings.directory import RunDirectory
from wgsl_fuzz.fuzz.findings.finding import Finding
from wgsl_fuzz.fuzz.findings.loading import StoredRun, load_run
from wgsl_fuzz.fuzz.findings.records import BucketCount, ShaderOrigin
from wgsl_fuzz.fuzz.findings.schema import read, write
from wgsl_fuzz.fuzz.findings.state import STATE, RunState
from wgsl_fuzz.fuzz.findings.stats import StatsLine, StatsLog
from wgsl_fuzz.fuzz.judging.buckets import what_is_left
from wgsl_fuzz.fuzz.judging.judge import cause_of
from wgsl_fuzz.fuzz.judging.kinds import BucketKey, Cause, Disagreement, Kind
from wgsl_fuzz.oracle.rules.analyses import is_variant
from wgsl_fuzz.oracle.rules.uniformity.revisions import ALIASES
from wgsl_fuzz.oracle.targets.protocol import Target
from wgsl_fuzz.oracle.verdict import Answer, Verdict
from wgsl_fuzz.strategies.edit.relations import RELATION

STRICT = """@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
  loop {
    workgroupBarrier();
    if (lid >= 0u) {
      break;
    }
    break;
    continue;
  }
  workgroupBarrier();
}
"""
"""Fig. 10c: the paper accepts it, without that change it is rejected."""

DIVERGING = """@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
  loop {
    continue;
    continuing {
      workgroupBarrier();
      break if 0u < lid;
    }
  }
}
"""
"""Fig. 10a: accepted without that change, though thread 0 waits and thread 1 has ended."""

TEN_A, TEN_C = "before-2025-10-14/10a", "before-2025-12-01/10c"

NOT_UNIFORM = """4:5 error: 'workgroupBarrier' must only be called from uniform control flow
5:9 note: builtin 'lid' of 'main'"""


def strict(**more: Any) -> dict[str, Any]:
    """The record of a finding that STRICT is."""
    said = {"wgsl": "accepts", "semantics": "not-seen", "tint@0.3.8": "rejects"}
    return _finding("too-strict", TEN_C, said) | {"message": NOT_UNIFORM, **more}


def unsound(**more: Any) -> dict[str, Any]:
    """The record of a finding that DIVERGING is."""
    return _finding("unsound", TEN_A, {"wgsl": "rejects", "semantics": "diverges", "tint@0.3.8": "accepts"}) | more


def _finding(kind: str, cause: str, verdicts: dict[str, str]) -> dict[str, Any]:
    target = "tint@0.3.8"
    return {
        "kind": kind,
        "target": target,
        "cause": write(cause_named(cause)),
        "seed": 5,
        "index": 7,
        "describes": "reduced.wgsl",
        "threads": 2,
        "verdicts": verdicts,
        "message": "",
        "statements": {"drawn": 30, "reduced": 5},
        "draw again": "wgsl-fuzz generate -n 1 --seed 5 --first 7",
        "reproduce": f"wgsl-fuzz check reduced.wgsl --oracle wgsl --oracle {target}",
    }


def cause_named(text: str) -> Cause:
    """The cause that has this text; of two texts `A as drawn, B as printed: WHY` or `RELATION by WHY`."""
    if only := re.fullmatch(r"(invalid|crashed) only as drawn: (.+)", text):
        return replace(cause_named(only[2]), drawn=Verdict(only[1]))
    if spelled := re.fullmatch(r"(\S+) as drawn, (\S+) as printed(?:: (.+))?", text):
        drawn, printed, why = spelled.groups()
        return replace(cause_named(why or ""), drawn=Verdict(drawn), printed=Verdict(printed))
    relation, _, why = text.partition(" by ")
    if relation in RELATION:
        return replace(cause_named(why), relation=relation)
    names = tuple(ALIASES.get(name, name) for name in text.split("+"))
    return Cause(names) if all(map(is_variant, names)) else Cause(told=text)


def key_named(text: str | BucketKey) -> BucketKey:
    """The raw key that has this text, or is it."""
    if isinstance(text, BucketKey):
        return text
    target, word, cause = text.split(" ", 2)
    if word in [kind.value for kind in Kind]:
        return BucketKey(target, Kind(word), cause_named(cause))
    return BucketKey(target, None, cause_named(f"{word} {cause}"))


def bucket_of(record: dict[str, Any]) -> BucketKey:
    """The raw bucket of a finding."""
    return BucketKey.of(record["target"], Kind(record["kind"]), read(Cause, record["cause"]))


def counts(of: Mapping[Any, int]) -> list[dict[str, Any]]:
    """How often raw buckets were met, as a record has it."""
    return [write(BucketCount(key_named(key), n)) for key, n in of.items()]


def saved_finding(target: Target, case: Case, found: Disagreement) -> Finding:
    """A finding of a campaign as it is handed to the reducer."""
    record = drawn_record(case, found, {}, {target.name: target}, ShaderOrigin(), 0.0)
    return Finding(record, {"drawn.wgsl": case.text}, cases={"drawn.wgsl": case})


class MadeUpRun:
    """A run's folder in the making. `found` adds a finding; `record` is that of a campaign at its end."""

    def __init__(self, path: Path, **record: Any) -> None:
        self.path = path
        self.record: dict[str, Any] = {
            **write(Campaign([], RunDirectory(path), plan=Plan(5)).record(), nulls=True),
            "targets": {"tint@0.3.8": "npm webgpu 0.3.8"},
            "finished": True,
            "programs": 100,
            "seconds": 20.0,
            "reference": {"accepts": 70, "rejects": 30},
            "semantics": {"not-seen": 70},
            "answers": {"tint@0.3.8": {"accepts": 70, "rejects": 30}},
            **record,
        }
        self.findings: list[tuple[str, dict[str, Any], dict[str, str]]] = []
        """The name of each finding's folder, its record and its texts."""
        self.counted: list[tuple[str | BucketKey, str | None]] = []
        """The raw keys of findings that were only counted, and by which relation their shaders were made."""
        self.progress: list[dict[str, Any]] = []
        """Lines of stats.jsonl."""
        path.mkdir(parents=True, exist_ok=True)

    def found(self, record: dict[str, Any], folder_name: str | None = None, **texts: str) -> Path:
        """Adds a finding; `reduced="..."` is its reduced.wgsl, and so on."""
        if isinstance(record["cause"], str):
            record = record | {"cause": write(cause_named(record["cause"]))}
        number = len(self.findings) + 1
        name = folder_name or f"{number:03}-{record['kind']}-tint"
        self.findings.append((name, record, {f"{name}.wgsl": text for name, text in texts.items()}))
        self.count(bucket_of(record))
        return self.path / "findings" / name

    def count(self, key: BucketKey, **more: Any) -> None:
        """Counts a finding of a raw bucket in the record; `issue="..."` if it was known."""
        own = next((one for one in self.record["buckets"] if one["name"] == key.name), {"count": 0})
        others = [one for one in self.record["buckets"] if one is not own]
        self.record["buckets"] = [*others, write(key) | own | {"count": own["count"] + 1, **more}]

    def stored(self) -> StoredRun:
        """Writes the state and reads all of it."""
        (self.path / STATE).unlink(missing_ok=True)
        state = RunState(self.path, new=True)
        state.write("INSERT INTO record VALUES (0, ?)", json.dumps(self.record).encode())
        for line in self.progress:
            StatsLog(self.path).add(StatsLine(**line))
        for number, (folder, record, files) in enumerate(self.findings, 1):
            row = (record["target"], record["kind"], min(record.get("index") or 0, 1 << 53), number, 1, "none", folder)
            state.write(
                "INSERT INTO finding (bucket, target, kind, shader, number, nth, reduction, folder, record, files)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                *(state.bucket(bucket_of(record)), *row, json.dumps(record).encode(), json.dumps(files).encode()),
            )
        for text, relation in self.counted:
            key = key_named(text)
            place = (key.target, (key.kind or Kind.TOO_LENIENT).value, 0, relation, None, None, None)
            state.write("INSERT INTO counted VALUES (?, ?, ?, ?, ?, ?, ?, ?)", state.bucket(key), *place)
        state.commit()
        state.close()
        return load_run(self.path)


@dataclass
class MadeUp:
    """A finding to be stored; `target` answers opposite to the reference unless `kind` is no matter of verdicts."""

    text: str
    target: str = "fake"
    kind: Kind | None = None
    cause: Cause | str | None = None
    drawn: str | None = None
    more: dict[str, Any] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)


def record_of(path: Path) -> bytes:
    """The record in a run's state."""
    return state_value(path, "SELECT content FROM record")


def state_value(path: Path, query: str) -> bytes:
    """What a query of a run's state gives."""
    state = RunState(path, reading=True)
    content: bytes = state.value(query)
    state.close()
    return content


def change_state(path: Path, statement: str, *values: object) -> None:
    """Changes a run's state, as nobody should."""
    state = RunState(path)
    state.write(statement, *values)
    state.commit()
    state.close()


def change_record(path: Path, content: bytes) -> None:
    """Replaces the record in a run's state."""
    change_state(path, "UPDATE record SET content = ?", content)


def store(path: Path, findings: Iterable[MadeUp], counted: Mapping[Any, int] | None = None) -> StoredRun:
    """Writes the state of a run, and reads it."""
    run = MadeUpRun(path)
    for index, made_up in enumerate(findings):
        files = {"drawn.wgsl": made_up.drawn or made_up.text, "reduced.wgsl": made_up.text} | made_up.files
        texts = {name.removesuffix(".wgsl"): text for name, text in files.items()}
        run.found(_record(index, made_up), f"{index:03}-finding", **texts)
    run.counted = [(key, None) for key, n in (counted or {}).items() for _ in range(n)]
    return run.stored()


def _record(index: int, it: MadeUp) -> dict[str, Any]:
    return {
        **_judged(it.text, it.target, it.kind, cause_named(it.cause) if isinstance(it.cause, str) else it.cause),
        "target": it.target,
        "index": index,
        "seed": 5,
        "describes": "reduced.wgsl",
        "statements": {"drawn": 9, "reduced": it.text.count(";")},
        "targets": {it.target: "made up"},
        **it.more,
    }


@cache
def _judged(text: str, target: str, given: Kind | None, said: Cause | None) -> dict[str, Any]:
    """What the judge says of a made-up finding, unless its kind or cause is given."""
    case = read_module(text)
    reference = case.verdict
    answer = Answer(Verdict.REJECTS if reference is Verdict.ACCEPTS else Verdict.ACCEPTS)
    kind = given or (Kind.TOO_STRICT if reference is Verdict.ACCEPTS else Kind.TOO_LENIENT)
    cause = said or cause_of(case, target, kind, answer)
    return {
        "kind": kind.value,
        "cause": write(cause),
        "left": what_is_left(case, Disagreement(target, kind, answer, cause)),
        "verdicts": {"wgsl": reference.value, target: answer.verdict.value},
    }
