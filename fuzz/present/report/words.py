"""The report's words, and a run's buckets as it shows them."""

import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from wgsl_fuzz.fuzz.findings.loading import StoredRun
from wgsl_fuzz.fuzz.findings.records import RunRecord
from wgsl_fuzz.fuzz.judging.answers import is_device
from wgsl_fuzz.fuzz.judging.departures import variants_of
from wgsl_fuzz.fuzz.judging.kinds import COUNTEREXAMPLE, NO_ANALYSIS, REFERENCES, UNEXPLAINED, BucketKey, Cause, Kind
from wgsl_fuzz.fuzz.present.triage_text import causes, guess, regressed
from wgsl_fuzz.fuzz.present.wording import count
from wgsl_fuzz.fuzz.triage.replayed import in_words
from wgsl_fuzz.fuzz.triage.since import RunComparison, regressions, triage_since
from wgsl_fuzz.fuzz.triage.triage import Bucket, Triage
from wgsl_fuzz.fuzz.triage.verdicts import bound_by, who_is_right
from wgsl_fuzz.oracle.rules.analyses import SECTION_4_2
from wgsl_fuzz.oracle.rules.in_words import change_in_words, variant_named
from wgsl_fuzz.oracle.rules.uniformity.revisions import DEPARTURES, SECTION_15_2
from wgsl_fuzz.oracle.targets.protocol import titled
from wgsl_fuzz.oracle.verdict import Verdict


@dataclass(frozen=True, slots=True)
class ShownBucket:
    """A bucket as the page shows it, and what is known of it beside its findings. The texts may be empty."""

    bucket: Bucket
    number: int
    """As in triage."""
    what: str
    """What it is, in a few words: no two of one target and kind have the same."""
    dropped: str
    """Why a person dropped it."""
    seen: str
    """The earlier run that had it, too."""
    replayed: str
    """What targets said when they were asked again."""
    regressed: str = ""
    """In a history: the first run that met it, if earlier builds did not show it."""

    @property
    def cause(self) -> Cause:
        """The cause of the finding to show, the first."""
        if self.bucket.is_missing_analysis:
            return NO_ANALYSIS
        return self.bucket.findings[0].record.cause if self.bucket.findings else self.bucket.key.cause

    @property
    def settled(self) -> bool:
        """Whether a person decided about it, or it is no news."""
        return bool(self.bucket.issue or self.dropped or self.seen)


def groups_of(run: StoredRun, earlier: StoredRun | None = None) -> tuple[list[ShownBucket], RunComparison | None]:
    """The buckets in the order of triage, with its numbers, which are kept from now on; and what an earlier run had.

    Raises Problem if what people decided is damaged.
    """
    triage, comparison = (Triage.of(run), None) if earlier is None else triage_since(run, earlier)
    triage.about_to_be_shown()
    since = regressions(triage)
    groups = [
        ShownBucket(
            bucket,
            triage.number(bucket),
            what,
            triage.dropped.get(bucket.name, ""),
            str(earlier.path) if earlier is not None and bucket.name in triage.seen else "",
            in_words(triage.replayed.get(bucket.name, {})),
            regressed(since.get(bucket.name)),
        )
        for bucket, what in zip(triage.buckets, causes(triage.buckets), strict=True)
    ]
    return groups, comparison


Totals = dict[tuple[str, Kind | None], int]
"""How many findings there are of a target and kind; the kind is None for what a target declares."""


def totals_of(run: StoredRun) -> Totals:
    """All findings by target and kind, saved or only counted: as many as triage has."""
    totals: Totals = {}
    saved = Counter[BucketKey]()
    for found in run.findings:
        saved[found.key] += found.count
    for key, n in (saved + run.counted).items():
        place = key.target, key.kind
        totals[place] = totals.get(place, 0) + n
    return totals


_NO_RULE = "{target} is wrong about a trivial shader if the text in the title stands beside it: no rule is the cause."
_SENTENCES = tomllib.loads(Path(__file__).with_name("meanings.toml").read_text(encoding="utf-8"))
MEANINGS: dict[Kind, tuple[str, str]] = {Kind(name): (told["does"], told["means"]) for name, told in _SENTENCES.items()}
"""Of each kind what the target does to such `{shaders}`, and in a line what that means and who is right."""

THEOREM = (
    "The uniformity rules accept the shader, yet in some run two of its threads part and never again meet at "
    "a barrier. The rules themselves are wrong: of TinyWGSL, this is a counterexample to the paper’s Theorem 4.1."
)
_NO_ANALYSIS = (
    "{target} accepts whatever is well-formed, because it has no uniformity analysis yet. That is one known gap, not "
    "many bugs: all of its findings are kept together here."
)

_OWN = {SECTION_15_2: "the reference", SECTION_4_2: "the paper’s analysis"}


def named(target: str) -> str:
    """A target's name for people: `Tint 0.3.8` for `tint@0.3.8`."""
    if target in _OWN:
        return _OWN[target]
    return f"the rule set {target.removeprefix('rules:')}" if target.startswith("rules:") else titled(target)


def capital(text: str) -> str:
    """The text with a capital letter first, unless that is part of a name that a machine reads."""
    return text[:1].upper() + text[1:] if text.split(" ")[0].isalpha() else text


def meaning(group: ShownBucket) -> str:
    """One or two sentences: what the bucket's kind means and who is right."""
    bucket = group.bucket
    words = _NO_ANALYSIS if bucket.is_missing_analysis else meaning_of(bucket)
    sentences = words.replace("{target}", named(bucket.target)).split(". ")
    return ". ".join(capital(sentence) for sentence in sentences)


def meaning_of(bucket: Bucket) -> str:
    """The same without the target's name, for which `{target}` stands; of two texts, also which verdict is wrong."""
    if bucket.target in REFERENCES and bucket.kind is Kind.UNSOUND:
        return THEOREM
    if bucket.is_no_rule:
        return _NO_RULE + " As drawn, a shader diverges that {target} accepts." * (bucket.kind is Kind.UNSOUND)
    words = MEANINGS[bucket.kind][1]
    if bucket.kind not in (Kind.METAMORPHIC, Kind.UNSTABLE) or not bucket.findings:
        return words
    found = bucket.findings[0]
    bound = bound_by(found)
    right = who_is_right(found) or "One of the two is wrong, whichever it is."
    return " ".join(filter(None, (words, bound and f"{bound}.", right)))


def title(group: ShownBucket) -> str:
    """A bucket in plain words: the target and the cause; its kind stands beside it."""
    target = capital(named(group.bucket.target))
    if group.bucket.is_missing_analysis:
        return f"{target} has no uniformity analysis"
    if group.bucket.target in REFERENCES and group.cause == COUNTEREXAMPLE:
        return "The reference is wrong: a counterexample to Theorem 4.1"
    return f"{target}: {_because(group)}"


def _because(group: ShownBucket) -> str:
    all_forms = group.bucket.findings[0].forms if group.bucket.findings else []
    used = all_forms[:2] if group.bucket.key.cause.compares_spellings else []
    spelled = f"spelled with {', '.join(used)}" if used else "as spelled"
    what = group.what.removesuffix(f": {', '.join(all_forms)}")
    return what.replace("as drawn", spelled, 1).replace("as printed", "spelled plainly", 1)


def rule_that_differs(group: ShownBucket) -> str:
    """A sentence, with `code` in backticks: which rule makes the difference, if that is known; else empty."""
    cause, target, branch = group.cause, group.bucket.target, group.bucket.branch
    if guess(group.bucket):
        return f"{capital(guess(group.bucket))}."
    names = cause.explains if branch is None else (branch,)
    if len(names) == 1 and names[0] not in DEPARTURES and variant_named(names[0]) is not None:
        return f"All findings looked at fit {change_in_words(names[0])}."
    if departures := variants_of(names):
        these = "this departure" if len(departures) == 1 else "these departures"
        about = " ".join(one.about for one in departures)
        return f"The rules with {these} answer as {named(target)} does. {about}"
    if cause == UNEXPLAINED:
        return f"No rule set known here answers as {named(target)} does: this may be a bug not seen before."
    return ""


def worry(groups: Sequence[ShownBucket]) -> tuple[str, str]:
    """How bad it is, as a style (`bad`, `warn`, `good`) and a few words."""
    kinds = {group.bucket.kind for group in groups if not (group.bucket.is_missing_analysis or group.settled)}
    if Kind.UNSOUND in kinds:
        return "bad", "Unsafe shaders get through: look at this first"
    if Kind.MISCOMPILED in kinds:
        return "bad", "A shader does not do on a device what it says"
    if kinds & {Kind.CRASH, Kind.HANG}:
        return "bad", "A compiler or a device died or hung"
    if kinds:
        return "warn", "Verdicts differ, but no unsafe shader was seen to get through"
    if groups:
        return "good", "Nothing new"
    return "good", "Nothing found"


def headline(groups: Sequence[ShownBucket], totals: Totals, record: RunRecord, asked: Mapping[str, int]) -> list[str]:
    """What was found and whether to worry: a sentence a target, and one for all.

    `asked` says about how many shaders each target was asked.
    """
    guilty = dict.fromkeys(group.bucket.target for group in groups)
    sentences = [
        _sentence(target, groups, totals) for target in guilty if any((target, kind) in totals for kind in Kind)
    ]
    for target in guilty:
        if missing := totals.get((target, None)):
            sentences.append(
                f"{capital(named(target))} has no uniformity analysis, so it accepts {count(missing, 'shader')} that "
                "the reference rejects: one known gap."
            )
    quiet: dict[int, list[str]] = {}
    for target, programs in asked.items():
        if target not in guilty and programs and not is_device(target):
            quiet.setdefault(programs, []).append(named(target))
    for programs, names in quiet.items():
        who, agree = " and ".join(names), "agrees" if len(names) == 1 else "agree"
        sentences.append(f"{capital(who)} {agree} with the reference on all {count(programs, 'shader')}.")
    sentences += [_ran(target, record.answers.get(target, {})) for target in record.targets if is_device(target)]
    if groups and not any(kind is Kind.UNSOUND for _, kind in totals):
        apart = "Apart from that, nothing" if any(kind is None for _, kind in totals) else "Nothing"
        sentences.append(f"{apart} unsound: no accepted shader was seen to diverge.")
    return sentences


def _ran(device: str, answers: Mapping[Verdict, int]) -> str:
    """`Wgpu llvmpipe ran 40 shaders, of which 39 left the memory of the semantics.`"""
    ran = sum(n for verdict, n in answers.items() if verdict is not Verdict.UNSUPPORTED)
    right = answers.get(Verdict.ACCEPTS, 0)
    of = "each of which" if right == ran else f"of which {right:,}"
    left = answers.get(Verdict.UNSUPPORTED, 0)
    others = f"{left:,} others, which may diverge or race, or show nothing, it was not given"
    done = f"{capital(named(device))} ran {count(ran, 'shader')}"
    return f"{done}, {of} left the memory of the semantics; {others}."


def _sentence(target: str, groups: Sequence[ShownBucket], totals: Totals) -> str:
    """`Tint 0.3.8 accepts 2 shaders ...; it rejects 3 shaders ..., in 4 buckets.`"""
    found = [(kind, n) for kind in Kind if (n := totals.get((target, kind)))]
    does = "; it ".join(MEANINGS[kind][0].replace("{shaders}", count(n, "shader")) for kind, n in found)
    buckets = sum(group.bucket.target == target and not group.bucket.is_missing_analysis for group in groups)
    return f"{capital(named(target))} {does}, in {count(buckets, 'bucket')}."
