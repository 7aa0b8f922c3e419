"""The command `reduce`: any user's file, kept to what oracles say of it."""

import re
import tomllib
from pathlib import Path

import pytest
from click.testing import Result

from tests.fuzz.command import DIVERGES, wgsl_fuzz
from tests.fuzz.fakes import FakeTarget, Reader, play
from wgsl_fuzz.fuzz.campaign.reduce_finding import MOST_HANGS
from wgsl_fuzz.fuzz.cases.case import count_statements
from wgsl_fuzz.fuzz.problems import Problem
from wgsl_fuzz.fuzz.reduction.interestingness import disagreement, read_keep
from wgsl_fuzz.fuzz.reduction.search import read
from wgsl_fuzz.oracle.rules.rule_set import UNCHANGED, Rules
from wgsl_fuzz.oracle.rules.uniformity.revisions import judge_wgsl, wgsl_rules
from wgsl_fuzz.oracle.verdict import Answer, Verdict

TEXT: str = tomllib.loads(Path(__file__).with_name("requests.toml").read_text(encoding="utf-8"))["files"]["shader.wgsl"]
"""As Fig. 10a: both references reject it, and it diverges; wgsl-2023-01-28 accepts it."""


DRAFT = wgsl_rules("wgsl-2023-01-28") or UNCHANGED


def verdict(text: str, rules: Rules = UNCHANGED) -> Verdict:
    tree = read(text)
    assert tree is not None
    return judge_wgsl(tree, rules).verdict


def run(tmp_path: Path, text: str, *options: str) -> Result:
    file = tmp_path / "shader.wgsl"
    file.write_text(text)
    return wgsl_fuzz("reduce", file, *options)


def test_an_oracle_beside_keep_goes_on_saying_what_it_says_now(tmp_path: Path) -> None:
    """Reduced for paper alone, wgsl-2023-01-28 would come to say something else."""
    alone = run(tmp_path, TEXT, "--keep", "paper=rejects")
    beside = run(tmp_path, TEXT, "--keep", "paper=rejects", "-t", "wgsl-2023-01-28")
    assert (alone.exit_code, beside.exit_code) == (0, 0)
    assert "kept: paper rejects, wgsl-2023-01-28 accepts" in beside.stderr
    said = [verdict(result.stdout, DRAFT) for result in (alone, beside)]
    assert said == [Verdict.REJECTS, Verdict.ACCEPTS]


def test_where_it_cannot_write_it_does_not_begin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wgsl_fuzz.fuzz.cli.reduce.opened_oracles", lambda *_: pytest.fail("began"))
    result = run(tmp_path, TEXT, "-t", "wgsl-2023-01-28", "-o", str(tmp_path / "missing" / "reduced.wgsl"))
    assert result.exit_code == 2
    assert "cannot write" in result.stderr


@pytest.mark.parametrize(
    "options",
    [
        ["--keep", "wgsl-2023-01-28=accepts,paper=rejects"],
        ["--keep", "wgsl-2023-01-28=accepts,semantics=diverges"],
        ["-t", "wgsl-2023-01-28"],
    ],
)
def test_it_is_reduced_to_fig_10a(tmp_path: Path, options: list[str]) -> None:
    result = run(tmp_path, TEXT, *options)
    assert result.exit_code == 0, result.stderr
    least = read(result.stdout)
    assert least is not None
    assert count_statements(least.module) <= 3
    assert verdict(result.stdout, DRAFT) is Verdict.ACCEPTS
    assert verdict(result.stdout) is Verdict.REJECTS
    assert "statements before, " in result.stderr
    assert result.stderr.splitlines()[-1].startswith("to keep it, give -o FILE; to see what ")
    assert "reduced.wgsl" not in result.stderr  # no such file is written
    reference = "paper" if "--keep" in options else "wgsl"
    assert f"{reference} accepts" in result.stderr or "semantics" in " ".join(options)  # the nearest one
    assert "loop {" in result.stdout
    assert "continue;" not in result.stdout, "the end of a loop implies it"
    assert run(tmp_path, result.stdout, *options).stdout == result.stdout


def test_an_interrupt_leaves_the_best_so_far(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = 0

    def interrupted(words: dict[str, str]) -> str | None:
        nonlocal asked
        asked += 1
        if asked == 8:
            raise KeyboardInterrupt
        return disagreement(words)

    monkeypatch.setattr("wgsl_fuzz.fuzz.reduction.interestingness.disagreement", interrupted)
    result = run(tmp_path, TEXT, "--keep", "wgsl-2023-01-28=accepts,paper=rejects")
    assert result.exit_code == 130
    assert verdict(result.stdout) is Verdict.REJECTS


def test_text_that_is_no_wgsl_is_reduced_for_targets(tmp_path: Path) -> None:
    result = run(tmp_path, TEXT.replace("3u", "nothing"), "--keep", "letter=invalid")
    assert result.exit_code == 0, result.stderr
    assert len(result.stdout) < 10


def test_text_that_is_no_tinywgsl_is_reduced_for_what_a_target_says_now(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    play(monkeypatch, lambda _: Reader(lambda text: Answer(Verdict.CRASHED if "3.5f" in text else Verdict.INVALID)))
    result = run(tmp_path, TEXT.replace("3u", "3.5f"), "-t", "crashing")
    assert result.exit_code == 0, result.stderr
    assert "3.5f" in result.stdout
    assert "2 after (plain)" in result.stderr


def test_a_target_that_hangs_on_smaller_texts_ends_the_search(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = Reader(lambda text: None if "var z" in text else Answer(Verdict.TIMED_OUT))

    def opened(*_: object, timeout: float, **__: object) -> FakeTarget:
        assert timeout == 0.5
        return target

    monkeypatch.setattr("wgsl_fuzz.fuzz.judging.answers.open_target", opened)
    result = run(tmp_path, TEXT, "--keep", "hanging=rejects", "--timeout", "0.5")
    assert result.exit_code == 0, result.stderr
    told = re.match(r"stopped: (\d+) smaller texts got no answer in time\n", result.stderr)
    assert told is not None
    assert MOST_HANGS < int(told[1]) < 2 * MOST_HANGS
    wanted = run(
        tmp_path, TEXT.replace("var z", "var w").replace("z ", "w "), "--keep", "hanging=timed-out", "--timeout", "0.5"
    )
    assert "stopped" not in wanted.stderr


MODULE = """
enable subgroups;
diagnostic(off, derivative_uniformity);
struct Pair { one: u32, other: u32 }
var<workgroup> counter: atomic<u32>;
@group(0) @binding(0) var<storage, read> pairs: array<Pair, 4>;
fn unused(p: ptr<function, u32>) -> u32 { return *p; }
fn store(p: ptr<function, u32>, value: u32) { *p = value; }
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_id) id: vec3u, @builtin(workgroup_id) group: vec3u) {
  var sum = 0u;
  for (var i = 0u; i < 4u; i++) { sum += pairs[i].one; }
  store(&sum, group.x + atomicAdd(&counter, 1u));
  switch sum { case 1u, 2u: { workgroupBarrier(); } default: { sum = unused(&sum); } }
}
"""
"""It depends on an atomic, whose result may be non-uniform: by the letter only if its arguments are."""


@pytest.mark.parametrize(
    ("options", "kept"),
    [
        (["-t", "letter"], "wgsl rejects, letter accepts"),
        (["-t", "semantics", "-t", "letter"], "wgsl rejects, letter accepts, semantics diverges"),
        (
            ["--keep", "letter=accepts,semantics=diverges", "-t", "paper"],
            "letter accepts, semantics diverges, wgsl rejects",
        ),
    ],
)
def test_a_module_is_reduced_with_the_reference_of_the_whole_language(
    tmp_path: Path, options: list[str], kept: str
) -> None:
    out = tmp_path / "least.wgsl"
    result = run(tmp_path, MODULE, *options, "-o", str(out))
    assert (result.exit_code, result.stdout) == (0, ""), result.stderr
    assert f"kept: {kept}" in result.stderr
    assert "11 statements before, 2 after (plain)" in result.stderr
    oracles = "".join(f" --oracle {word.split()[0]}" for word in kept.split(", "))
    assert result.stderr.splitlines()[-1] == f"to see it: wgsl-fuzz check{oracles} {out}"
    if "semantics" in kept:
        return
    assert "wgsl accepts, letter accepts" in result.stderr  # the nearest that does not show it
    least = (tmp_path / "least.wgsl").read_text()
    assert "switch" not in least
    assert "if (atomicAdd(&A, 0u) == 0u) {" in least
    again = run(tmp_path, least, "--keep", "paper=rejects,letter=accepts")
    assert "2 statements before, 2 after" in again.stderr
    assert again.stdout == least


@pytest.mark.parametrize("language", ["tiny", "whole"])
@pytest.mark.parametrize("kept", ["--keep", "--test"])
def test_a_last_barrier_is_not_kept_for_its_place(tmp_path: Path, language: str, kept: str) -> None:
    script = tmp_path / "interesting.sh"
    script.write_text("#!/bin/sh\ntr -d ' \\n' < \"$1\" | grep -q 'if(lid.*{workgroupBarrier();}'\n")
    script.chmod(0o755)
    text = DIVERGES if language == "tiny" else DIVERGES.replace("lid == 0u", "lid == vec2u().x")
    result = run(tmp_path, text, kept, "paper=rejects" if kept == "--keep" else str(script))
    assert result.exit_code == 0, result.stderr
    assert result.stdout.count("workgroupBarrier();") == 1
    assert "3 statements before, 2 after" in result.stderr


def test_keep_is_read_by_its_last_sign() -> None:
    kept = ["tint@0.3.8=accepts, semantics=diverges", "paper", "tint@mine=tint:out/tint"]
    verdicts = {"tint@0.3.8": "accepts", "semantics": "diverges"}
    assert read_keep(kept) == (verdicts, ["paper", "tint@mine=tint:out/tint"])
    assert read_keep(["tint@mine=tint:out/tint=accepts"]) == ({"tint@mine=tint:out/tint": "accepts"}, [])
    with pytest.raises(Problem, match="cannot say both"):
        read_keep(["paper=accepts,paper=rejects"])


# --------------------------------------------------------------- `reduce --test COMMAND`: a predicate of the user's own


@pytest.mark.parametrize("command", ["grep -q loop", "grep -q loop {}", "sh -c 'grep -q loop \"$0\"' {}"])
def test_only_what_the_command_wants_is_left(tmp_path: Path, command: str) -> None:
    result = run(tmp_path, TEXT, "--test", command)
    assert result.exit_code == 0, result.output
    assert "loop" in result.stdout
    assert not re.search("for|var|Barrier", result.stdout)
    assert "kept: test accepts" in result.stderr


def test_a_command_and_a_verdict_go_together(tmp_path: Path) -> None:
    text = DIVERGES.replace("workgroupBarrier();\n}", "textureBarrier();\n  if (lid == 1u) { storageBarrier(); }\n}")
    result = run(tmp_path, text, "--test", "grep -q storageBarrier", "--keep", "paper=rejects")
    assert result.exit_code == 0, result.output
    assert re.findall(r"\w+Barrier|if", result.stdout) == ["if", "storageBarrier"]
