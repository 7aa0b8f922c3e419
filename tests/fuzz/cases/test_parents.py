"""Parents of mutants: which files of a folder are read, and what is said of the others."""

from pathlib import Path

import pytest

from wgsl_fuzz.fuzz.cases.parents import MOST_BYTES, mutant, read_parents

SHADER = "@compute @workgroup_size(4)\nfn main(@builtin(local_invocation_index) n: u32) {\n    workgroupBarrier();\n}\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with parents, what is none, and links."""
    inside = tmp_path / "a"
    inside.mkdir()
    (inside / "two.wgsl").write_text(SHADER)
    (inside / "one.wgsl").write_text(SHADER.replace("4", "8"))
    (inside / "notes.txt").write_text("fn")
    (tmp_path / "broken.wgsl").write_text("fn main( {")
    (tmp_path / "bytes.wgsl").write_bytes(b"\xff\xfe")
    (tmp_path / "large.wgsl").write_text(SHADER + " " * MOST_BYTES)
    (tmp_path / "later.wgsl").write_text("enable later;")
    (tmp_path / "link.wgsl").symlink_to(inside / "one.wgsl")
    (tmp_path / "loop").symlink_to(tmp_path)
    return tmp_path


def test_a_folder_is_read_by_name_and_without_links(folder: Path) -> None:
    parents = read_parents([folder])
    assert [p.path for p in parents.found] == [str(folder / "a" / name) for name in ("one.wgsl", "two.wgsl")]
    assert not parents.left_out


def test_what_is_passed_over_is_named_with_a_reason(folder: Path) -> None:
    reasons = {Path(p.path).stem: p.reason for p in read_parents([folder]).passed_over}
    assert reasons.keys() == {"broken", "bytes", "large", "later"}
    assert reasons["bytes"] == "it is not UTF-8"
    assert reasons["large"].startswith("it is larger than")
    assert reasons["broken"].startswith("line 1, column 10: ")
    assert "later" in reasons["later"]


def test_a_file_that_is_named_may_have_any_suffix_and_be_a_link(folder: Path) -> None:
    (folder / "odd.txt").write_text(SHADER)
    assert len(read_parents([folder / "odd.txt", folder / "link.wgsl"]).found) == 2


def test_no_more_files_are_read_than_allowed(folder: Path) -> None:
    parents = read_parents([folder], most=2)
    assert len(parents.found) + len(parents.passed_over) == 2
    assert parents.left_out


def test_a_mutant_is_a_function_of_its_place(folder: Path) -> None:
    parents = read_parents([folder])
    texts = [mutant(parents, 3, index).case.source.text for index in range(20)]
    assert texts == [mutant(read_parents([folder]), 3, index).case.source.text for index in range(20)]
    assert texts != [mutant(parents, 4, index).case.source.text for index in range(20)]
    assert len(set(texts)) > 10
