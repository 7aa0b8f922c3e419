"""Looking for the rows of TinyWGSL: every shader of four families up to a size, and what is reduced from larger ones.

Of the shaders that a branch decides, the one is taken with the fewest statements; of those one that diverges if it is
rejected, and that the fewest other branches decide. Its twin is what one small edit makes of it.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property

from wgsl_fuzz.fuzz.cases.case import Case
from wgsl_fuzz.fuzz.conformance.rows import ACCEPTED, REJECTED, Level, Row, Rows
from wgsl_fuzz.fuzz.conformance.sections import place_of, says, section_of
from wgsl_fuzz.fuzz.conformance.twins import distance, twins
from wgsl_fuzz.fuzz.reduction.edits import size
from wgsl_fuzz.fuzz.reduction.search import reduce
from wgsl_fuzz.oracle.rules.bitset.analysis import verdict_of
from wgsl_fuzz.oracle.rules.coverage import deciding
from wgsl_fuzz.oracle.rules.rule_set import Variant
from wgsl_fuzz.oracle.rules.variants import EQUIVALENT, KILLABLE
from wgsl_fuzz.oracle.rules.variants.joins import JOIN_VARIANTS
from wgsl_fuzz.oracle.verdict import Outcome, Verdict
from wgsl_fuzz.strategies.enumerate.families import FAMILIES
from wgsl_fuzz.tinywgsl.ast import Shader
from wgsl_fuzz.tinywgsl.printer import print_shader
from wgsl_fuzz.tinywgsl.wellformed import behaviour_violations, violations
from wgsl_fuzz.wgsl.reading import ParseError, parse

BRANCHES: tuple[Variant, ...] = (*KILLABLE, *JOIN_VARIANTS)
"""Every branch of the paper's rules, and the joins of variables that it does not make."""
UP_TO = {"main": 4, "single-loop": 2, "two-function": 3, "shared-memory": 2}
"""How many statements the shaders of each family have at most."""
KEPT = 3
"""So many shaders of a branch get twins."""
TWINS = 4

Candidate = tuple[int, int, tuple[int, int, int], Shader]
"""Statements, branches that decide it, its whole size."""

Wanted = tuple[str, str]
"""A branch that decides a shader, and one that does not; the second may be empty."""


def decided_by(shader: Shader, verdict: Verdict) -> list[str]:
    """The branches that decide a shader."""
    joins = [v.name for v in JOIN_VARIANTS if verdict_of(shader, v.rules) is not verdict]
    return deciding(shader, verdict) + joins


def enumerated() -> Iterator[Shader]:
    """Every shader of the families, smallest first in each."""
    for name, most in UP_TO.items():
        yield from FAMILIES[name].up_to(most)


def candidates(shaders: Iterable[Shader], wanted: Collection[Wanted]) -> dict[Wanted, list[Shader]]:
    """The best shaders for each thing that is wanted, the best first."""
    best: dict[Wanted, list[Candidate]] = {one: [] for one in wanted}
    by_name: dict[str, list[Wanted]] = defaultdict(list)
    for one in wanted:
        by_name[one[0]].append(one)
    for shader in shaders:
        names = decided_by(shader, verdict_of(shader))
        found = (size(shader)[0], len(names), size(shader), shader)
        for name in names:
            for one in by_name[name]:
                if one[1] not in names:
                    _keep(best[one], found)
    return {one: [candidate[3] for candidate in some] for one, some in best.items()}


def _keep(known: list[Candidate], found: Candidate) -> None:
    if len(known) < KEPT or found[:3] < known[-1][:3]:
        known.append(found)
        known.sort(key=lambda one: one[:3])
        del known[KEPT:]


def reduced(variant: Variant, more: Iterable[Shader]) -> list[Shader]:
    """The larger shaders that a branch decides, reduced to what it still decides."""
    flips = _flips(variant)
    return sorted((reduce(shader, flips).shader for shader in more if flips(shader)), key=size)[:KEPT]


def _flips(variant: Variant) -> Callable[[Shader], bool]:
    """Whether a branch decides a shader."""
    return lambda shader: verdict_of(shader, variant.rules) is not verdict_of(shader)


@dataclass(frozen=True)
class Judged:
    """A text of TinyWGSL, with what is asked about it when it is needed."""

    text: str
    shader: Shader
    verdict: Verdict

    @cached_property
    def by(self) -> frozenset[str]:
        """The branches that decide it."""
        return frozenset(decided_by(self.shader, self.verdict))

    @property
    def outcome(self) -> Outcome:
        """What the semantics says."""
        return _outcome(self.text)

    @property
    def is_imprecise(self) -> bool:
        """Whether the rules reject what was not seen to diverge."""
        return self.verdict is Verdict.REJECTS and self.outcome is not Outcome.DIVERGES


@cache
def _outcome(text: str) -> Outcome:
    return Case(parse(text), thorough=True).outcome


@cache
def judged(text: str) -> Judged | None:
    """What is asked about a text; None if compilers must refuse it. `main` need not end in a barrier."""
    try:
        shader = parse(text)
    except ParseError:
        return None
    if any(v.rule != "restriction 1" for v in violations(shader)) or any(behaviour_violations(shader)):
        return None
    return Judged(text, shader, verdict_of(shader))


Pair = tuple[Judged, Judged]
"""The shader that a branch decides, and its twin."""


def pairs_of(name: str, shaders: Sequence[Shader]) -> list[Pair]:
    """The pairs of a branch, the best first; where no single edit leads to a twin, two edits do."""
    ones = [one for one in (judged(print_shader(shader, tacit=True)) for shader in shaders) if one is not None]
    found = [pair for one in ones for pair in _twins(name, one, twins(one.text))]
    if not found:
        found = [
            pair for one in ones[:2] for pair in _twins(name, one, (t for near in twins(one.text) for t in twins(near)))
        ]
    return sorted(found, key=lambda pair: _order(name, *pair))


def _twins(name: str, one: Judged, texts: Iterable[str]) -> list[Pair]:
    others = _others(one, texts)
    others.sort(key=lambda it: (name in it.by, distance(one.text, it.text), len(it.by), len(it.text), it.text))
    return [(one, other) for other in others[:TWINS]]


def _others(one: Judged, texts: Iterable[str]) -> list[Judged]:
    """The texts that are shaders of the other verdict, as the printer writes them."""
    near = [it for it in map(judged, texts) if it is not None and it.verdict is not one.verdict]
    plain = (judged(print_shader(it.shader, tacit=True)) for it in near)
    return list(dict.fromkeys(it for it in plain if it is not None))


def _order(name: str, one: Judged, other: Judged) -> tuple[object, ...]:
    return (
        size(one.shader)[0],
        name in other.by,
        one.is_imprecise + other.is_imprecise,
        len(one.by | other.by),
        distance(one.text, other.text),
        one.text,
        other.text,
    )


def row(variant: Variant, pair: Pair) -> Row:
    """The row of a branch."""
    by_side = {ACCEPTED if it.verdict is Verdict.ACCEPTS else REJECTED: it for it in pair}
    assert by_side[ACCEPTED].outcome is not Outcome.DIVERGES, by_side[ACCEPTED].text
    other = {ACCEPTED: Verdict.REJECTS, REJECTED: Verdict.ACCEPTS}
    return Row(
        name=variant.name,
        section=section_of(variant),
        place=place_of(variant),
        says=says(variant),
        accepted=by_side[ACCEPTED].text,
        rejected=by_side[REJECTED].text,
        alone={side: other[side] for side, it in by_side.items() if variant.name in it.by},
        outcome={side: by_side[side].outcome.value for side in (ACCEPTED, REJECTED)},
    )


def search(more: Sequence[Shader]) -> Rows:
    """All rows; `more` are larger shaders for branches that no enumerated shader shows."""
    found = candidates(enumerated(), [(v.name, "") for v in BRANCHES])
    pairs = {v.name: pairs_of(v.name, found[v.name, ""]) or _of_larger(v, more) for v in BRANCHES}
    choice = {name: some[0] for name, some in pairs.items() if some}
    wanted = [(name, other) for name in choice for other in alike(choice, name)]
    for (name, other), shaders in candidates(enumerated(), wanted).items():
        apart = [pair for pair in pairs_of(name, shaders) if not is_red(other, pair)]
        if apart and other in alike(choice, name):
            choice[name] = apart[0]
    rows = tuple(row(v, choice[v.name]) for v in BRANCHES if v.name in choice)
    without = {v.name: v.equivalent for v in EQUIVALENT}
    without |= {
        v.name: "no near shader of the other verdict was found for those that it decides"
        for v in BRANCHES
        if v.name not in choice
    }
    return Rows(Level.TINY, rows, without)


def _of_larger(variant: Variant, more: Sequence[Shader]) -> list[Pair]:
    """The pairs of the larger shaders that a branch decides: reduced if they have a twin then, else as they are."""
    shaders = [shader for shader in more if _flips(variant)(shader)]
    return pairs_of(variant.name, reduced(variant, shaders)) or pairs_of(variant.name, sorted(shaders, key=size)[:KEPT])


def is_red(name: str, pair: Pair) -> bool:
    """Whether an analysis with this branch wrong fails a pair."""
    return name in pair[0].by or name in pair[1].by


def alike(choice: Mapping[str, Pair], name: str) -> list[str]:
    """The branches that fail the same rows as another one."""
    mine = [row for row, pair in choice.items() if is_red(name, pair)]
    return [
        other for other in choice if other != name and mine == [r for r, pair in choice.items() if is_red(other, pair)]
    ]
