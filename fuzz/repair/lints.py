"""What is wrong in shaders, for those who write them: as compilers, editors and services write it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import orjson

from wgsl_fuzz import __version__
from wgsl_fuzz.fuzz.cases.case import read_module
from wgsl_fuzz.fuzz.cases.places import UNSUPPORTED, problems_of
from wgsl_fuzz.fuzz.repair.edit import changes
from wgsl_fuzz.fuzz.repair.search import Repair, choices, refusal, repair_lines
from wgsl_fuzz.oracle.explain.path import Message, messages_of
from wgsl_fuzz.oracle.explain.text import TOGETHER, Step
from wgsl_fuzz.wgsl.builtins import Rule
from wgsl_fuzz.wgsl.problems import Source, WgslError

INVALID = "wgsl"
"""The rule in whose name errors of syntax, names and types are reported."""
_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
HELP = "https://www.w3.org/TR/WGSL/#uniformity"


@dataclass(frozen=True, slots=True)
class LintNote:
    """A sentence about a place; lines and columns count from 1."""

    message: str
    line: int
    column: int
    end_line: int
    end_column: int


@dataclass(frozen=True, slots=True)
class Lint:
    """One thing that is wrong, and the steps to its source."""

    severity: str
    """`error`, `warning` or `info`."""
    rule: str
    """A trigger rule, or `wgsl`."""
    place: LintNote
    steps: tuple[LintNote, ...] = ()

    @property
    def is_rejection(self) -> bool:
        """Whether a compiler refuses the file for it, and uniformity is what is wrong."""
        return self.severity == "error" and self.rule != INVALID


@dataclass(frozen=True, slots=True)
class LintedFile:
    """A file, what is wrong in it, and repairs if some were looked for: the first is recommended."""

    name: str
    lints: tuple[Lint, ...]
    repairs: tuple[Repair, ...] = ()
    refusal: str = ""
    """Why none was looked for, though one was wanted."""

    @property
    def is_wrong(self) -> bool:
        """Whether a compiler refuses it."""
        return any(lint.severity == "error" for lint in self.lints)

    @property
    def is_rejected(self) -> bool:
        """Whether uniformity is what is wrong."""
        return any(lint.is_rejection for lint in self.lints)


def linted(name: str, text: str, *, repairs: int = 0) -> LintedFile:
    """What is wrong in a text, and so many repairs at most if it is rejected."""
    try:
        case = read_module(text)
        messages = messages_of(case.explanations)
    except WgslError as error:
        return LintedFile(name, tuple(_of_problems(text, error)))
    found = LintedFile(name, tuple(_lint(case.source, one) for one in messages))
    if not repairs or not found.is_rejected:
        return found
    chosen = tuple(choices(case, repairs))
    return replace(found, repairs=chosen, refusal="" if chosen else refusal(case))


def _of_problems(text: str, error: WgslError) -> Iterator[Lint]:
    for problem in problems_of(text, error):
        severity = "info" if problem.message.startswith(UNSUPPORTED) else "error"
        place = LintNote(problem.message, problem.line, problem.column, problem.line, problem.column + problem.length)
        yield Lint(severity, INVALID, place)


def _lint(source: Source, one: Message) -> Lint:
    first, *notes = (_note(source, step) for step in one.steps)
    return Lint(str(one.severity), ", ".join(sorted(one.rules)), first, tuple(notes))


def _note(source: Source, step: Step) -> LintNote:
    return LintNote(step.sentence, *source.position(step.span[0]), *source.position(step.span[1]))


# ------------------------------------------------------------------------------------------------------------- forms


def as_text(file: LintedFile) -> Iterator[str]:
    """Lines as compilers write them: `file:line:column: error: message [rule]`, then a note for each step."""
    for lint in file.lints:
        yield f"{_placed(file, lint.place)}: {lint.severity}: {lint.place.message} [{lint.rule}]"
        yield from (f"{_placed(file, step)}: note: {step.message}" for step in lint.steps)
    for i, repair in enumerate(file.repairs):
        yield from repair_lines(file.name, repair, first=not i)


def _placed(file: LintedFile, note: LintNote) -> str:
    return f"{file.name}:{note.line}:{note.column}"


def as_github(file: LintedFile) -> Iterator[str]:
    """Commands that annotate a pull request."""
    repairs = [line for repair in file.repairs[:1] for line in repair_lines(file.name, repair)]
    for lint in file.lints:
        place = lint.place
        where = f"file={_property(file.name)},line={place.line},col={place.column},endLine={place.end_line}"
        steps = [f"line {step.line}: {step.message}" for step in lint.steps]
        message = "\n".join([place.message, *steps, *(repairs if lint.is_rejection else [])])
        yield f"::{lint.severity.replace('info', 'notice')} {where},title={_property(lint.rule)}::{_escaped(message)}"


def _escaped(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _escaped(text).replace(":", "%3A").replace(",", "%2C")


def as_json(file: LintedFile) -> str:
    """A line of JSON for one file."""
    repairs = list(map(_json_of_repair, file.repairs))
    lints = [
        {"severity": lint.severity, "rule": lint.rule, **_json(lint.place), "steps": list(map(_json, lint.steps))}
        for lint in file.lints
    ]
    found = {"repair": repairs[0] if repairs else None, "other repairs": repairs[1:]}
    return orjson.dumps({"file": file.name, "lints": lints, **found}).decode()


def _json_of_repair(repair: Repair) -> Mapping[str, Any]:
    return {
        "edits": [{"what": e.what, "effect": e.effect, "cost": e.cost.name.lower()} for e in repair.edits],
        "meaning": repair.meaning.name.lower(),
        "safe": repair.is_safe,
        "errors left": repair.errors,
        "text": repair.text,
    }


def _json(note: LintNote) -> Mapping[str, Any]:
    keys = ("message", "line", "column", "end line", "end column")
    values = (note.message, note.line, note.column, note.end_line, note.end_column)
    return dict(zip(keys, values, strict=True))


def as_sarif(files: Sequence[LintedFile]) -> str:
    """One document for all files: SARIF 2.1.0, which code hosts and editors read."""
    results = [_result(file, lint) for file in files for lint in file.lints]
    rules = sorted({lint.rule for file in files for lint in file.lints})
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
    regions = (_region(*source.position(patch.start), *source.position(patch.end)) for patch in patches)
    pairs = zip(regions, patches, strict=True)
    replacements = [{"deletedRegion": region, "insertedContent": {"text": p.text}} for region, p in pairs]
    what = "; ".join(edit.what for edit in repair.edits)
    return {
        "description": {"text": f"{'safe' if repair.is_safe else 'unsafe'}: {what}"},
        "artifactChanges": [{"artifactLocation": _artifact(file), "replacements": replacements}],
    }


def _result(file: LintedFile, lint: Lint) -> Mapping[str, Any]:
    result: dict[str, Any] = {
        "ruleId": lint.rule,
        "level": lint.severity.replace("info", "note"),
        "message": {"text": lint.place.message},
        "locations": [_location(file, lint.place)],
    }
    if lint.steps:
        steps = [_location(file, step) | {"message": {"text": step.message}} for step in lint.steps]
        result["codeFlows"] = [{"threadFlows": [{"locations": [{"location": step} for step in steps]}]}]
    if lint.is_rejection and file.repairs:
        result["fixes"] = [_fix(file, repair) for repair in file.repairs]
    return result


def _location(file: LintedFile, note: LintNote) -> dict[str, Any]:
    region = _region(note.line, note.column, note.end_line, note.end_column)
    return {"physicalLocation": {"artifactLocation": _artifact(file), "region": region}}


def _artifact(file: LintedFile) -> Mapping[str, Any]:
    return {"uri": Path(file.name).as_posix()}


def _region(*place: int) -> Mapping[str, int]:
    return dict(zip(("startLine", "startColumn", "endLine", "endColumn"), place, strict=True))
