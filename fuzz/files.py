"""Files that users name: what cannot be read or written is one clear line."""

from pathlib import Path

from fuzz.problems import Problem


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
