"""Groups findings with one bug by their reduced shaders: equal texts, or equal required surface forms."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from wgsl_fuzz.fuzz.findings.finding import Finding
from wgsl_fuzz.fuzz.findings.records import REDUCED, RELATED
from wgsl_fuzz.fuzz.judging.buckets import common_causes, rarest
from wgsl_fuzz.fuzz.judging.certainty import OF_SHAPE
from wgsl_fuzz.fuzz.judging.departures import are_known, is_of_family
from wgsl_fuzz.fuzz.judging.kinds import NO_ANALYSIS, REFERENCES, VERDICTS_DIFFER, BucketKey, Cause, Kind
from wgsl_fuzz.fuzz.reduction.beside import VIOLATION
from wgsl_fuzz.oracle.rules.uniformity.revisions import DEPARTURES, SECTION_15_2
from wgsl_fuzz.oracle.verdict import Verdict
from wgsl_fuzz.strategies.edit.relations import RELATIONS, Implication
from wgsl_fuzz.wgsl.lexer import pieces

Groups = Mapping[BucketKey, list[Finding]]
_HARMLESS = frozenset(pieces(VIOLATION))
_KINDS = list(Kind)
_ONE_WAY = frozenset(one.name for one in RELATIONS if one.implication is not Implication.SAME)
"""After these the right verdict may have another reason: they do not keep all that the rules record."""
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


def keys_beside(findings: Iterable[Finding]) -> dict[Path, BucketKey]:
    """The bucket of each finding of which no rule is the cause, by its folder: a word that few of the texts lack
    beside which the target is wrong, where several have it, else the text.

    Words of the plain violation do not count: by themselves they do no harm.
    """
    keys: dict[Path, BucketKey] = {}
    groups: dict[BucketKey, list[tuple[Finding, frozenset[str]]]] = defaultdict(list)
    for found in findings:
        if found.record.beside is not None:
            keys[found.folder] = found.fine
            groups[found.key].append((found, _words(found.record.beside)))
    for key, left in groups.items():
        while left:
            often = Counter(word for words in {words for _, words in left} for word in words)
            word, n = min(often.items(), key=lambda one: (-one[1], not one[0].isidentifier(), one[0]), default=("", 0))
            if n < 2:
                break
            fine = key.with_left((f"`{word}`",))
            keys |= {found.folder: fine for found, words in left if word in words}
            left = [(found, words) for found, words in left if word not in words]
    return keys


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
    word, second = record.verdicts.get(found.target), (record.related_verdicts or {}).get(found.target)
    ours = record.verdicts.get(SECTION_15_2)
    if word is not None and _OPPOSITE.get(word) == ours:
        return found.target, found.text, names
    if found.related is not None and _OPPOSITE.get(second or "") == found.related.verdict.value:
        return found.target, found.file(RELATED) or "", names
    return None


def exact_cause(found: Finding) -> tuple[str, ...]:
    """The known departures that are a finding's cause for certain: the target's own, its family's, or several at once;
    empty if there are none, and a branch is looked for. One of somebody else is a branch like others.
    """
    names = fitting_departures(found)
    is_certain = len(names) > 1 or are_known(found.target, names) or is_of_family(found.target, names)
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
    """The changes of the rules that explain a finding and fit its neighbours."""
    fit = found.record.fit
    return frozenset(found.record.branches or ()).intersection(() if fit is None else fit.names)


def misjudged_by(found: Finding) -> Mapping[str, int]:
    """How many neighbours of a finding each change of the rules misjudges."""
    return found.record.fit.misjudged if found.record.fit is not None else {}


def signature_keys(found: Finding, *others: Finding) -> list[BucketKey]:
    """By what a known-file knows a finding with a signature: with each change of the rules that explains it, and the
    others as well; of those with some `others`, the rarest.
    """
    cause = _loose_signature(found)
    if cause is None:
        return []
    common = frozenset(found.record.branches or ())
    for one in others:  # those of a bucket need not have one in common
        common = common.intersection(one.record.branches or ()) or common
    own = BucketKey(found.target, None, cause)
    causes = rarest(common)[: MARKED if others else None]
    return [replace(own, cause=replace(cause, departures=(name,))) for name in causes] or [own]


def is_named_by(found: Finding, bucket: BucketKey) -> bool:
    """Whether the name of the bucket that a finding is in says what is known of the finding itself, not of others."""
    if is_refused(found):
        return bucket == found.key.plain
    own, branches = _loose_signature(found), {*(found.record.branches or ())}
    if own is None:
        return True
    return bool(bucket.cause.right) and bucket.cause.told == own.told and branches >= {*bucket.cause.departures}


def _loose_signature(found: Finding) -> Cause | None:
    """The signature of a finding about a verdict that no change of the rules fits everywhere."""
    return None if is_refused(found) or fitting(found) else signature(found)


def is_refused(found: Finding) -> bool:
    """Whether a target refuses a text as no valid code, if only as it is spelled."""
    return found.key.plain.kind is Kind.INVALID


SLACK = 2
"""By so many neighbours of a finding more than the likeliest cause may one misjudge that takes it to another bucket."""
MARKED = 8
"""So many changes of the rules are written for a bucket at most."""


def keys_of_unexplained(findings: Iterable[Finding]) -> dict[Path, BucketKey]:
    """The bucket of each reduced finding that no rule fits everywhere, by its folder.

    Those are one bucket of which one change of the rules is the likeliest cause, as `common_causes` finds it, and whose
    signatures have something in common; and those that `_are_alike` joins.
    """
    loose: dict[str, list[Finding]] = defaultdict(list)
    for found in findings:
        fit, branches, known = found.record.fit, found.record.branches, found.record.cause.departures
        is_loose = fit is not None and not fit.names and found.is_reduced and not is_refused(found)
        if is_loose and branches and not are_known(found.target, known):
            loose[found.target].append(found)
    evidence = _with_one_signature([one for members in loose.values() for one in _by_common_change(members)])
    return {found.folder: one.key for one in evidence for found in one.findings}


def hosted(groups: Groups) -> dict[BucketKey, list[Finding]]:
    """The groups; what is left over is with those that one change of the rules explains as well (`_host`)."""
    whole = {key: list(findings) for key, findings in groups.items()}
    evidence = {key: _Evidence.of(findings) for key, findings in whole.items()}
    for key in sorted(groups, key=lambda key: (key.kind is not None, bool(key.cause.right), str(key))):
        if (host := _host(key, whole, evidence)) is not None:
            whole[host] += whole.pop(key)
            evidence[host] = _Evidence.of(whole[host])
    return whole


def _host(key: BucketKey, groups: Groups, evidence: Mapping[BucketKey, "_Evidence"]) -> BucketKey | None:
    """The largest group that takes in another one, if there is such."""
    few = evidence[key]
    known = any([are_known(found.target, found.record.cause.departures) for found in groups[key]])
    if key.kind not in (None, Kind.INVALID) or not few.common or known:
        return None
    others = [other for other in groups if other != key and (other.target, other.kind) == (key.target, None)]
    able = [other for other in others if _takes_in(other, groups[other], evidence[other], key, few)]
    return max(able, key=lambda other: (len(groups[other]), str(other)), default=None)


def _takes_in(key: BucketKey, findings: Sequence[Finding], many: "_Evidence", own: BucketKey, few: "_Evidence") -> bool:
    """Whether findings are of the bucket `key`: one change of the rules explains all of both, and they are not more.

    What a change fits goes to those with a signature that does not contradict its own; a known departure does so only
    where these are far more. Findings with a signature go to those that a change fits which explains these, too, if a
    relation of the signatures is the same, or they are few and nothing contradicts; to a known departure only if they
    have the same recorded cause. Texts that are refused in the same words, however many, go to what a change of
    behaviours explains as well. The change must be likely (`is_likely`) for the findings that go.
    """
    refused = own.kind is not None
    if (known := key.cause.explains) and known in map(fitting_departures, findings):
        causes = {found.record.cause.departures for found in few.findings}
        if refused or causes != {known}:
            return refused and all(fitting(f) >= {*known} for f in few.findings)
    is_known = not own.cause.right and any(map(fitting_departures, few.findings))
    if not refused and len(many.findings) < (REST if is_known else 1) * len(few.findings):
        return False
    if key.cause.right:
        names = many.common | {*key.cause.departures}
        fits = [many.fits(found) for found in few.findings]
        alike = sum(fits) > len(fits) / 2 if refused else not own.cause.right and all(fits)
    else:
        rest = len(many.findings) >= REST * len(few.findings)
        names = many.fitting | (many.common if rest else frozenset())
        shared = bool(few.right & many.right - OF_SHAPE)
        likely = rest and all(many.fits(found) and many.meets(found) for found in few.findings)
        alike = refused or (bool(own.cause.right) and (shared or likely))
    return alike and any(map(few.is_likely, few.common & names))


@dataclass
class _Evidence:
    """What the findings of one group show together; of those that no rule fits everywhere, with the change of the rules
    that would explain them.
    """

    branch: str = ""
    findings: list[Finding] = field(default_factory=list)
    signatures: Counter[Cause] = field(default_factory=Counter)
    right: set[str] = field(default_factory=set)
    """The relations after which the target was right about some of them; of signatures alone."""
    all_right: set[str] = field(default_factory=set)
    """The same, without regard to signatures."""
    wrong: set[str] = field(default_factory=set)
    """Those after which it was wrong about some of them."""

    @classmethod
    def of(cls, findings: Iterable[Finding]) -> "_Evidence":
        """The reduced ones of a group for which changes of the rules were looked for."""
        group = cls()
        for found in findings:
            if found.is_reduced and found.record.branches is not None:
                group.add(found)
        return group

    def add(self, found: Finding) -> None:
        """Takes in one more."""
        self.findings.append(found)
        if (own := signature(found)) is not None:
            self.signatures[own] += 1
            self.right.update(own.right)
        self.all_right.update(found.record.fit.right if found.record.fit else ())
        self.wrong.update(found.record.fit.wrong if found.record.fit else ())

    @property
    def target(self) -> str:
        """The target that they are about."""
        return self.findings[0].target

    @property
    def common(self) -> frozenset[str]:
        """The changes of the rules that explain all of them; of more than one answer none may do so."""
        branches = [frozenset(found.record.branches or ()) for found in self.findings]
        return frozenset.intersection(*branches) if branches else frozenset()

    @property
    def core(self) -> frozenset[str]:
        """The relations that replace a construct and are in all signatures."""
        signatures = [frozenset(own.right) for own in self.signatures]
        return frozenset.intersection(*signatures) - OF_SHAPE if signatures else frozenset()

    @property
    def fitting(self) -> frozenset[str]:
        """The changes of the rules that fit all those everywhere that any fits."""
        names = [*filter(None, map(fitting, self.findings))]
        return frozenset.intersection(*names) if names else frozenset()

    @property
    def key(self) -> BucketKey:
        """The bucket: with the commonest signature, if there is one, else as of any branch."""
        often = self.signatures
        cause = min(often, key=lambda own: (-often[own], str(own)), default=Cause())
        return BucketKey(self.target, None, replace(cause, departures=(self.branch,)))

    def is_likely(self, name: str) -> bool:
        """Whether a change of the rules misjudges few neighbours more than what misjudges fewest."""
        more = 0
        for found in self.findings:
            misjudged = misjudged_by(found)
            more += misjudged.get(name, 0) - min([misjudged.get(one, 0) for one in found.record.branches or [name]])
        return more <= SLACK * len(self.findings)

    def meets(self, found: Finding) -> bool:
        """Whether a finding is about the same answer as one of these, or their signatures have a relation in common."""
        own = signature(found)
        told = {found.record.found.answer.verdict for found in self.findings}
        alike = own is not None and bool(self.right.intersection(own.right) - OF_SHAPE)
        return alike or found.record.found.answer.verdict in told

    def fits(self, found: Finding) -> bool:
        """Whether the signature of a finding does not contradict those of these; they have something in common."""
        right = set[str]() if (own := signature(found)) is None else {*own.right}
        fit = found.record.fit
        contradictions = right & self.wrong | self.right & {*(fit.wrong if fit else ())}
        shared = not right or not self.right or not self.all_right.isdisjoint(fit.right if fit else ())
        return shared and not contradictions - OF_SHAPE - _ONE_WAY


def _by_common_change(findings: Sequence[Finding]) -> list[_Evidence]:
    """Few changes of the rules that would explain findings of one target; each has a branch. Those of the other answer
    have a relation in common that replaces a construct.
    """
    signed = [(signature(found), found) for found in findings]
    often = Counter(own for own, _ in signed)
    signed.sort(key=lambda one: (one[0] is None, -often[one[0]], str(one[0]), one[1].text))
    branches = [frozenset(found.record.branches or ()) for _, found in signed]
    causes = common_causes(branches, misjudged=[misjudged_by(found) for _, found in signed])
    evidence: list[_Evidence] = []
    for (_, found), branch in zip(signed, causes, strict=True):
        assert branch is not None, "one of its branches"
        home = next((one for one in evidence if one.branch == branch and one.fits(found) and one.meets(found)), None)
        if home is None:
            evidence.append(home := _Evidence(branch))
        home.add(found)
    return evidence


def _with_one_signature(evidence: Iterable[_Evidence]) -> list[_Evidence]:
    """Those with signatures that are alike are one, whatever the answer: of a fault that acts in one context only, no
    change of the rules explains all that it shows.
    """
    kept: list[_Evidence] = []
    for one in sorted(evidence, key=lambda one: (-len(one.findings), str(one.key))):
        home = next((other for other in kept if other.target == one.target and _are_alike(one, other)), None)
        if home is None:
            kept.append(one)
        else:
            for found in one.findings:
                home.add(found)
    return kept


def _are_alike(few: _Evidence, many: _Evidence) -> bool:
    """Whether one change of the rules is the likeliest cause of two, and their signatures have a relation in common, or
    none and nothing contradicts; or one explains all of both, and their signatures have the same in common.
    """
    own, other = few.core, many.core
    if few.branch == many.branch and not (few.right | many.right) - OF_SHAPE:
        return all([*map(many.fits, few.findings), *map(few.fits, many.findings)])
    is_common = few.branch == many.branch or (own == other and not few.common.isdisjoint(many.common))
    return is_common and bool(own & other)


REST = 4
"""So many times more findings of one signature make it likely that what their cause does not explain is the same fault.
"""


def keys_of_refused(findings: Iterable[Finding]) -> dict[Path, BucketKey]:
    """The bucket of each finding whose text is refused as drawn alone, by its folder: that of texts that are refused
    in the same words however they are printed, if there are such.
    """
    keys = {f.key for f in findings}
    return {f.folder: f.key.plain for f in findings if f.key != f.key.plain and f.key.plain in keys}


def _words(text: str) -> frozenset[str]:
    """The words and signs of a text, without those that do no harm by themselves, and names of one letter."""
    return frozenset(word for word in pieces(text) if len(word) > 1 or not word.isalnum()) - _HARMLESS
