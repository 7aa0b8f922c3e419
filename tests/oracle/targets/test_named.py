"""Targets under a name of the user's, and one spelling for all of a path's."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wgsl_fuzz.oracle.targets import open_target
from wgsl_fuzz.oracle.targets.protocol import normal_path, own_names, spec_of, split_name
from wgsl_fuzz.oracle.verdict import Verdict

UNIFORM = "@compute @workgroup_size(2) fn main() { workgroupBarrier(); }"
NAMES = st.text("abcdefgh019.-_", min_size=1, max_size=8)


@given(NAMES, st.sampled_from(["tint:out/tint", "naga:/a=b/naga", "rules:mine.py", "tint:x@y=z"]))
def test_a_name_comes_off_as_it_went_on(name: str, spec: str) -> None:
    family = spec.partition(":")[0]
    assert split_name(f"{family}@{name}={spec}") == (f"{family}@{name}", spec)
    assert split_name(spec) == (None, spec)


def test_a_named_target_answers_as_the_target_does() -> None:
    target = open_target("rules@mine=rules:without-10a")
    target.submit([UNIFORM])
    assert [answer.verdict for answer in target.collect()] == [Verdict.ACCEPTS]
    assert (target.name, target.checks_uniformity) == ("rules@mine", True)
    assert spec_of(target) == "rules@mine=rules:without-10a"
    assert own_names([target]) == {"rules@mine": spec_of(target)}
    target.close()


def test_spellings_of_a_path_are_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    inside = {normal_path(path) for path in ("a/b", "./a/b", "a/../a//b", str(tmp_path / "a" / "b"))}
    assert inside == {str(Path("a", "b"))}
    outside = {normal_path(path) for path in ("../c", str(tmp_path.parent / "c"), "a/../../c")}
    assert outside == {str(tmp_path.parent / "c")}


@pytest.mark.skipif(os.name != "posix", reason="compiler commands need POSIX")
def test_spellings_of_a_command_are_one_target(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compiler = tmp_path / "own-compiler"
    compiler.write_text('#!/bin/sh\nfor last; do :; done\n! grep -q "let x: i32;\\|let ;\\|^@@" "$last"\n')
    compiler.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("wgsl_fuzz.oracle.targets.described._settled", lambda *_: "")
    names = set()
    for spec in ("tint:./own-compiler", "tint:own-compiler", f"tint:{compiler}"):
        target = open_target(spec)
        names.add(target.name)
        target.close()
    assert names == {"tint:./own-compiler"}


def test_spellings_of_a_rule_file_are_one_target(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "spelled.py").write_text('VARIANTS = ["10a"]\n')
    monkeypatch.chdir(tmp_path)
    specs = ("rules:spelled.py", "rules:./spelled.py", f"rules:{tmp_path / 'spelled.py'}")
    assert {open_target(spec).name for spec in specs} == {"rules:spelled.py"}
