"""What small texts of exponential or quadratic size cost: calls of Python functions are counted, never time."""

import sys
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from tests.fuzz.command import wgsl_fuzz
from wgsl_fuzz.fuzz.reduction.search import GROWTH, HEAVY, read, reduce
from wgsl_fuzz.fuzz.reduction.size import size
from wgsl_fuzz.oracle.rules.uniformity.revisions import analyse_wgsl
from wgsl_fuzz.oracle.verdict import Verdict
from wgsl_fuzz.wgsl.resolution import Resolution

ENOUGH = 2**23
"""Calls of functions: what follows each path, or reads each leaf, needs 2**26 or more; a repair needs the most."""
N = 28
MAIN = "@compute @workgroup_size(2)\nfn main(@builtin(local_invocation_index) i: u32) {{\n{}\n}}\n"
BRANCH = "if (i > 0u) { workgroupBarrier(); }"


def _chain(last: str, inner: str, head: str) -> str:
    """N functions, each of which calls the one after it twice."""
    bodies = [inner.replace("NEXT", f"f{k + 1}") for k in range(N - 1)] + [last]
    return "".join(f"fn f{k}{head} {{ {body} }}\n" for k, body in enumerate(bodies))


VALUES = _chain("return x;", "return NEXT(x) + NEXT(x + 1u);", "(x: u32) -> u32")
BARRIERS = _chain("*p += 1u; workgroupBarrier();", "NEXT(p); NEXT(p);", "(p: ptr<function, u32>)")
STRUCTURES = "struct S0 { a: u32, b: bool }\n" + "".join(
    f"struct S{k} {{ a: S{k - 1}, b: S{k - 1} }}\n" for k in range(1, N)
)
ASSIGNMENTS = "let x0 = i;\n" + "".join(f"let x{k} = x{k - 1} + 1u;\n" for k in range(1, 1_500))


@pytest.mark.parametrize(
    ("words", "text", "said"),
    [
        ("lint --fix show", BARRIERS + MAIN.format("var x = i; f0(&x); if (x > 3u) { f0(&x); }"), "1 error"),
        ("run", VALUES + MAIN.format("var x = 0u; if (i > 0u) { x = f0(i); }"), "converges"),
        ("run", STRUCTURES + MAIN.format(f"var x: S{N - 1}; {BRANCH}"), "cannot run a variable of more than 65536"),
        ("mutate -n 3", STRUCTURES + MAIN.format(f"var x: S{N - 1}; var y = x; x = y; {BRANCH}"), "non-uniform"),
        ("run", MAIN.format(f"{ASSIGNMENTS}if (x1499 > 9999u) {{ workgroupBarrier(); }}"), "converges"),
        (
            "run",
            MAIN.format("switch i {" + "".join(f"case {k}u: {{}}" for k in range(3000)) + "default: {}}"),
            "not-run",
        ),
    ],
)
def test_small_texts_take_few_steps(words: str, text: str, said: str, tmp_path: Path) -> None:
    (path := tmp_path / "a.wgsl").write_text(text)
    calls = 0

    def count(_frame: FrameType, event: str, _argument: Any) -> None:
        nonlocal calls
        calls += event == "call"
        if calls > ENOUGH:
            sys.setprofile(None)
            pytest.fail("it takes too many steps")

    sys.setprofile(count)
    try:
        done = wgsl_fuzz(*words.split(), path)
    finally:
        sys.setprofile(None)
    assert said in done.stdout + done.stderr


def test_many_errors_in_a_long_text_are_not_repaired(tmp_path: Path) -> None:
    (path := tmp_path / "a.wgsl").write_text(MAIN.format("\n".join([f"// {'-' * 60}\n{BRANCH}"] * 120)))
    assert f"{path}: no repair was looked for: 120 errors" in wgsl_fuzz("lint", "--fix", "show", path).stderr


def test_a_large_graph_is_not_drawn(tmp_path: Path) -> None:
    chain = "".join(f"fn f{k}(x: u32) -> u32 {{ return f{k + 1}(x); }}\n" for k in range(260))
    last = "fn f260(x: u32) -> u32 { if (x > 0u) { workgroupBarrier(); } return x; }\n"
    (path := tmp_path / "a.wgsl").write_text(chain + last + MAIN.format("_ = f0(i);"))
    done = wgsl_fuzz("explain", "--format", "svg", path)
    assert (done.exit_code, done.stderr.count("\n")) == (2, 1)
    assert "no picture of more than" in done.stderr
    assert "more messages" in wgsl_fuzz("explain", "--format", "html", path).stdout


def test_no_candidate_of_a_reduction_is_much_larger_than_the_shader() -> None:
    lets = "let x0 = i;\n" + "".join(f"let x{k} = x{k - 1} + x{k - 1};\n" for k in range(1, 14))
    tree = read(MAIN.format(f"{lets}if (x13 > 0u) {{ workgroupBarrier(); }}"))
    assert tree is not None
    most = GROWTH * size(tree.module)[1] + HEAVY

    def rejected(candidate: Resolution) -> bool:
        assert size(candidate.module)[1] <= most
        return analyse_wgsl(candidate).verdict is Verdict.REJECTS

    assert reduce(tree, rejected, most=200).asked > 0
