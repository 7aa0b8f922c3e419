"""What compilers say, and which verdict it is: a dialect for each compiler, read from its description.

Only a wording seen in a real build may stand in a shipped description. Whatever a dialect does not know is INVALID with
its message kept (docs/words.md).
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from wgsl_fuzz.oracle.verdict import Answer, Verdict

MESSAGE_LIMIT = 2048
"""Characters of a compiler's message that are kept."""
READ_LIMIT = 64 << 10
"""Characters of a compiler's message that are looked at."""
LINE_LIMIT = 1024
"""Characters of each line of it that are looked at: some patterns take time that grows with a line's square."""

_ANSI = re.compile(r"\x1b\[[0-9;]*m")
_LONE = re.compile("[\ud800-\udfff]")
"""Halves of characters: JSON can hold them, and no output can be written with them."""
_ANY_ERROR = re.compile(r"\berror(?:\[[^\]\n]{0,80}\])?: |panicked at")

Patterns = tuple[re.Pattern[str], ...]
"""Of which one has to be found."""


@dataclass
class Said:
    """What a compiler said of a text. The status is None where there is no process for each text."""

    status: int | None
    out: str
    err: str

    @cached_property
    def lines(self) -> dict[str, list[str]]:
        """What is looked at, by the name of the stream; `output` is both."""
        err, out = bounded(self.err), bounded(self.out)
        return {"stderr": err.split("\n"), "stdout": out.split("\n"), "output": "\n".join([err, out]).split("\n")}

    @cached_property
    def text(self) -> str:
        """Both streams, standard error first."""
        return "\n".join(text for text in (bounded(self.err), bounded(self.out)) if text)


@dataclass(frozen=True, slots=True)
class Sign:
    """What shows a verdict: all that is given must hold. A stream's patterns are searched in each of its lines."""

    status: frozenset[int] | None = None
    streams: tuple[tuple[str, Patterns], ...] = ()

    def fits(self, said: Said) -> bool:
        """Whether a compiler's words and status show it."""
        if self.status is not None:
            by_words_alone = said.status is None and bool(self.streams)
            if not by_words_alone and said.status not in self.status:
                return False
        return all(_found(patterns, said.lines[stream]) for stream, patterns in self.streams)

    def is_in(self, line: str) -> bool:
        """Whether a line has what it looks for in any stream."""
        return any(_found(patterns, [line]) for _, patterns in self.streams)


NON_ZERO = frozenset(range(1, 256))


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """How one compiler words its answers. Of the signs of a verdict one has to fit."""

    accepts: tuple[Sign, ...] = (Sign(frozenset({0})),)
    rejects: tuple[Sign, ...] = ()
    """A uniformity violation; without a sign there is no analysis."""
    invalid: tuple[Sign, ...] = ()
    """Any other refusal. What fits no sign is INVALID, too; with these it is marked as not classified."""
    crashed: tuple[Sign, ...] = ()
    """The compiler admits a fault of its own."""
    unsupported: tuple[Sign, ...] = ()
    """It does not know the construct, and says so: no finding."""
    errors: Patterns = ()
    """Which lines are errors: those with the first of these patterns that is found. Each must report a violation."""
    headlines: Patterns = ()
    """What is kept of a message: what the first of these finds that finds anything, as `place severity: text`."""
    place: re.Pattern[str] | None = None
    """Where a headline's place stands apart; only the first headline counts then."""
    detail: re.Pattern[str] | None = None
    """What is kept beside the headlines, as `= text`."""

    def normal(self, lines: Sequence[str]) -> str:
        """A message in normal form: one diagnostic a line, `5:19 error: 'workgroupBarrier' must ...`. Empty if none."""
        found = next((f for p in self.headlines if (f := [m for line in lines for m in p.finditer(line)])), [])
        if self.place is None:
            return "\n".join(_headline(match, "") for match in found)
        if not found:
            return ""
        place = next((m[1] for line in lines if (m := self.place.search(line))), "")
        details = [m[1] for line in lines if (m := self.detail.search(line))] if self.detail else []
        return "\n".join([_headline(found[0], place), *(f"= {detail.strip()}" for detail in details)])


def _headline(match: re.Match[str], place: str) -> str:
    parts = match.groupdict()
    where = parts.get("place") or place
    return f"{where} {parts.get('severity') or 'error'}: {parts['text']}".lstrip()


def _found(patterns: Patterns, lines: Iterable[str]) -> bool:
    return any(pattern.search(line) for line in lines for pattern in patterns)


def bounded(raw: str) -> str:
    """What is looked at of a compiler's output: READ_LIMIT characters, without colours, LINE_LIMIT of each line."""
    lines = _ANSI.sub("", _LONE.sub("\ufffd", raw[:READ_LIMIT])).split("\n")
    return "\n".join(line[:LINE_LIMIT] for line in lines)


def refusal(dialect: Dialect, raw: str) -> Answer:
    """The answer for a text that the compiler refused with the output `raw` (its own words, untreated)."""
    return answer(dialect, Said(None, "", raw), refused=True)


def answer(dialect: Dialect, said: Said, *, refused: bool = False) -> Answer:
    """The answer that a compiler's words and status stand for. `refused`: that it did not accept is known."""
    message = dialect.normal(said.lines["output"])
    kept = message or said.text.strip() or "refused without a word"
    if any(sign.fits(said) for sign in dialect.crashed):
        return _kept(Verdict.CRASHED, said.text.strip() or f"exit status {said.status}")
    if any(sign.fits(said) for sign in dialect.unsupported):
        return _kept(Verdict.UNSUPPORTED, kept)
    accepts = not refused and any(sign.fits(said) for sign in dialect.accepts)
    rejects = _rejects(dialect, said, message)
    if accepts and rejects:
        return _kept(Verdict.INVALID, f"[accepts] and [rejects] both fit: {kept}")
    if accepts and not says_error(said.text):
        return Answer(Verdict.ACCEPTS)
    if rejects:
        return _kept(Verdict.REJECTS, kept)
    if accepts:
        return _kept(Verdict.INVALID, f"exit status {said.status}, yet: {kept}")
    if dialect.invalid and not any(sign.fits(said) for sign in dialect.invalid):
        status = "" if said.status is None else f" (exit status {said.status})"
        return _kept(Verdict.INVALID, f"not classified{status}: {kept}")
    return _kept(Verdict.INVALID, kept)


def _kept(verdict: Verdict, message: str) -> Answer:
    return Answer(verdict, message[:MESSAGE_LIMIT])


def _rejects(dialect: Dialect, said: Said, message: str) -> bool:
    """Whether every error is a uniformity violation: one other error makes the text invalid."""
    signs = [sign for sign in dialect.rejects if sign.fits(said)]
    if not signs or not dialect.errors:
        return bool(signs)
    lines = message.split("\n") if message else said.lines["output"]
    errors = next((some for p in dialect.errors if (some := [line for line in lines if p.search(line)])), [])
    return bool(errors) and all(any(sign.is_in(line) for sign in signs) for line in errors)


def says_error(raw: str) -> bool:
    """Whether the output of a compiler that claims success holds an error all the same, in whatever dialect."""
    return _ANY_ERROR.search(bounded(raw)) is not None
