"""The rules on sets of sources say what they say on graphs, under every rule set and variant."""

from collections.abc import Iterator
from itertools import islice

import pytest

from tests.oracle.rules.uniformity.test_arm_coverage import by_brute_force, valid
from tests.quality.module_mutants import pairs
from wgsl_fuzz.oracle.rules.rule_set import Direction, Rules, Variant
from wgsl_fuzz.oracle.rules.uniformity import revisions
from wgsl_fuzz.oracle.rules.uniformity.analysis import ScopeAnalysis, analyse_module
from wgsl_fuzz.oracle.rules.uniformity.coverage import deciding_arms
from wgsl_fuzz.oracle.rules.uniformity.graph import UniformityGraph
from wgsl_fuzz.oracle.rules.uniformity.sets import SourceSets
from wgsl_fuzz.strategies.generate.motifs.modules import draw_module
from wgsl_fuzz.strategies.generate.profile import MODULE_PROFILES
from wgsl_fuzz.wgsl.problems import WgslError
from wgsl_fuzz.wgsl.resolution import Resolution
from wgsl_fuzz.wgsl.resolve import read, resolve

NAMED = {*revisions.WGSL_RULE_SETS.values()}
EVERY: tuple[Rules, ...] = (*NAMED, *(v.rules for v in revisions.all_variants().values()))


def told(module: Resolution, analysis: type[ScopeAnalysis]) -> object:
    """Verdict, violations, and the tags of functions that may be called; or why there are none."""
    try:
        found = analyse_module(module, analysis)
    except WgslError as problem:
        return problem.message
    violations = [(id(r.function), v.severity, v.rules, id(v.call), v.demand, v.argument) for r, v in found.violations]
    tags = [(r.function.name, r.scope, r.tags) for r in found.functions if module.entry_stage(r.function) is None]
    return found.verdict, tags, violations


def same(module: Resolution, rules: Rules) -> bool:
    """Whether both ways say the same."""
    return told(module, revisions.set_analysis_under(rules)) == told(module, revisions.analysis_under(rules))


def drawn(profile: str, seeds: range) -> Iterator[Resolution]:
    """The modules of these seeds."""
    return (resolve(draw_module(seed, MODULE_PROFILES[profile])) for seed in seeds)


def differing(profile: str, seeds: range, rules: tuple[Rules, ...], each: int) -> list[int]:
    """The places of modules on which a rule set differs; `each` of the rule sets in turn are asked of each module."""
    modules = enumerate(drawn(profile, seeds))
    return [
        i for i, module in modules if not all(same(module, rules[(i * each + j) % len(rules)]) for j in range(each))
    ]


def test_a_variant_that_compares_nodes_and_rules_of_a_user_get_a_graph() -> None:
    variant = revisions.all_variants()["assign/left/no-control-flow"]
    assert revisions.set_analysis_under(variant.rules).graph_type is UniformityGraph
    assert revisions.set_analysis_under(Rules()).graph_type is SourceSets

    class Own(ScopeAnalysis):
        pass

    mine = Rules([Variant("mine", "", "", Direction.EITHER, (Own,))])
    assert revisions.set_analysis_under(mine) is revisions.analysis_under(mine)


def test_the_second_rule_set_is_told_of_loops_that_nothing_leaves_as_well() -> None:
    module = read("fn f() { loop { } }")
    for _ in range(2):
        with pytest.raises(WgslError, match="nothing leaves this loop"):
            revisions.judge_wgsl(module)


# ---------------------------------------------------------------------------------------------------------- modules


MODULES = [
    (range(25), tuple(NAMED), 2),
    (range(500, 512), EVERY, 60),  # a few modules, of which together all variants are asked
    pytest.param(range(1000, 1250), EVERY, 8, marks=pytest.mark.full),
    pytest.param(range(10_000, 34_000), EVERY, 3, marks=pytest.mark.slow),
]


@pytest.mark.parametrize(("seeds", "rules", "each"), MODULES, ids=["named", "variants", "many", "very many"])
@pytest.mark.parametrize("profile", MODULE_PROFILES)
def test_verdict_and_tags_are_those_of_the_graph(
    profile: str, seeds: range, rules: tuple[Rules, ...], each: int
) -> None:
    assert differing(profile, seeds, rules, each) == []


@pytest.mark.parametrize("orelse", ["", "else { return; }"])
def test_rules_by_which_nothing_reaches_a_declaration_say_what_its_name_is(orelse: str) -> None:
    module = read(
        "fn f(q: ptr<function, u32>) { *q += 1u; } @compute @workgroup_size(1) "
        f"fn main(@builtin(local_invocation_index) i: u32) {{ loop {{ if i == 0u {{ break; }} {orelse} "
        "let x = i; var y = x; let p = &y; continuing { f(&y); *p += x; f(p); break if y == x; } } }"
    )
    assert all(same(module, rules) for rules in EVERY)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(4))
def test_every_variant_says_the_same_of_every_pair(part: int) -> None:
    for module in islice(valid(sorted(pairs())), part, None, 4):
        assert all(same(module, rules) for rules in EVERY)


# ------------------------------------------------------------------------------------------------------------- arms


@pytest.mark.full
@pytest.mark.parametrize("profile", MODULE_PROFILES)
def test_no_record_loses_an_arm_of_drawn_modules(profile: str) -> None:
    for module in islice(drawn(profile, range(700, 703)), 3):
        assert deciding_arms(module) == by_brute_force(module)
        assert deciding_arms(module, revisions.analyse_wgsl(module)) == deciding_arms(module)
