"""A built-in function is one row: whatever knows built-in functions knows a new one, of which no compiler has heard."""

import subprocess
import sys
from pathlib import Path

from wgsl_fuzz.wgsl import builtins as b

ROW = '    yield from _rows("subgroupRotate", shuffle, required=(1,), lane="+", since="99.0")\n'
BEFORE = '    yield from _rows("quadBroadcast"'
SCRIPT = """
import sys, types
sys.path.append(sys.argv[1])
from wgsl_fuzz import wgsl
table = types.ModuleType("wgsl_fuzz.wgsl.builtins")
sys.modules[table.__name__] = wgsl.builtins = table
exec(sys.stdin.read(), vars(table))
from tests.wgsl.current_tint import AHEAD, is_ahead
from tools.new_pairs import texts, written
from wgsl_fuzz.fuzz.cases.case import read_case
from wgsl_fuzz.fuzz.cases.pairs import module
from wgsl_fuzz.fuzz.present.explanation import explained, lines_of
from wgsl_fuzz.oracle.rules.uniformity.coverage import deciding_arms
from wgsl_fuzz.oracle.rules.uniformity.revisions import all_variants
from wgsl_fuzz.strategies.generate.motifs.modules import draw_module
from wgsl_fuzz.strategies.generate.profile import MODULE_PROFILES
from wgsl_fuzz.wgsl.printer import print_module

NAME = "subgroupRotate"
row = table.FUNCTIONS[NAME]
cases = [read_case(module(text, enable=("subgroups",))) for _, _, *both in texts(row) for text in both]
assert [case.verdict.value for case in cases] == ["accepts", "rejects"] * (len(cases) // 2)
tags = {name for name in all_variants() if NAME in name}
assert tags == {name for case in cases for name in deciding_arms(case.resolution, only=tags)}
assert NAME in AHEAD and "newer than this Tint" in "".join(written(row))
assert "subgroupRotate" in " ".join(lines_of("x", "wgsl", explained("x", cases[-1].text)))
assert [case.execute().outcome.value == "diverges" for case in cases[-2:]] == [False, True]
drawn = [print_module(draw_module(seed, MODULE_PROFILES["subgroups"])) for seed in range(80)]
assert any(map(is_ahead, drawn))
"""


def test_a_new_row_has_pairs_variants_an_explanation_an_execution_and_is_drawn() -> None:
    source = Path(b.__file__).read_text(encoding="utf-8")
    assert source.count(BEFORE) == 1
    text = source.replace(BEFORE, ROW + BEFORE)
    command = [sys.executable, "-c", SCRIPT, str(Path(__file__).parents[2])]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    assert done.stderr == ""
