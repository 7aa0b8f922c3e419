"""The paper as an oracle about WGSL: section 4.2, asked about the core of a module where it has one."""

from wgsl_fuzz.oracle.core import core_of
from wgsl_fuzz.oracle.rules.analysis import Analysis, analyse
from wgsl_fuzz.oracle.rules.rule_set import UNCHANGED, Rules
from wgsl_fuzz.oracle.verdict import Verdict
from wgsl_fuzz.wgsl.resolution import Resolution


def paper_analysis(resolution: Resolution, rules: Rules = UNCHANGED) -> Analysis | None:
    """The paper's answer with the graphs that explain it; None where the module has no core, and `core_of` says why."""
    shader = core_of(resolution).shader
    return None if shader is None else analyse(shader, rules)


def paper_verdict(resolution: Resolution, rules: Rules = UNCHANGED) -> Verdict | None:
    """The paper's verdict; None where the module has no core."""
    found = paper_analysis(resolution, rules)
    return None if found is None else found.verdict
