"""Modules of all stages: every input, output, function that matters and place of a filter is drawn."""

import re
from collections import Counter
from dataclasses import replace
from functools import cache

import pytest

from wgsl_fuzz.oracle.rules.uniformity.revisions import analyse_wgsl
from wgsl_fuzz.strategies.generate.motifs.modules import draw_module
from wgsl_fuzz.strategies.generate.profile import MODULE_PROFILES
from wgsl_fuzz.wgsl import syntax as w
from wgsl_fuzz.wgsl.builtins import FUNCTIONS, INPUTS, MATRIX_CONSTRUCTOR, Rule, Stage
from wgsl_fuzz.wgsl.diagnostics import Severity
from wgsl_fuzz.wgsl.printer import print_module
from wgsl_fuzz.wgsl.resolve import resolve
from wgsl_fuzz.wgsl.walk import descendants

SOME = 280


@cache
def drawn(profile: str) -> tuple[w.Module, ...]:
    """The modules of the first seeds."""
    return tuple([draw_module(seed, MODULE_PROFILES[profile]) for seed in range(SOME)])


def calls(profile: str) -> Counter[str]:
    """In how many modules each built-in function is called."""
    return Counter(
        name
        for module in drawn(profile)
        for name in {n.callee.name for n in descendants(module) if isinstance(n, w.Call)} & FUNCTIONS.keys()
    )


def stages(module: w.Module) -> set[Stage]:
    """The stages of its entry points."""
    resolution = resolve(module)
    return {stage for f in resolution.functions if (stage := resolution.entry_stage(f)) is not None}


@pytest.mark.parametrize(
    ("profile", "expected"),
    [
        ("compute", {Stage.COMPUTE, Stage.VERTEX}),
        ("fragment", {Stage.FRAGMENT, Stage.VERTEX}),
        ("all", {*Stage}),
    ],
)
def test_some_modules_have_several_entry_points(profile: str, expected: set[Stage]) -> None:
    resolved = [*map(resolve, drawn(profile))]
    assert {stage for module in drawn(profile) for stage in stages(module)} == expected
    assert SOME // 50 < sum(len(resolution.entry_points) > 1 for resolution in resolved) < SOME // 8


@pytest.mark.parametrize(
    ("profile", "rules"),
    [
        ("compute", {Rule.SYNCHRONIZATION}),
        ("fragment", {Rule.DERIVATIVE}),
        ("subgroups", set(Rule) - {Rule.MATRIX}),
        ("all", set(Rule) - {Rule.MATRIX}),
        ("proposals", set(Rule) - {Rule.DERIVATIVE}),
    ],
)
def test_each_module_has_a_trigger_of_its_profile(profile: str, rules: set[Rule]) -> None:
    found: Counter[Rule | None] = Counter()
    for module in drawn(profile):
        nodes = [n.callee if isinstance(n, w.Call) else n for n in descendants(module)]
        names = {n.name for n in nodes if isinstance(n, w.Identifier)}  # a zero value may need a type alone
        rows = [MATRIX_CONSTRUCTOR if name.startswith("subgroup_matrix_") else FUNCTIONS.get(name) for name in names]
        here = {row.rule for row in rows if row is not None} & rules
        assert here
        found.update(here)
    assert all(found[rule] > SOME // 6 for rule in rules)


def test_functions_that_matter_are_common() -> None:
    fragment, subgroups, everything, proposals = map(calls, ("fragment", "subgroups", "all", "proposals"))
    for name, row in FUNCTIONS.items():
        if name.startswith(("dpd", "fwidth")):
            assert fragment[name] > SOME // 20
        if row.rule is Rule.SUBGROUP:
            assert subgroups[name] > SOME // 50
        if row.rule is not None:
            assert (everything + proposals)[name] > 0


def test_a_profile_has_no_functions_of_others() -> None:
    assert not any(FUNCTIONS[name].rule is Rule.SUBGROUP for name in calls("fragment"))
    assert {FUNCTIONS[name].rule for name in calls("compute")} <= {None, Rule.SYNCHRONIZATION}


def test_each_input_is_drawn() -> None:
    found = {
        a.arguments[0].name
        for profile in ("all", "fragment", "compute", "subgroups")
        for node in (n for module in drawn(profile) for n in descendants(module))
        if isinstance(node, w.Parameter | w.StructMember)
        for a in node.attributes
        if a.name == "builtin" and isinstance(a.arguments[0], w.Identifier)
    }
    assert found >= {name for name, _ in INPUTS}


def test_each_place_gets_filters() -> None:
    found = set()
    for module in drawn("all") + drawn("fragment"):
        for node in descendants(module):
            for field in ("attributes", "body_attributes"):
                attributes: tuple[w.Attribute, ...] = getattr(node, field, ())
                if any(a.name == "diagnostic" for a in attributes):
                    found.add(f"{type(node).__name__} {field}")
    places = {f"{kind} attributes" for kind in ("Function", "Block", "If", "Switch", "Loop", "While", "For")}
    assert found == places | {"Switch body_attributes"}


def test_fragments_are_discarded() -> None:
    assert any(isinstance(n, w.Discard) for module in drawn("fragment") for n in descendants(module))


def test_both_scopes_decide_where_there_are_subgroups() -> None:
    decided: Counter[frozenset[Rule]] = Counter()
    for module in drawn("subgroups"):
        violations = [v for _, v in analyse_wgsl(resolve(module)).violations if v.severity is Severity.ERROR]
        decided[frozenset(rule for v in violations for rule in v.rules)] += 1
    subgroup = decided[frozenset({Rule.SUBGROUP})]
    workgroup = sum(count for rules, count in decided.items() if rules and Rule.SUBGROUP not in rules)
    assert min(subgroup, workgroup, decided[frozenset()]) > SOME // 20


NEW_WORDS = re.compile(
    r"num_subgroups|subgroup_id|(global_invocation|workgroup|primitive)_index|frag_depth, |^requires|@subgroup_size",
    re.MULTILINE,
)


@pytest.mark.parametrize("profile", ["compute", "all"])
def test_modules_without_the_newest_have_none_of_it(profile: str) -> None:
    for seed in range(SOME // 2):
        module = draw_module(seed, replace(MODULE_PROFILES[profile], newest=0))
        assert not NEW_WORDS.search(print_module(module))
        resolution = resolve(module)
        for node in descendants(module):
            if isinstance(node, w.Assign) and isinstance(node.left, w.Member):
                assert not resolution.is_swizzle(node.left)
            elif isinstance(node, w.Let):
                found = resolution.type(node.value)
                assert found is None or not found.name.startswith(("texture_", "sampler"))


def test_some_modules_have_the_newest() -> None:
    assert sum(NEW_WORDS.search(print_module(module)) is not None for module in drawn("all")) > SOME // 12
