"""A bucket written for where it is to be filed: an issue, a test of the WebGPU CTS, a unit test of Tint, a corpus case.

What a test expects is the reference's verdict, never the target's. A finding against the reference itself says so:
there the rules are in question, and the test pins down what they say today.
"""

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import jinja2

from fuzz.answers import examine
from fuzz.judge import REFERENCE, VERDICTS_DIFFER, Kind
from fuzz.problems import Problem
from fuzz.stored import StoredFinding
from fuzz.triage import Bucket
from fuzz.triage_text import explanation, trace_lines
from oracle.mutants import MUTANTS
from oracle.verdict import Verdict

FORMS = ("markdown", "cts", "tint", "corpus")
_TEMPLATES = {"markdown": "issue.md", "cts": "cts_case.ts", "tint": "tint_test.cc"}

SPECIFICATION = "https://www.w3.org/TR/WGSL/"
_SECTIONS = {
    "B": ("behaviors-rules", "Statements Behavior Analysis; the paper's Fig. 8"),
    "expr": ("uniformity-expressions", "Uniformity Rules for Expressions; the paper's Fig. 9"),
    "call": ("uniformity-function-calls", "Uniformity Rules for Calls; the paper's section 4.2"),
    "func": ("uniformity-function-calls", "Uniformity Rules for Functions; the paper's section 4.2"),
    "shader": ("uniformity", "Uniformity; the paper's section 4.2"),
}
_CHANGES = {"10a": 5277, "10b": 5100, "10c": 5364, "10d": 5364}
"""The gpuweb issue of each change of the paper's section 5."""
_STATEMENTS = ("uniformity-statements", "Uniformity Rules for Statements; the paper's section 4.2")

_SUMMARIES = {
    Kind.UNSOUND: "{target} accepts this shader, but its threads can end up at different barriers.",
    Kind.TOO_LENIENT: "{target} accepts this shader, which the uniformity rules reject. No run was seen to diverge.",
    Kind.TOO_STRICT: "{target} rejects this shader for non-uniform control flow, but the uniformity rules accept it.",
    Kind.INVALID: "{target} refuses this well-formed shader for a reason that has nothing to do with uniformity.",
    Kind.CRASH: "{target} crashes on this shader.",
    Kind.HANG: "{target} gives no answer in time on this shader.",
    Kind.UNSTABLE: "{target} gives two verdicts on what is one shader.",
    Kind.METAMORPHIC: "{target} gives these two shaders verdicts that do not fit together ({cause}).",
}
_COUNTEREXAMPLE = (
    "The uniformity rules accept this shader, but its threads can end up at different barriers: the finding is against "
    "the rules themselves (a counterexample to the paper's Theorem 4.1), not against a compiler."
)


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


def export(bucket: Bucket, form: str) -> str:
    """The bucket's representative as a text of a form: `markdown`, `cts` or `tint`. Raises Problem."""
    return _environment().get_template(_TEMPLATES[form]).render(**_context(bucket)).rstrip() + "\n"


def export_corpus(bucket: Bucket, folder: Path) -> Path:
    """The bucket's representative as a new case of a corpus folder; the case's own folder. Raises Problem."""
    from fuzz.corpus import export_case

    return export_case(_shown(bucket), folder, name=slug(bucket, "-"), why=_summary(bucket), issue=bucket.issue)


def _shown(bucket: Bucket) -> StoredFinding:
    if bucket.representative is None:
        raise Problem(f"nothing of {bucket.name} is on disk")
    return bucket.representative


# ----------------------------------------------------------------------------------------------------- names of tests


def slug(bucket: Bucket, joint: str) -> str:
    """A name of lower-case words from the bucket's kind and cause; without the target's name and version."""
    cause = bucket.branch or str(_shown(bucket).record.get("cause", ""))
    words = re.findall(r"[a-z0-9]+", f"{bucket.kind.value} {cause}".lower())
    return joint.join(words)[:80].rstrip(joint)


def camel(bucket: Bucket) -> str:
    """The same as a name of a C++ test: `TooStrict_LoopLine6AlwaysFresh`."""
    words = slug(bucket, "_").split("_")
    kind = bucket.kind.value.count("-") + 1
    parts = ("".join(w.capitalize() for w in part) for part in (words[:kind], words[kind:]))
    return "_".join(filter(None, parts))


# --------------------------------------------------------------------------------------------------- what is to be said


def _context(bucket: Bucket) -> dict[str, Any]:
    found = _shown(bucket)
    record = found.record
    texts = _texts(bucket, found)
    return {
        "title": _title(bucket),
        "summary": _summary(bucket),
        "about": _about(bucket),
        "texts": texts,
        "target": found.target,
        "verdicts": _verdicts(record),
        "expected": _expected(found, texts),
        "message": "" if found.target == REFERENCE else str(record.get("message", "")).strip(),
        "why": _why(bucket),
        "trace": trace_lines(found),
        "nearest": (found.file("nearest.wgsl") or "").rstrip(),
        "differs": (record.get("nearest") or {}).get("differs") or [],
        "reproduce": _reproduce(found, texts),
        "draw_again": "" if " --run " in (again := str(record.get("draw again", ""))) else again,
        "environment": _environment_lines(record),
    }


def _texts(bucket: Bucket, found: StoredFinding) -> list[ExportedText]:
    related = found.file("related.wgsl")
    names = {"": found.text} if related is None else {"one": found.text, "other": related}
    texts = []
    for which, text in names.items():
        verdict = examine(text).verdict
        if verdict is Verdict.INVALID:
            raise Problem(f"{found.folder} holds a shader that the parser does not take: export it by hand")
        number = "" if not which else "_" + which
        texts.append(
            ExportedText(
                text.rstrip(),
                verdict is Verdict.ACCEPTS,
                {"": "", "one": "the first shader", "other": "the second shader"}[which],
                f"shader{number}.wgsl",
                f"wgsl_fuzz,{slug(bucket, '_')}{number}",
                f"WgslFuzz_{camel(bucket)}{number and '_' + which.capitalize()}",
            )
        )
    return texts


def _title(bucket: Bucket) -> str:
    verbs = {
        Kind.UNSOUND: "accepts a shader that diverges",
        Kind.TOO_LENIENT: "accepts a shader that the uniformity rules reject",
        Kind.TOO_STRICT: "rejects a shader that the uniformity rules accept",
        Kind.INVALID: "refuses a well-formed shader",
        Kind.CRASH: "crashes",
        Kind.HANG: "does not come to an end",
        Kind.UNSTABLE: "gives one shader two verdicts",
        Kind.METAMORPHIC: "gives two shaders verdicts that do not fit",
    }
    if bucket.target == REFERENCE:
        return "The uniformity rules accept a shader that diverges"
    return f"{bucket.target} {verbs[bucket.kind]}" + (f" ({bucket.branch})" if bucket.branch else "")


def _summary(bucket: Bucket) -> str:
    if bucket.target == REFERENCE and bucket.kind is Kind.UNSOUND:
        return _COUNTEREXAMPLE
    cause = str(_shown(bucket).record.get("cause", ""))
    return _SUMMARIES[bucket.kind].format(target=bucket.target, cause=cause)


def _about(bucket: Bucket) -> list[str]:
    """A test's comment."""
    lines = [_summary(bucket)]
    if bucket.kind not in VERDICTS_DIFFER:
        lines.append("What the test expects is what the uniformity rules say of a well-formed shader.")
    if bucket.branch is not None:
        lines.append(f"The rule that decides it: {_rule(bucket.branch)}.")
    return [*lines, *([bucket.issue] if bucket.issue else []), "Found by wgsl-fuzz."]


def _rule(branch: str) -> str:
    said = {m.name: m.branch for m in MUTANTS}.get(branch, "")
    rule, line, _ = branch.split("/")
    return f"{rule}, {line.replace('-', ' ')}" + (f": {said}" if said else "")


def _expected(found: StoredFinding, texts: list[ExportedText]) -> str:
    words = ["accepted" if text.accepts else "rejected for a uniformity violation" for text in texts]
    if found.target == REFERENCE:
        return f"{words[0]}, as the rules are written today; they ought not to."
    if found.kind is Kind.UNSOUND and texts[0].accepts:
        return "accepted by the rules as written, but it diverges: the rules are in question, too."
    if len(texts) > 1:
        return f"the first shader {words[0]}, the second {words[1]}."
    return words[0] + "."


def _why(bucket: Bucket) -> list[str]:
    told = explanation(_shown(bucket), without_divergence=True)
    lines = [("  - " if line.startswith(" ") else "- ") + line.strip() for line in told]
    changes = [figure for figure in str(_shown(bucket).record.get("cause", "")).split("+") if figure in _CHANGES]
    lines += [f"- Fig. {n} is <https://github.com/gpuweb/gpuweb/issues/{_CHANGES[n]}>." for n in changes]
    if bucket.branch is None:
        return [*lines, "", f"The rules: [WGSL, Uniformity]({SPECIFICATION}#uniformity); the paper's section 4.2."]
    anchor, section = _SECTIONS.get(bucket.branch.split("/")[0], _STATEMENTS)
    section, _, paper = section.partition("; ")
    looked_at = f"All {n} findings looked at fit" if (n := len(bucket.findings)) > 1 else "It fits"
    return [
        *lines,
        "",
        f"{looked_at} a single cause: {_rule(bucket.branch)}, as in `{bucket.branch}`.",
        f"The rule: [WGSL, {section}]({SPECIFICATION}#{anchor}); {paper}.",
    ]


def _verdicts(record: dict[str, Any]) -> list[dict[str, str]]:
    own = {REFERENCE: "reference: the rules of the PLDI 2026 paper", "semantics": f"{record.get('threads')} threads"}
    origins = record.get("targets") or {}
    rows = (record.get("verdicts") or {}).items()
    return [{"name": n, "word": str(word), "version": str(origins.get(n, own.get(n, "")))} for n, word in rows]


def _reproduce(found: StoredFinding, texts: list[ExportedText]) -> str:
    oracles = [REFERENCE, "semantics", *([found.target] if found.target != REFERENCE else [])]
    return "wgsl-fuzz check " + " ".join([*(t.file for t in texts), *(f"--oracle {name}" for name in oracles)])


def _environment_lines(record: dict[str, Any]) -> list[str]:
    lines = [f"{name}: {origin}" for name, origin in (record.get("targets") or {}).items()]
    lines.append(f"wgsl-fuzz {record.get('version')}, generator {record.get('generator')}")
    if "seed" in record:
        lines.append(f"seed {record['seed']}, shader {record.get('index')}, profile {record.get('profile')}")
    return lines


@cache
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(  # not HTML: nothing is to be escaped as such
        loader=jinja2.PackageLoader("fuzz", "templates"),
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.filters["template"] = _in_template_literal
    return environment


def _in_template_literal(text: str) -> str:
    """Text for inside a TypeScript template literal."""
    return text.replace("\\", "\\\\").replace("`", "\\`").replace("${", "\\${")
