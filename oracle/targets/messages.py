"""What compilers say, and which verdict it is: one table of wordings per compiler.

Only a wording seen in a real build may stand here; whatever the table does not know is INVALID with its message kept
(docs/words.md). A message in normal form has one diagnostic a line: `5:19 error: 'workgroupBarrier' must ...`.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

from wgsl_fuzz.oracle.verdict import Answer, Verdict

MESSAGE_LIMIT = 2048
"""Characters of a compiler's message that are kept."""
READ_LIMIT = 64 << 10
"""Characters of a compiler's message that are looked at."""
LINE_LIMIT = 1024
"""Characters of each line of it that are looked at: some patterns take time that grows with a line's square."""

_ANSI = re.compile(r"\x1b\[[0-9;]*m")
_ANY_ERROR = re.compile(r"\berror(?:\[[^\]\n]{0,80}\])?: |panicked at")
_TINT_LINE = re.compile(r"(?:^|(?<=:))(\d{1,9}:\d{1,9}) (error|note): ([^\n]*)", re.M)
_TINT_BARE = re.compile(r"^(error): ([^\n]*)", re.M)
_NAGA_PLACE = re.compile(r"┌─ [^\n]*?:(\d{1,9}:\d{1,9})[ \t\r]*$", re.M)
_NAGA_DETAIL = re.compile(r"^[ \t]*= ([^\n]*)", re.M)
_NAGA_HEAD = re.compile(r"^(?:error(?:\[[^\]\n]*\])?: |Could not parse WGSL:|Shader '[^\n]*' parsing error: |Shader )")
_NAGA_PREAMBLE = ("Validation Error", "Caused by:", "In wgpuDeviceCreateShaderModule")


def _normal_tint(raw: str) -> str:
    """Tint's diagnostics without file names, source excerpts and warnings."""
    found = [f"{place} {severity}: {text}" for place, severity, text in _TINT_LINE.findall(raw)]
    return "\n".join(found or [f"{severity}: {text}" for severity, text in _TINT_BARE.findall(raw)])


def _normal_naga(raw: str) -> str:
    """Naga's headline with its place, and its `=` details."""
    lines = [line for line in raw.splitlines() if line.strip() and line.strip() not in _NAGA_PREAMBLE]
    # Its internal errors are printed before the diagnostic proper, so look for the headline.
    head = next((line for line in lines if _NAGA_HEAD.match(line)), lines[0] if lines else "")
    if not _NAGA_HEAD.match(head):
        return ""
    place = _NAGA_PLACE.search(raw)
    text = re.sub(r"^error(\[[^\]\n]*\])?: ", "", head)
    first = f"{place[1]} error: {text}" if place else f"error: {text}"
    return "\n".join([first, *(f"= {detail.strip()}" for detail in _NAGA_DETAIL.findall(raw))])


@dataclass(frozen=True, slots=True)
class Dialect:
    """How one compiler words its refusals; the patterns are searched in a message in normal form, line by line."""

    normal: Callable[[str], str]
    """Brings raw output to normal form; empty when it holds no error."""
    uniformity: re.Pattern[str]
    """An error line that reports a uniformity violation."""
    crash: re.Pattern[str]
    """Raw output in which the compiler admits a fault of its own."""


TINT = Dialect(
    normal=_normal_tint,
    uniformity=re.compile(
        r"error: '\w+' (?:must only be called from (?:subgroup )?uniform control flow"
        r"|requires argument \d+ to be uniform)"
    ),
    crash=re.compile(r"internal compiler error"),
)

NAGA = Dialect(
    normal=_normal_naga,
    # Of naga's `--validate 31`: the refusal of a function whose control flow is not uniform where it has to be.
    uniformity=re.compile(r"= Required uniformity of control flow for .* is not fulfilled"),
    crash=re.compile(r"thread '[^\n]*' (?:\(\d+\) )?panicked at|internal error: entered unreachable code"),
)


def bounded(raw: str) -> str:
    """What is looked at of a compiler's output: READ_LIMIT characters, without colours, LINE_LIMIT of each line."""
    lines = _ANSI.sub("", raw[:READ_LIMIT]).split("\n")
    return "\n".join(line[:LINE_LIMIT] for line in lines)


def refusal(dialect: Dialect, raw: str) -> Answer:
    """The answer for a text that the compiler refused with the output `raw` (its own words, untreated)."""
    raw = bounded(raw)
    message = dialect.normal(raw)
    kept = (message or raw.strip() or "refused without a word")[:MESSAGE_LIMIT]
    if dialect.crash.search(raw):
        return Answer(Verdict.CRASHED, raw.strip()[:MESSAGE_LIMIT])
    errors = [line for line in message.splitlines() if "error: " in line or line.startswith("= ")]
    if errors and _all_uniformity(dialect, errors):
        return Answer(Verdict.REJECTS, kept)
    return Answer(Verdict.INVALID, kept)


def _all_uniformity(dialect: Dialect, errors: list[str]) -> bool:
    """Whether every error is a uniformity violation: one other error makes the text invalid."""
    if any(line.startswith("= ") for line in errors):
        errors = [line for line in errors if line.startswith("= ")]
    return all(dialect.uniformity.search(line) for line in errors)


def says_error(raw: str) -> bool:
    """Whether the output of a compiler that claims success holds an error all the same, in whatever dialect."""
    return _ANY_ERROR.search(bounded(raw)) is not None
