"""How sure the cause of a finding is: a target is asked about neighbours of the text, which the cause has to fit, too.

A change of the rules that gives a target's verdict on one text may do so by coincidence. It is taken for the cause only
if it also gives what the target says of small changes of that text: its neighbours.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Set
from contextlib import suppress
from enum import Enum
from itertools import chain

from wgsl_fuzz.fuzz.cases.case import Case, drawn_case
from wgsl_fuzz.fuzz.judging import kinds
from wgsl_fuzz.fuzz.judging.buckets import common_causes, explaining
from wgsl_fuzz.fuzz.judging.departures import are_known, base_of, rules_of
from wgsl_fuzz.oracle.rules.in_words import change_in_words, coincidence_in_words
from wgsl_fuzz.oracle.rules.rule_set import Rules
from wgsl_fuzz.oracle.rules.uniformity.analysis import ModuleAnalysis
from wgsl_fuzz.oracle.rules.uniformity.contexts import deciding_in_contexts
from wgsl_fuzz.oracle.rules.uniformity.coverage import deciding_arms
from wgsl_fuzz.oracle.rules.uniformity.places import arm_of, context_of, name_of
from wgsl_fuzz.oracle.verdict import Answer, Verdict
from wgsl_fuzz.strategies.choices.source import RandomSource
from wgsl_fuzz.strategies.edit.mutation import randomly_mutated
from wgsl_fuzz.strategies.edit.relations import RELATIONS, every
from wgsl_fuzz.wgsl.builtins import words
from wgsl_fuzz.wgsl.problems import WgslError

NEIGHBOURS = 64
"""How many neighbours of a text targets are run on. Of those further away, the second half, more are answered rightly,
and that refutes more.
"""
FURTHER = 4
"""How many times what is further away is mutated."""
FEWEST = 8
"""Fewer verdicts on neighbours say too little."""
ASKED = words(
    """switch-for-if if-for-switch loop-for-for for-for-while compound negated mirrored named short-circuit pointer-let
    inlined inlined-pointers outlined rest-in-else continuing-moved commuted block conversion alias
    let-in-struct let-in-array variable-in-struct module-variable-in-struct constant-variable-in-struct"""
)
"""The relations that put one construct in another's place: what a person would try next."""
OF_SHAPE = frozenset(words("negated mirrored commuted named outlined rest-in-else block"))
"""Those that keep the constructs: with several causes, the answer is right after what moves a thing that matters."""
TWINS = 6
"""So many twins of each are asked about at most."""
SMALL = 16
"""Changes in contexts are tried for a text of so many statements at most: they are many, and each is analysed."""
_GIVEN_UP = -4
"""What explains so many fewer wrong verdicts than it does not explain is not held against any more."""
_TRIES = 2 * NEIGHBOURS
_MOST_FAILURES = 2
"""A target that dies or gives no answer in time so often is not asked any further."""


class Certainty(Enum):
    """How sure it is that what explains a target's wrong verdict is its cause."""

    KNOWN = "known"
    """The target was measured to depart from the rules in this way."""
    FITS = "fits small changes"
    """It also fits what the target says of small changes of the text."""
    UNKNOWN = "unknown"
    """It fits the text, and nothing else is known; or nothing fits."""


def certainty_of(
    target: str, kind: kinds.Kind, cause: kinds.Cause, fit: kinds.Fit | None, branch: str | None = None
) -> Certainty | None:
    """How sure the cause of a finding is, or that it is this `branch`; None of what is no matter of the rules."""
    if is_to_be_explained(target, kind, cause):
        return Certainty.FITS if fit is not None and (branch or str(cause)) in fit.names else Certainty.UNKNOWN
    known = kind in kinds.VERDICTS_DIFFER and are_known(target, cause.explains)
    return Certainty.KNOWN if known else None


def is_to_be_explained(target: str, kind: kinds.Kind, cause: kinds.Cause) -> bool:
    """Whether the cause of a finding is looked for among the rules: a target's own known departures need no search."""
    if kind not in kinds.VERDICTS_DIFFER or cause in (kinds.NO_ANALYSIS, kinds.NO_RULE, kinds.COUNTEREXAMPLE):
        return False
    return not cause.is_about_spelling and not are_known(target, cause.explains)


def neighbours(case: Case) -> Iterator[Case]:
    """Valid texts that are one to three mutations from a case, then ones at `FURTHER` times that, each once; the same
    ones each time.
    """
    seen = {case.text}
    for seed in range(_TRIES):
        source, resolution = RandomSource(seed), case.resolution
        for _ in range(1 if len(seen) <= NEIGHBOURS // 2 else FURTHER):
            resolution = randomly_mutated(resolution, source)
        near = drawn_case(resolution)
        if near.text not in seen:
            seen.add(near.text)
            yield near
        if len(seen) > NEIGHBOURS:
            return


def questions(case: Case) -> Iterator[tuple[str, Case]]:
    """Twins of a case that the rules judge as they judge it, by the relation that makes them."""
    for relation in RELATIONS:
        if relation.name in ASKED:
            for twin in every(relation, case.resolution, TWINS):
                near = drawn_case(twin.resolution)
                with suppress(WgslError):
                    if near.verdict is case.verdict:
                        yield relation.name, near


def fit_of(
    case: Case,
    found: kinds.Disagreement,
    branches: Collection[str],
    ask: Callable[[str], Answer],
    right: Iterable[Case] = (),
    *,
    reduced: bool = False,
) -> kinds.Fit:
    """What of a finding's cause, and of the `branches` that explain it on `case`, fits its neighbours, too.

    Nothing fits that would give another verdict on a case that the target answered `right`. Of a `reduced` case the
    signature is asked for as well.
    """
    is_small = reduced and (case.statements or 0) <= SMALL
    left, asked, failures = _Fitting(case, found, branches, in_contexts=is_small), 0, 0
    told = (Verdict.ACCEPTS, Verdict.REJECTS, found.answer.verdict)
    signature: dict[str, None] = {}
    for relation, near in chain(questions(case) if reduced else (), (("", near) for near in neighbours(case))):
        said = ask(near.text).verdict
        if said in told:
            asked += left.hold_against(near, said)
            signature |= {relation: None} if relation and said is near.verdict else {}
        failures += said in (Verdict.CRASHED, Verdict.TIMED_OUT)
        if failures == _MOST_FAILURES:
            break
    for one in right:
        if not left.names:
            break
        left.hold_against(one, one.verdict)
    return kinds.Fit(asked, left.names if asked >= FEWEST else (), tuple(signature))


def explanation_of(case: Case, found: kinds.Disagreement, ask: Callable[[str], Answer]) -> tuple[str | None, kinds.Fit]:
    """What explains a finding on a text that is not reduced; the target is asked about small changes of it.

    First a branch of the rules that explains it, if possible one that fits; None where the finding's own cause fits.
    """
    branches = explaining(case, verdict=found.answer.verdict, base=base_of(found.target))
    fit = fit_of(case, found, branches, ask)
    branch = common_causes([branches & {*fit.names} or branches])[0]
    return None if str(found.cause) in fit.names else branch, fit


def explanation_in_words(cause: kinds.Cause, branch: str | None, fit: kinds.Fit) -> list[str]:
    """How sure a finding's cause is, and which change of the rules explains it instead."""
    fits = f"fits small changes of the text, too: {fit.asked} were asked about."
    if branch is None:
        return [f"This cause {fits}"] if str(cause) in fit.names else []
    if branch in fit.names:
        return [f"Explained by {change_in_words(branch)}. It {fits}"]
    told = coincidence_in_words(branch)
    return [f"{told[:1].upper()}{told[1:]}."]


def deciding(case: Case, names: Set[str], verdict: Verdict | None, base: Rules) -> set[str]:
    """Which of some changes of the rules, everywhere or in a context, give another verdict on a case than the `base`
    does, on top of which they act: this one, or any. Raises WgslError.
    """
    found = {*deciding_arms(case.resolution, case.quick_analysis_under(base), only=names, verdict=verdict, base=base)}
    if able := {arm_of(name) for name in names if context_of(name)}:
        pairs = deciding_in_contexts(case.text, lambda *p: name_of(*p) in names, able, verdict=verdict, base=base)
        found.update(name_of(*pair) for pair in pairs)
    return found


class _Fitting:
    """Changes of the rules, everywhere or in one context, and a rule set, as long as nothing refutes them as the cause
    of a finding. They act on top of what the target is known for.

    A change is refuted if it makes a difference where the target does as it is known to. It must explain at least half
    of the other verdicts, and the verdict on the case.
    """

    def __init__(self, case: Case, found: kinds.Disagreement, branches: Collection[str], *, in_contexts: bool) -> None:
        self._base, self._branches = base_of(found.target), frozenset(branches)
        said, named, name = found.answer.verdict, rules_of(found.cause.explains), str(found.cause)
        whole = None if named is None else Rules(self._base | named)
        is_cause = whole is not None and name not in self._branches and case.verdict_under(whole) is said
        self._cause = {name: whole} if whole is not None and is_cause else {}
        self._left = {*self._branches, *self._cause}
        if in_contexts:
            with suppress(WgslError):  # what is known of the target may refuse the text
                pairs = deciding_in_contexts(case.text, lambda *_: True, verdict=said, base=self._base)
                self._left.update(name_of(*pair) for pair in pairs)
        self._told: Counter[str] = Counter()
        """By how much more wrong verdicts each gives than it does not give."""

    @property
    def names(self) -> tuple[str, ...]:
        """Those that fit."""
        return tuple(sorted(name for name in self._left if self._told[name] >= 0))

    def hold_against(self, near: Case, said: Verdict) -> bool:
        """Refutes what does not fit a target's verdict on a text; whether the reference knows that text."""
        try:
            known = near.quick_analysis_under(self._base)
            if known is None or said is near.verdict is not known.verdict:
                return known is not None  # what a newer build no longer does says nothing
            is_right = said is known.verdict
            differing = self._differing(near, known, None if is_right else said)
        except WgslError:
            return False
        if is_right:
            self._left -= differing
        else:
            self._told.update({name: 1 if name in differing else -1 for name in self._left})
            self._left = {name for name in self._left if self._told[name] > _GIVEN_UP}
        return True

    def _differing(self, near: Case, known: ModuleAnalysis, verdict: Verdict | None) -> set[str]:
        """Those left that give another verdict than what is known: this one, or any."""
        under = {name: near.verdict_under(self._cause[name]) for name in self._left & self._cause.keys()}
        other = {name for name, said in under.items() if said is not known.verdict and verdict in (None, said)}
        return deciding(near, self._left - self._cause.keys(), verdict, self._base) | other
