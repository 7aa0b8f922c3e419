"""Relations of modules: the reference and current Tint keep every one of them, and all of them apply somewhere."""

from collections import Counter
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.strategies.modules.edit.mothers import VALID, accepts, mother_near, said, texts
from wgsl_fuzz.oracle.verdict import Verdict
from wgsl_fuzz.strategies.choices.source import DrawnBy, RandomSource
from wgsl_fuzz.strategies.edit.relations import Implication
from wgsl_fuzz.strategies.modules.edit.relations import (
    MODULE_RELATION,
    MODULE_RELATIONS,
    ModuleRelation,
    applied,
    every,
    related_module,
)
from wgsl_fuzz.wgsl.parser import parse
from wgsl_fuzz.wgsl.printer import print_module
from wgsl_fuzz.wgsl.resolution import Resolution
from wgsl_fuzz.wgsl.resolve import resolve
from wgsl_fuzz.wgsl.walk import descendants

NAMES = [relation.name for relation in MODULE_RELATIONS]
STEP = 53
"""From one mother to the next: all rows of the corpus are seen."""


def twins(relation: ModuleRelation, count: int) -> Iterator[tuple[Resolution, Resolution]]:
    """Some mothers with what a relation makes of them, where it applies."""
    for seed in range(count):
        mother = mother_near(seed * STEP)
        twin = applied(relation, mother, RandomSource(seed))
        if twin is not None:
            yield mother, twin


@pytest.mark.parametrize("name", NAMES)
def test_the_reference_keeps_each_relation(name: str) -> None:
    relation, seen = MODULE_RELATION[name], 0
    for mother, twin in twins(relation, 300):
        assert relation.holds(accepts(mother), accepts(twin)), print_module(mother.module) + print_module(twin.module)
        seen += 1
        if seen == 30:
            break
    assert seen > 0


def is_known(relation: ModuleRelation, mother: Resolution) -> bool:
    """Whether Tint 0.6.2 is known to break a relation there.

    Behind an assignment through a pointer parameter outside of functions, it takes what a *let* of that pointer points
    to for what was assigned; what the parameter itself points to it takes as non-uniform.
    """
    spaces = ("ptr<private", "ptr<workgroup", "ptr<storage")
    return relation.name == "pointer-let" and any(space in print_module(mother.module) for space in spaces)


def _tint_keeps(count: int) -> None:
    made = [(relation, mother, twin) for relation in MODULE_RELATIONS for mother, twin in twins(relation, count)]
    befores = said([print_module(mother.module) for _, mother, _ in made])
    afters = said([print_module(twin.module) for _, _, twin in made])
    for (relation, mother, _), before, after in zip(made, befores, afters, strict=True):
        if before.verdict in VALID:
            assert after.verdict in VALID, (relation.name, after.message)
            accepted = before.verdict is Verdict.ACCEPTS, after.verdict is Verdict.ACCEPTS
            assert relation.holds(*accepted) or is_known(relation, mother), (relation.name, after.message)


def test_tint_keeps_the_relations() -> None:
    _tint_keeps(8)


@pytest.mark.slow
def test_tint_keeps_the_relations_on_many() -> None:
    _tint_keeps(200)


def test_all_relations_are_drawn() -> None:
    """From any first one on, those are tried that apply."""
    seen: Counter[str] = Counter()
    for seed in range(300):
        twin = related_module(mother_near(seed), RandomSource(seed))
        assert twin is not None
        seen[twin.relation.name] += 1
    assert len(seen) >= len(NAMES) - 6


@given(st.integers(0, len(texts()) - 1), st.data())
def test_a_twin_is_another_valid_module_and_its_text_parses_to_it(index: int, data: st.DataObject) -> None:
    mother = mother_near(index)
    before = print_module(mother.module)
    twin = data.draw(DrawnBy(lambda source: related_module(mother, source)))
    assert print_module(mother.module) == before
    if twin is not None:
        assert twin.module != mother.module
        assert parse(print_module(twin.module)) == twin.module
        nodes = [id(node) for node in descendants(twin.module)]
        assert len(nodes) == len(set(nodes))


def test_a_twin_is_a_function_of_the_choices() -> None:
    for seed in range(40):
        first, second = (related_module(mother_near(seed), RandomSource(seed)) for _ in range(2))
        assert first is not None
        assert second is not None
        assert first.relation is second.relation
        assert first.module == second.module


def test_every_gives_a_drawn_twin_first_and_none_twice() -> None:
    for seed in range(40):
        mother = mother_near(seed * STEP)
        twin = related_module(mother, RandomSource(seed))
        assert twin is not None
        found = list(every(twin.relation, mother, 20, twin.choices))
        assert found[0].module == twin.module
        assert len({print_module(other.module) for other in found}) == len(found)


def test_every_ends_where_there_are_few_ways() -> None:
    mother = resolve(parse(f"{HEAD}if n == 0u {{ return; }}\n}}\n"))
    found = list(every(MODULE_RELATION["negated"], mother, 1000))
    assert len(found) == 1


def test_names_are_unique_and_sentences_say_what_is_implied() -> None:
    assert len(set(NAMES)) == len(NAMES)
    for relation in MODULE_RELATIONS:
        one_way = " never turns " in relation.sentence or " never gets " in relation.sentence
        assert one_way is (relation.implication is not Implication.SAME)


# ------------------------------------------------------------------------------------------------------- by example


HEAD = "@compute @workgroup_size(64)\nfn main(@builtin(local_invocation_index) n: u32) {\n"


def twin_of(name: str, body: str, seed: int = 0) -> str:
    """What a relation makes of the body of an entry point, as far as it is in that body, on one line."""
    twin = applied(MODULE_RELATION[name], resolve(parse(f"{HEAD}{body}\n}}\n")), RandomSource(seed))
    if twin is None:
        return ""
    text = " ".join(print_module(twin.module).split())
    return text[text.index("{", text.index("fn main")) + 2 : -2]


@pytest.mark.parametrize(
    ("name", "body", "expected"),
    [
        ("switch-for-if", "if n == 0u { return; }", "switch (u32(n == 0u)) { case 1u: { return; } default: { } }"),
        (
            "if-for-switch",
            "switch n { case 1u, 2u { return; } default { _ = n; } }",
            "let s = n; if (s == 1u || s == 2u) { return; } else { _ = n; }",
        ),
        (
            "loop-for-for",
            "for (var i = 0u; i < 4u; i++) { continue; }",
            "{ var i = 0u; loop { if (!(i < 4u)) { break; } { continue; } continuing { i++; } } }",
        ),
        ("for-for-while", "while n < 4u { }", "for (; n < 4u;) { }"),
        ("compound", "var x = n; x += 2u;", "var x = n; x = x + 2u;"),
        ("negated", "if n == 0u { return; }", "if (!(n == 0u)) { } else { return; }"),
        ("short-circuit", "let y = n > 0u && n < 4u;", "var t = n > 0u; if (t) { t = n < 4u; } let y = t;"),
        ("let-in-struct", "let x = n; let y = x + x;", "let x = S(n); let y = x.m + x.m;"),
        ("let-in-array", "let x = n;", "let x = array<u32, 1>(n);"),
    ],
)
def test_examples(name: str, body: str, expected: str) -> None:
    assert expected in {twin_of(name, body, seed) for seed in range(12)}


def test_a_pointer_stands_in_front_of_the_statement_that_uses_it() -> None:
    found = twin_of("pointer-let", "var x = 1u; if n == 0u { x = 2u; }")
    assert found == "var x = 1u; if (n == 0u) { let p = &x; *p = 2u; }"


def test_an_outlined_function_gets_what_it_changes_by_pointer() -> None:
    body = "var x = 1u; { x = n; }"
    found = {twin_of("outlined", body, seed) for seed in range(30)}
    assert "var x = 1u; outlined(&x, n);" in found
