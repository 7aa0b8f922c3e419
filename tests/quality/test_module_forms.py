"""The benchmark of surface forms finds each form, and sees that it decides."""

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest
from click.testing import CliRunner

from wgsl_fuzz.oracle.rules.uniformity.analysis import analyse_module
from wgsl_fuzz.wgsl.parser import parse
from wgsl_fuzz.wgsl.resolve import resolve


def _benchmark() -> ModuleType:
    path = Path(__file__).parents[2] / "benchmarks" / "module_forms.py"
    spec = importlib.util.spec_from_file_location("benchmark_module_forms", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


forms = _benchmark()

MODULE = """
enable subgroups;
fn f(a: u32) -> bool { return a == 0u; }
fn g(a: u32) -> u32 { return a; }
fn s(p: ptr<function, u32>, a: u32) { *p = a; }
@compute @workgroup_size(2) fn main(@builtin(local_invocation_index) N: u32) {
  var x = 0u;
  var v = vec2u();
  SELF
}
"""
ASKED = "if x == 0u { workgroupBarrier(); }"
OF_PARTS = "if v.x == 0u { workgroupBarrier(); }"
DECIDING = {
    "`while`": "while N == 0u { workgroupBarrier(); }",
    "`for`": "for (; N == 0u;) { workgroupBarrier(); }",
    "`for` with an update": "for (; x < 2u; x += N) { workgroupBarrier(); }",
    "`for` whose update changes or reads what its condition asks": "for (; x < 2u; x += N) { workgroupBarrier(); }",
    "`continue` in a `for` with an update": "for (; x < 2u; x++) { if N == 0u { continue; } workgroupBarrier(); }",
    "condition of `while` or `for`": "while N == 0u { workgroupBarrier(); break; }",
    "local of an outer loop's body, assigned in an inner loop": (
        "loop { var y = 0u; loop { y = N; break; } if y == 0u { workgroupBarrier(); } break; }"
    ),
    "`break if`": "loop { if x == 1u { break; } workgroupBarrier(); continuing { break if N == 0u; } }",
    "`switch`": "switch N { case 0u { workgroupBarrier(); } default { } }",
    "`else if`": "if x == 1u { } else if N == 0u { workgroupBarrier(); }",
    "`&&`, `||`": "if x == 0u && N == 0u { workgroupBarrier(); }",
    "call on the right of `&&` or `||`": "if x == 1u || f(N) { workgroupBarrier(); }",
    "call in an argument of another call": "if f(g(N)) { workgroupBarrier(); }",
    "call with a pointer": f"s(&x, N); {ASKED}",
    "`op=`": f"x += N; {ASKED}",
    "`++`, `--`": f"if N == 0u {{ x++; }} {ASKED}",
    "assignment to a part": f"v.x = N; {OF_PARTS}",
    "assignment to a swizzle": f"v.yx = vec2u(N); {OF_PARTS}",
    "assignment through a pointer": f"*(&x) = N; {ASKED}",
    "assignment through a let of a pointer": f"let p = &x; *p = N; {ASKED}",
    "`@diagnostic` at a statement": "@diagnostic(off, subgroup_uniformity) if N == 0u { _ = subgroupAdd(1u); }",
}


@pytest.mark.parametrize("name", forms.FORMS)
def test_a_form_that_decides_is_found(name: str) -> None:
    module = resolve(parse(MODULE.replace("SELF", DECIDING[name])))
    verdict = analyse_module(module).verdict
    assert any(forms.decides(module, verdict, *without) for without in forms.FORMS[name](module))


def test_what_decides_nothing_is_not_said_to() -> None:
    for text in DECIDING.values():
        module = resolve(parse(MODULE.replace("SELF", text.replace("N", "0u"))))
        verdict = analyse_module(module).verdict
        for form in forms.FORMS.values():
            assert not any(forms.decides(module, verdict, *without) for without in form(module))


def test_a_form_that_has_decided_enough_is_not_counted_on() -> None:
    plan, places = forms.Plan(1, language="compute"), range(32)
    everything, enough = forms.counted(plan, 0, places), forms.counted(plan, 1, places)
    assert enough == {key: min(1, n) if key[1] else n for key, n in everything.items()}
    assert everything != enough


def test_the_table_is_printed() -> None:
    result = CliRunner().invoke(forms.main, ["--modules", "4", "--workers", "1"], catch_exceptions=False)
    assert result.exit_code == 0
    assert "`break if`" in result.output
