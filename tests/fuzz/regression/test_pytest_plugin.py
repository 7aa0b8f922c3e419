"""The pytest plugin, in pytest runs of its own as a compiler's CI would have them."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import orjson
import pytest

ROOT = Path(__file__).resolve().parents[3]

CASE = {
    "origin": "a test",
    "why": "a loop that only returns",
    "expected": {"wgsl": "accepts"},
    "outcome": "converges",
    "verdicts": {"rules:without-10b": {"verdict": "rejects", "kind": "too-strict"}, "rules:paper": "accepts"},
}
FIG_10B = (ROOT / "corpus" / "fig-10b" / "shader.wgsl").read_text()
FIG_10D = (ROOT / "corpus" / "fig-10d" / "shader.wgsl").read_text()


def _pytest(folder: Path, *arguments: str, code: str = "") -> subprocess.CompletedProcess[str]:
    """Without the plugins that happen to be installed: the entry point would load this one a second time."""
    environment = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    environment.pop("PYTEST_ADDOPTS", None)
    script = f"import sys, pytest; status = pytest.main(sys.argv[1:]); {code or 'pass'}; sys.exit(status)"
    command = [
        sys.executable,
        "-c",
        script,
        "-p",
        "wgsl_fuzz.fuzz.regression.pytest_plugin",
        "-p",
        "no:cacheprovider",
        *arguments,
    ]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """Two cases in a project with a test of its own."""
    _write(tmp_path / "corpus" / "b-case", CASE, FIG_10B)
    _write(tmp_path / "corpus" / "d-case", CASE | {"verdicts": {}}, FIG_10D)
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    (tmp_path / "test_mine.py").write_text("def test_mine(): pass\n")
    return tmp_path


def _write(folder: Path, record: dict[str, Any], text: str) -> None:
    folder.mkdir(parents=True)
    (folder / "shader.wgsl").write_text(text)
    (folder / "case.json").write_bytes(orjson.dumps(record))


def test_without_the_option_nothing_is_collected_and_nothing_imported(corpus: Path) -> None:
    ours = "('wgsl_fuzz.oracle', 'wgsl_fuzz.tinywgsl', 'orjson')"
    heavy = f"print('HEAVY', sorted(m for m in sys.modules if m.startswith({ours})))"
    done = _pytest(corpus, "-v", code=heavy)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 passed" in done.stdout
    assert "wgsl-fuzz corpus" not in done.stdout
    assert "HEAVY []" in done.stdout


def test_known_disagreements_pass_and_say_so(corpus: Path) -> None:
    targets = ("--wgsl-target", "rules:without-10b", "--wgsl-target", "rules:paper", "--wgsl-target", "rules:paper")
    done = _pytest(corpus, "-v", *targets, "--junitxml", "out.xml")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "5 passed" in done.stdout
    assert "corpus/b-case/case.json::rules:without-10b STILL: rejects, expected accepts" in done.stdout
    assert "wgsl-fuzz corpus: 4 STILL, 0 FIXED, 0 CHANGED, 0 NEW" in done.stdout
    assert "STILL: rejects" in (corpus / "out.xml").read_text()


def test_new_and_changed_fail_with_the_shader_and_the_reason(corpus: Path) -> None:
    _write(corpus / "corpus" / "c-case", CASE | {"verdicts": {"rules:wgsl-2023-01-28": "accepts"}}, FIG_10B)
    done = _pytest(corpus, "--wgsl-target", "rules:wgsl-2023-01-28", "corpus")
    assert done.returncode == 1, done.stdout + done.stderr
    assert "1 CHANGED, 2 NEW" in done.stdout
    assert "rules:wgsl-2023-01-28 on c-case: CHANGED: rejects, expected accepts, recorded accepts" in done.stdout
    assert "The case (a test): a loop that only returns" in done.stdout
    assert "workgroupBarrier();" in done.stdout
    assert "before-2025-10-17/10b: an analysis with it analyses code behind a loop that only returns." in done.stdout
    assert "pytest_plugin.py" not in done.stdout


def test_a_part_of_the_corpus_and_another_record(corpus: Path) -> None:
    options = ("--wgsl-target", "rules:wgsl-2023-01-28", "--wgsl-like", "rules:without-10b")
    done = _pytest(corpus, *options, "corpus", "-k", "b-case")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 passed, 1 deselected" in done.stdout


@pytest.mark.parametrize(
    ("options", "line"),
    [
        (("--wgsl-target", "no-such"), "ERROR: unknown target 'no-such'"),
        (("--wgsl-target", "rules:paper", "--wgsl-like", "tint@9"), "ERROR: nothing is recorded of 'tint@9'"),
    ],
)
def test_what_cannot_be_asked_ends_the_session_with_one_line(corpus: Path, options: tuple[str, ...], line: str) -> None:
    done = _pytest(corpus, *options)
    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert line in done.stdout + done.stderr
    assert "Traceback" not in done.stdout + done.stderr


def test_cases_at_fault_are_errors_of_their_own(corpus: Path) -> None:
    _write(corpus / "corpus" / "bad", CASE | {"outcome": "maybe"}, FIG_10B)
    done = _pytest(corpus, "--wgsl-target", "rules:paper", "corpus")
    assert done.returncode == pytest.ExitCode.INTERRUPTED
    assert "'outcome' is 'maybe'" in done.stdout
    (corpus / "corpus" / "bad" / "case.json").write_bytes(orjson.dumps(CASE))
    (corpus / "corpus" / "bad" / "shader.wgsl").write_text("struct S { a: f32 }")
    done = _pytest(corpus, "--wgsl-target", "rules:paper", "corpus")
    assert done.returncode == 1
    assert "1 failed, 2 passed" in done.stdout
    (corpus / "corpus" / "bad" / "shader.wgsl").write_text("struct {")
    done = _pytest(corpus, "--wgsl-target", "rules:paper", "corpus")
    assert f"{corpus / 'corpus' / 'bad' / 'shader.wgsl'}: line 1" in done.stdout
    assert "1 failed, 2 passed" in done.stdout


@pytest.mark.parametrize(("options", "ini", "status"), [((), "", 0), (("--wgsl-strict",), "", 1), ((), "true", 1)])
def test_what_is_fixed_has_to_be_recorded_if_tests_are_strict(
    corpus: Path, options: tuple[str, ...], ini: str, status: int
) -> None:
    """The case records Tint as wrong; rules without a record, taken for it, are right."""
    (corpus / "pytest.ini").write_text("[pytest]\n" + f"xfail_strict = {ini}\n" * bool(ini))
    targets = ("--wgsl-target", "rules:wgsl", "--wgsl-like", "rules:without-10b")
    done = _pytest(corpus, "-v", *targets, *options)
    assert "FIXED" in done.stdout
    assert done.returncode == status, done.stdout + done.stderr
