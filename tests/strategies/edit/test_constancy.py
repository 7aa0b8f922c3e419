"""What a compiler may know before a shader runs."""

import pytest

from tests.fuzz.fakes import Reader
from tests.fuzz.runs import saved_finding
from wgsl_fuzz.fuzz.campaign.reduce_finding import FindingReducer
from wgsl_fuzz.fuzz.cases.case import Case, read_module
from wgsl_fuzz.fuzz.cases.generator import CampaignGenerator
from wgsl_fuzz.fuzz.cases.plan import LANGUAGES, MIXED, TINY, Plan
from wgsl_fuzz.fuzz.judging.kinds import Cause, Disagreement, Kind
from wgsl_fuzz.oracle.verdict import Answer, Verdict
from wgsl_fuzz.strategies.edit.constancy import may_be_refused

TEXT = """override o: u32 = 4;
fn f() {{
    var x = 1u;
    var v = false;
    let y = 1u;
    {};
}}
"""
WORDS = "error: integer division by zero is invalid"


@pytest.mark.parametrize("right", ["u32()", "0u", "(1u - 1u)", "u32(0)", "~0u", "vec2u()", "u32(false)"])
@pytest.mark.parametrize("statement", ["x = x % {}", "x /= {}", "x = 1u + (x / {})"])
def test_a_constant_that_may_be_zero_may_be_refused(statement: str, right: str) -> None:
    assert may_be_refused(read_module(TEXT.format(statement.format(right))).resolution)


@pytest.mark.parametrize("right", ["3u", "y", "u32(false && v)", "vec2u(2u)", "o", "(o & 3u)", "(y - y)"])
@pytest.mark.parametrize("operator", ["%", "/", "<<", ">>"])
def test_what_no_compiler_knows_and_a_plain_literal_is_not(operator: str, right: str) -> None:
    assert not may_be_refused(read_module(TEXT.format(f"x = x {operator} {right}")).resolution)


@pytest.mark.parametrize(("amount", "refused"), [("0u", False), ("31u", False), ("32u", True), ("(16u + 16u)", True)])
def test_a_shift_by_as_many_bits_as_there_are_may_be_refused(amount: str, refused: bool) -> None:
    assert may_be_refused(read_module(TEXT.format(f"x = x << {amount}")).resolution) is refused


@pytest.mark.parametrize(
    ("call", "refused"),
    [
        ("log2(0f)", True),
        ("log2(f32(false))", True),
        ("log2(f32(false && v))", False),
        ("log2(f32(o))", False),
        ("clamp(1f, 2f, 1f)", True),
        ("pow(-1f, f32(x))", True),
        ("floor(0f)", False),
    ],
)
def test_a_constant_that_a_function_is_not_defined_for_may_be_refused(call: str, refused: bool) -> None:
    assert may_be_refused(read_module(TEXT.format(f"let z = {call}")).resolution) is refused


@pytest.mark.parametrize("language", [name for name in LANGUAGES if name not in (TINY, MIXED)])
def test_no_module_is_drawn_that_may_be_refused(language: str) -> None:
    drawer = CampaignGenerator(Plan(20301, language=language))
    for index in range(150):
        case = drawer.case(index)
        assert isinstance(case, Case)
        assert not may_be_refused(case.resolution), case.text


def folding(text: str) -> Answer:
    """A compiler that takes `u32(...)` for a zero whatever is in it, and refuses to divide by it."""
    return Answer(Verdict.INVALID, WORDS) if "% u32(" in text else Answer(Verdict.ACCEPTS)


def test_a_valid_module_is_not_reduced_to_one_that_is_rightly_refused() -> None:
    """`x % u32(v)` is valid; `x % u32()`, which is smaller and refused in the same words, is not."""
    case = read_module(TEXT.format("x = (x + 2u) % u32(false && v)") + "@compute @workgroup_size(1) fn main() { f(); }")
    target = Reader(folding, "folding")
    reducer = FindingReducer(Plan(1, language="compute"), [target])
    found = Disagreement(target.name, Kind.INVALID, Answer(Verdict.INVALID, WORDS), Cause(told=WORDS))
    done = reducer.reduce(saved_finding(target, case, found), lambda: False)
    assert "% u32(" in done.text
    assert not may_be_refused(read_module(done.text).resolution)
    assert len(done.text) < len(case.text)
