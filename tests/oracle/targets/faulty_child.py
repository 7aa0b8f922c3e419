"""A compiler with every fault that a child process can have, as a program: `faulty_child.py MARK [place]`.

A text is `WORD NUMBER [FAULT]`: `ok` is accepted, `no` refused with the number for a message. A fault with a `!` shows
whenever the text is compiled; any other only if the child has compiled a text before, as if these had worn it out. Any
other text is WGSL, of which it knows just enough to be taken for a compiler.
"""

import json
import os
import subprocess
import sys
import time
from typing import Any

answered = 0
begun = 0


def write(data: bytes) -> None:
    while data:
        data = data[os.write(1, data) :]


def say(value: object) -> None:
    write(b"\x1e" + json.dumps(value).encode() + b"\n")


def answer(text: str) -> str | None:
    if not is_drawn(text):
        found = {"var x = ;": "error: syntax", "if (lid == 0u)": "error: is not uniform"}
        return next((words for part, words in found.items() if part in text), None)
    word, number = text.split()[:2]
    return None if word == "ok" else number


def is_drawn(text: str) -> bool:
    return text.startswith(("ok ", "no "))


def hit(fault: str, texts: list[str], answers: list[str | None], **options: Any) -> None:
    """Shows a fault; `answers` are those to the texts of this line so far, none of them said yet.

    `options` are those of a child that is left behind.
    """
    match fault.rstrip("!"):
        case "crash":
            os.abort()
        case "leave":
            os._exit(0)
        case "hang":
            time.sleep(1000)
        case "late":
            time.sleep(float(sys.argv[2]) * 1.5)
        case "flood":
            write(b"warning: \xff\x00" * 100_000)
        case "flood-aside":
            os.write(2, b"warning: \xff\x00\x1b[2J" * 100_000)
        case "marker":
            write(b'\x1e{"n": 0, "answers": [null]\n\x1e\x1e\n\x00\x1b]0;title\x07\x1e[')
        case "deaf" | "mute":
            os.close(("deaf", "mute").index(fault))
            time.sleep(1000)
        case "daemon":
            hit("child", texts, answers, start_new_session=True)
        case "daemon-aside":
            quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
            hit("child", texts, answers, start_new_session=True, **quiet)
            os.abort()
        case "half":
            write(b"\x1e" + json.dumps({"n": answered, "answers": answers}).encode()[:-3])
            os.abort()
        case "said":
            if answers:
                say({"n": answered, "answers": answers})
            os.abort()
        case "child":
            sleep = "import time; time.sleep(1000)"
            subprocess.Popen([sys.executable, "-S", "-c", sleep, sys.argv[1]], **options)
        case "orphan":
            hit("child", texts, answers)
            os.abort()
        case other:
            say_wrongly(other, texts, answers)


def say_wrongly(fault: str, texts: list[str], answers: list[str | None]) -> None:
    """Says what is no answer."""
    match fault:
        case "flood-of-lines":
            for n in range(1000):
                say({"n": n + 1_000_000, "answers": [None] * 10})
        case "order":
            whole = [answer(text) for text in texts]
            say({"n": answered + 1, "answers": whole[1:] or [None]})
            say({"n": answered, "answers": whole[:1]})
        case "twice":
            say({"n": answered, "answers": answers})
            say({"n": answered, "answers": answers})
        case "more":
            say({"n": answered, "answers": [None] * 10_000})
        case "none":
            say({"n": answered, "answers": []})
        case "kinds":
            say({"n": answered, "answers": [3 for _ in texts]})
        case "no-object":
            say([1, 2, 3])
        case _:
            raise ValueError(fault)


def compile_line(texts: list[str]) -> None:
    global answered, begun
    answers: list[str | None] = []
    for text in texts:
        begun += 1
        if "place" in sys.argv:
            os.pwrite(int(os.environ["WGSL_FUZZ_PLACE"]), begun.to_bytes(4, "little"), 0)
        for fault in text.split()[2:] if is_drawn(text) else ():
            if fault.endswith("!") or begun > 1:
                hit(fault, texts, answers)
        answers.append(answer(text))
    say({"n": answered, "answers": answers})
    answered += len(answers)


say({"ready": {}})
for line in sys.stdin.buffer:
    compile_line(json.loads(line))
