"""Who says what of a stored finding; of one with two texts, of each of them."""

from dataclasses import dataclass

from wgsl_fuzz.fuzz.findings.finding import Finding
from wgsl_fuzz.fuzz.judging.answers import SEMANTICS, Examination
from wgsl_fuzz.fuzz.judging.judge import Kind
from wgsl_fuzz.oracle.rules.analyses import REFERENCE
from wgsl_fuzz.oracle.rules.uniformity.revisions import WHOLE

OPEN = "not recorded"
"""Instead of a verdict: only a finding's own target is known to have seen both texts."""


@dataclass(frozen=True, slots=True)
class OracleVerdicts:
    """An oracle and its word on each text of a finding, in the order of `labels`."""

    oracle: str
    words: tuple[str, ...]
    origin: str
    """Its version, or what it is."""


def labels(found: Finding) -> tuple[str, ...]:
    """What to call the texts of a finding: nothing if there is one, else a name for each."""
    if found.related is None:
        return ("",)
    if found.kind is Kind.METAMORPHIC:
        return "the first shader", "the second shader"
    return "this spelling", "the plain spelling"


def said_of(found: Finding) -> list[OracleVerdicts]:
    """What every oracle says of the finding's text, or of both its texts; in the record's order."""
    first, second = _by_text(found)
    ran = "" if found.record.threads is None else f"{found.record.threads} threads"
    ours = {REFERENCE: "the paper's rules", WHOLE: "the rules of WGSL, section 15.2", SEMANTICS: ran}
    origins = ours | found.record.targets
    rows = []
    for name in dict.fromkeys([*first, *(second or {})]):
        words = (first.get(name, OPEN),) + (() if second is None else (second.get(name, OPEN),))
        rows.append(OracleVerdicts(name, words, origins.get(name, "")))
    return rows


def _by_text(found: Finding) -> tuple[dict[str, str], dict[str, str] | None]:
    """The words on the text shown, and those on the related one if there is one."""
    first, related = dict(found.record.verdicts), found.related
    if related is None:
        return first, None
    second = dict(found.record.related_verdicts or {})
    alike = None if found.kind is Kind.METAMORPHIC else first.get(SEMANTICS)
    second |= _ours(related, SEMANTICS in first, alike)
    if found.target in (REFERENCE, WHOLE):
        first |= _ours(found.examined(), semantics=False)
    return first, second


def _ours(one: Examination, semantics: bool, same: str | None = None) -> dict[str, str]:
    """The words of our own oracles; of one shader spelled in two ways the executions are the `same`."""
    if one.case is None:
        return {}
    return {WHOLE: one.verdict.value} | ({SEMANTICS: same or one.semantics[0]} if semantics else {})
