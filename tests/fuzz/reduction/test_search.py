"""The reducer: what an edit keeps, what is asked about, and what is left at the end."""

import tomllib
from collections.abc import Callable, Hashable, Iterator
from difflib import SequenceMatcher
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fuzz.command import there
from tests.fuzz.reduction.neighbours import made, neighbours, smaller_neighbours
from tests.quality.planted import Planted, planted
from tests.quality.planted_modules import planted_modules
from tests.strategies.spelled import spelled
from tests.wgsl.current_tint import refused_by_tint
from wgsl_fuzz import minimise
from wgsl_fuzz.fuzz.cases.case import count_statements
from wgsl_fuzz.fuzz.cases.pairs import load, load_combinations
from wgsl_fuzz.fuzz.reduction.context import Context
from wgsl_fuzz.fuzz.reduction.names import plain_names, plainly_spelled, renamed, with_plain_order, with_unique_names
from wgsl_fuzz.fuzz.reduction.search import EDIT_KINDS, EditKind, nearest_text, read, reduce
from wgsl_fuzz.fuzz.reduction.size import SharedSizes, Size, size
from wgsl_fuzz.fuzz.reduction.slices import slices
from wgsl_fuzz.fuzz.reduction.statements import MOVES
from wgsl_fuzz.fuzz.reduction.text import reduce_text
from wgsl_fuzz.oracle.core import from_core
from wgsl_fuzz.oracle.rules.uniformity.revisions import analyse_wgsl, judge_wgsl
from wgsl_fuzz.oracle.verdict import Verdict
from wgsl_fuzz.strategies import SMALL_TINY, TINY, draw_shader
from wgsl_fuzz.strategies.edit.subject import valid
from wgsl_fuzz.strategies.generate.motifs.modules import draw_module
from wgsl_fuzz.strategies.generate.profile import MODULE_PROFILES
from wgsl_fuzz.wgsl.builtins import BuiltinFunction
from wgsl_fuzz.wgsl.lower.raising import print_shader
from wgsl_fuzz.wgsl.parser import parse
from wgsl_fuzz.wgsl.printer import print_module
from wgsl_fuzz.wgsl.problems import WgslError
from wgsl_fuzz.wgsl.resolution import Resolution
from wgsl_fuzz.wgsl.resolve import resolve
from wgsl_fuzz.wgsl.rewrite import Misfit
from wgsl_fuzz.wgsl.syntax import Block, Call, Expression, Let, Module, Statement, Variable
from wgsl_fuzz.wgsl.types import ValueTypes
from wgsl_fuzz.wgsl.walk import descendants

TEXTS = [pair.rejected for pair in load()[::60]] + [load_combinations()[1].text]


def rejects(resolution: Resolution) -> bool:
    return analyse_wgsl(resolution).verdict is Verdict.REJECTS


def every(resolution: Resolution) -> list[Module]:
    return [module for _, modules in neighbours(resolution) for module in modules]


@pytest.mark.parametrize("text", TEXTS)
def test_an_edit_makes_a_smaller_tree_and_leaves_the_old_one(text: str) -> None:
    module = parse(text)
    for candidate in every(resolve(module)):
        if size(candidate) >= size(module):
            continue
        nodes = [id(n) for n in descendants(candidate)]
        assert len(nodes) == len(set(nodes)), "nodes are told apart by identity"
        if valid(candidate) is not None:
            assert parse(print_module(candidate)) == candidate
    assert module == parse(text)


@pytest.mark.parametrize("text", TEXTS)
def test_what_modules_share_is_counted_as_if_they_did_not(text: str) -> None:
    module = parse(text)
    sizes = SharedSizes()
    sizes.keep(module)
    numbers: dict[Module, int] = {}
    for i, candidate in enumerate(every(resolve(module))):
        number, measure = sizes.of(candidate)
        assert measure == size(candidate)
        assert numbers.setdefault(candidate, number) == number
        if i % 50 == 0:
            sizes.keep(candidate)
    assert len(numbers) == len({*numbers.values()}), "other trees have other numbers"


def test_a_module_is_not_valid_without_what_is_missed() -> None:
    missed = 0
    for text in TEXTS:
        resolution = resolve(parse(text))
        context = Context(resolution)
        for place in context.places:
            if place.field in ("statements", "declarations"):
                without = valid(place.with_nodes())
                missed += context.is_missed((place.node,))
                assert without is None or not context.is_missed((place.node,))
    assert missed > len(TEXTS)


@pytest.mark.parametrize("text", TEXTS)
def test_a_slice_keeps_a_demand(text: str) -> None:
    context = Context(resolve(parse(text)))
    for module in made(slices, context):
        found = valid(module)
        assert size(module) < size(context.module)
        assert found is None or any(f.rule is not None for f in builtins_of(found))


def builtins_of(resolution: Resolution) -> list[BuiltinFunction]:
    calls = (resolution.builtin(n) for n in descendants(resolution.module) if isinstance(n, Call))
    return [found for found in calls if found is not None]


@settings(max_examples=100, deadline=None, derandomize=True)
@given(st.text("ab ", max_size=12), st.lists(st.text("abc ", max_size=12), max_size=6))
def test_the_nearest_text_has_the_fewest_words_that_differ(text: str, others: list[str]) -> None:
    nearest = nearest_text(text, others)
    measures = {other: (changed_words(text, other), len(other), other) for other in others}
    assert nearest == min(measures, key=lambda other: measures[other], default=None)


def changed_words(one: str, other: str) -> int:
    changes = SequenceMatcher(None, one.split(), other.split(), autojunk=False).get_opcodes()
    return sum(max(i2 - i1, j2 - j1) for tag, i1, i2, j1, j2 in changes if tag != "equal")


@pytest.mark.parametrize("one", planted(), ids=lambda one: one.name)
def test_what_is_planted_in_tinywgsl_reduces_to_its_known_minimum_or_two_more(one: Planted) -> None:
    reduction = reduce(one.drawn(), one.shows)
    small = reduction.resolution
    assert one.shows(small)
    assert reduction.statements <= one.least + 2, reduction.text
    assert not any(one.shows(smaller) for smaller in smaller_neighbours(small, moves=True))


SHADERS = [from_core(draw_shader(seed, SMALL_TINY)) for seed in range(12)]


def barriers(resolution: Resolution) -> Hashable:
    return f"{analyse_wgsl(resolution).verdict.value} {min(len(builtins_of(resolution)), 2)}"


@pytest.mark.parametrize("start", SHADERS)
def test_it_never_drifts_and_notes_the_smallest_of_what_else_it_met(start: Resolution) -> None:
    met: dict[Hashable, list[Size]] = {}
    asked: list[str] = []

    def shown(candidate: Resolution) -> Hashable:
        asked.append(print_module(candidate.module))
        met.setdefault(barriers(candidate), []).append(size(candidate.module))
        return barriers(candidate) == wanted or barriers(candidate)

    wanted = barriers(start)
    reduction = reduce(start, shown)
    assert barriers(reduction.resolution) == wanted
    assert reduction.asked == len(asked)
    searched = asked[1:-2]  # before and behind the search it is asked about names and their order
    assert len(set(searched)) == len(searched)
    for key, text in reduction.noted.items():
        other = there(read(text))
        assert barriers(other) == key != wanted
        assert size(other.module) == min(met[key])


@pytest.mark.parametrize("start", SHADERS[::4])
def test_no_statement_is_left_of_what_nobody_asks_for(start: Resolution) -> None:
    assert reduce(start, lambda _: True).statements == 0


NON_UNIFORM = """@compute @workgroup_size(1)
fn main(@builtin(local_invocation_index) p: u32) {
    if (p == 0u) {
        workgroupBarrier();
    }
}
"""


def test_the_nearest_in_words() -> None:
    reduction = reduce(resolve(parse(NON_UNIFORM)), rejects)
    assert reduction.text == NON_UNIFORM
    assert reduction.differs == ("with `if (0u == 0u) {` instead of `if (p == 0u) {` on line 3",)


@pytest.mark.parametrize("text", TEXTS[::3])
def test_what_is_reduced_is_interesting_and_no_edit_takes_more(text: str) -> None:
    resolution = found(text)
    small = reduce(resolution, rejects).resolution
    assert rejects(small)
    assert size(small.module) < size(resolution.module)
    assert not any(rejects(smaller) for smaller in smaller_neighbours(small))


def test_a_search_ends_when_it_is_told() -> None:
    resolution = resolve(parse(TEXTS[0]))
    stopped = reduce(resolution, rejects, give_up=lambda: True)
    assert stopped.resolution is resolution
    assert stopped.tried == 0
    assert reduce(resolution, rejects, most=3).tried == 3


def test_values_keep_their_types() -> None:
    """What stands for the value of a declaration or an assignment has the same type, as far as that is known."""
    for text in TEXTS:
        resolution = resolve(parse(text))
        before = {name: ValueTypes(resolution).of(value) for name, value in _values(resolution.module).items()}
        for name, modules in neighbours(resolution):
            for candidate in modules if name in ("constants", "expressions") else ():
                types = None if (changed := valid(candidate)) is None else ValueTypes(changed)
                for declared, value in _values(candidate).items() if types else ():
                    assert before[declared] in (None, there(types).of(value)), print_module(candidate)


def _values(module: Module) -> dict[str, Expression]:
    """Of each name that is declared once."""
    named = [(n.name, n.value) for n in descendants(module) if isinstance(n, Let | Variable) and n.value is not None]
    names = [name for name, _ in named]
    return {name: value for name, value in named if names.count(name) == 1}


# ----------------------------------------- Each kind of edits of modules by examples: what is one edit away from a text


MAIN = "@compute @workgroup_size(1) fn main(@builtin(local_invocation_index) N: u32) {{ {} }}"

KINDS = {**EDIT_KINDS, **MOVES}
EDITS: list[tuple[str, str, str]] = [
    (name, *(text.replace("MAIN {", MAIN.partition("{{")[0] + "{") for text in row))
    for name, rows in tomllib.loads(Path(__file__).with_name("edits.toml").read_text(encoding="utf-8")).items()
    for row in rows
]


def found(text: str) -> Resolution:
    return there(valid(parse(text)))


def away(text: str, kind: EditKind) -> set[str]:
    """The texts one edit away."""
    return {print_module(module) for module in made(kind, Context(found(text)))}


@pytest.mark.parametrize(("name", "before", "after"), EDITS, ids=[f"{i}-{row[0]}" for i, row in enumerate(EDITS)])
def test_one_edit_leads_to_it(name: str, before: str, after: str) -> None:
    wanted = print_module(parse(after))
    assert valid(parse(after)) is not None
    assert size(parse(after)) < size(parse(before)), "the search would not take it"
    found = away(before, KINDS[name])
    assert wanted in found, "\n".join(sorted(found))


def test_every_sort_has_an_example() -> None:
    assert KINDS.keys() - {row[0] for row in EDITS} == {"declarations"}


def test_a_directive_that_nothing_needs_goes() -> None:
    directives = "enable subgroups, f16; requires subgroup_id; diagnostic(off, derivative_uniformity);"
    text = f"{directives} fn f() -> f16 {{ return 1h; }}"
    small = reduce(found(text), lambda candidate: "f16" in print_module(candidate.module).partition("fn")[2])
    assert small.text.split() == ["enable", "f16;", "fn", "f()", "->", "f16", "{", "return", "0h;", "}"]


def test_a_size_that_is_named_does_not_become_zero() -> None:
    text = "const n = 4; override m: u32; var<private> a: array<u32, n>; @compute @workgroup_size(m) fn main() { }"
    for after in away(text, EDIT_KINDS["names"]):
        assert ", 0" not in after
        assert "(0" not in after


def test_what_is_left_is_written_plainly() -> None:
    text = """
    fn main_() { if b[0u] == c[1i] { g(); } }
    @group(3) @binding(7) var<storage> b: array<u32, 2u>;
    fn g() { a = b[1]; }
    @group(1) @binding(2) var<storage> c: array<u32>;
    var<private> a: u32;
    """
    wanted = """
    @group(0) @binding(0) var<storage> A: array<u32, 2>;
    @group(0) @binding(1) var<storage> B: array<u32>;
    var<private> C: u32;
    fn f() { C = A[1]; }
    fn g() { if A[0] == B[1] { f(); } }
    """
    ordered = found(print_module(with_plain_order(found(text))))
    plain = plainly_spelled(renamed(ordered, *plain_names(ordered)))
    assert print_module(plain) == print_module(parse(wanted))


def test_statements_are_counted_as_people_do() -> None:
    body = "{ if N == 0u { a = 1u; } else if true { } } for (var i = 0; ; i++) { }"
    # the block, two ifs, the assignment, the loop and its two parts
    assert count_statements(parse("var<private> a: u32; " + MAIN.format(body))) == 7


# -------- Current Tint on what the reducer of modules asks about: values keep their types, so it is hardly ever invalid


ONE_IN = 12
"""So many candidates are made for one that is asked about."""


def drawn(seed: int, profile: str) -> Resolution:
    """A module with names as the search has them."""
    module = there(read(print_module(draw_module(seed, MODULE_PROFILES[profile]))))
    return there(read(print_module(with_unique_names(module))))


def candidates(resolution: Resolution) -> Iterator[str]:
    """What would be asked about."""
    measure = size(resolution.module)
    for _, modules in neighbours(resolution):
        for i, candidate in enumerate(modules):
            if i % ONE_IN == 0 and size(candidate) < measure and valid(candidate) is not None:
                yield print_module(candidate)


@pytest.mark.parametrize("profile", MODULE_PROFILES)
def test_hardly_a_candidate_is_invalid(profile: str) -> None:
    texts = [text for seed in range(1, 4) for text in candidates(drawn(seed, profile))]
    assert len(texts) > 50
    found = refused_by_tint(texts)
    assert len(found) <= len(texts) // 50, "\n".join(found)


def test_the_minima_are_valid() -> None:
    assert refused_by_tint([one.minimum for one in planted_modules()]) == []


# -------------------- No statement is left that can be spared, whichever way the text was reduced: as a tree or as text


Holds = Callable[[str], bool]


def verdict(text: str) -> Verdict:
    module = read(text)
    try:
        return Verdict.INVALID if module is None else judge_wgsl(module).verdict
    except WgslError:
        return Verdict.INVALID


def rejected(text: str) -> bool:
    return verdict(text) is Verdict.REJECTS


def rejected_with_two_barriers(text: str) -> bool:
    return text.count("workgroupBarrier();") > 1 and rejected(text)


def accepted_with_a_loop(text: str) -> bool:
    return "loop {" in text and "workgroupBarrier();" in text and verdict(text) is Verdict.ACCEPTS


def spelled_with_a_for(text: str) -> bool:
    return "for (" in text and "=" in text and verdict(text) is not Verdict.INVALID


PROPERTIES: list[Holds] = [rejected, rejected_with_two_barriers, accepted_with_a_loop, spelled_with_a_for]
DRAWN: dict[str, Callable[[int], str]] = {
    "plain shaders": lambda seed: print_shader(draw_shader(seed, TINY)),
    "spelled shaders": lambda seed: spelled(seed),
    "modules": lambda seed: print_module(draw_module(seed, SMALL_TINY)),
}


def without_a_statement(text: str) -> Iterator[str]:
    """The valid modules that differ from a text by one statement."""
    for place in Context(there(read(text))).places:
        if isinstance(place.node, Statement) and not isinstance(place.node, Block):
            try:
                candidate = place.with_nodes()
            except Misfit:
                continue
            if valid(candidate) is not None:
                yield print_module(candidate)


def check(text: str, holds: Holds, reduced: str) -> None:
    assert holds(reduced)
    for smaller in without_a_statement(reduced):
        assert not holds(smaller), (text, reduced, smaller)


@pytest.mark.parametrize("kind", DRAWN)
@settings(max_examples=25)
@given(seed=st.integers(0, 500), holds=st.sampled_from(PROPERTIES))
def test_no_statement_of_what_is_reduced_can_be_spared(kind: str, seed: int, holds: Holds) -> None:
    text = DRAWN[kind](seed)
    if holds(text):
        check(text, holds, minimise(text, holds))


@settings(max_examples=20)
@given(kind=st.sampled_from(sorted(DRAWN)), seed=st.integers(0, 500), holds=st.sampled_from(PROPERTIES))
def test_no_statement_of_a_reduced_text_can_be_spared(kind: str, seed: int, holds: Holds) -> None:
    text = DRAWN[kind](seed)
    if len(text) < 1500 and holds(text):
        check(text, holds, reduce_text(text, holds))


def test_a_text_is_reduced_where_its_blanks_matter() -> None:
    text = "fn main() { if(a==1u) { f(); } /* x */ b=2u; f(); }"
    assert reduce_text(text, lambda candidate: "a==1u" in candidate) == "a==1u"
