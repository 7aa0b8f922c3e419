"""Files that users name: what cannot be read or written is one clear line."""

from pathlib import Path
from tempfile import TemporaryFile

from wgsl_fuzz.fuzz.problems import Problem


def read_text(file: str | Path) -> str:
    """The text of a UTF-8 file; raises Problem."""
    try:
        return Path(file).read_text(encoding="utf-8")
    except OSError as error:
        raise Problem(f"cannot read {file}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise Problem(f"cannot read {file}: it is not UTF-8") from error


def write_bytes(path: Path, content: bytes) -> None:
    """Writes a file; raises Problem."""
    try:
        path.write_bytes(content)
    except OSError as error:
        raise Problem(f"cannot write {path}: {error.strerror}") from error


def check_writable(path: Path) -> None:
    """Raises Problem if a file cannot be written here: to be asked before long work. What is there stays as it is."""
    try:
        if path.is_file() or path.is_dir():
            path.open("ab").close()
        elif not path.exists() and not path.is_symlink():  # a pipe or a device may mind being opened twice
            path.open("xb").close()
            path.unlink()
    except OSError as error:
        raise Problem(f"cannot write {path}: {error.strerror}") from error


def make_folder(path: Path) -> None:
    """Makes a folder unless it is there; raises Problem if no file can be written in it."""
    try:
        path.mkdir(parents=True, exist_ok=True)
        TemporaryFile(dir=path).close()
    except OSError as error:
        raise Problem(f"cannot write to {path}: {error.strerror}") from error
