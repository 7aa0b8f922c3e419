"""Which departures from section 15.2 a compiler has, or is known to have, and which of them give its verdicts."""

import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import cache
from itertools import combinations

from wgsl_fuzz.fuzz.cases.case import Case
from wgsl_fuzz.fuzz.judging.blame import call_blamed, calls_blamed
from wgsl_fuzz.oracle.rules.analyses import is_ours, is_variant, rules_named
from wgsl_fuzz.oracle.rules.rule_file import RuleFileError
from wgsl_fuzz.oracle.rules.rule_set import UNCHANGED, Rules, Variant
from wgsl_fuzz.oracle.rules.uniformity.revisions import DEPARTURES, WGSL_RULE_SETS, named_variants
from wgsl_fuzz.oracle.rules.uniformity.variants.history import HISTORY
from wgsl_fuzz.oracle.rules.uniformity.variants.letter import LETTER_VARIANTS
from wgsl_fuzz.oracle.rules.uniformity.variants.tint import TINT_VARIANTS
from wgsl_fuzz.oracle.targets.protocol import TINT, WEBKIT, engine_of
from wgsl_fuzz.oracle.verdict import Answer, Verdict

EMBEDDED = "tint@embedded"
"""A Tint of 2025-01, whose version has no number."""
_TINT = re.compile(r"tint[@-](\d+(?:\.\d+)*)(?:\+.*)?")
_RULES_OF_TINT = re.compile(r"wgsl-tint-(\d+(?:\.\d+)*)")

WEBKITS = frozenset({WEBKIT, "webkit-92829e9"})
"""The rule sets that are predicted to be WebKit's."""

FEW, MANY = 20, 24
"""Of more departures than these no triples are tried, or no pairs either: they are too many, and one by one is taken
away."""

_PLACES = {name: place for place, name in enumerate(DEPARTURES)}

Said = Sequence[tuple[Case, Verdict]]
_Candidate = tuple[tuple[str, ...], Rules]


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))


def departures_of_all(target: str, said: Iterable[tuple[Case, Verdict]]) -> tuple[str, ...]:
    """The fewest departures that give the target's verdicts on several modules, by name; empty if none do.

    A part of those that a build was measured to have is no cause where all of them together give another verdict.
    """
    given, own = list(said), own_departures(target)
    singles, several = _candidates(target)
    is_exact = _version(target) in {of for of, _ in _measured_versions()}  # then it has all departures of that Tint
    barred = Rules(own) if is_exact and not _gives(Rules(own), given) else UNCHANGED
    if found := _first_that_gives(singles, given, barred):
        return found
    few = _minimal(own, given)  # if they are two: far sooner than all pairs
    found = (few if len(few) == 2 else ()) or _first_that_gives(several, given, barred) or few
    return found or _minimal([v for v in HISTORY if v not in barred], given)


def _first_that_gives(candidates: Iterable[_Candidate], given: Said, barred: Rules) -> tuple[str, ...]:
    """The first of the candidates that are not all `barred`."""
    wrong = {case.verdict for case, verdict in given if verdict is not case.verdict}
    for names, rules in candidates:
        if rules <= barred:
            continue
        if all([any([v.direction.can_change(one) for v in rules]) for one in wrong]) and _gives(rules, given):
            return names
    return ()


def _gives(rules: Rules, given: Said) -> bool:
    return all(module.verdict_under(rules) is verdict for module, verdict in given)


def _minimal(own: Sequence[Variant], given: Said) -> tuple[str, ...]:
    """A minimal subset of `own` that gives the verdicts; empty if all of `own` together do not."""
    if not _gives(Rules(own), given):
        return ()
    kept = [*own]
    for v in own:
        fewer = [one for one in kept if one is not v]
        if _gives(Rules(fewer), given):
            kept = fewer
    return tuple(v.name for v in kept)


def is_tint(target: str) -> bool:
    """Whether a target is any version of Tint, also in a browser."""
    return engine_of(target) == TINT or target.startswith("tint-")


def is_webkit(target: str) -> bool:
    """Whether a target is a WebKit, also in a browser, or a model of one."""
    return engine_of(target) == WEBKIT or target.removeprefix("rules:") in WEBKITS


@cache
def own_departures(target: str) -> tuple[Variant, ...]:
    """The known departures of a rule set of ours, a Tint, or a WebKit, as predicted: older texts' first."""
    name = target.removeprefix("rules:")
    own = UNCHANGED
    with suppress(RuleFileError):  # of a stored run, the file may be gone
        own = (rules_named(name) if is_ours(name) else None) or UNCHANGED
    if is_tint(target):
        own = WGSL_RULE_SETS[tints_rules(name)]
    elif is_webkit(target) and name not in WEBKITS:
        own = WGSL_RULE_SETS[WEBKIT]
    return tuple(sorted(own, key=lambda v: _PLACES.get(v.name, len(_PLACES))))


@cache
def base_of(target: str) -> Rules:
    """The rules that a target is known to have, on top of which faults act that nobody knows; what a user's own rules
    do is to be explained.
    """
    return Rules(v for v in own_departures(target) if v.place)


def tints_rules(name: str) -> str:
    """The rule set that was measured for a Tint of this name, or for the next newer version.

    A version newer than all, and one without a number (`tint:PATH`, `tint@main`, a browser's), has the newest set;
    the embedded one is older than all.
    """
    version = (0,) if name.partition("+")[0] == EMBEDDED else _version(name)
    sets = _measured_versions()
    return next((set_ for of, set_ in sets if version is not None and of >= version), sets[-1][1])


def _version(name: str) -> tuple[int, ...] | None:
    """The version of a Tint, or of the one that it is like (`tint@0.6.2+mine-1.0`), if its name says so."""
    said = _TINT.fullmatch(name)
    return None if said is None else _numbers(said[1])


def _measured_versions() -> list[tuple[tuple[int, ...], str]]:
    found = ((_RULES_OF_TINT.fullmatch(set_), set_) for set_ in WGSL_RULE_SETS)
    return sorted((_numbers(of[1]), set_) for of, set_ in found if of)


@cache
def measured(target: str) -> Rules | None:
    """The rules that a build of a compiler was measured, or predicted, to have; None for any other target."""
    is_build = is_tint(target) or (is_webkit(target) and target.removeprefix("rules:") not in WEBKITS)
    return Rules(own_departures(target)) if is_build else None


def is_expected(target: str, case: Case, answer: Answer) -> bool:
    """Whether the measured rules of a build give its wrong verdict; of a rejection, whether they blame the same place.

    A second fault behind the same verdict shows itself only by what a message blames.
    """
    rules = measured(target)
    expected = None if rules is None or answer.verdict is case.verdict else case.quick_analysis_under(rules)
    if expected is None or expected.verdict is not answer.verdict:
        return False
    return answer.verdict is Verdict.ACCEPTS or id(call_blamed(case, answer)) in calls_blamed(expected, case.resolution)


def are_known(target: str, names: Sequence[str]) -> bool:
    """Whether departures are known ones of a target; not if there are none."""
    rules = rules_of(names)
    return rules is not None and rules <= {*own_departures(target)}


def is_of_family(target: str, names: Sequence[str]) -> bool:
    """Whether departures are those of some build of a target's family, Tint."""
    return is_tint(target) and {*names} <= {variant.name for variant in TINT_VARIANTS}


def rules_of(names: Sequence[str]) -> Rules | None:
    """The rule set of these departures; None without any, or if one is not known."""
    return Rules(variants_of(names)) or None


def variants_of(names: Sequence[str]) -> list[Variant]:
    """The departures, or broken variants, of these names; empty if one of them is something else."""
    found = [DEPARTURES.get(name) or (named_variants()[name] if is_variant(name) else None) for name in names]
    return [v for v in found if v is not None] if all(found) else []


@cache
def _candidates(target: str) -> tuple[list[_Candidate], list[_Candidate]]:
    """The departures to try for a target's verdict, in order: its own, then those of other compilers and old texts.

    The second list begins with the first of several at once. For a Tint, whose own departures are measured, pairs of
    them come before foreign ones. Departures of the letter of the specification are the last single ones, and are not
    tried for a Tint: they often fit by coincidence.
    """
    own, tint = own_departures(target), is_tint(target)
    if len(own) > MANY:
        return [((v.name,), v.rules) for v in own], []
    pairs = list(combinations(own, 2))
    foreign = [(v,) for v in (*TINT_VARIANTS, *HISTORY, *(() if tint else LETTER_VARIANTS))]
    triples = combinations(own, 3) if len(own) <= FEW else ()
    of_two = combinations((*HISTORY, *TINT_VARIANTS), 2)
    near = [*pairs, *foreign] if tint else [*foreign, *pairs]
    some = dict.fromkeys([*((v,) for v in own), *near, *triples, *of_two])
    made = [(tuple(v.name for v in one), Rules(one)) for one in some if one]
    cut = next((i for i, (names, _) in enumerate(made) if len(names) > 1), len(made))
    return made[:cut], made[cut:]
