"""Our own analyses as targets."""

import pytest

from wgsl_fuzz.oracle.rules.analyses import ANALYSES
from wgsl_fuzz.oracle.targets import TargetError, open_target
from wgsl_fuzz.oracle.verdict import Verdict
from wgsl_fuzz.strategies import draw_shader
from wgsl_fuzz.tinywgsl.printer import print_shader


@pytest.mark.parametrize("name", ANALYSES)
def test_a_rule_set_answers_as_its_analysis(name: str) -> None:
    target = open_target(f"rules:{name}")
    shaders = [draw_shader(seed) for seed in range(100)]
    for batch in (shaders[:50], shaders[50:]):
        target.submit([print_shader(shader) for shader in batch])
    answers = [*target.collect(), *target.collect()]
    assert [a.verdict for a in answers] == [ANALYSES[name](shader) for shader in shaders]
    assert target.name == f"rules:{name}"
    target.close()


def test_what_is_not_tinywgsl_is_invalid() -> None:
    target = open_target("rules:paper")
    target.submit(["fn main(", "@compute @workgroup_size(1) fn main() { loop {} }"])
    assert [a.verdict for a in target.collect()] == [Verdict.INVALID] * 2


@pytest.mark.parametrize("spec", ["rules:none", "rules", "rules@paper"])
def test_unknown_rule_sets_are_refused(spec: str) -> None:
    with pytest.raises(TargetError, match="known: paper"):
        open_target(spec)
