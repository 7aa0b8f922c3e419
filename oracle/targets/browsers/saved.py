"""`saved:FILE`: what a browser answered on the page of `wgsl-fuzz page`, as that page saved it."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from wgsl_fuzz.oracle.targets.browsers.claims import KNOWN, BrowserClaim, claim_of, learnt
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


class SavedAnswers(InProcess):
    """A browser by what it said: of each text its words, None where it accepts. It has no answer to other texts."""

    def __init__(self, claim: BrowserClaim, said: Mapping[str, str | None], spec: str = "") -> None:
        """`said` may grow; it has the answers to VIOLATIONS, which show how the compiler words one."""
        self._said, self.spec = said, spec
        known = [said.get(text) for text in VIOLATIONS]
        self._dialect = KNOWN.get(claim.compiler) or learnt([words for words in known if words is not None])
        super().__init__(f"{SERVED}@{claim.name}", claim.words, self._answer_to)

    @property
    def checks_uniformity(self) -> bool:
        """Whether it rejects any plain violation."""
        return has_analysis(lambda texts: [self._answer_to(text) for text in texts])

    def _answer_to(self, text: str) -> Answer:
        if text not in self._said:
            return Answer(Verdict.UNSUPPORTED, NOT_ASKED)
        words = self._said[text]
        return Answer(Verdict.ACCEPTS) if words is None else self._dialect.refusal(words)


def saved_answers(given: Any, spec: str = "") -> SavedAnswers:
    """The target of a saved object with `claim` and `answers`. Raises ValueError if it has another shape."""
    said = given.get("answers") if isinstance(given, dict) else None
    if not isinstance(said, dict) or not all(words is None or isinstance(words, str) for words in said.values()):
        raise ValueError("it has no answers of a browser")
    return SavedAnswers(claim_of(given.get("claim")), said, spec)


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
