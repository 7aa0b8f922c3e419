"""What is wrong in shaders, for those who write them: as compilers, editors and services write it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import orjson

from wgsl_fuzz import __version__
from wgsl_fuzz.fuzz.cases.case import read_module
from wgsl_fuzz.fuzz.cases.places import UNSUPPORTED, place_json, problems_of
from wgsl_fuzz.fuzz.repair.edit import changes
from wgsl_fuzz.fuzz.repair.search import Repair, choices, refusal, repair_lines
from wgsl_fuzz.oracle.explain.path import messages_of
from wgsl_fuzz.oracle.explain.text import TOGETHER
from wgsl_fuzz.wgsl.builtins import Rule
from wgsl_fuzz.wgsl.problems import Source, WgslError

INVALID = "wgsl"
"""The rule in whose name errors of syntax, names and types are reported."""
_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
HELP = "https://www.w3.org/TR/WGSL/#uniformity"


Lint = Mapping[str, Any]
"""One thing that is wrong, as JSON has it: its `rule` is a trigger rule, or `wgsl`."""


def is_error(lint: Lint) -> bool:
    """Whether a compiler refuses the file for it."""
    return bool(lint["severity"] == "error")


def is_rejection(lint: Lint) -> bool:
    """Whether a compiler refuses the file for it, and uniformity is what is wrong."""
    return is_error(lint) and lint["rule"] != INVALID


@dataclass(frozen=True, slots=True)
class LintedFile:
    """A file, what is wrong in it, and repairs if some were looked for: the first is recommended."""

    name: str
    lints: tuple[Lint, ...]
    repairs: tuple[Repair, ...] = ()
    refusal: str = ""
    """Why none was looked for, though one was wanted."""

    @property
    def is_rejected(self) -> bool:
        """Whether uniformity is what is wrong."""
        return any(map(is_rejection, self.lints))


def linted(name: str, text: str, *, repairs: int = 0) -> LintedFile:
    """What is wrong in a text, and so many repairs at most if it is rejected."""
    try:
        case = read_module(text)
        messages = messages_of(case.explanations)
    except WgslError as error:
        return LintedFile(name, tuple(_of_problems(text, error)))
    lints: list[Lint] = []
    for one in messages:
        first, *steps = ({"message": s.sentence, **place_json(case.source, s.span)} for s in one.steps)
        lints.append({"severity": str(one.severity), "rule": ", ".join(sorted(one.rules)), **first, "steps": steps})
    found = LintedFile(name, tuple(lints))
    if not repairs or not found.is_rejected:
        return found
    chosen = tuple(choices(case, repairs))
    return replace(found, repairs=chosen, refusal="" if chosen else refusal(case))


def _of_problems(text: str, error: WgslError) -> Iterator[Lint]:
    source = Source(text)
    for problem in problems_of(text, error):
        severity = "info" if problem.message.startswith(UNSUPPORTED) else "error"
        place = place_json(source, (problem.offset, problem.offset)) | {"end column": problem.column + problem.length}
        yield {"severity": severity, "rule": INVALID, "message": problem.message, **place, "steps": []}


def as_text(file: LintedFile) -> Iterator[str]:
    """Lines as compilers write them: `file:line:column: error: message [rule]`, then a note for each step."""
    for lint in file.lints:
        yield f"{_placed(file, lint)}: {lint['severity']}: {lint['message']} [{lint['rule']}]"
        yield from (f"{_placed(file, step)}: note: {step['message']}" for step in lint["steps"])
    for i, repair in enumerate(file.repairs):
        yield from repair_lines(file.name, repair, first=not i)


def _placed(file: LintedFile, note: Lint) -> str:
    return f"{file.name}:{note['line']}:{note['column']}"


def as_github(file: LintedFile) -> Iterator[str]:
    """Commands that annotate a pull request."""
    repairs = [line for repair in file.repairs[:1] for line in repair_lines(file.name, repair)]
    for lint in file.lints:
        place = f"line={lint['line']},col={lint['column']},endLine={lint['end line']}"
        steps = [f"line {step['line']}: {step['message']}" for step in lint["steps"]]
        message = _escaped("\n".join([lint["message"], *steps, *(repairs if is_rejection(lint) else [])]))
        level, title = lint["severity"].replace("info", "notice"), _property(lint["rule"])
        yield f"::{level} file={_property(file.name)},{place},title={title}::{message}"


def _escaped(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _escaped(text).replace(":", "%3A").replace(",", "%2C")


def as_json(file: LintedFile) -> str:
    """A line of JSON for one file."""
    repairs = list(map(_json_of_repair, file.repairs))
    found = {"repair": repairs[0] if repairs else None, "other repairs": repairs[1:]}
    return orjson.dumps({"file": file.name, "lints": file.lints, **found}).decode()


def _json_of_repair(repair: Repair) -> Mapping[str, Any]:
    return {
        "edits": [{"what": e.what, "effect": e.effect, "cost": e.cost.name.lower()} for e in repair.edits],
        "meaning": repair.meaning.name.lower(),
        "safe": repair.is_safe,
        "errors left": repair.errors,
        "text": repair.text,
    }


def as_sarif(files: Sequence[LintedFile]) -> str:
    """One document for all files: SARIF 2.1.0, which code hosts and editors read."""
    results = [_result(file, lint) for file in files for lint in file.lints]
    rules = sorted({lint["rule"] for file in files for lint in file.lints})
    described = [{"id": rule, "shortDescription": {"text": _described(rule)}, "helpUri": HELP} for rule in rules]
    driver = {"name": "wgsl-fuzz", "version": __version__, "rules": described}
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    return orjson.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}).decode()


def _described(rule: str) -> str:
    if rule == INVALID:
        return "The text must be valid WGSL."
    reasons = "; ".join(TOGETHER[Rule(name)] for name in rule.split(", "))
    return f"The function must be called in uniform control flow: {reasons}."


def _fix(file: LintedFile, repair: Repair) -> Mapping[str, Any]:
    source = repair.original.source
    patches = list(changes(source.text, repair.text))
    regions = (_region(place_json(source, (patch.start, patch.end))) for patch in patches)
    pairs = zip(regions, patches, strict=True)
    replacements = [{"deletedRegion": region, "insertedContent": {"text": p.text}} for region, p in pairs]
    what = "; ".join(edit.what for edit in repair.edits)
    return {
        "description": {"text": f"{'safe' if repair.is_safe else 'unsafe'}: {what}"},
        "artifactChanges": [{"artifactLocation": _artifact(file), "replacements": replacements}],
    }


def _result(file: LintedFile, lint: Lint) -> Mapping[str, Any]:
    result: dict[str, Any] = {
        "ruleId": lint["rule"],
        "level": lint["severity"].replace("info", "note"),
        "message": {"text": lint["message"]},
        "locations": [_location(file, lint)],
    }
    if lint["steps"]:
        steps = [{"location": _location(file, step) | {"message": {"text": step["message"]}}} for step in lint["steps"]]
        result["codeFlows"] = [{"threadFlows": [{"locations": steps}]}]
    if is_rejection(lint) and file.repairs:
        result["fixes"] = [_fix(file, repair) for repair in file.repairs]
    return result


def _location(file: LintedFile, note: Lint) -> dict[str, Any]:
    return {"physicalLocation": {"artifactLocation": _artifact(file), "region": _region(note)}}


def _artifact(file: LintedFile) -> Mapping[str, Any]:
    return {"uri": Path(file.name).as_posix()}


def _region(place: Lint) -> Mapping[str, int]:
    names = {"line": "startLine", "column": "startColumn", "end line": "endLine", "end column": "endColumn"}
    return {theirs: place[ours] for ours, theirs in names.items()}
