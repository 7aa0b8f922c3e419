"""A bucket as text for other projects: an issue, a test of the WebGPU CTS, a unit test of Tint, a corpus case.

A test expects the reference's verdict, never the target's. If the finding is against the reference, the text says so:
the rules are in question then, and the test records what they say today.
"""

import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import jinja2

from wgsl_fuzz.fuzz.cases.case import NO_REFERENCE
from wgsl_fuzz.fuzz.conformance.rows import Level, load
from wgsl_fuzz.fuzz.conformance.table import title_of
from wgsl_fuzz.fuzz.files import without_folders, write_bytes
from wgsl_fuzz.fuzz.findings.directory import check_command
from wgsl_fuzz.fuzz.findings.finding import Finding
from wgsl_fuzz.fuzz.findings.records import DRAWN, NEAREST, FindingRecord
from wgsl_fuzz.fuzz.judging.account import rejection_of
from wgsl_fuzz.fuzz.judging.departures import variants_of
from wgsl_fuzz.fuzz.judging.kinds import HAVE_FINE_KEYS, REFERENCES, VERDICTS_DIFFER, Kind
from wgsl_fuzz.fuzz.output import fenced, inert, printable
from wgsl_fuzz.fuzz.present.pages import templates
from wgsl_fuzz.fuzz.present.report.words import MEANINGS, capital, meaning_of
from wgsl_fuzz.fuzz.present.triage_text import cause, guess, trace_lines
from wgsl_fuzz.fuzz.present.wording import verb
from wgsl_fuzz.fuzz.problems import Problem
from wgsl_fuzz.fuzz.triage.triage import Bucket
from wgsl_fuzz.fuzz.triage.verdicts import labels, said_of
from wgsl_fuzz.oracle.rules.in_words import change_in_words, predicates
from wgsl_fuzz.oracle.rules.rule_set import Variant
from wgsl_fuzz.oracle.rules.uniformity.revisions import DEPARTURES
from wgsl_fuzz.oracle.verdict import Verdict

_SUFFIX = {"markdown": ".md", "cts": ".spec.ts", "tint": ".cc"}
FORMS = ("markdown", "cts", "tint", "corpus")
_TEMPLATES = {"markdown": "issue.md", "cts": "cts_case.ts", "tint": "tint_test.cc"}

_NAME = re.compile(r"[a-z0-9]+([-_][a-z0-9]+)*")
_LONGEST = 70
"""Letters of a cause in a name."""

SPECIFICATION = "https://www.w3.org/TR/WGSL/"
_UNIFORMITY = "15.2 #uniformity"


@dataclass(frozen=True, slots=True)
class ExportedText:
    """One shader of a finding: most have one."""

    wgsl: str
    accepts: bool
    """What is expected: whether the reference accepts it."""
    what: str
    """Which one it is, if there are two."""
    file: str
    cts: str
    tint: str


def export(bucket: Bucket, form: str, name: str | None = None) -> str:
    """The bucket's representative as `markdown`, `cts` or `tint`; `name` is that of the test. Raises Problem."""
    if form != "markdown" and _shown(bucket).record.reference == NO_REFERENCE:
        raise Problem(f"no reference says what is expected of {bucket.name}: export it as markdown")
    text = code_templates().get_template(_TEMPLATES[form]).render(**_for_others(_context(bucket, name), bucket))
    return printable(text).rstrip() + "\n"


def exported(bucket: Bucket, form: str, where: Path, name: str | None = None) -> Path:
    """Writes a bucket's representative to a file, or into a folder that is there; what was written. Raises Problem.

    The form `corpus` makes a new case in the folder of a corpus.
    """
    from wgsl_fuzz.fuzz.regression.corpus import export_case

    title = slug(bucket, "-", name)
    if form == "corpus":
        why = _for_others(_summary(bucket), bucket)
        return export_case(_shown(bucket), where, name=title, why=why, issue=bucket.issue)
    path = where / (title + _SUFFIX[form]) if where.is_dir() else where
    write_bytes(path, export(bucket, form, name).encode())
    return path


def export_all(wanted: Sequence[Bucket], form: str, output: Path | None, name: str | None = None) -> list[str]:
    """Exports buckets in a form; what is to be printed. Raises Problem."""
    folder = output is not None and output.is_dir()
    if form == "corpus" and output is None:
        raise Problem("--format corpus needs -o FOLDER, the corpus to add the case to")
    if len(wanted) > 1 and not folder and form != "corpus":
        raise Problem("several buckets go into one folder: -o FOLDER, which must be there")
    if name is not None and len(wanted) > 1:
        raise Problem("--name is for one bucket")
    if name is not None and form == "markdown" and not folder:
        raise Problem("--name names a test, a case, or a file in -o FOLDER: an issue alone has none")
    if output is None:
        return [export(bucket, form, name).rstrip("\n") for bucket in wanted]
    written = [exported(bucket, form, output, name) for bucket in wanted]
    return [str(path) for path in written if path != output]


def _shown(bucket: Bucket) -> Finding:
    if bucket.representative is None:
        raise Problem(f"nothing of {bucket.name} is on disk")
    return bucket.representative


def slug(bucket: Bucket, joint: str, name: str | None = None) -> str:
    """A name of lower-case words: `name` if given, else the bucket's kind and cause and four digits of a hash.

    The name leaves out the target and its version, because the test is for any target; they only enter the hash. The
    hash tells apart buckets of one kind and cause, and is the same for one bucket in every run. Raises Problem.
    """
    return joint.join(word for part in _words(bucket, name) for word in part)


def camel(bucket: Bucket, name: str | None = None) -> str:
    """The same as a name of a C++ test: `TooStrict_LoopLine10Never_01ab`."""
    parts = ("".join(word.capitalize() for word in part) for part in _words(bucket, name))
    return "_".join(filter(None, parts))


def _words(bucket: Bucket, name: str | None) -> tuple[list[str], ...]:
    """The words of a name, in parts."""
    if name is not None:
        if not _NAME.fullmatch(name):
            raise Problem(f"{name!r} is no name: small letters and digits, joined by - or _")
        return (re.split("[-_]", name),)
    cause = "+".join(bucket.own) or bucket.branch or str(_shown(bucket).record.cause)
    return words_of(bucket.kind.value, cause, bucket.name)


def words_of(kind: str, cause: str, whole: str) -> tuple[list[str], ...]:
    """The words of the name of a test in parts: of a kind and a cause, and a hash of the `whole`."""
    words = "-".join(re.findall(r"[a-z0-9]+", cause.lower()))[:_LONGEST].rstrip("-").split("-")
    return re.split("[- ]", kind), [word for word in words if word], [hashlib.sha256(whole.encode()).hexdigest()[:4]]


def _for_others(value: Any, bucket: Bucket) -> Any:
    """What is to be said, or a part of it, without folders of this machine; shaders stay letter by letter."""
    if isinstance(value, str):
        return without_folders(value, _shown(bucket).known_paths)
    if isinstance(value, list | tuple):
        return [_for_others(one, bucket) for one in value]
    if isinstance(value, dict):
        return {key: one if key in ("nearest", "drawn") else _for_others(one, bucket) for key, one in value.items()}
    return value


def _context(bucket: Bucket, name: str | None) -> dict[str, Any]:
    found = _shown(bucket)
    record = found.record
    texts = _texts(bucket, found, name)
    pair = found.kind is Kind.METAMORPHIC and len(texts) > 1
    return {
        "title": _title(bucket),
        "summary": _summary(bucket),
        "about": _about(bucket),
        "texts": texts,
        "target": found.target,
        "verdicts": [{"name": said.oracle, "words": said.words, "version": said.origin} for said in said_of(found)],
        "columns": [text.what for text in texts] if len(texts) > 1 else ["verdict"],
        "expected": _expected(found, texts),
        "speaker": found.target + (" says of the second shader" if pair else " says"),
        "message": "" if found.target in REFERENCES else record.message.strip(),
        "why": _why(bucket),
        "trace": trace_lines(found),
        "drawn": found.files.get(DRAWN, "").rstrip() if bucket.is_no_rule and found.kind is Kind.UNSOUND else "",
        "nearest": "" if pair else (found.files.get(NEAREST) or "").rstrip(),  # the other shader is nearer
        "differs": () if record.nearest is None else record.nearest.get("differs", ()),
        "reproduce": check_command(record, found.specs, [text.file for text in texts]),
        "draw_again": record.draw_again,
        "environment": _environment_lines(record),
    }


def _texts(bucket: Bucket, found: Finding, name: str | None) -> list[ExportedText]:
    related = found.related
    names = {"": found.case()} if related is None else {"one": found.case(), "other": related}
    texts = []
    for (which, one), what in zip(names.items(), labels(found), strict=True):
        verdict = one.verdict
        if verdict is Verdict.INVALID and found.record.reference != NO_REFERENCE:
            raise Problem(f"{found.folder} holds a shader that the parser does not take: export it by hand")
        number = "" if not which else "_" + which
        texts.append(
            ExportedText(
                one.text.rstrip(),
                verdict is Verdict.ACCEPTS,
                what,
                f"shader{number}.wgsl",
                f"wgsl_fuzz,{slug(bucket, '_', name)}{number}",
                f"WgslFuzz_{camel(bucket, name)}{number and '_' + which.capitalize()}",
            )
        )
    return texts


def _title(bucket: Bucket) -> str:
    if bucket.kind is Kind.REFERENCE:
        return "The paper and the specification judge a shader differently"
    if bucket.target in REFERENCES:
        return "The uniformity rules accept a shader that diverges"
    if bucket.is_no_rule:
        return f"{bucket.target} {cause(bucket)}"
    named = [bucket.branch] if bucket.branch is not None else [it.name for it in _departures(bucket)]
    told = ("" if guess(bucket) else predicates(named)) or ", ".join(_shown(bucket).forms)
    if not told and (bucket.kind not in VERDICTS_DIFFER or bucket.key.cause.right):
        told = cause(bucket)
    return f"{bucket.target} {MEANINGS[bucket.kind][0].format(shaders='a shader')}" + (f" ({told})" if told else "")


def _summary(bucket: Bucket) -> str:
    words = meaning_of(bucket).replace("{target}", bucket.target)
    if others := _shown(bucket).record.shared:
        words += f" {' and '.join(others)} {verb(len(others), 'answers', 'answer')} alike."
    notion = _shown(bucket).record.convergence
    return words if notion is None else f"{words} {notion.sentence}"


def _departures(bucket: Bucket) -> list[Variant]:
    """What the target does that the paper's rules do not, where that is the bucket's cause."""
    if bucket.kind not in VERDICTS_DIFFER or bucket.branch is not None:
        return []
    return variants_of(bucket.own or _shown(bucket).record.cause.explains)


def _about(bucket: Bucket) -> list[str]:
    """A test's comment."""
    lines = [_summary(bucket)]
    if bucket.kind not in VERDICTS_DIFFER:
        lines.append("What the test expects is what the uniformity rules say of a well-formed shader.")
    if told := guess(bucket):
        lines.append(f"{capital(told)}.")
    else:
        lines += [f"It {predicates([it.name])}. {it.about}" for it in _departures(bucket) if it.about]
    if bucket.branch is not None and not told:
        about = (DEPARTURES[name].about for name in DEPARTURES.keys() & {bucket.branch})
        lines += [f"It fits {change_in_words(bucket.branch)}.", *about]
    return [*lines, *([bucket.issue] if bucket.issue else []), "Found by wgsl-fuzz."]


def _expected(found: Finding, texts: list[ExportedText]) -> str:
    if found.record.reference == NO_REFERENCE:
        return "one verdict from all compilers; which one, the reference does not say."
    if found.kind is Kind.REFERENCE:
        return "one verdict from the paper and the specification."
    words = ["accepted" if text.accepts else "rejected for a uniformity violation" for text in texts]
    if found.target in REFERENCES:
        return f"{words[0]}, as the rules are written today; they ought not to."
    if found.kind is Kind.UNSOUND and texts[0].accepts:
        return "accepted by the rules as written, but it diverges: the rules are in question, too."
    if len(texts) > 1:
        if words[0] == words[1]:
            return f"{words[0]}, both of them."
        return f"{texts[0].what} {words[0]}, {texts[1].what} {words[1]}."
    return words[0] + "."


def _why(bucket: Bucket) -> list[str]:
    found = _shown(bucket)
    told = replace(found.account, message=()).lines(witness=False)  # the issue says the rest elsewhere
    told += () if found.kind in HAVE_FINE_KEYS else rejection_of(found.case())
    lines = [("  - " if line.startswith(" ") else "- ") + line.strip() for line in told]
    if used := found.forms:
        lines.append(f"- The shader is spelled with: {', '.join(used)}. The second text has none of it.")
    pulls = dict.fromkeys(it.issue for it in _departures(bucket) if it.issue is not None)
    lines += [f"- The rules were changed by <https://github.com/gpuweb/gpuweb/pull/{number}>." for number in pulls]
    if bucket.branch is None:
        return [*lines, "", f"The rules: {_linked(it.name for it in _departures(bucket))}"]
    looked_at = f"All {n} findings looked at fit" if (n := len(bucket.findings)) > 1 else "It fits"
    fits = guess(bucket) or f"{looked_at} {change_in_words(bucket.branch)}"
    about = (DEPARTURES[name].about for name in DEPARTURES.keys() & {bucket.branch})
    return [*lines, "", " ".join([f"{capital(fits)}.", *about]), f"The rule: {_linked([bucket.branch])}"]


def _linked(names: Iterable[str]) -> str:
    """Where the specification has the first of some branches that has a row of conformance."""
    sections = {row.name: row.section for level in Level for row in load(level).rows}
    section = next((sections[name] for name in names if name in sections), _UNIFORMITY)
    return f"[WGSL, {title_of(section)}]({SPECIFICATION}{section.rpartition(' ')[2]})."


def _environment_lines(record: FindingRecord) -> list[str]:
    lines = [f"{name}: {origin}" for name, origin in record.targets.items()]
    lines.append(f"wgsl-fuzz {record.version}, generator {record.generator}")
    place = record.place
    if place.seed is not None:
        lines.append(f"seed {place.seed}, shader {place.index}, profile {place.profile}")
    elif place.file is not None:
        lines.append(f"reduced from {place.file_elsewhere}")
    return lines


@cache
def code_templates() -> jinja2.Environment:
    """The templates of code in other languages. Their filter `template` is `in_template_literal`."""
    environment = templates(autoescape=False)
    environment.filters |= {"template": in_template_literal, "fenced": fenced, "inert": inert}
    return environment


def in_template_literal(text: str) -> str:
    """Text for inside a TypeScript template literal."""
    return text.replace("\\", "\\\\").replace("`", "\\`").replace("${", "\\${")
