"""Compilers' own words, as seen, and the verdicts they stand for."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wgsl_fuzz.oracle.targets.description import (
    LINE_LIMIT,
    MESSAGE_LIMIT,
    NAGA,
    READ_LIMIT,
    TINT,
    Dialect,
    bounded,
    says_error,
)
from wgsl_fuzz.oracle.verdict import Verdict

TINT_UNIFORMITY = [
    "5:19 error: 'workgroupBarrier' must only be called from uniform control flow",
    "5:19 error: 'storageBarrier' must only be called from uniform control flow",
    "6:23 error: 'subgroupAdd' must only be called from subgroup uniform control flow",
    "5:27 error: 'workgroupUniformLoad' requires argument 0 to be uniform",
    "1:96 error: 'dpdx' must only be called from uniform control flow",
]

TINT_OTHER = [
    "5:6 error: unable to parse right side of assignment",
    "5:30 error: expected ';' for break statement",
    "5:2 error: loop does not exit",
    "5:129 error: maximum parser recursive depth reached",
    "3:1 error: unresolved value 'uniform'",
]

DAWN_ERROR = """Error while parsing WGSL: :5:19 error: 'workgroupBarrier' must only be called from uniform control flow
 if (lid == 0u) { workgroupBarrier(); }
                  ^^^^^^^^^^^^^^^^

:5:2 note: control flow depends on possibly non-uniform value
 if (lid == 0u) { workgroupBarrier(); }
 ^^

 - While calling [Device].CreateShaderModule([ShaderModuleDescriptor]).
"""

NAGA_PARSE = """Validation Error

Caused by:
  In wgpuDeviceCreateShaderModule

Shader '' parsing error: expected expression, found ";"
  ┌─ wgsl:1:90
  │
1 │ @compute fn main() { var x = ; }
  │                              ^ expected expression
"""

NAGA_COMMAND = """\x1b[31merror\x1b[0m: expected expression, found ";"
  ┌─ shader.wgsl:1:90
"""

NAGA_INVALID = """Shader validation error: Function [0] 'f' is invalid
  ┌─ :1:1
  │
  = The `return` expression None does not match the declared return type Some([0])
"""

NAGA_UNIFORMITY = """Shader validation error: Entry point main at Compute is invalid
  ┌─ :1:1
  │
  = Required uniformity of control flow for WORK_GROUP_BARRIER in [3] is not fulfilled because of Expression([2])
"""


@pytest.mark.parametrize("raw", TINT_UNIFORMITY)
def test_tints_uniformity_wordings_reject(raw: str) -> None:
    assert TINT.refusal(raw).verdict is Verdict.REJECTS


@pytest.mark.parametrize("raw", TINT_OTHER)
def test_tints_other_errors_are_invalid(raw: str) -> None:
    assert TINT.refusal(raw).verdict is Verdict.INVALID
    assert TINT.refusal(raw).message == raw


@given(st.lists(st.sampled_from(TINT_UNIFORMITY + TINT_OTHER), min_size=1, max_size=4))
def test_one_other_error_makes_the_text_invalid(lines: list[str]) -> None:
    expected = Verdict.REJECTS if set(lines) <= set(TINT_UNIFORMITY) else Verdict.INVALID
    assert TINT.refusal("\n".join(lines)).verdict is expected


@given(st.sampled_from([TINT, NAGA]), st.text(max_size=60))
def test_unknown_words_are_invalid_and_kept(dialect: Dialect, raw: str) -> None:
    answer = dialect.refusal(raw)
    assert answer.verdict is Verdict.INVALID
    assert answer.message
    assert len(answer.message) <= MESSAGE_LIMIT


def test_tints_notes_and_places_survive_without_excerpts() -> None:
    answer = TINT.refusal(DAWN_ERROR)
    assert answer.verdict is Verdict.REJECTS
    assert answer.message.splitlines() == [
        "5:19 error: 'workgroupBarrier' must only be called from uniform control flow",
        "5:2 note: control flow depends on possibly non-uniform value",
    ]


def test_a_file_name_before_the_place_is_dropped() -> None:
    assert TINT.refusal("/a b/x.wgsl:1:2 error: loop does not exit").message == "1:2 error: loop does not exit"


def test_a_compilers_admission_is_a_crash() -> None:
    raw = "resolver.cc:1 internal compiler error: TINT_UNREACHABLE"
    assert TINT.refusal(raw).verdict is Verdict.CRASHED
    assert NAGA.refusal("thread 'main' panicked at src/front.rs:1").verdict is Verdict.CRASHED


@pytest.mark.parametrize(
    ("raw", "verdict", "first"),
    [
        (NAGA_PARSE, Verdict.INVALID, "1:90 error: Shader '' parsing error: expected expression, found \";\""),
        (NAGA_COMMAND, Verdict.INVALID, '1:90 error: expected expression, found ";"'),
        (NAGA_INVALID, Verdict.INVALID, "1:1 error: Shader validation error: Function [0] 'f' is invalid"),
        (
            NAGA_UNIFORMITY,
            Verdict.REJECTS,
            "1:1 error: Shader validation error: Entry point main at Compute is invalid",
        ),
    ],
)
def test_nagas_words(raw: str, verdict: Verdict, first: str) -> None:
    answer = NAGA.refusal(raw)
    assert answer.verdict is verdict
    assert answer.message.splitlines()[0] == first


def test_warnings_are_no_errors() -> None:
    assert not says_error("shader.wgsl:5:37 warning: code is unreachable\n return; x = 1u;\n")
    assert not says_error("Validation successful\n")
    assert says_error(NAGA_COMMAND)
    assert says_error("shader.wgsl:5:37 error: loop does not exit")


WORDS = st.sampled_from(
    ["error[", "1:1:", "┌─ ", "thread '", "\n \n", "9" * 50, "\x1b[1", "Shader '", "= Required ", "error: "]
)


@given(st.sampled_from([TINT, NAGA]), st.lists(WORDS, max_size=3), st.integers(1, 30_000))
def test_no_more_of_a_message_is_looked_at_than_its_bounds(dialect: Dialect, words: list[str], times: int) -> None:
    raw = "".join(words) * times
    seen = bounded(raw)
    assert len(seen) <= READ_LIMIT
    assert all(len(line) <= LINE_LIMIT for line in seen.split("\n"))
    assert dialect.refusal(raw) == dialect.refusal(seen)
    assert says_error(raw) == says_error(seen)
