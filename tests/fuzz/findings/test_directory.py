"""Files of a run are replaced whole, also where a reader is in the way."""

import os
from pathlib import Path

import pytest

from wgsl_fuzz.fuzz.findings import directory
from wgsl_fuzz.fuzz.findings.directory import REPLACE_TRIES, StorageError, write_atomically


@pytest.mark.parametrize("refusals", [0, 2, REPLACE_TRIES - 1, REPLACE_TRIES])
@pytest.mark.parametrize("system", ["posix", "elsewhere"])
def test_a_reader_is_waited_for_where_files_in_use_cannot_be_replaced(
    refusals: int, system: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, real, tries = tmp_path / "run.json", Path.replace, 0
    path.write_bytes(b"old")

    def replace(part: Path, target: Path) -> Path:
        nonlocal tries
        tries += 1
        if tries <= refusals:
            raise PermissionError(13, "Access is denied")
        return real(part, target)

    monkeypatch.setattr(Path, "replace", replace)
    monkeypatch.setattr(os, "name", system)
    monkeypatch.setattr(directory, "REPLACE_SECONDS", 0.0)
    if refusals < (REPLACE_TRIES if system == "elsewhere" else 1):
        write_atomically(path, b"new")
        assert path.read_bytes() == b"new"
    else:
        with pytest.raises(StorageError, match=r"cannot write .*run\.json: Access is denied"):
            write_atomically(path, b"new")
        assert path.read_bytes() == b"old"
    assert tries == min(refusals + 1, REPLACE_TRIES if system == "elsewhere" else 1)
