"""What proposals add is a layer: it changes nothing of a module without one, and has its own name in records."""

import re

import pytest

from tests.wgsl.reading import resolved
from wgsl_fuzz.fuzz.cases.case import read_module
from wgsl_fuzz.fuzz.cases.pairs import Pair, load
from wgsl_fuzz.oracle.rules.rule_set import UNCHANGED
from wgsl_fuzz.oracle.rules.uniformity import revisions
from wgsl_fuzz.oracle.rules.uniformity.analysis import analyse_module
from wgsl_fuzz.oracle.rules.uniformity.coverage import arms, deciding_arms
from wgsl_fuzz.oracle.rules.uniformity.revisions import WGSL_RULE_SETS, all_variants, judge_wgsl
from wgsl_fuzz.oracle.rules.uniformity.variants.proposals import is_proposed
from wgsl_fuzz.wgsl.problems import Unsupported
from wgsl_fuzz.wgsl.resolve import read

PROPOSED = [pair for pair in load() if pair.file == "proposals"]
OTHERS = [pair for pair in load() if pair.file != "proposals"]
PLAIN = {"chromium_experimental_subgroup_matrix": "subgroup_matrix", "chromium.subgroup_matrix": "subgroup_matrix"}


def texts(pairs: list[Pair]) -> list[str]:
    return [text for pair in pairs for text in (pair.accepted, pair.rejected)]


def test_the_pairs_of_proposals_and_no_others_have_proposals() -> None:
    assert [pair.name for pair in PROPOSED if not read(pair.accepted).proposals] == []
    assert [text for text in texts(OTHERS[::6]) if (found := resolved(text)) is not None and found.proposals] == []


@pytest.mark.parametrize("variant", [v for v in all_variants().values() if is_proposed(v)], ids=lambda v: v.name)
def test_no_variant_of_a_proposal_says_otherwise_of_a_module_without_one(variant) -> None:  # type: ignore[no-untyped-def]
    for text in texts(OTHERS)[::150]:
        found = resolved(text)
        if found is not None:
            assert judge_wgsl(found, variant.rules).verdict is judge_wgsl(found).verdict, text


def test_arms_of_proposals_are_asked_of_their_modules_only() -> None:
    proposed = {v.name for v in arms(proposals=True) if is_proposed(v)}
    assert proposed.isdisjoint(v.name for v in arms())
    found = {name for text in texts(PROPOSED)[::20] for name in deciding_arms(read(text))}
    assert len(found & proposed) > 3
    assert not any(proposed & {*deciding_arms(module)} for t in texts(OTHERS)[::150] if (module := resolved(t)))


@pytest.mark.parametrize("pairs", [PROPOSED, OTHERS[::100]], ids=["proposals", "others"])
def test_records_name_the_rules_by_what_a_module_enables(pairs: list[Pair]) -> None:
    expected = revisions.WITH_PROPOSALS if pairs is PROPOSED else revisions.SECTION_15_2
    assert {read_module(pair.accepted).reference for pair in pairs} == {expected}
    assert WGSL_RULE_SETS[revisions.WITH_PROPOSALS] == UNCHANGED


def test_the_names_of_a_compiler_mean_what_those_of_the_proposal_do() -> None:
    for text in (text for text in texts(PROPOSED)[::7] if "chromium" in text):
        other = re.sub("|".join(map(re.escape, PLAIN)), lambda found: PLAIN[found[0]], text)
        one, two = (judge_wgsl(read(t)) for t in (text, other))
        assert [v.severity for _, v in one.violations] == [v.severity for _, v in two.violations], text


def test_the_model_of_webkit_does_not_read_proposals() -> None:
    for pair in PROPOSED:
        with pytest.raises(Unsupported):
            judge_wgsl(read(pair.accepted), WGSL_RULE_SETS["webkit"])


def test_a_requirement_of_a_declaration_stands_where_it_is_declared() -> None:
    text = "enable subgroup_matrix; fn f(n: u32) { if n == 0u { var m: subgroup_matrix_left<f32, 8, 8>; } }"
    module = read(text)
    (result,) = [one for one in analyse_module(module).functions if one.graph.requirements]
    (requirement,) = result.graph.requirements
    assert text[requirement.call.start : requirement.call.end].startswith("var m")
    assert result.tags.parameters[0].required is not None
