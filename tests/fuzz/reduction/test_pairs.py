"""Findings that two related shaders show: every relation, broken by planted faults, is reduced to its known minimum."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.quality.paper_mutants import KILLABLE, RULE_SETS
from wgsl_fuzz.fuzz.reduction.related import reduce_related
from wgsl_fuzz.fuzz.reduction.search import is_one_minimal
from wgsl_fuzz.oracle.rules.analysis import analyse
from wgsl_fuzz.oracle.verdict import Verdict
from wgsl_fuzz.strategies import DEFAULT, SMALL, draw_shader
from wgsl_fuzz.strategies.choices.source import RandomSource, RecordingSource
from wgsl_fuzz.strategies.edit.relations import RELATION, RELATIONS, RelatedShader, Relation, applied, broken, every
from wgsl_fuzz.tinywgsl.ast import (
    Assign,
    Barrier,
    Binary,
    Block,
    Call,
    If,
    Lid,
    Literal,
    Local,
    Loop,
    Return,
    Shader,
    SharedAssign,
    SharedRead,
    Stmt,
    Unary,
    blocks_of,
    count_statements,
    expressions_in,
    renumbered,
    walk,
    walk_expr,
)
from wgsl_fuzz.tinywgsl.printer import print_shader
from wgsl_fuzz.tinywgsl.wellformed import violations

JUMPY = replace(
    DEFAULT,
    statements=(5, 20),
    weights=(("assign", 30), ("barrier", 8), ("shared", 8), ("call", 12), ("if", 40), ("loop", 25), ("return", 10)),
    main_returns=60,
)


@dataclass(frozen=True)
class Fault:
    """A target that breaks a relation, and the statements of the smallest shader known that shows it."""

    relation: str
    accepts: Callable[[Shader], bool]
    least: int
    name: str

    def starts(self) -> Iterator[tuple[Shader, RelatedShader]]:
        """Drawn shaders whose drawn twin shows it; `main` may return, or they would end in one barrier more."""
        relation = RELATION[self.relation]
        for seed in range(4_000):
            for profile in (DEFAULT, SMALL, JUMPY):
                shader, recording = draw_shader(seed, profile), RecordingSource(RandomSource(seed))
                twin = applied(relation, shader, recording) if violations(shader) else None
                if twin is not None and broken(relation, self.accepts(shader), self.accepts(twin)):
                    yield shader, RelatedShader(relation, twin, tuple(recording.choices))


def reference(shader: Shader) -> bool:
    return analyse(shader).verdict is Verdict.ACCEPTS


def by_rules(name: str) -> Callable[[Shader], bool]:
    """A rule set, or a mutant of the rules."""
    if name in RULE_SETS:
        return lambda shader: analyse(shader, RULE_SETS[name]).verdict is Verdict.ACCEPTS
    (mutant,) = [m for m in KILLABLE if m.name == name]
    return lambda shader: analyse(shader, mutant.rules).verdict is Verdict.ACCEPTS


def statements(shader: Shader) -> list[Stmt]:
    return [s for f in shader.all_functions for s in walk(f.body)]


def barriers(shader: Shader) -> int:
    return sum(isinstance(s, Barrier) for s in statements(shader))


def deepest(ss: Block, kind: type[Stmt]) -> int:
    """How many statements of a kind stand within one another."""
    return max((isinstance(s, kind) + max((deepest(b, kind) for b in blocks_of(s)), default=0) for s in ss), default=0)


def depth(shader: Shader, kind: type[Stmt]) -> int:
    return max(deepest(f.body, kind) for f in shader.all_functions)


def one_behind_another(shader: Shader, first: type[Stmt], second: type[Stmt]) -> bool:
    blocks = [f.body for f in shader.all_functions] + [block for s in statements(shader) for block in blocks_of(s)]
    return any(isinstance(a, first) and isinstance(b, second) for ss in blocks for a, b in pairwise(ss))


def literal_is_left(shader: Shader) -> bool:
    expressions = (e for f in shader.all_functions for e in expressions_in(f.body))
    return any(
        isinstance(e, Binary) and isinstance(e.left, Literal) and isinstance(e.right, Local) for e in expressions
    )


def condition_is(shader: Shader, fits: Callable[[If], bool]) -> bool:
    return any(isinstance(s, If) and fits(s) for s in statements(shader))


def decides_by_one(s: If) -> bool:
    return any(isinstance(e, Literal) and e.value == 1 for e in walk_expr(s.condition))


def sources(shader: Shader) -> int:
    return sum(isinstance(e, (Lid, SharedRead)) for f in shader.all_functions for e in expressions_in(f.body))


def uncalled(shader: Shader) -> bool:
    called = {s.function for s in statements(shader) if isinstance(s, Call)}
    return any(f.name not in called for f in shader.functions)


def loops_without_continuing(shader: Shader) -> bool:
    return any(isinstance(s, Loop) and not s.continuing for s in statements(shader))


def writes_a_local(shader: Shader) -> bool:
    return any(isinstance(s, SharedAssign) and isinstance(s.value, Local) for s in statements(shader))


def wrong_if(fault: Callable[[Shader], bool]) -> Callable[[Shader], bool]:
    return lambda shader: reference(shader) is not fault(shader)


def lax_if(fault: Callable[[Shader], bool]) -> Callable[[Shader], bool]:
    return lambda shader: reference(shader) or fault(shader)


def strict_if(fault: Callable[[Shader], bool]) -> Callable[[Shader], bool]:
    return lambda shader: reference(shader) and not fault(shader)


OF_FORM: dict[str, tuple[Callable[[Shader], bool], int]] = {
    "no-source": (strict_if(lambda s: condition_is(s, decides_by_one)), 1),
    "lid-for-expression": (
        lax_if(lambda s: sum(isinstance(e, Lid) for e in expressions_in(s.main.body)) > 1),
        2,
    ),
    "literal-for-source": (strict_if(lambda s: not sources(s)), 1),
    "barrier-removed": (strict_if(lambda s: barriers(s) == 1), 2),
    "barrier-added": (lax_if(lambda s: barriers(s) > 2), 3),
    "dead-code": (wrong_if(lambda s: one_behind_another(s, Return, Barrier)), 1),
    "inlined": (wrong_if(uncalled), 2),
    "negated": (wrong_if(lambda s: condition_is(s, lambda c: isinstance(c.condition, Unary))), 1),
    "wrapped-in-if": (lax_if(lambda s: depth(s, If) > 1), 2),
    "loop-once": (wrong_if(lambda s: depth(s, Loop) > 1), 3),
    "continuing-moved": (wrong_if(loops_without_continuing), 4),
    "named": (wrong_if(lambda s: condition_is(s, lambda c: isinstance(c.condition, Local))), 1),
    "rest-in-else": (strict_if(lambda s: condition_is(s, lambda c: bool(c.then and c.orelse))), 3),
    "commuted": (wrong_if(lambda s: one_behind_another(s, Barrier, Assign)), 2),
    "unread": (wrong_if(writes_a_local), 1),
    "mirrored": (wrong_if(literal_is_left), 1),
}
"""Faults of form: of the order of operands and statements, of names, of calls, of nesting."""

OF_RULES: dict[str, tuple[str, int]] = {
    "no-source": ("expr/literal/is-non-uniform", 2),
    "lid-for-expression": ("expr/lid/is-uniform", 2),
    "barrier-added": ("B/barrier/is-nothing", 2),
    "dead-code": ("list/tail/dead-analysed", 1),
    "inlined": ("call/line-4/demand-on-every-argument", 2),
    "negated": ("if/line-3/else-under-cf", 2),
    "wrapped-in-if": ("if/line-8/map-of-entry", 3),
    "loop-once": ("without-10d", 1),
    "continuing-moved": ("without-10a", 5),
    "named": ("assign/map/not-updated", 2),
    "rest-in-else": ("if/line-8/if-it-may-end", 3),
    "commuted": ("call/line-7/control-flow-is-result", 3),
    "unread": ("shared-assign/graph/value-demanded", 1),
    "mirrored": ("expr/binary/no-edge-to-left", 2),
}
"""Wrong rules."""

FAULTS = [
    *[Fault(relation, accepts, least, f"{relation} by form") for relation, (accepts, least) in OF_FORM.items()],
    *[
        Fault(relation, by_rules(rules), least, f"{relation} by {rules}")
        for relation, (rules, least) in OF_RULES.items()
    ],
]


def test_every_relation_has_a_planted_fault() -> None:
    assert set(OF_FORM) == set(RELATION)


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_broken_relation_is_reduced_to_its_known_minimum_or_two_more(fault: Fault) -> None:
    relation = RELATION[fault.relation]
    shader, drawn = next(fault.starts())
    least = reduce_related(relation, shader, fault.accepts, near=drawn.choices)
    reduced, twin = least.reduction.shader, least.twin
    assert twin is not None
    assert twin.shader in [one.shader for one in every(relation, reduced, 10_000)]
    assert broken(relation, fault.accepts(reduced), fault.accepts(twin.shader))
    for one in (reduced, twin.shader):
        assert violations(one, main_may_return=True) == []
        assert renumbered(one) == one
    assert count_statements(reduced) <= fault.least + 2, print_shader(reduced)
    assert is_one_minimal(reduced, lambda s: breaks_somewhere(relation, fault.accepts, s))


def breaks_somewhere(relation: Relation, accepts: Callable[[Shader], bool], shader: Shader) -> bool:
    before = accepts(shader)
    return any(broken(relation, before, accepts(twin.shader)) for twin in every(relation, shader, 10_000))


@pytest.mark.full
@given(st.integers(0, 10_000), st.sampled_from(RELATIONS))
def test_a_target_is_asked_about_no_shader_twice_and_only_about_well_formed_ones(seed: int, relation: Relation) -> None:
    shader, recording = draw_shader(seed, SMALL), RecordingSource(RandomSource(seed))
    if applied(relation, shader, recording) is None:
        return
    asked: list[Shader] = []

    def accepts(one: Shader) -> bool | None:
        asked.append(one)
        return (True, False, None)[count_statements(one) % 3]

    reduce_related(relation, shader, accepts, near=tuple(recording.choices), most=8)
    assert len(set(asked)) == len(asked)
    assert all(violations(one, main_may_return=True) == [] for one in asked)


def test_a_target_that_keeps_the_relation_now_has_no_twin() -> None:
    shader = draw_shader(1, SMALL)
    least = reduce_related(RELATION["mirrored"], shader, reference)
    assert least.twin is None
    assert count_statements(least.reduction.shader) == count_statements(shader)


@pytest.mark.parametrize("said", [True, False, None])
def test_a_target_that_always_says_the_same_is_reduced_by_no_relation_of_equals(said: bool | None) -> None:
    shader = draw_shader(2, SMALL)
    assert reduce_related(RELATION["negated"], shader, lambda _: said).twin is None


def test_giving_up_keeps_what_was_reached_and_its_twin() -> None:
    fault = FAULTS[0]
    shader, drawn = next(fault.starts())
    least = reduce_related(RELATION[fault.relation], shader, fault.accepts, near=drawn.choices, give_up=lambda: True)
    assert least.reduction.tried == 0
    assert least.twin is not None
    assert least.twin.shader == drawn.shader


@pytest.mark.parametrize("fault", FAULTS[::4], ids=lambda fault: fault.name)
def test_what_was_not_looked_at_to_the_end_is_not_the_nearest_that_does_not_show_it(fault: Fault) -> None:
    relation, (shader, drawn) = RELATION[fault.relation], next(fault.starts())
    for most in range(5, 60, 6):
        asked: list[Shader] = []

        def accepts(one: Shader, asked: list[Shader] = asked) -> bool:
            asked.append(one)
            return fault.accepts(one)

        least = reduce_related(
            relation,
            shader,
            accepts,
            near=drawn.choices,
            give_up=lambda most=most, asked=asked: len(asked) >= most,  # type: ignore[misc]
        )
        nearest = least.reduction.nearest
        assert nearest is None or not breaks_somewhere(relation, fault.accepts, nearest)
