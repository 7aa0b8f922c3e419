"""What `wgsl_fuzz` itself offers: drawn shaders, verdicts, explanations, executions, and targets."""

import pickle
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

import wgsl_fuzz
from tests.fuzz.judging.test_buckets import IN_IF
from tests.tinywgsl.wellformed import violations
from wgsl_fuzz import WGSL, Outcome, Target, TargetError, Verdict, analyse, draw, explain, parse, run, shaders
from wgsl_fuzz.fuzz.cli.main import main
from wgsl_fuzz.oracle.targets import open_target
from wgsl_fuzz.strategies.generate.profile import MODULE_PROFILES
from wgsl_fuzz.wgsl.lower.raising import print_shader

ROOT = Path(__file__).resolve().parents[3]
FIG_10A = (ROOT / "corpus/fig-10a/shader.wgsl").read_text(encoding="utf-8")
SEEDS = st.integers(0, 1 << 40)

# ----------------------------------------------------------------------------------------------------- the names


def test_every_name_is_there_and_listed() -> None:
    assert set(wgsl_fuzz._PLACES) == set(wgsl_fuzz.__all__)
    assert all(getattr(wgsl_fuzz, name) is not None for name in wgsl_fuzz.__all__)
    assert set(wgsl_fuzz.__all__) <= set(dir(wgsl_fuzz))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = wgsl_fuzz.nothing


def test_every_name_is_on_its_page() -> None:
    page = (ROOT / "docs/api.md").read_text(encoding="utf-8")
    assert [name for name in wgsl_fuzz.__all__ if f"`{name}" not in page] == []


def test_importing_it_imports_nothing_else() -> None:
    script = "import sys, wgsl_fuzz; print([m for m in sys.modules if m.startswith(('wgsl_fuzz.', 'hypothesis'))])"
    assert subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd=ROOT).stdout == "[]\n"


# -------------------------------------------------------------------------------------------------------- shaders


@given(SEEDS, st.booleans(), st.sampled_from([None, True, False]), st.booleans())
@settings(max_examples=40)
def test_a_drawn_shader_is_what_was_asked_for(seed: int, racy: bool, uniform: bool | None, spelled: bool) -> None:
    text = draw(seed, threads=(3, 5), racy=racy, uniform=uniform, spelled=spelled)
    tree = parse(text)
    assert violations(text.shader, main_may_return=True) == []
    assert 3 <= tree.workgroup_size <= 5
    assert uniform is None or (analyse(text) is Verdict.ACCEPTS) == uniform
    assert spelled or print_shader(text.shader) == text
    assert draw(seed, threads=(3, 5), racy=racy, uniform=uniform, spelled=spelled) == text


@given(shaders(statements=(1, 6), uniform=False, spelled=True))
@settings(max_examples=20)
def test_the_strategy_draws_what_was_asked_for(text: WGSL) -> None:
    assert analyse(text) is Verdict.REJECTS
    assert analyse(text.shader) is Verdict.REJECTS


@pytest.mark.parametrize("language", MODULE_PROFILES)
@given(seed=SEEDS, uniform=st.booleans())
@settings(max_examples=6)
def test_a_drawn_module_is_what_was_asked_for(language: str, seed: int, uniform: bool) -> None:
    text = draw(seed, uniform=uniform, language=language)
    assert (analyse(text, "wgsl") is Verdict.ACCEPTS) == uniform
    assert draw(seed, uniform=uniform, language=language) == text


def test_a_language_that_is_none_is_refused_and_so_are_options_of_another() -> None:
    with pytest.raises(ValueError, match="'pascal' is not one of tiny, compute,"):
        draw(1, language="pascal")
    with pytest.raises(ValueError, match="statements, threads and racy are options of 'tiny'"):
        draw(1, language="compute", racy=False)


def test_some_are_spelled_and_all_can_be() -> None:
    assert any(print_shader(parse(text)) != text for text in (draw(seed, spelled=True) for seed in range(20)))


@pytest.mark.parametrize("wrong", [{"statements": (3, 2)}, {"statements": (0, 2)}, {"threads": (1, 257)}])
def test_a_range_that_is_none_is_refused(wrong: dict[str, tuple[int, int]]) -> None:
    (name,) = wrong
    with pytest.raises(ValueError, match=f"^{name}: .* is no range within"):
        shaders(**wrong)  # type: ignore[arg-type]


def test_a_shader_shows_as_it_is_written() -> None:
    text = draw(7)
    assert isinstance(text, str)
    assert repr(text) == f"\n{text}"
    assert pickle.loads(pickle.dumps(text)) == text
    assert text == WGSL.of(text.shader) == WGSL(text)
    assert WGSL(text).shader == text.shader


def test_a_text_that_is_no_tinywgsl_is_refused_with_its_place() -> None:
    with pytest.raises(ValueError, match=r"^line 1, column 1: struct is outside TinyWGSL"):
        parse("struct S { a: u32 }")
    with pytest.raises(ValueError, match="line 3"):
        analyse("@compute @workgroup_size(1)\nfn main() {\n  loop { continue; }\n}\n")


# -------------------------------------------------------------------------------------------------------- answers


@given(SEEDS)
@settings(max_examples=30)
def test_the_answers_are_those_of_the_oracles(seed: int) -> None:
    text = draw(seed)
    assert analyse(text) is analyse(str(text)) is analyse(text.shader)
    assert explain(text)
    outcome = run(text, threads=2).outcome
    assert outcome is not Outcome.DIVERGES or analyse(text) is Verdict.REJECTS


def test_explanations_are_lines_about_the_text() -> None:
    lines = explain("\n\n" + IN_IF)
    assert lines[0] == "error in main (synchronization):"
    assert lines[1].startswith("  line 6: `workgroupBarrier()`: ")
    assert analyse(FIG_10A) is Verdict.REJECTS
    assert analyse(FIG_10A, "without-10a") is Verdict.ACCEPTS
    assert explain(FIG_10A, "without-10a") != explain(FIG_10A)


ANY_WGSL = """fn f(p: ptr<function, u32>) {
  *p = 1;
}
@compute @workgroup_size(2) fn main(@builtin(local_invocation_index) lid: u32) {
  var x = lid;
  f(&x);
  if x == 0 { workgroupBarrier(); }
}
"""


def test_any_wgsl_is_judged_and_explained() -> None:
    rejected = ANY_WGSL.replace("*p = 1;", "*p += 1;")
    assert analyse(ANY_WGSL) is analyse(ANY_WGSL, "wgsl") is analyse(WGSL(ANY_WGSL)) is Verdict.ACCEPTS
    assert analyse(rejected) is analyse(rejected, "wgsl") is Verdict.REJECTS
    assert explain(ANY_WGSL)[0] == "f:"
    assert explain(rejected)[0] == "error in main (synchronization):"
    assert explain(rejected) == explain(rejected, "wgsl")


def test_a_file_of_rules_for_the_whole_language_judges(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text('VARIANTS = ["before-2025-10-14/10a"]', encoding="utf-8")
    assert analyse(FIG_10A, str(file)) is Verdict.ACCEPTS
    assert analyse(ANY_WGSL, str(file)) is Verdict.ACCEPTS


@pytest.mark.parametrize("ask", [analyse, explain])
def test_what_cannot_be_judged_is_a_value_error(ask: Callable[..., object]) -> None:
    with pytest.raises(ValueError, match=r"^line 1, column 10: unresolved value 'x'$"):
        ask("fn f() { x = 1; y = 2; }")
    with pytest.raises(ValueError, match=r"^line 1, column 1: unsupported: the reference does not know .* 'rays'$"):
        ask("enable rays;")
    with pytest.raises(ValueError, match=r"outside TinyWGSL|no uniformity graph"):
        ask(ANY_WGSL, "whlsl-2019")
    with pytest.raises(ValueError, match="unknown rule set"):
        ask(ANY_WGSL, "wgsl-2022")


def test_what_diverges_is_told_step_by_step() -> None:
    found = run(IN_IF, threads=2)
    assert found.outcome is Outcome.DIVERGES
    told = wgsl_fuzz.step_by_step(IN_IF, found)
    assert told[0].startswith("2 threads")
    assert any(line.startswith("they part at line 3: if") for line in told)
    fine = draw(1, uniform=True, racy=False)
    assert wgsl_fuzz.step_by_step(fine, run(fine)) == []
    with pytest.raises(ValueError, match="threads"):
        run(fine, threads=0)


# -------------------------------------------------------------------------------------------------------- targets


@pytest.mark.parametrize("says", [lambda text: "if" not in text, lambda text: "rejects" if "if" in text else "accepts"])
def test_a_function_is_a_target(says: object) -> None:
    with Target(says) as target:  # type: ignore[arg-type]
        assert target.verdict(IN_IF) is Verdict.REJECTS
        assert target.verdict("") is Verdict.ACCEPTS
        assert target.checks_uniformity
        assert "test_library:" in target.name
        assert [answer.message for answer in target.answers(["", "if"])] == ["", "error: rejects"]


def test_a_name_is_a_target() -> None:
    with Target("rules:without-10a") as target:
        assert target.verdict(FIG_10A) is Verdict.ACCEPTS
    with pytest.raises(TargetError, match="unknown target 'nothing'"):
        Target("nothing")


def test_a_function_must_say_a_verdict() -> None:
    with pytest.raises(TypeError, match="'maybe' is no verdict: True, False, or one of accepts"):
        Target(lambda _: "maybe").verdict("")


MODULE = """
import sys, time
def strict(text): return "if" not in text
def lenient(text): return "accepts"
def raises(text):
    if "lid" in text and "loop" in text: raise ArithmeticError("overflow of the heap")
    return True
def wrong(text): return 3
class Analysis:
    def __call__(self, text): return False
analysis = Analysis()
"""


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    (tmp_path / "my_analysis.py").write_text(MODULE)
    monkeypatch.chdir(tmp_path)
    return "python:my_analysis"


def test_a_function_is_named_on_the_command_line(module: str) -> None:
    with Target(f"{module}:strict") as target:
        assert target.verdict(IN_IF) is Verdict.REJECTS
        assert target.checks_uniformity
    shader = Path("shader.wgsl")
    shader.write_text(IN_IF)
    result = CliRunner().invoke(main, ["check", str(shader), "--oracle", f"{module}:lenient", "--oracle", "paper"])
    assert result.exit_code == 1, result.output
    assert f"unsound: {module}:lenient" in result.stdout


@pytest.mark.parametrize(
    ("rest", "says"),
    [
        (":wrong", "3 is no verdict"),
        (":nothing", "no attribute 'nothing'"),
        ("_not:there", "No module named 'my_analysis_not'"),
        ("", "write python:MODULE:FUNCTION"),
    ],
)
def test_what_is_no_such_function_is_one_line(module: str, rest: str, says: str) -> None:
    result = CliRunner().invoke(main, ["--target", module + rest, "--programs", "8"])
    assert result.exit_code == 2
    (line,) = result.stderr.splitlines()
    assert says in line


RAISING = """import sys

def judge(text):
    if "loop" in text:
        return {}[1]
    if "if" in text:
        sys.exit(3)
    if "for" in text:
        return judge(text)
    return True

def ends(text):
    raise SystemExit(3)

def hangs(text):
    while True: pass
"""


LEAVING = {
    "import sys; sys.exit(0)": "python:leaving:judge: SystemExit: 0",
    """import os
judge = bool
for file in range(3, 12):
    try:
        os.write(file, b'\\x1e{"ready": {}}\\n\\x1e{"n": 0, "answers": ["accept"]}\\n')
    except OSError:
        pass
""": "it wrote an answer by itself: 'accept'",
}


def test_what_a_function_raises_is_told_with_its_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "raising.py").write_text(RAISING)
    monkeypatch.chdir(tmp_path)
    target = open_target("python:raising:judge")
    target.submit(["loop", "if", "", "for"])
    said = target.collect()
    target.close()
    assert [(one.verdict, one.message) for one in said[:2]] == [
        (Verdict.CRASHED, 'KeyError at raising.py:5, in judge, "return {}[1]": 1'),
        (Verdict.CRASHED, 'SystemExit at raising.py:7, in judge, "sys.exit(3)": 3'),
    ]
    assert said[2].verdict is Verdict.ACCEPTS
    assert said[3].message.startswith('RecursionError at raising.py:9, in judge, "return judge(text)": ')
    with pytest.raises(TargetError, match=r'SystemExit at raising.py:13, in ends, "raise .*": 3'):
        open_target("python:raising:ends")
    for line, says in LEAVING.items():
        (tmp_path / "leaving.py").write_text(line)
        with pytest.raises(TargetError, match=says):
            open_target("python:leaving:judge")
    with pytest.raises(TargetError, match=r"python:raising:hangs: asked about '@compute .*no answer within 0.2 s"):
        open_target("python:raising:hangs", timeout=0.2)
