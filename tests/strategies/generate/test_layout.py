"""Layouts: a text parses to its module; compilers say the same of each form of a shader, but for known faults."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.strategies.spelled import spelled
from tests.wgsl.current_tint import real_target
from wgsl_fuzz.oracle.rules.uniformity.revisions import WGSL_RULE_SETS, judge_wgsl
from wgsl_fuzz.oracle.verdict import Verdict
from wgsl_fuzz.strategies import draw_shader
from wgsl_fuzz.strategies.choices.source import RandomSource
from wgsl_fuzz.strategies.generate.layout import draw_layout
from wgsl_fuzz.strategies.generate.motifs.modules import draw_module
from wgsl_fuzz.strategies.generate.profile import MODULE_PROFILES
from wgsl_fuzz.wgsl.lower.raising import print_shader
from wgsl_fuzz.wgsl.parser import parse
from wgsl_fuzz.wgsl.printer import print_module
from wgsl_fuzz.wgsl.resolve import resolve


@given(st.integers(0, 2**64), st.sampled_from(sorted(MODULE_PROFILES)))
def test_a_text_parses_to_its_module_in_any_layout(seed: int, profile: str) -> None:
    module = draw_module(seed, MODULE_PROFILES[profile])
    assert parse(draw_layout(RandomSource(seed), module)) == module


def test_layouts_have_what_leaves_no_trace() -> None:
    module = draw_module(7, MODULE_PROFILES["tiny"])
    texts = [draw_layout(RandomSource(seed), module) for seed in range(200)]
    assert len({*texts}) == len(texts)
    plain = print_module(module)
    for piece in ("/*", "//", "\r\n", "\u2028", ",)", ";;"):
        assert piece not in plain
        assert any(piece in text for text in texts), piece
    assert any(text.count("(") < plain.count("(") for text in texts)
    assert any(text.count("(") > plain.count("(") for text in texts)


# ------------------------------------------------------------------------------------------------------------ compilers


def disagreements(name: str, seeds: range) -> list[tuple[int, Verdict, Verdict, str]]:
    """The seeds of which two forms of one core get different verdicts, and what the compiler says."""
    found = []
    with real_target(name) as target:
        for start in range(seeds.start, seeds.stop, 100):
            batch = range(start, min(start + 100, seeds.stop))
            target.submit([print_shader(draw_shader(seed)) for seed in batch])
            target.submit([spelled(seed) for seed in batch])
            for seed, plain, other in zip(batch, target.collect(), target.collect()):
                if plain.verdict is not other.verdict:
                    found.append((seed, plain.verdict, other.verdict, other.message))
    return found


COUNTS = [pytest.param(300, id="300"), pytest.param(20_000, id="20,000", marks=pytest.mark.slow)]


@pytest.mark.parametrize("count", COUNTS)
def test_current_tint_says_the_same_of_every_form_but_by_known_departures(count: int) -> None:
    """Its rule set tells the two forms apart as it does."""
    rules = WGSL_RULE_SETS["wgsl-tint-0.6.2"]
    for seed, plain, other, _ in disagreements("tint@0.6.2", range(1_000_000, 1_000_000 + count)):
        texts = print_shader(draw_shader(seed)), spelled(seed)
        assert [judge_wgsl(resolve(parse(text)), rules).verdict for text in texts] == [plain, other], seed


@pytest.mark.parametrize("count", COUNTS)
def test_the_old_tint_has_known_bugs_and_no_others(count: int) -> None:
    """An empty statement before a `break if`, and loops whose jumps or short circuits it forgets: it then accepts."""
    found = disagreements("tint@0.3.8", range(2_000_700, 2_000_700 + count))
    assert found
    assert {(plain, other) for _, plain, other, _ in found} <= {
        (Verdict.REJECTS, Verdict.ACCEPTS),
        (Verdict.REJECTS, Verdict.INVALID),
        (Verdict.ACCEPTS, Verdict.INVALID),
    }
    refused = [message for *_, verdict, message in found if verdict is Verdict.INVALID]
    # The second: corpus/tint-short-circuit-is-constant.
    known = ("for break statement", "integer division by zero")
    assert all(any(words in message for words in known) for message in refused)
