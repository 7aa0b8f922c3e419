"""A compiler with every fault that a child process can have, as a program: `faulty_child.py MARK [place]`.

A text is `WORD NUMBER [FAULT]`: `ok` is accepted, `no` refused with the number for a message. A fault with a `!` shows
whenever the text is compiled; any other only if the child has compiled a text before, as if these had worn it out.
"""

import json
import os
import subprocess
import sys
import time

answered = 0
begun = 0


def write(data: bytes) -> None:
    while data:
        data = data[os.write(1, data) :]


def say(value: object) -> None:
    write(b"\x1e" + json.dumps(value).encode() + b"\n")


def answer(text: str) -> str | None:
    word, number = text.split()[:2]
    return None if word == "ok" else number


def hit(fault: str, texts: list[str], answers: list[str | None]) -> None:
    """Shows a fault; `answers` are those to the texts of this line so far, none of them said yet."""
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
        case "half":
            write(b"\x1e" + json.dumps({"n": answered, "answers": answers}).encode()[:-3])
            os.abort()
        case "said":
            if answers:
                say({"n": answered, "answers": answers})
            os.abort()
        case "child":
            sleep = "import time; time.sleep(1000)"
            subprocess.Popen([sys.executable, "-S", "-c", sleep, sys.argv[1]])
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
        for fault in text.split()[2:]:
            if fault.endswith("!") or begun > 1:
                hit(fault, texts, answers)
        answers.append(answer(text))
    say({"n": answered, "answers": answers})
    answered += len(answers)


say({"ready": {}})
for line in sys.stdin.buffer:
    compile_line(json.loads(line))
