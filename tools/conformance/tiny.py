"""Looking for the rows of TinyWGSL: every shader of four families up to a size, and what is reduced from larger ones.

Of the shaders that a branch decides, those are taken that few other branches decide; a statement more has to tell one
more branch apart. The twin of one is what a small edit makes of it. The best pair then grows (`growth`) by the same
measure, in which a rejected shader that was not seen to diverge costs as much as several branches.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial

from tools.conformance.growth import IMPRECISE, MORE, STATEMENT, Growth, Vocabulary, cost_of
from tools.conformance.growth import Pair as Texts
from tools.conformance.sections_tiny import place_of, says, section_of
from tools.conformance.twins import twins
from wgsl_fuzz.fuzz.cases.module_case import read_module
from wgsl_fuzz.fuzz.conformance.rows import ACCEPTED, REJECTED, Level, Row, Rows
from wgsl_fuzz.fuzz.reduction.search import reduce
from wgsl_fuzz.oracle.core import core_of
from wgsl_fuzz.oracle.rules.analysis import analyse
from wgsl_fuzz.oracle.rules.coverage import deciding
from wgsl_fuzz.oracle.rules.rule_set import Variant
from wgsl_fuzz.oracle.rules.variants import EQUIVALENT, KILLABLE
from wgsl_fuzz.oracle.rules.variants.joins import JOIN_VARIANTS
from wgsl_fuzz.oracle.verdict import Outcome, Verdict
from wgsl_fuzz.strategies.enumerate.families import FAMILIES
from wgsl_fuzz.tinywgsl.ast import Shader, count_statements
from wgsl_fuzz.tinywgsl.printer import print_shader
from wgsl_fuzz.tinywgsl.wellformed import behaviour_violations, violations
from wgsl_fuzz.wgsl.raising import raised
from wgsl_fuzz.wgsl.reading import ParseError, parse

BRANCHES: tuple[Variant, ...] = (*KILLABLE, *JOIN_VARIANTS)
"""Every branch of the paper's rules, and the joins of variables that it does not make."""
UP_TO = {"main": 5, "single-loop": 2, "two-function": 3, "shared-memory": 2}
"""How many statements the shaders of each family have at most."""
KEPT = 2
"""So many shaders of a branch get twins, of each verdict."""
TWINS = 4
LOOKED_AT = 6
"""So many of the best pairs that one grows to are run."""

Size = tuple[int, int]
"""Statements, then characters."""
Candidate = tuple[float, Size, Shader]
"""What it costs, its whole size."""

Wanted = tuple[str, str]
"""A branch that decides a shader, and one that does not; the second may be empty."""


def decided_by(shader: Shader, verdict: Verdict) -> list[str]:
    """The branches that decide a shader."""
    joins = [v.name for v in JOIN_VARIANTS if analyse(shader, v.rules).verdict is not verdict]
    return deciding(shader, verdict) + joins


def enumerated() -> Iterator[Shader]:
    """Every shader of the families, smallest first in each."""
    for name, most in UP_TO.items():
        yield from FAMILIES[name].up_to(most)


def candidates(shaders: Iterable[Shader], wanted: Collection[Wanted]) -> dict[Wanted, list[Shader]]:
    """The best shaders for each thing that is wanted: first the accepted, then the rejected ones."""
    best: dict[tuple[Wanted, Verdict], list[Candidate]] = defaultdict(list)
    least: dict[Wanted, int] = {}
    by_name: dict[str, list[Wanted]] = defaultdict(list)
    for one in wanted:
        by_name[one[0]].append(one)
    for shader in shaders:
        verdict = analyse(shader).verdict
        names, whole = decided_by(shader, verdict), size(shader)
        found = (len(names) + STATEMENT * whole[0], whole, shader)
        for one in (one for name in names for one in by_name[name] if one[1] not in names):
            least[one] = min(least.get(one, whole[0]), whole[0])
            _keep(best[one, verdict], found)
    kept = {one: [*best[one, Verdict.ACCEPTS], *best[one, Verdict.REJECTS]] for one in wanted}
    return {one: [it[2] for it in some if it[1][0] <= least[one] + MORE] for one, some in kept.items()}


def _keep(known: list[Candidate], found: Candidate) -> None:
    if len(known) < KEPT or found[:2] < known[-1][:2]:
        known.append(found)
        known.sort(key=lambda one: one[:2])
        del known[KEPT:]


def size(shader: Shader) -> Size:
    """What the smallest shader has least of."""
    return count_statements(shader), len(print_shader(shader))


def reduced_shader(shader: Shader, shows: Callable[[Shader], bool]) -> Shader:
    """The smallest shader of TinyWGSL reached of which something holds, as it must of the one given."""
    reduction = reduce(raised(shader), lambda tree: (core := core_of(tree).shader) is not None and shows(core))
    return core_of(reduction.resolution).shader or shader


def reduced(variant: Variant, more: Iterable[Shader]) -> list[Shader]:
    """The larger shaders that a branch decides, reduced to what it still decides."""
    flips = _flips(variant)
    return sorted((reduced_shader(shader, flips) for shader in more if flips(shader)), key=size)[:KEPT]


def _flips(variant: Variant) -> Callable[[Shader], bool]:
    """Whether a branch decides a shader."""
    return lambda shader: analyse(shader, variant.rules).verdict is not analyse(shader).verdict


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
    return replace(read_module(text), thorough=True).execution.outcome


@cache
def judged(text: str) -> Judged | None:
    """What is asked about a text; None if compilers must refuse it. `main` need not end in a barrier."""
    try:
        shader = parse(text)
    except ParseError:
        return None
    if any(v.rule != "restriction 1" for v in violations(shader)) or any(behaviour_violations(shader)):
        return None
    return Judged(text, shader, analyse(shader).verdict)


Pair = tuple[Judged, Judged]
"""The shader that a branch decides, and its twin."""


def pairs_of(name: str, shaders: Sequence[Shader]) -> list[Pair]:
    """The pairs of a branch, the best first; where no single edit leads to a twin, two edits do."""
    ones = [one for one in (judged(print_shader(shader, tacit=True)) for shader in shaders) if one is not None]
    found = [pair for one in ones for pair in _twins(name, one, (*twins(one.text), *_violated(one)))]
    if not found:
        found = [
            pair for one in ones[:2] for pair in _twins(name, one, (t for near in twins(one.text) for t in twins(near)))
        ]
    return sorted(found, key=lambda pair: _order(name, *pair))


def _twins(name: str, one: Judged, texts: Iterable[str]) -> list[Pair]:
    others = _others(one, texts)
    others.sort(key=lambda it: (name in it.by, _cost(name, (one, it)), len(it.text), it.text))
    return [(one, other) for other in others[:TWINS]]


def _violated(one: Judged) -> Iterator[str]:
    """An accepted shader with a plain violation before all else: few branches decide that, and none of its others."""
    if one.verdict is Verdict.ACCEPTS:
        head, main, body = one.text.rpartition("fn main(")
        declared = re.match(r"(?:.*\{\n)(?:  var .*\n)*", body)
        assert declared is not None, one.text
        yield head + main + declared[0] + VIOLATION + body[declared.end() :]


VIOLATION = "  if (lid == 0u) {\n    workgroupBarrier();\n  }\n"


def _cost(name: str, pair: Pair) -> float:
    return cost_of(name, by_side(pair), pair[0].by | pair[1].by, 0)


def _others(one: Judged, texts: Iterable[str]) -> list[Judged]:
    """The texts that are shaders of the other verdict, as the printer writes them."""
    near = [it for it in map(judged, texts) if it is not None and it.verdict is not one.verdict]
    plain = (judged(print_shader(it.shader, tacit=True)) for it in near)
    return list(dict.fromkeys(it for it in plain if it is not None))


def _order(name: str, one: Judged, other: Judged) -> tuple[object, ...]:
    return (
        name in other.by,
        _cost(name, (one, other)) + IMPRECISE * (one.is_imprecise + other.is_imprecise),
        one.text,
        other.text,
    )


def by_side(pair: Pair) -> dict[str, str]:
    """The texts of a pair."""
    return {ACCEPTED if it.verdict is Verdict.ACCEPTS else REJECTED: it.text for it in pair}


WORDS = Vocabulary(
    lines=(),
    echoes=("loop {{\n{s}\n  continuing {{\n    break if ({c});\n  }}\n}}",),
    sinks={},
    source="other[0u]",
    declared={"other": "var<workgroup> other: array<u32, 1>;\n"},
    locals={},
)
"""What pairs grow by."""


def asked(texts: Texts, _: frozenset[str]) -> tuple[Texts, frozenset[str]] | None:
    """A pair as the printer writes it and the branches that decide it; None if it is none of both verdicts."""
    found = {side: judged(text) for side, text in texts.items()}
    accepted, rejected = found[ACCEPTED], found[REJECTED]
    if accepted is None or rejected is None:
        return None
    if accepted.verdict is not Verdict.ACCEPTS or rejected.verdict is not Verdict.REJECTS:
        return None
    plain = {side: print_shader(it.shader, tacit=True) for side, it in ((ACCEPTED, accepted), (REJECTED, rejected))}
    return plain, accepted.by | rejected.by


def grown(name: str, pair: Pair) -> Pair:
    """The best pair that a pair of a branch grows to, which decides the same side."""
    other = pair[1]
    best = Growth(WORDS, asked, rounds=2, beam=2).best(name, by_side(pair))
    pairs = [(one, judged(one.texts[ACCEPTED]), judged(one.texts[REJECTED])) for one in best]
    same = [
        (one, a, r)
        for one, a, r in pairs
        if a is not None and r is not None and (name in other.by or (name in a.by) is not (name in r.by))
    ]
    _, a, r = min(same[:LOOKED_AT], key=lambda it: (it[0].cost + IMPRECISE * it[2].is_imprecise, it[0].order))
    return (a, r) if name in a.by else (r, a)


def row(variant: Variant, pair: Pair) -> Row:
    """The row of a branch."""
    sides = {ACCEPTED if it.verdict is Verdict.ACCEPTS else REJECTED: it for it in pair}
    assert sides[ACCEPTED].outcome is not Outcome.DIVERGES, sides[ACCEPTED].text
    other = {ACCEPTED: Verdict.REJECTS, REJECTED: Verdict.ACCEPTS}
    return Row(
        name=variant.name,
        section=section_of(variant),
        place=place_of(variant),
        says=says(variant),
        accepted=sides[ACCEPTED].text,
        rejected=sides[REJECTED].text,
        alone={side: other[side] for side, it in sides.items() if variant.name in it.by},
        outcome={side: sides[side].outcome.value for side in (ACCEPTED, REJECTED)},
    )


def search(more: Sequence[Shader]) -> Rows:
    """All rows; `more` are larger shaders for branches that no enumerated shader shows."""
    found = candidates(enumerated(), [(v.name, "") for v in BRANCHES])
    pairs = {v.name: pairs_of(v.name, found[v.name, ""]) or _of_larger(v, more) for v in BRANCHES}
    choice = {name: grown(name, some[0]) for name, some in pairs.items() if some}
    wanted = [(name, other) for name in choice for other in alike(choice, name)]
    for (name, other), shaders in candidates(enumerated(), wanted).items():
        if other in alike(choice, name):
            apart = [pair for pair in pairs_of(name, shaders) if not is_red(other, pair)]
            choice[name] = next(
                (pair for pair in map(partial(grown, name), apart[:1]) if not is_red(other, pair)),
                (apart or [choice[name]])[0],
            )
    rows = tuple(row(v, choice[v.name]) for v in BRANCHES if v.name in choice)
    without = {v.name: v.equivalent for v in EQUIVALENT}
    without |= {
        v.name: v.equivalent or "no near shader of the other verdict was found for those that it decides"
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
