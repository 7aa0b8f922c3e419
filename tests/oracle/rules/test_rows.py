"""The rows of `rows.toml`: a few statements each, on which a line of the rules decides."""

import pytest

from tests.oracle.rules.rows import rows
from wgsl_fuzz.oracle.rules.analysis import analyse
from wgsl_fuzz.oracle.rules.uniformity.revisions import judge_wgsl
from wgsl_fuzz.oracle.rules.whlsl import analyse_2019
from wgsl_fuzz.oracle.verdict import Verdict
from wgsl_fuzz.tinywgsl.ast import Shader
from wgsl_fuzz.wgsl.lower.raising import raised

ROWS = list(rows())
SAID = {"A": Verdict.ACCEPTS, "R": Verdict.REJECTS}


@pytest.mark.parametrize(("paper", "proposal", "shader"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS])
def test_what_each_analysis_says(paper: str, proposal: str, shader: Shader) -> None:
    assert analyse(shader).verdict is SAID[paper]
    assert judge_wgsl(raised(shader)).verdict is SAID[paper]
    if proposal in SAID:
        assert analyse_2019(shader) is SAID[proposal]
