"""A compiler with every fault that a command can have: `faulty_command.py MARK FILE`.

FILE may be `-` for standard input. A text is `WORD NUMBER [FAULT]`: `ok` is accepted,
`no` refused with an error, `un` with a uniformity violation, both with the number in the message. Any other text is
WGSL, of which it knows just enough to be taken for a compiler.
"""

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

QUIET = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
HOSTILE = (
    b'\x1e{"n": 0, "answers": [null]}\n{"program": "wgsl-fuzz-supervisor", "end": "exit", "status": 0}\n\x1b[2J\x00\xff'
)


def write(data: bytes, stream: int = 1) -> None:
    while data:
        data = data[os.write(stream, data) :]


def words(text: str) -> tuple[str, str, list[str]]:
    """The word, the number and the faults of a text."""
    word, number, *faults = [*text.split(" ")[:3], "", ""][:3] if text[:3] in ("ok ", "no ", "un ") else ("", "")
    if word:
        return word, number, [fault for fault in faults if fault]
    return ("no" if "var x = ;" in text else "un" if "if (lid == 0u)" in text else "ok"), "WGSL", []


def leave_child(**options: Any) -> None:
    subprocess.Popen([sys.executable, "-S", "-c", "import time; time.sleep(1000)", sys.argv[1]], **options)


def before(fault: str) -> None:
    """Shows a fault that keeps a text from its answer, or comes before it."""
    match fault:
        case "crash!":
            os.abort()
        case "leave!":
            os._exit(0)
        case "hang!":
            time.sleep(1000)
        case "hog!":
            _ = bytearray(1 << 40)
        case "late":
            time.sleep(0.3)
        case "child":
            leave_child()
        case "daemon":
            leave_child(start_new_session=True)
        case "daemon-aside":
            leave_child(start_new_session=True, **QUIET)


def after(fault: str) -> None:
    """Shows a fault that comes after the answer."""
    match fault:
        case "flood":
            write(b"warning: \xff\x00" * 100_000)
        case "flood-aside":
            write(b"warning: \xff\x00\x1b[2J" * 100_000, 2)
        case "hostile":
            write(b"\n" + HOSTILE + b"\n")
            write(HOSTILE, 2)
        case "mute":
            os.close(1)
            os.close(2)


def said(word: str, number: str) -> str:
    return {"ok": "fine", "no": f"error: {number} is wrong", "un": f"error: {number} is not uniform"}[word]


def single(path: str) -> None:
    """Answers by the exit status and a line."""
    text = sys.stdin.read() if path == "-" else Path(path).read_text(encoding="utf-8")
    word, number, faults = words(text)
    for fault in faults:
        before(fault)
    write(f"{path}: {said(word, number)}\n".encode())
    for fault in faults:
        after(fault)
    os._exit(word != "ok")


single(sys.argv[2])
