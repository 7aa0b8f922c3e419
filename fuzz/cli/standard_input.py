"""The file `-`: WGSL from standard input, or for `check` lines of JSON."""

import sys
from collections.abc import Iterator
from itertools import chain
from typing import BinaryIO

from wgsl_fuzz.fuzz.files import read_text
from wgsl_fuzz.fuzz.problems import Problem

DASH = "-"
NAME = "standard input"


def read_wgsl(file: str) -> str:
    """The text of a UTF-8 file, of standard input for `-`; raises Problem."""
    return _decoded(_stream().read()) if file == DASH else read_text(file)


def name_of(file: str) -> str:
    """What to call a file in messages."""
    return NAME if file == DASH else file


def lines_or_wgsl() -> Iterator[bytes] | str:
    """Standard input: its lines if it begins with `{`, as JSON lines do and no WGSL does, or if it is empty.

    Otherwise all of it, as WGSL. Raises Problem.
    """
    lines = iter(_stream())
    head = []
    for line in lines:
        head.append(line)
        if line.strip():
            break
    if not head or head[-1].lstrip().startswith(b"{"):
        return chain(head, lines)
    return _decoded(b"".join([*head, *lines]))


def _stream() -> BinaryIO:
    if sys.stdin is None:
        raise Problem(f"cannot read {NAME}: it is closed")
    return sys.stdin.buffer


def _decoded(content: bytes) -> str:
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Problem(f"cannot read {NAME}: it is not UTF-8") from error
