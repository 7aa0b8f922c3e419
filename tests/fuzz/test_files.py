"""Whether a file can be written is asked before the work, and what cannot be written leaves everything as it is."""

import errno
from pathlib import Path
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wgsl_fuzz.fuzz.files import check_writable, make_folder, without_folders, write_bytes
from wgsl_fuzz.fuzz.problems import Problem


@given(content=st.none() | st.binary())
def test_asking_leaves_everything_as_it_is(tmp_path_factory: pytest.TempPathFactory, content: bytes | None) -> None:
    file = tmp_path_factory.mktemp("files") / "file"
    if content is not None:
        file.write_bytes(content)
    check_writable(file)
    assert (file.read_bytes() if file.exists() else None) == content


@pytest.mark.parametrize("name", ["missing/file", "folder", "file/below", "n" * 300])
def test_what_cannot_be_written_is_said_as_writing_would_say_it(tmp_path: Path, name: str) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").touch()
    said = []
    for attempt in (check_writable, lambda path: write_bytes(path, b"")):
        with pytest.raises(Problem) as problem:
            attempt(tmp_path / name)
        said.append(problem.value.message)
    assert said[0] == said[1]


@pytest.mark.parametrize("before", [None, b"a shader of the user's"])
def test_a_full_disk_leaves_what_was_there(tmp_path: Path, before: bytes | None) -> None:
    """As `lint --fix` writes over the user's own shader."""
    file = tmp_path / "file"
    if before is not None:
        file.write_bytes(before)
    full = OSError(errno.ENOSPC, "No space left on device")

    def written_in_part(path: Path, _content: bytes) -> None:
        path.touch()
        raise full

    at_once, whole = patch.object(Path, "write_bytes", written_in_part), patch("os.fsync", side_effect=full)
    with at_once, whole, pytest.raises(Problem, match="No space left"):
        write_bytes(file, b"more")
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == ({} if before is None else {"file": before})


def test_what_is_written_over_keeps_its_mode_and_its_links(tmp_path: Path) -> None:
    file, link = tmp_path / "file", tmp_path / "link"
    file.write_bytes(b"old")
    file.chmod(0o640)
    link.symlink_to(file)
    write_bytes(file, b"new")
    assert (file.read_bytes(), file.stat().st_mode & 0o777) == (b"new", 0o640)
    write_bytes(link, b"newer")
    assert (link.is_symlink(), file.read_bytes()) == (True, b"newer")


@pytest.mark.parametrize("name", ["file", "file/below"])
def test_a_folder_that_cannot_be_written_to(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(Problem, match="cannot write to "):
        make_folder(tmp_path / name)


def test_a_folder_is_made_and_left_empty(tmp_path: Path) -> None:
    for _ in range(2):
        make_folder(tmp_path / "some" / "where")
    assert list((tmp_path / "some" / "where").iterdir()) == []


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("see /home/ada/out/tint.", "see tint."),
        ("`~/out/tint`, '/a/b'", "`tint`, 'b'"),
        ("file:///home/ada/x.cc:12: no", "x.cc:12: no"),
        ("C:\\Users\\ada\\tint.exe and D:/x", "tint.exe and x"),
        ("at tint:/opt/x/tint (sha256 ab)", "at tint:tint (sha256 ab)"),
        ("https://www.w3.org/TR/WGSL/#uniformity, tint/last-pointer, out/tint, ../../src/tint/x.cc:1", None),
        ("a / b / c, a/b/c, //comment/one, /* x/y */, loop/line-8/never, accepts / rejects, x /= 2", None),
    ],
)
def test_a_text_for_others_names_no_folder(text: str, left: str | None) -> None:
    assert without_folders(text) == (text if left is None else left)
    assert without_folders(without_folders(text)) == without_folders(text)


def test_a_path_with_blanks_has_to_be_known() -> None:
    known = ["/my work/a b/tint", "out/tint", ""]
    assert without_folders("of /my work/a b/tint, out/tint", known) == "of tint, out/tint"
