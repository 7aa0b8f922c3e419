"""What is drawn over the tree: valid by construction, the same for one seed, of either verdict, with each construct."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import get_args

import pytest
from hypothesis import given, settings

from tests.strategies.drawn import modules
from tests.strategies.generate.digests import PROFILES, SOME, digests, drawn, noted
from tests.wgsl.current_tint import ask_tint, refused_by_tint
from wgsl_fuzz.fuzz.cases.case import read_module
from wgsl_fuzz.oracle.rules.uniformity.revisions import analyse_wgsl
from wgsl_fuzz.oracle.verdict import Verdict
from wgsl_fuzz.strategies import GENERATOR_VERSION
from wgsl_fuzz.strategies.choices.source import RandomSource
from wgsl_fuzz.strategies.generate import environment
from wgsl_fuzz.strategies.generate.drawer import Drawer
from wgsl_fuzz.strategies.generate.filters import with_filters
from wgsl_fuzz.strategies.generate.modules import ROWS, draw, draw_module
from wgsl_fuzz.strategies.generate.profile import (
    COMPUTE,
    MODULE_PROFILES,
    SMALL,
    Constructs,
    ExpressionRow,
    Site,
    StatementRow,
)
from wgsl_fuzz.wgsl.behaviours import BehaviourAnalysis
from wgsl_fuzz.wgsl.parser import parse
from wgsl_fuzz.wgsl.printer import print_module
from wgsl_fuzz.wgsl.resolution import Access, Space
from wgsl_fuzz.wgsl.resolve import resolve
from wgsl_fuzz.wgsl.syntax import Binary, Block, Diagnostic, Discard, Expression, Literal, Module, Statement
from wgsl_fuzz.wgsl.types import U32, Array, Atomic, Pointer, Structure, Type, Vector
from wgsl_fuzz.wgsl.walk import descendants


@pytest.mark.parametrize("profile", PROFILES)
def test_names_mean_the_same_without_checks(profile: str) -> None:
    for module in drawn(profile, 40):
        checked, names = resolve(module), resolve(module, checked=False)
        for one, other in ((checked.uses, names.uses), (checked.extents, names.extents)):
            assert one == other
        for ours, theirs in ((checked.declared, names.declared), (checked.effects, names.effects)):
            assert [*map(id, ours)] == [*map(id, theirs)]


@pytest.mark.parametrize("profile", PROFILES)
def test_a_seed_gives_one_module(profile: str) -> None:
    assert [draw_module(seed, MODULE_PROFILES[profile]) for seed in range(20)] == list(drawn(profile, SOME)[:20])


def test_the_seeds_give_the_same_modules_until_the_generator_version_is_raised() -> None:
    assert (GENERATOR_VERSION, digests()) == noted(), "python -m tools.regenerate --only digests"


@pytest.mark.parametrize("profile", PROFILES)
def test_trees_texts_names_and_behaviours_are_valid(profile: str) -> None:
    for module in drawn(profile, SOME):
        nodes = list(descendants(module))
        assert len({id(node) for node in nodes}) == len(nodes)
        assert parse(print_module(module)) == module
        for function in resolve(module).functions:
            BehaviourAnalysis().check(function)


@pytest.mark.parametrize("profile", PROFILES)
def test_both_verdicts_are_common(profile: str) -> None:
    verdicts = Counter(analyse_wgsl(resolve(module)).verdict for module in drawn(profile, SOME))
    assert 25 <= 100 * verdicts[Verdict.ACCEPTS] / SOME <= 75


@pytest.mark.parametrize(
    "count", [pytest.param(1000, marks=pytest.mark.full), pytest.param(20_000, marks=pytest.mark.slow)]
)
@pytest.mark.parametrize("profile", PROFILES)
def test_current_tint_finds_none_invalid(profile: str, count: int) -> None:
    """Where it crashes, that is a finding."""
    assert refused_by_tint([print_module(module) for module in drawn(profile, count)])[:3] == []


def _counted(counts: Counter[str]) -> Constructs[Drawer]:
    """All rows, each of which counts how often it is drawn."""

    def of_expressions(row: ExpressionRow[Drawer]) -> ExpressionRow[Drawer]:
        def draw_one(drawer: Drawer, type: Type, depth: int) -> Expression | None:
            found = row.draw(drawer, type, depth)
            counts[row.name] += found is not None
            return found

        return replace(row, draw=draw_one)

    def of_statements(row: StatementRow[Drawer]) -> StatementRow[Drawer]:
        def draw_one(drawer: Drawer, place: Site) -> Sequence[Statement]:
            found = row.draw(drawer, place)
            counts[row.name] += bool(found)
            return found

        return replace(row, draw=draw_one)

    return replace(
        ROWS,
        expressions=tuple(map(of_expressions, ROWS.expressions)),
        statements=tuple(map(of_statements, ROWS.statements)),
        triggers=tuple(map(of_statements, ROWS.triggers)),
    )


def test_each_row_is_drawn() -> None:
    """Of the rows that any profile has, in a few hundred modules of each."""
    counts: Counter[str] = Counter()
    rows = _counted(counts)
    groups = (rows.expressions, rows.statements, rows.triggers)
    left = {row.name for group in groups for row in group}
    for seed in range(2 * SOME):
        for profile in MODULE_PROFILES.values():
            draw(RandomSource(seed), profile, rows)
        left = {name for name in left if counts[name] < 3}
        if not left:
            return
    pytest.fail(f"seldom drawn: {left}")


def test_a_swarm_that_turns_a_row_off_draws_none_of_it() -> None:
    counts: Counter[str] = Counter()
    profile = replace(COMPUTE, swarm=False, rows=(("switch", 0), ("called", 0)))
    for seed in range(SOME):
        draw(RandomSource(seed), profile, _counted(counts))
    assert counts["switch"] == counts["called"] == 0
    assert counts["while"] > 0


@settings(max_examples=30, deadline=None)
@given(modules(SMALL))
def test_hypothesis_draws_valid_modules(module: Module) -> None:
    assert parse(print_module(module)) == module
    resolve(module)


def _constructs(profile: str) -> Counter[str]:
    """In how many modules each class of node is."""
    return Counter(name for module in drawn(profile, SOME) for name in {type(n).__name__ for n in descendants(module)})


def test_each_statement_of_the_language_is_drawn() -> None:
    counts = _constructs("compute")
    for kind in get_args(Statement):
        if kind is not Discard:  # fragment shaders have it
            assert counts[kind.__name__] >= SOME // 50, kind


def test_pointers_lead_to_all_address_spaces() -> None:
    spaces: Counter[Space] = Counter()
    for module in drawn("compute", SOME):
        resolution = resolve(module)
        for function in resolution.functions:
            spaces.update(p.space for p in map(resolution.pointer, function.parameters) if p is not None)
    assert all(spaces[space] for space in (Space.FUNCTION, Space.PRIVATE, Space.WORKGROUP, Space.STORAGE))


# ---------------- The parts that rows draw with: scopes, aliases of pointers, constants, and the dose of non-uniformity


FUNCTION, READ_WRITE = Space.FUNCTION, Access.READ_WRITE
PAIR = Structure("S1", (("m0", Vector(2, U32)), ("m1", Array(U32, 4))))


def variable(name: str, type: Type, space: Space = FUNCTION, access: Access = READ_WRITE) -> environment.Name:
    """A variable."""
    return environment.Name(name, type, environment.NameRole.VARIABLE, space, access)


def parameter(name: str) -> environment.Name:
    """A parameter that points to a u32 of a function."""
    return environment.Name(
        name, Pointer(FUNCTION, U32, READ_WRITE), environment.NameRole.PARAMETER, FUNCTION, READ_WRITE
    )


def test_a_scope_that_is_left_leaves_nothing() -> None:
    env = environment.Environment()
    x = env.declare(variable("x", U32))
    env.enter()
    y = env.declare(variable("y", PAIR))
    assert [entry.name for entry in env.entries(environment.Group.LOCAL, U32)] == [x, y]
    env.leave()
    assert [entry.name for entry in env.entries(environment.Group.ASSIGNABLE, U32)] == [x]
    assert env.entries(environment.Group.LOCAL, PAIR) == []
    assert env.names == [x]


def test_parts_are_found_by_their_types() -> None:
    env = environment.Environment()
    env.declare(variable("s", PAIR))
    (entry,) = env.entries(environment.Group.LOCAL, U32)
    assert entry.paths == (
        (environment.Field("m0"), environment.Component(2)),
        (environment.Field("m1"), environment.Element(4)),
    )
    (entry,) = env.addressable(FUNCTION, READ_WRITE, U32)
    assert entry.paths == ((environment.Field("m1"), environment.Element(4)),), "a component has no address"


def test_atomics_have_addresses_and_no_values() -> None:
    env = environment.Environment()
    env.declare(variable("a", Atomic(U32), Space.WORKGROUP))
    assert env.entries(environment.Group.SHARED, Atomic(U32)) == []
    assert len(env.addressable(Space.WORKGROUP, READ_WRITE, Atomic(U32))) == 1


def test_what_counts_a_loop_is_read_only() -> None:
    env = environment.Environment()
    counter = environment.Name("i", U32, environment.NameRole.VARIABLE, FUNCTION, READ_WRITE, steady=True)
    env.declare(counter)
    assert [entry.name for entry in env.entries(environment.Group.LOCAL, U32)] == [counter]
    assert env.entries(environment.Group.ASSIGNABLE, U32) == env.addressable(FUNCTION, READ_WRITE, U32) == []


@pytest.mark.parametrize(
    ("written", "read", "allowed"),
    [("", "", True), ("", "pq", True), ("p", "q", False), ("q", "p", False), ("pq", "", False), ("p", "", True)],
)
def test_two_pointers_may_have_one_root_where_neither_sees_the_other(written: str, read: str, allowed: bool) -> None:
    """13.5.2: one that is written has no second name that is read or written."""
    p, q, x = parameter("p"), parameter("q"), variable("x", U32)
    callee = environment.Callee("f", (p, q))
    for pointer in (p, q):
        callee.touch(pointer, read=pointer.name in read, write=pointer.name in written)
    aliases = environment.Aliases(callee)
    assert aliases.allows(p, x)
    aliases.take(p, x)
    assert aliases.allows(q, x) is allowed


def test_a_pointer_let_aliases_what_it_points_into() -> None:
    x = variable("x", U32)
    let = environment.Name("l", Pointer(FUNCTION, U32, READ_WRITE), environment.NameRole.LET, FUNCTION, READ_WRITE, x)
    callee = environment.Callee("f")
    callee.touch(let, read=False, write=True)
    assert list(callee.writes) == [x]


def _modules(count: int, **options: object) -> list[Module]:
    profile = replace(COMPUTE, motif_modules=0, **options)  # type: ignore[arg-type]
    return [draw_module(seed, profile) for seed in range(count)]


def test_arithmetic_never_is_constant() -> None:
    """So no compiler has anything to overflow or to divide by zero."""
    for module in _modules(150):
        for node in descendants(module):
            if isinstance(node, Binary) and node.operator in ("+", "-", "*", "/", "%", "<<", ">>"):
                assert not (isinstance(node.left, Literal) and isinstance(node.right, Literal))


def test_without_a_dose_all_is_uniform() -> None:
    quiet = (("atomic", 0), ("atomic-statement", 0))
    modules = _modules(100, swarm=False, doses=(0,), rows=(*COMPUTE.rows, *quiet))
    verdicts = [analyse_wgsl(resolve(module)).verdict for module in modules]
    assert [seed for seed, verdict in enumerate(verdicts) if verdict is not Verdict.ACCEPTS] == []


# ------------------------------ Filters put into modules: valid at every place that takes one, and nothing else changes


EVERY_PLACE = """
@group(0) @binding(0) var<storage> n: u32;
fn f() -> f32 {
    if n == 0u { return dpdx(1.0); } else if n == 1u { _ = dpdx(2.0); } else { _ = dpdx(3.0); }
    switch n { case 1u, 2u: { _ = dpdx(1.0); } default: { _ = dpdx(1.0); } }
    loop { _ = dpdx(1.0); continuing { _ = dpdx(1.0); break if n == 2u; } }
    while n == 3u { _ = dpdx(1.0); break; }
    for (var i = 0u; i < n; i++) { _ = dpdx(1.0); }
    { _ = dpdx(1.0); }
    return 1.0;
}
@fragment fn main(@location(0) v: f32) {
    if v == 0.0 { _ = f(); }
}
"""
ALL, A_FEW = 100, 30


def filtered(seed: int, rate: int) -> Module:
    return with_filters(RandomSource(seed), parse(EVERY_PLACE), rate, rate)


def bare(module: Module) -> str:
    """The text of a module without its filters."""
    return re.sub(r"@diagnostic\([^)]*\)\s", "", print_module(module)).replace("@fragment ", "@fragment\n")


@pytest.mark.parametrize("rate", [ALL, A_FEW])
def test_filters_are_valid_for_current_tint_and_the_reference(rate: int) -> None:
    modules = [filtered(seed, rate) for seed in range(150)]
    texts = [print_module(module) for module in modules]
    answers = ask_tint(texts)
    assert [read_module(text).verdict for text in texts] == [answer.verdict for answer in answers]
    assert {answer.verdict for answer in answers} == {Verdict.ACCEPTS, Verdict.REJECTS}
    for module in modules:
        resolve(module)
        assert parse(print_module(module)) == module


def test_every_place_gets_one() -> None:
    module = filtered(1, ALL)
    places = [n for n in descendants(module) if hasattr(n, "attributes")]
    without = [n for n in places if not any(a.name == "diagnostic" for a in n.attributes)]
    # Variables and parameters take none, nor the `if` behind an `else`.
    assert [type(n).__name__ for n in without] == ["Variable", "If", "Variable", "Parameter"]
    assert sum(isinstance(n, Block) for n in places) == 13
    switch = next(n for n in descendants(module) if hasattr(n, "body_attributes"))
    assert switch.body_attributes
    assert any(isinstance(d, Diagnostic) for d in module.directives)


def test_nothing_but_filters_is_added() -> None:
    before = parse(EVERY_PLACE)
    for seed in range(30):
        after = replace(filtered(seed, A_FEW), directives=())
        assert bare(after) == print_module(before)


def test_without_a_rate_the_module_stays_as_it_is() -> None:
    module = parse(EVERY_PLACE)
    assert with_filters(RandomSource(1), module, 0) is module


def test_every_severity_and_rule_is_drawn() -> None:
    text = "".join(print_module(filtered(seed, ALL)) for seed in range(20))
    for word in ("error", "warning", "info", "off"):
        for rule in ("derivative_uniformity", "subgroup_uniformity", "foo.bar"):
            assert f"@diagnostic({word}, {rule})" in text
