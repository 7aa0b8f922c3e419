"""`saved:FILE`: what a browser answered on the page of `wgsl-fuzz page`, as that page saved it."""

import json
from pathlib import Path
from typing import Any

from wgsl_fuzz.oracle.targets.browsers.claims import KNOWN, claim_of, learnt
from wgsl_fuzz.oracle.targets.probes import VIOLATIONS, has_analysis
from wgsl_fuzz.oracle.targets.protocol import (
    SERVED,
    Availability,
    InProcess,
    Target,
    TargetError,
    TargetInfo,
    TargetRequest,
    normal_path,
)
from wgsl_fuzz.oracle.verdict import Answer, Verdict

PREFIX = "saved"
MOST = 64 << 20
"""The longest file that is read, in bytes."""
NOT_ASKED = "the browser was not asked about this text"


def saved_answers(given: Any, spec: str = "") -> InProcess:
    """The target of a saved object: `claim`, and in `answers` the words on each text, None where it is accepted.

    The words on VIOLATIONS show how the compiler words one. Raises ValueError if the object has another shape.
    """
    said = given.get("answers") if isinstance(given, dict) else None
    if not isinstance(said, dict) or not all(words is None or isinstance(words, str) for words in said.values()):
        raise ValueError("it has no answers of a browser")
    claim = claim_of(given.get("claim"))
    dialect = KNOWN.get(claim.compiler) or learnt([words for text in VIOLATIONS if (words := said.get(text))])

    def answer(text: str) -> Answer:
        if text not in said:
            return Answer(Verdict.UNSUPPORTED, NOT_ASKED)
        return Answer(Verdict.ACCEPTS) if said[text] is None else dialect.refusal(said[text])

    return InProcess(
        f"{SERVED}@{claim.name}", claim.words, answer, spec, lambda: has_analysis(lambda ts: [*map(answer, ts)])
    )


def read_saved(path: Path) -> tuple[Any, bytes]:
    """The object in a file that the page saved, and its bytes. Raises TargetError, or ValueError if it is no JSON."""
    try:
        with path.open("rb") as file:
            content = file.read(MOST + 1)
        if len(content) > MOST:
            raise TargetError(f"{path} is longer than {MOST >> 20} MiB: no page saves that")
        return json.loads(content.decode()), content
    except OSError as error:
        raise TargetError(f"cannot read {path}: {error.strerror}") from error
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error


def open_saved(request: TargetRequest) -> Target:
    """`saved:FILE`. Raises TargetError."""
    if request.path is None:
        raise TargetError(f"not a target: {request.spec!r}; write {PREFIX}:FILE")
    path = normal_path(request.path)
    try:
        return saved_answers(read_saved(Path(path))[0], f"{PREFIX}:{path}")
    except ValueError as error:
        raise TargetError(f"{path} is not what the page saves: {error}") from error


SAVED_INFO = TargetInfo(f"{PREFIX}:FILE", "what a browser answered on the page", Availability.INSTALLED)
