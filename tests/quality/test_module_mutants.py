"""Every arm of section 15.2 is tested: each variant of the whole-language analysis is killed by a pair named here.

`module_witnesses.toml` names the pair of `corpus/wgsl/pairs` that kills a variant; `module_mutants.py` finds it.
"""

from collections.abc import Iterable, Iterator
from typing import get_args

import pytest

from tests.fuzz.reduction.neighbours import smaller_neighbours
from tests.quality.module_mutants import SIDES, answer, expected, killers, pairs, resolution, tells, witnesses
from tests.quality.planted_modules import OTHERS, PlantedModule, drawn_modules, planted_modules
from wgsl_fuzz.fuzz.cases.case import count_statements
from wgsl_fuzz.fuzz.reduction.search import reduce
from wgsl_fuzz.oracle.rules.rule_set import UNCHANGED, Direction, Rules, Variant
from wgsl_fuzz.oracle.rules.uniformity.analysis import ScopeAnalysis
from wgsl_fuzz.oracle.rules.uniformity.coverage import arms, deciding_arms
from wgsl_fuzz.oracle.rules.uniformity.revisions import all_variants, analyse_wgsl, judge_wgsl
from wgsl_fuzz.oracle.rules.uniformity.variants.proposals import PROPOSED_TINT
from wgsl_fuzz.oracle.rules.uniformity.variants.tint import TINT_VARIANTS
from wgsl_fuzz.oracle.verdict import Verdict
from wgsl_fuzz.strategies import draw_shader
from wgsl_fuzz.wgsl.behaviours import BehaviourAnalysis
from wgsl_fuzz.wgsl.builtins import FUNCTIONS, INPUTS, MATRIX_CONSTRUCTOR, PROPOSALS, Stage, words
from wgsl_fuzz.wgsl.lower.raising import print_shader
from wgsl_fuzz.wgsl.parser import parse
from wgsl_fuzz.wgsl.problems import WgslError
from wgsl_fuzz.wgsl.resolution import Resolution
from wgsl_fuzz.wgsl.resolve import read
from wgsl_fuzz.wgsl.syntax import Statement

EQUIVALENT = tuple(v for v in all_variants().values() if v.equivalent)
KILLABLE = tuple(v for v in all_variants().values() if not v.equivalent)
RULES = sorted({v.rule for v in KILLABLE})


@pytest.mark.parametrize("rule", RULES)
def test_each_variant_of_a_rule_is_killed(rule: str) -> None:
    variants = [v for v in KILLABLE if v.rule == rule]
    assert [v.name for v in variants if not any(killers(v, [witnesses()[v.name]]))] == []


def test_each_variant_has_a_witness_or_a_reason() -> None:
    assert witnesses().keys() == {v.name for v in KILLABLE}
    assert {*witnesses().values()} <= pairs().keys()
    assert [v.name for v in EQUIVALENT if len(v.equivalent) < 20] == []


@pytest.mark.parametrize(
    "variant", [v for v in (*TINT_VARIANTS, *PROPOSED_TINT) if not v.equivalent], ids=lambda v: v.name
)
def test_current_tint_answers_the_witness_of_its_departure_as_that_does(variant: Variant) -> None:
    name = witnesses()[variant.name]
    recorded = {side: pairs()[name].tint.get(side) for side in SIDES if tells(name, side, variant.rules)}
    under = {side: given.verdict for side in recorded if (given := answer(name, side, variant.rules))}
    assert recorded == under != {}


@pytest.mark.parametrize("rule", RULES)
def test_the_coverage_of_arms_says_which_variants_tell_a_witness(rule: str) -> None:
    """The coverage runs a variant only where it can differ: it must not pass over the text that the variant was
    written for.
    """
    wrong = []
    for arm in [arm for arm in arms(proposals=True) if arm.rule == rule]:
        for side in SIDES:
            text = resolution(witnesses()[arm.name], side)
            reference = None if text is None else _verdict(text, UNCHANGED)
            if text is not None and reference is not None:
                decides = arm.name in deciding_arms(text, only={arm.name})
                if decides != (_verdict(text, arm.rules) is not reference):
                    wrong.append((arm.name, side))
    assert wrong == []


def _verdict(text: Resolution, rules: Rules) -> Verdict | None:
    """None: its behaviours are not allowed."""
    try:
        return judge_wgsl(text, rules).verdict
    except WgslError:
        return None


# ------------------------------------------------------------------------------------------------------ completeness


def test_every_statement_has_variants_of_its_rule_and_of_its_behaviours() -> None:
    names = {cls.__name__.lower() for cls in get_args(Statement)}
    assert names - {v.rule for v in KILLABLE} == set()
    behaviours = {v.line for v in KILLABLE if v.rule == "B"}
    assert names - behaviours == {"block"}
    assert "list" in behaviours


def test_every_row_with_tags_has_a_variant_of_each_tag() -> None:
    names = {v.name for v in KILLABLE}
    for row in (*FUNCTIONS.values(), MATRIX_CONSTRUCTOR):
        wanted = {"no-requirement"} if row.rule is not None else set()
        wanted |= {"no-parameter"} if row.required else set()
        wanted |= {f"uniform-in-{scope}" for scope in row.non_uniform_in if row.result}
        wanted |= {f"no-parameter-{i}" for i in row.required if len(row.required) > 1}
        rule = "proposal" if row.extension in PROPOSALS else "table"
        assert {f"{rule}/{row.name}/{what}" for what in wanted} <= names


def test_every_input_has_a_variant() -> None:
    lines = {v.line for v in all_variants().values() if v.rule == "input"}
    decides = [key for key, row in INPUTS.items() if row.uniform_in or row.stage is not Stage.VERTEX]
    assert {f"{stage}-{name}" for name, stage in decides} <= lines


HAND_ON = words("behaviour_analysis both builtin_call graph_type identifier module source")
AROUND_ARMS = words(
    "behind_condition body_behaviours break_ call_statement continue_ let_statement phony return_"
    " short_circuit var_statement without_rule"
)
"""The methods that no variant replaces. Of the latter, variants replace what calls them or what they call."""


def overridden() -> Iterator[str]:
    """The methods that variants replace."""
    for variant in KILLABLE:
        for cls in variant.replacements:
            base = ScopeAnalysis if issubclass(cls, ScopeAnalysis) else BehaviourAnalysis
            for between in cls.__mro__[: cls.__mro__.index(base)]:
                yield from vars(between)


def test_every_method_of_the_rules_is_replaced_by_a_variant() -> None:
    rules = [cls for cls in ScopeAnalysis.__mro__ if cls is not object] + [BehaviourAnalysis]
    methods = {name for cls in rules for name, value in vars(cls).items() if callable(value) and name[0] != "_"}
    assert methods - {*overridden()} == HAND_ON | AROUND_ARMS


# -------------------------------------------------------------------------------------------- directions, equivalence


def wrong_way(variant: Variant, names: Iterable[str]) -> Iterator[tuple[str, str, str]]:
    """Texts on which a variant differs, but not in its direction."""
    if variant.direction is Direction.EITHER:
        return
    stays = "accepted" if variant.direction is Direction.LAXER else "rejected"
    for name in names:
        given = answer(name, stays, variant.rules)
        if given is not None and given.verdict is not expected(pairs()[name], stays).verdict:
            yield variant.name, name, stays


@pytest.mark.parametrize("every", [40, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize("rule", RULES)
def test_effects_go_the_way_they_say(rule: str, every: int) -> None:
    """On the pair that kills a variant, and on others."""
    others = sorted(pairs())[::every]
    variants = [v for v in KILLABLE if v.rule == rule]
    assert [wrong for v in variants for wrong in wrong_way(v, (witnesses()[v.name], *others))] == []


@pytest.mark.parametrize("every", [12, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize("variant", EQUIVALENT, ids=[v.name for v in EQUIVALENT])
def test_equivalent_variants_do_not_differ(variant: Variant, every: int) -> None:
    assert [*killers(variant, sorted(pairs())[::every])] == []


@pytest.mark.parametrize("seed", range(20))
def test_variants_that_are_equivalent_do_not_differ_on_drawn_shaders(seed: int) -> None:
    module = read(print_shader(draw_shader(seed)))
    verdict = analyse_wgsl(module).verdict
    assert [v.name for v in EQUIVALENT if analyse_wgsl(module, v.rules).verdict is not verdict] == []


# ------------------- The reducer of modules comes to the smallest module known of each planted disagreement, or near it


MOST_ABOVE = 2
"""Statements that a reduction may leave beside those of the smallest module known."""


@pytest.mark.parametrize("one", planted_modules(), ids=lambda one: one.variant)
def test_a_known_minimum_shows_it(one: PlantedModule) -> None:
    verdicts = one.verdicts
    assert verdicts[0] is not verdicts[1]


def check(one: PlantedModule, start: Resolution, least: int, origin: str) -> None:
    """What is left of a large module is small, shows it, and says what matters about it."""
    reduction = reduce(start, one.shows)
    print(
        f"{one.variant}, {origin}: {count_statements(start.module)} statements, {reduction.statements} left, "
        f"{least} known; {reduction.tried} candidates, {reduction.asked} asked about"
    )
    assert one.shows(reduction.resolution)
    assert parse(reduction.text) == reduction.resolution.module
    assert reduction.statements <= least + MOST_ABOVE, reduction.text
    assert reduction.nearest is not None
    assert not one.shows_text(reduction.nearest)
    assert not any(one.shows(smaller) for smaller in smaller_neighbours(reduction.resolution))


@pytest.mark.parametrize(
    "one",
    [
        pytest.param(one, id=one.variant, marks=pytest.mark.slow if n % 5 else ())
        for n, one in enumerate(planted_modules())
    ],
)
def test_what_is_planted_reduces_to_its_known_minimum_or_two_more(one: PlantedModule) -> None:
    start = one.start()
    assert count_statements(start.module) > 5 * OTHERS
    check(one, start, one.least, "among others")


@pytest.mark.slow
def test_drawn_modules_reduce_to_a_known_minimum_or_two_more() -> None:
    found = list(drawn_modules(seeds=250, each=2))
    assert len({one.variant for one, _, _ in found}) >= 20
    for one, origin, module in found:
        check(one, module, one.least_drawn, origin)
