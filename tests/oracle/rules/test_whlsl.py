"""The 2019 proposal: what holds of drawn shaders, and where it parts from the paper; verdicts are in `rows.toml`."""

from dataclasses import replace

import pytest
from hypothesis import assume, given, settings

from tests.oracle.rules.rows import shader
from tests.strategies.drawn import shaders
from tests.tinywgsl.wellformed import violations
from wgsl_fuzz.oracle.dynamics.runs import sample
from wgsl_fuzz.oracle.rules.analysis import analyse
from wgsl_fuzz.oracle.rules.whlsl import analyse_2019
from wgsl_fuzz.oracle.verdict import Outcome, Verdict
from wgsl_fuzz.strategies import SMALL_TINY
from wgsl_fuzz.tinywgsl import ast

A, R = Verdict.ACCEPTS, Verdict.REJECTS


def continues(ss: ast.Block) -> bool:
    """Whether there is a `continue` besides those that restriction (3) asks for, one at the end of each loop."""
    loops = sum(isinstance(s, ast.Loop) for s in ast.walk(ss))
    return sum(isinstance(s, ast.Continue) for s in ast.walk(ss)) > loops


@settings(max_examples=150)
@given(shaders(replace(SMALL_TINY, statements=(4, 14))))
def test_sound_but_for_continue(s: ast.Shader) -> None:
    """What it accepts does not diverge, if no `continue` stands before the end of its loop (see DIVERGING)."""
    assume(analyse_2019(s) is A and not any(continues(f.body) for f in s.all_functions))
    assert sample(s, runs=6, threads=3, steps=300).outcome is not Outcome.DIVERGES


STRICTER = {
    "a variable has one node": "if (x == 0u) { barrier; } x = lid;",
    "loops do not reconverge": "loop { if (lid == 0u) { break; } } barrier;",
    "unreachable statements are validated": "return; if (lid == 0u) { barrier; }",
}

MORE_LENIENT = {
    # The paper's `if` gives control flow back for {Next} only: a {Return} or {Break} inside stays non-uniform.
    "{Return} reconverges": "if (u == 0u) { if (lid == 0u) { return; } return; } barrier;",
    "{Break} reconverges": "loop { barrier; if (u == 0u) { continue; } if (lid == 0u) { break; } break; }",
}

DIVERGING = {
    # Threads meet again at the head, but the paper tells their `continue`s apart, and so their iterations.
    "{Continue} reconverges": (
        "loop { barrier; if (lid == 0u) { continue; } else { continue; } continuing { break if u == 9u; } }"
    )
}


@pytest.mark.parametrize("what", STRICTER | MORE_LENIENT | DIVERGING)
def test_stricter_or_more_lenient_than_the_paper(what: str) -> None:
    """Rightly, for {Return} and {Break}: all threads that take the branch go the same way; not for {Continue}."""
    s = shader((STRICTER | MORE_LENIENT | DIVERGING)[what])
    assert not violations(s, main_may_return=True)
    assert (analyse_2019(s), analyse(s).verdict) == ((R, A) if what in STRICTER else (A, R))
    assert (sample(s, runs=24, threads=4, steps=1000).outcome is Outcome.DIVERGES) == (what in DIVERGING)
