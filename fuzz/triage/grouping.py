"""Groups findings with one bug by their reduced shaders: equal texts, or equal required surface forms."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from wgsl_fuzz.fuzz.findings.finding import Finding
from wgsl_fuzz.fuzz.findings.records import REDUCED
from wgsl_fuzz.fuzz.judging.buckets import common_causes
from wgsl_fuzz.fuzz.judging.certainty import OF_SHAPE, SMALL
from wgsl_fuzz.fuzz.judging.departures import are_known, is_of_family
from wgsl_fuzz.fuzz.judging.kinds import NO_ANALYSIS, REFERENCES, VERDICTS_DIFFER, BucketKey, Cause, Kind
from wgsl_fuzz.fuzz.reduction.beside import PROBES, sets_of
from wgsl_fuzz.oracle.rules.uniformity.places import context_of
from wgsl_fuzz.oracle.rules.uniformity.revisions import DEPARTURES

Groups = Mapping[BucketKey, list[Finding]]
_KINDS = list(Kind)


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


def keys_beside(findings: Iterable[Finding]) -> dict[Path, BucketKey]:
    """The bucket of each finding of which no rule is the cause, by its folder: a word with which the target was never
    right, else a pair, where several of the texts beside which it is wrong have it, else the text.
    """
    keys: dict[Path, BucketKey] = {}
    groups: dict[BucketKey, list[Finding]] = defaultdict(list)
    for found in findings:
        if found.record.beside is not None:
            keys[found.folder] = found.fine
            groups[found.key].append(found)
    for key, members in groups.items():
        left = [(found, _at_fault(found)) for found in members]
        harmless = frozenset[str]().union(*(sets_of(found.record.beside or "") - some for found, some in left))
        left = [(found, some - harmless) for found, some in left]
        while left:
            often = Counter(
                one for some in {found.record.beside: some for found, some in left}.values() for one in some
            )
            one = min(((one, n) for one, n in often.items() if n > 1), key=_place, default=("", 0))[0]
            if not one:
                break
            fine = key.with_left(tuple(f"`{word}`" for word in one.split()))
            keys |= {found.folder: fine for found, some in left if one in some}
            left = [(found, some) for found, some in left if one not in some]
    return keys


def _at_fault(found: Finding) -> frozenset[str]:
    """The words of the text beside which a finding's target is wrong, and the pairs, with which it was never right."""
    never = {*found.record.words}
    return frozenset(one for one in sets_of(found.record.beside or "") if never.intersection([one, *one.split()]))


def _by_spelling_alone(found: Finding) -> bool:
    return found.kind in (Kind.UNSOUND, Kind.UNSTABLE) and found.record.cause.compares_spellings


def joined(groups: Groups) -> dict[BucketKey, list[Finding]]:
    """The groups; those that share a reduced text and known departures are one, under the key of the most severe."""

    def weight(key: BucketKey) -> tuple[int, int, str]:
        return min(_KINDS.index(found.kind) for found in groups[key]), -len(groups[key]), str(key)

    home: dict[_Wrong, BucketKey] = {}
    whole: dict[BucketKey, list[Finding]] = {}
    for key in sorted(groups, key=weight):
        texts = {text for found in groups[key] if (text := _wrongly_judged(found)) is not None}
        first, *others = dict.fromkeys([home[text] for text in sorted(texts & home.keys())]) or [key]
        whole.setdefault(first, []).extend(groups[key])
        for other in others:  # the key's texts are of several groups: all are one
            whole[first] += whole.pop(other)
        home = {text: first if at in others else at for text, at in home.items()} | dict.fromkeys(texts, first)
    return whole


_Wrong = tuple[str, str, tuple[str, ...]]
"""A target, a reduced text that it is wrong about, and the known departures that are the cause, if there are some."""


def _wrongly_judged(found: Finding) -> _Wrong | None:
    """What a finding shows; None if it is not known, or not of a verdict."""
    record, names = found.record, fitting_departures(found)
    if record.describes != REDUCED or record.cause == NO_ANALYSIS:
        return None
    if found.kind in VERDICTS_DIFFER or _by_spelling_alone(found):
        return found.target, found.text, names
    if found.kind is not Kind.METAMORPHIC or found.target in REFERENCES:
        return None
    wrong = (name for name, said in found.judged() if said is not found.case(name).verdict)
    return next(((found.target, found.files[name], names) for name in wrong), None)


def exact_cause(found: Finding) -> tuple[str, ...]:
    """The known departures that are a finding's cause for certain: the target's own, its family's, or several at once
    where no single change fits; empty if there are none, and a branch is looked for. One of somebody else is a branch
    like others.
    """
    names = fitting_departures(found)
    is_one = are_known(found.target, names) or is_of_family(found.target, names)
    is_certain = is_one or (len(names) > 1 and not fitting(found))
    return names if is_certain else ()


def fitting_departures(found: Finding) -> tuple[str, ...]:
    """The known departures that are a finding's cause: the target's or its family's own, or others that also fit its
    neighbours; empty if there are none.
    """
    cause, fit = found.record.cause, found.record.fit
    names = cause.departures
    if are_known(found.target, names):
        return names
    fits = str(cause) in fit.names if fit is not None else len(names) == 1 and is_of_family(found.target, names)
    return names if fits and DEPARTURES.keys() >= {*names} else ()


def signature(found: Finding) -> Cause | None:
    """What tells a reduced finding from others; None if nothing of that is known.

    It is the target's answer, and the relations after which that is right: those that replace a construct, if any.
    """
    fit = found.record.fit
    if not found.is_reduced or fit is None or not fit.right:
        return None
    right = tuple(name for name in fit.right if name not in OF_SHAPE) or fit.right
    return Cause(told=found.record.found.answer.verdict.value, right=right)


def fitting(found: Finding) -> frozenset[str]:
    """The changes of the rules, everywhere or in a context, that explain a finding and fit its neighbours."""
    fit, branches = found.record.fit, frozenset(found.record.branches or ())
    return frozenset(name for name in (fit.names if fit is not None else ()) if context_of(name) or name in branches)


def signature_keys(found: Finding) -> list[BucketKey]:
    """By what a known-file knows a finding with a signature: with each change of the rules that explains it."""
    cause = _loose_signature(found)
    names = sorted(found.record.branches or [""]) if cause is not None else ()
    return [BucketKey(found.target, None, replace(cause or Cause(), departures=(name,) * bool(name))) for name in names]


def is_named_by(found: Finding, bucket: BucketKey) -> bool:
    """Whether the name of the bucket that a finding is in says what is known of the finding itself, not of others."""
    if is_refused(found):
        return bucket == found.key.plain
    own, branches = _loose_signature(found), {*(found.record.branches or ())}
    if own is None or (is_untried(found) and not bucket.cause.right):
        return True
    return bool(bucket.cause.right) and bucket.cause.told == own.told and branches >= {*bucket.cause.departures}


def _loose_signature(found: Finding) -> Cause | None:
    """The signature of a finding about a verdict that no change of the rules fits everywhere."""
    return None if is_refused(found) or fitting(found) else signature(found)


def is_untried(found: Finding) -> bool:
    """Whether nothing fits a reduced finding, but changes in contexts were not tried: it has too many statements."""
    fit, size = found.record.fit, found.record.statements.shown or 0
    return found.is_reduced and fit is not None and not fit.names and size > SMALL


def is_refused(found: Finding) -> bool:
    """Whether a target refuses a text as no valid code, if only as it is spelled."""
    return found.key.plain.kind is Kind.INVALID


def keys_of_unexplained(findings: Iterable[Finding]) -> dict[Path, BucketKey]:
    """The bucket of each reduced finding that no change of the rules fits, by its folder: those with one signature are
    one, if one change would explain all of them on their own texts.
    """
    alike: dict[tuple[str, Cause], list[Finding]] = defaultdict(list)
    for found in findings:
        fit, branches, known = found.record.fit, found.record.branches, found.record.cause.departures
        is_loose = fit is not None and not fit.names and found.is_reduced and not is_refused(found)
        if is_loose and branches and not are_known(found.target, known):
            alike[found.target, signature(found) or Cause()].append(found)
    keys = {}
    for (target, own), members in alike.items():
        causes = common_causes([found.record.branches or () for found in members])
        for found, cause in zip(members, causes, strict=True):
            keys[found.folder] = BucketKey(target, None, replace(own, departures=(cause or "",)))
    return keys


def hosted(groups: Groups) -> dict[BucketKey, list[Finding]]:
    """The groups; refused texts are with the findings of a change that fits most of them, or with others it refuses."""
    whole = {key: list(findings) for key, findings in groups.items()}
    refused = [key for key in groups if key.kind is Kind.INVALID]
    for key in sorted(refused, key=lambda key: (len(groups[key]), str(key))):
        fits, able = _fitting_most(whole[key]), dict[BucketKey, int]()
        for other, findings in whole.items() if fits else ():
            names = [*other.cause.explains] if other.kind is None and len(other.cause.explains) == 1 else []
            if other.kind is Kind.INVALID and other != key:
                names = [*_fitting_most(findings)]
            if other.target == key.target and (most := max((fits[name] for name in names), default=0)):
                able[other] = most
        if able:
            host = max(able, key=lambda other: (other.kind is None, able[other], len(whole[other]), str(other)))
            whole[host] += whole.pop(key)
    return whole


def _fitting_most(findings: Iterable[Finding]) -> Counter[str]:
    """The changes that fit most of those that are reduced, and how many each fits."""
    reduced = [found for found in findings if found.is_reduced and found.record.branches is not None]
    often = Counter(name for found in reduced for name in fitting(found))
    return Counter({name: n for name, n in often.items() if 2 * n > len(reduced)})


def keys_of_refused(findings: Iterable[Finding]) -> dict[Path, BucketKey]:
    """The bucket of each finding whose text is refused as drawn alone, by its folder: that of texts that are refused
    in the same words however they are printed, if there are such.
    """
    keys = {f.key for f in findings}
    return {f.folder: f.key.plain for f in findings if f.key != f.key.plain and f.key.plain in keys}


def _place(often: tuple[str, int]) -> tuple[int, int, int, int, int, str]:
    """The order: what more texts have; words, then pairs; what has a probe, then names; a sign before its parts."""
    one, n = often
    words, signs = one.split(), [word for word in one.split() if not word.isidentifier()]
    return -n, len(words), sum(word not in PROBES for word in words), len(signs), -len("".join(signs)), one
