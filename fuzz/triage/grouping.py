"""Groups findings with one bug by their reduced shaders: equal texts, or equal required surface forms."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from wgsl_fuzz.fuzz.findings.finding import Finding
from wgsl_fuzz.fuzz.findings.records import REDUCED, RELATED
from wgsl_fuzz.fuzz.judging.kinds import NO_ANALYSIS, REFERENCES, VERDICTS_DIFFER, BucketKey, Key, Kind
from wgsl_fuzz.oracle.rules.uniformity.revisions import SECTION_15_2
from wgsl_fuzz.oracle.verdict import Verdict

Groups = Mapping[Key, list[Finding]]
_KINDS = list(Kind)
_OPPOSITE = {Verdict.ACCEPTS.value: Verdict.REJECTS.value, Verdict.REJECTS.value: Verdict.ACCEPTS.value}


def spelled_keys(findings: Iterable[Finding]) -> dict[Path, BucketKey]:
    """The bucket of each finding whose verdict only the spelling changes, by its folder: of whatever kind it is.

    It is the cause with the forms that the reduced text needs. A text that is not reduced has forms that do not matter:
    it joins the bucket with the most findings whose forms it has.
    """
    spelled = [found for found in findings if _by_spelling_alone(found)]
    needed = Counter((f.target, f.record.cause, f.forms) for f in spelled if f.record.describes == REDUCED)
    keys = {}
    for found in spelled:
        target, cause, forms = found.target, found.record.cause, found.forms
        if found.record.describes != REDUCED:
            able = [(n, of) for (t, c, of), n in needed.items() if (t, c) == (target, cause) and set(of) <= set(forms)]
            forms = min(able, key=lambda few: (-few[0], few[1]))[1] if able else ()
        keys[found.folder] = BucketKey(target, None, replace(cause, forms=forms))
    return keys


def _by_spelling_alone(found: Finding) -> bool:
    return found.kind in (Kind.UNSOUND, Kind.UNSTABLE) and found.record.cause.compares_spellings


def joined(groups: Groups) -> dict[Key, list[Finding]]:
    """The groups, those put together that have a reduced text in common, under the key of the most severe of them."""

    def weight(key: Key) -> tuple[int, int, str]:
        return min(_KINDS.index(found.kind) for found in groups[key]), -len(groups[key]), str(key)

    home: dict[tuple[str, str], Key] = {}
    whole: dict[Key, list[Finding]] = {}
    for key in sorted(groups, key=weight):
        texts = {text for found in groups[key] if (text := _wrongly_judged(found)) is not None}
        first, *others = dict.fromkeys([home[text] for text in sorted(texts & home.keys())]) or [key]
        whole.setdefault(first, []).extend(groups[key])
        for other in others:  # the key's texts are of several groups: all are one
            whole[first] += whole.pop(other)
        home = {text: first if at in others else at for text, at in home.items()} | dict.fromkeys(texts, first)
    return whole


def _wrongly_judged(found: Finding) -> tuple[str, str] | None:
    """A finding's target and the reduced text that it is wrong about; None if it is not known, or not of a verdict."""
    record = found.record
    if record.describes != REDUCED or record.cause == NO_ANALYSIS:
        return None
    if found.kind in VERDICTS_DIFFER or _by_spelling_alone(found):
        return found.target, found.text
    if found.kind is not Kind.METAMORPHIC or found.target in REFERENCES:
        return None
    word, second = record.verdicts.get(found.target), (record.related_verdicts or {}).get(found.target)
    ours = record.verdicts.get(SECTION_15_2)
    if word is not None and _OPPOSITE.get(word) == ours:
        return found.target, found.text
    if found.related is not None and _OPPOSITE.get(second or "") == found.related.verdict.value:
        return found.target, found.file(RELATED) or ""
    return None
