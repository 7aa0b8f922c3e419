"""Motifs of modules: valid in every stage, drawn by one source alone, and each decides arms of what it is about."""

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import cache

import pytest

from benchmarks import shapes
from wgsl_fuzz.oracle.rules.uniformity.coverage import ArmCoverage, arms, deciding_arms
from wgsl_fuzz.oracle.rules.uniformity.revisions import analyse_wgsl
from wgsl_fuzz.oracle.verdict import Verdict
from wgsl_fuzz.strategies.choices.source import RandomSource, RecordingSource
from wgsl_fuzz.strategies.generate.motifs import modules
from wgsl_fuzz.strategies.generate.motifs.drawing import MotifDrawer
from wgsl_fuzz.strategies.generate.motifs.proposals import PROPOSED
from wgsl_fuzz.strategies.generate.motifs.shapes import SETTLED_SHAPES, SHAPES
from wgsl_fuzz.strategies.generate.profile import ALL, COMPUTE, PROPOSALS
from wgsl_fuzz.wgsl.behaviours import BehaviourAnalysis
from wgsl_fuzz.wgsl.builtins import Stage
from wgsl_fuzz.wgsl.parser import parse
from wgsl_fuzz.wgsl.printer import print_module
from wgsl_fuzz.wgsl.resolution import Resolution
from wgsl_fuzz.wgsl.resolve import resolve

SEEDS = range(6)
ABOUT: dict[str, str | tuple[str, ...]] = {
    "branch": "if/",
    "early-return": "if/after/",
    "statements-before": "B/",
    "jumps": "loop/",
    "headed-loop": ("while/", "for/"),
    "break-if": "breakif/",
    "clauses": "switch/",
    "flow-in-result": ("name/", "expr/", "return/"),
    "flow-in-operand": "expr/short-circuit/",
    "index-first": ("expr/index/", "before-2026-06-09/"),
    "assigned-under": "assign/",
    "left-with": "loop/values/",
    "carried-round": "loop/values/",
    "all-leave": "B/",
    "swizzled-parts": ("assign/left/", "tint/full-swizzles"),
    "clause-that-leaves": ("letter/clauses-that-break-join", "switch/"),
    "evaluated-once": ("tint/conditions-flow-back", "loop/values/", "call/written/"),
    "replaced-through-let": "pointer/full/",
    "remembered-through-let": ("tint/lets-of-parameters-remember", "name/pointer-parameter/"),
    "read-only-addresses": "name/pointer-parameter/",
    "accepted-inputs": "input/",
    "carried-past-end": ("before-2025-12-01/joins-at-", "tint/joins-at-empty-continuing"),
    "settled-at-exit": ("before-2025-12-01/joins-at-exit", "loop/values/exit-of-body", "switch/breaks/of-the-loop"),
    "settled-by-return": "letter/clauses-that-break-join",
    "settled-by-call": ("letter/pointers-calculated-again", "letter/index-of-value-first"),
    "read-through-parameter": "name/pointer-parameter/",
    "warned-call": "call/control-flow/as-error",
    "stepped": ("for/", "loop/values/"),
    "inner-loop": "loop/values/",
    "kept-parts": "assign/left/",
    "kept-values": ("compound/", "increment/", "let/", "assign/"),
    "called-under": "call/control-flow/",
    "required-value": "call/parameter/",
    "returned-value": "call/parameter/",
    "order-of-effects": ("call/written/", "expr/binary/", "letter/values-at-statement"),
    "short-circuit": "expr/short-circuit/",
    "nested-calls": ("call/", "tag/"),
    "contents-required": "tag/parameter/",
    "contents-written": "call/written/",
    "contents-returned": "call/parameter/contents",
    "two-to-one": ("call/written/", "tint/last-pointer-counts"),
    "changed-by-later-argument": "tint/contents-at-argument",
    "kept-by-call": "call/written/",
    "address-decides": "name/pointer-parameter/",
    "addresses-elsewhere": "name/pointer-parameter/",
    "called-by-some": "table/",
    "result-differs": "table/",
    "accepted-calls": "table/",
    "texels": "builtin/texture-load/",
    "buffer-views": "expr/view/",
    "input-decides": "input/",
    "filtered-place": "filter/",
    "covering-filters": "filter/",
    "updated": "for/update/",
    "settled-by-update": "for/update/",
    "skips-to-update": ("loop/values/", "continue/", "for/"),
    "started-by-some": "for/initial/",
    "counted-by-some": ("increment/", "if/values/"),
    "swizzle-alone": ("assign/left/", "assign/right/"),
    "assigned-in-inner": "loop/values/",
    "cured-on-the-right": "letter/no-join-after-short-circuit",
    "left-from-clause": "switch/after/",
    "left-together": ("return/control-flow/", "break/control-flow/", "loop/head/"),
    "contents-alone": "letter/address-first",
    "argument-stored": "tag/recorded/",
    "address-alone": ("name/pointer-parameter/address-is-control-flow", "pointer/full/lets-always"),
    "handle-lets": ("builtin/texture-load/", "expr/view/"),
    "order-settled": ("compound/old-value/", "call/arguments/"),
    "contents-settled": "tag/parameter/contents-returned-with-address",
    "jump-settled": ("if/values/", "B/continue/"),
    "end-settled": ("B/for/always-breaks", "before-2025-10-17/10b"),
    "filtered-narrowly": "filter/",
    "severities": ("tag/severity/", "filter/", "builtin/severity/"),
}
"""Of some motifs, how the names of variants begin that it decides."""


def only(motif: str, kind: str, seed: int, *, calm: bool = False) -> Resolution:
    """A module of one motif."""
    drawer = MotifDrawer(RandomSource(seed), *modules.KINDS[kind], calm=calm)
    return resolve(parse(modules.assembled((drawer, modules.MOTIFS[motif](drawer)))))


@cache
def some(count: int) -> tuple[Resolution, ...]:
    """Modules of motifs, as a campaign draws them."""
    return tuple(resolve(modules.draw(RandomSource(seed), ALL)) for seed in range(count))


@pytest.mark.parametrize("kind", modules.KINDS)
@pytest.mark.parametrize("motif", modules.MOTIFS)
def test_each_motif_is_valid_in_each_stage(motif: str, kind: str) -> None:
    if modules.MOTIFS[motif] in PROPOSED and modules.KINDS[kind][0] is not Stage.COMPUTE:
        return
    for seed in SEEDS:
        module = only(motif, kind, seed, calm=seed % 2 == 0)
        assert parse(print_module(module.module)) == module.module
        for function in module.functions:
            BehaviourAnalysis().check(function)
        assert analyse_wgsl(module).verdict in (Verdict.ACCEPTS, Verdict.REJECTS)


def test_what_a_function_stores_a_part_of_has_the_type_of_its_parameter() -> None:
    types = set[str]()
    for seed in range(30):
        text = print_module(only("partial-effects", "compute", seed).module)
        found = re.search(r"\(p_\d+: ptr<function, (.*?)>[,)].*?var x_\d+(?: =|:) (.*?)[(;]", text, re.DOTALL)
        assert found is not None
        assert found[1] == found[2]
        types.add(found[1])
    assert len(types) > 3


def test_the_same_choices_give_the_same_module_and_others_another() -> None:
    texts = [modules.motif_text(RandomSource(seed), ALL) for seed in range(200)]
    assert texts == [modules.motif_text(RandomSource(seed), ALL) for seed in range(200)]
    assert len({*texts}) > 190


def test_the_smallest_choices_give_a_small_module() -> None:
    class Least(RecordingSource):
        def _integer(self, lo: int, hi: int) -> int:  # noqa: ARG002
            return lo

    text = modules.motif_text(Least(RandomSource(0)), ALL)
    assert len(text) < 250
    assert analyse_wgsl(resolve(parse(text))).verdict is Verdict.REJECTS


def test_calm_modules_of_most_motifs_are_accepted() -> None:
    verdicts = Counter(analyse_wgsl(only(m, "compute", s, calm=True)).verdict for m in modules.MOTIFS for s in range(6))
    assert verdicts[Verdict.ACCEPTS] > 0.85 * verdicts.total()


def test_both_verdicts_are_common() -> None:
    verdicts = Counter(analyse_wgsl(module).verdict for module in some(400))
    assert 0.35 < verdicts[Verdict.ACCEPTS] / 400 < 0.65


@pytest.mark.parametrize("motif", ABOUT)
def test_a_motif_decides_what_it_is_about(motif: str) -> None:
    about = ABOUT[motif]
    names = {v.name for v in arms() if v.name.startswith(about)}
    assert names
    decided = Counter[str]()
    for seed in range(150):
        for kind in (
            ("compute", "fragment-subgroups")
            if motif in ("severities", "filtered-narrowly", "filtered-place", "covering-filters", "warned-call")
            else ("compute",)
        ):
            decided.update(deciding_arms(only(motif, kind, seed, calm=seed % 4 == 0), only=names))
        if decided.total() >= 3:
            break
    assert decided.total() >= 3


@pytest.mark.parametrize("motif", dict.fromkeys(motif.__name__ for motif in SHAPES), ids=str)
def test_a_shape_decides_where_it_is_drawn(motif: str) -> None:
    """It is why a module is rejected, or accepted: without it, or without what it does, it is not."""
    for name in (motif, f"{motif}-settled"):
        for seed in range(20 if name in modules.MOTIFS else 0):
            seen = shapes.Seen(only(name, "compute", seed, calm=name != motif))
            if any(map(seen.decides, shapes.SHAPES[motif](seen))):
                return
    pytest.fail("in none of 20 modules")


@pytest.mark.parametrize("motif", SETTLED_SHAPES, ids=lambda motif: motif.__name__)
def test_what_is_settled_is_accepted(motif: Callable[[MotifDrawer], str]) -> None:
    for seed in range(20):
        module = only(motif.__name__.replace("_", "-"), ("compute", "fragment")[seed % 2], seed, calm=True)
        assert analyse_wgsl(module).verdict is Verdict.ACCEPTS


@pytest.mark.parametrize("constant", ["1u", "SIZE", "knob"])
def test_what_depends_on_a_constant_is_small_enough_for_a_lane(constant: str) -> None:
    for seed in range(600):
        assert not re.search("[-~*]|<<", MotifDrawer(RandomSource(seed), Stage.COMPUTE).wrapped(constant))


def test_without_the_newest_there_is_none_of_it() -> None:
    words = re.compile(r"subgroup_id|num_subgroups|(workgroup|primitive|global_invocation)_index|push|buffer|control")
    profiles = [replace(ALL, newest=rate) for rate in (0, 100)]
    texts = [modules.motif_text(RandomSource(seed), profile) for profile in profiles for seed in range(300)]
    assert [text for text in texts[:300] if words.search(text)] == []
    assert len([text for text in texts[300:] if words.search(text)]) > 30


def test_a_module_has_f16_with_its_extension_only() -> None:
    texts = [modules.motif_text(RandomSource(seed), replace(ALL, f16=50)) for seed in range(200)]
    words = re.compile(r"\b(?:f16|vec[234]h|mat2x2h|[\d.]+h)\b")
    with_f16 = [text for text in texts if "enable f16;" in text]
    assert not any(words.search(text) for text in texts if text not in with_f16)
    assert 50 < sum(words.search(text.replace("enable f16;", "")) is not None for text in with_f16) < 150


def test_every_resource_is_used() -> None:
    kinds = (*ALL.motif_kinds, *[(kind, weight * 12) for kind, weight in PROPOSALS.motif_kinds])
    texts = " ".join(modules.motif_text(RandomSource(seed), replace(ALL, motif_kinds=kinds)) for seed in range(1800))
    assert [name for name, text in modules.RESOURCES.items() if text not in texts] == []


def test_no_function_is_given_a_pointer_to_what_functions_write() -> None:
    """Any of them may write `state` between two statements: with a pointer to it that would be an alias."""
    texts = [modules.motif_text(RandomSource(seed), profile) for profile in (ALL, COMPUTE) for seed in range(1000)]
    assert sum("state = " in text for text in texts) > 200
    assert [text for text in texts if re.search(r"\w\(&state\b", text)] == []


def test_many_arms_decide_some_of_few_modules() -> None:
    coverage = ArmCoverage().extend(some(40))
    assert len(coverage.decided) > 0.2 * len(arms())


@pytest.mark.slow
def test_nearly_every_arm_decides_one_of_five_thousand() -> None:
    alive = {v.name for v in arms()}
    for seed in range(5000):
        alive -= {*deciding_arms(resolve(modules.draw(RandomSource(seed), ALL)), only=alive)}
    assert len(alive) <= 20
