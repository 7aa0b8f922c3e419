"""The real compilers. What cannot be had on a machine is skipped with the reason."""

from collections.abc import Callable

import pytest

from tests.oracle.targets.watching import ask
from wgsl_fuzz.oracle.targets import open_target
from wgsl_fuzz.oracle.targets.families import naga
from wgsl_fuzz.oracle.targets.families import tint as builds
from wgsl_fuzz.oracle.targets.probes import BROKEN, NON_UNIFORM, VALID, VIOLATIONS
from wgsl_fuzz.oracle.targets.protocol import Target, TargetError
from wgsl_fuzz.oracle.verdict import Verdict

ACCEPTS, REJECTS, INVALID = Verdict.ACCEPTS, Verdict.REJECTS, Verdict.INVALID

OLD = ("tint@0.3.8", "tint@embedded")
"""Builds before the parser's repair and the changes behind Figs. 10b and 10c."""

SPECS = ("tint@0.6.2", *OLD)
OTHERS = [f"tint@{version}" for version in builds.DATES if f"tint@{version}" not in SPECS]

HEAD = "var<workgroup> w: array<u32, 4>;\n"
MAIN = "@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) lid: u32) "


def main(body: str) -> str:
    return HEAD + MAIN + "{ var x = 0u; " + body + " }\n"


UNIFORMITY_VIOLATIONS = {
    **{f"probe {i}": text for i, text in enumerate(VIOLATIONS)},
    "storage barrier": main("if (lid == 0u) { storageBarrier(); }"),
    "uniform load": main("if (lid == 0u) { x = workgroupUniformLoad(&w[0]); }"),
    "argument of a built-in": main("x = workgroupUniformLoad(&w[lid]);"),
}

OTHER_ERRORS = {
    "syntax": BROKEN,
    "type": main("let y: i32 = lid;"),
    "endless loop": main("loop {}"),
    "unknown name": main("x = uniformity;"),
    "null character": main("") + "\0",
    "nesting": main("{" * 300 + "}" * 300),
    "both": main("if (lid == 0u) { workgroupBarrier(); } x = ;"),
}


def verdicts(target: Target, *texts: str) -> list[Verdict]:
    return [answer.verdict for answer in ask(target, *texts)]


@pytest.mark.parametrize("spec", [*SPECS, *(pytest.param(spec, marks=pytest.mark.slow) for spec in OTHERS)])
def test_tints_verdicts_are_classified(opened: Callable[[str], Target], spec: str) -> None:
    for expected, cases in ((REJECTS, UNIFORMITY_VIOLATIONS), (INVALID, OTHER_ERRORS)):
        answers = dict(zip(cases, ask(opened(spec), *cases.values()), strict=True))
        assert {what: answer.verdict for what, answer in answers.items()} == dict.fromkeys(cases, expected)
        assert all(answer.message[0].isdigit() and " error: " in answer.message for answer in answers.values())


@pytest.mark.slow
@pytest.mark.parametrize("version", naga.DATES)
def test_every_pinned_naga_runs_and_is_named_by_its_version(opened: Callable[[str], Target], version: str) -> None:
    target = opened(f"naga@{version}")
    assert target.name == f"naga@{version}"
    assert verdicts(target, VALID, BROKEN, NON_UNIFORM) == [ACCEPTS, INVALID, ACCEPTS]


@pytest.mark.parametrize("spec", SPECS)
def test_warnings_on_standard_output_do_not_disturb(opened: Callable[[str], Target], spec: str) -> None:
    texts = [main(f"return; x = {i}u;") if i % 3 else main(f"x = {i}u + ;") for i in range(300)]
    target = opened(spec)
    target.submit(texts)
    target.submit(texts[::-1])
    expected = [ACCEPTS if i % 3 else INVALID for i in range(300)]
    assert [answer.verdict for answer in target.collect()] == expected
    assert [answer.verdict for answer in target.collect()] == expected[::-1]


@pytest.mark.parametrize("spec", SPECS)
def test_what_ends_a_line_in_a_text_ends_none_of_the_protocol(opened: Callable[[str], Target], spec: str) -> None:
    """Node 24's readline ends lines at U+2028, which once cut questions in two."""
    target = opened(spec)
    ends = ("\r", "\r\n", "\v", "\f", "\x85", "\u2028", "\u2029")
    assert verdicts(target, *(main(f"{end}return;{end}") for end in ends)) == [ACCEPTS] * len(ends)
    assert getattr(target, "restarted", {}) == {}


@pytest.mark.parametrize("spec", [*SPECS, "naga"])
def test_names_say_which_compiler_answers(opened: Callable[[str], Target], spec: str) -> None:
    target = opened(spec)
    assert target.name.startswith(spec)
    assert target.origin
    assert target.checks_uniformity == (spec != "naga")


def test_naga_checks_syntax_and_types_but_not_uniformity(opened: Callable[[str], Target]) -> None:
    target = opened("naga")
    valid, broken, mistyped, non_uniform = ask(target, VALID, BROKEN, OTHER_ERRORS["type"], NON_UNIFORM)
    assert [a.verdict for a in (valid, broken, mistyped, non_uniform)] == [ACCEPTS, INVALID, INVALID, ACCEPTS]
    assert broken.message.startswith("1:90 error: ")


def test_naga_without_wgpu_or_adapter_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as context:
        context.setattr(naga, "find_spec", lambda _name: None)
        with pytest.raises(TargetError, match="pip install wgpu"):
            open_target("naga")
    pytest.importorskip("wgpu", reason="naga: wgpu is not installed")
    monkeypatch.setenv("WGPUPY_WGPU_ADAPTER_NAME", "no adapter has this name")
    with pytest.raises(TargetError, match="apt-get install mesa-vulkan-drivers"):
        open_target("naga")
