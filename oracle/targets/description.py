"""What compilers say, and which verdict it is: a dialect for each compiler, read from its description.

Only a wording seen in a real build may stand in a shipped description. Whatever a dialect does not know is INVALID with
its message kept (docs/words.md).
"""

import math
import re
import tomllib
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from wgsl_fuzz.oracle.targets.children.supervision import OUTPUT_LIMIT
from wgsl_fuzz.oracle.targets.protocol import DESCRIPTION, TargetError, is_description, split_name
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

    def refusal(self, raw: str) -> Answer:
        """The answer for a text that the compiler refused with the output `raw` (its own words, untreated)."""
        return answer(self, Said(None, "", raw), refused=True)

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


SINGLE, LINES = "single", "lines"
NOT_ZERO = "not 0"

FILE_MARK, OUT_MARK, HERE_MARK = "{file}", "{out}", "{here}"
PROGRAM_MARK, OPTIONS_MARK = "{program}", "{options}"
_MARKS = {SINGLE: (FILE_MARK, OUT_MARK, HERE_MARK, OPTIONS_MARK), LINES: (HERE_MARK,)}
"""Which marks the words of a command may have, by the mode."""
_MARK = re.compile(r"\{[a-z]+\}")
_NAME = re.compile(r"[A-Za-z][\w-]*")
_BUILD = re.compile(r"[a-z][\w-]*@\w[\w.+-]*")
_VERSION = re.compile(r"\w[\w.+-]*")

MEBIBYTE = 1 << 20
_SIGNS = ("accepts", "rejects", "invalid", "crashed", "unsupported")
_STREAMS = ("stdout", "stderr", "output")
_KEYS = (
    *("name", "version", "like", "command", "options", "mode", "environment", "limits", "message"),
    *_SIGNS,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Description:
    """A compiler as its file describes it."""

    name: str
    command: tuple[str, ...]
    dialect: Dialect
    version: str | tuple[str, ...] = ""
    """A text, or the command that says it."""
    like: str = ""
    """The build of which all that is known is known of it: it is of that family."""
    options: tuple[tuple[str, ...], ...] = ((),)
    """Alternatives for `{options}`: the first with which the compiler knows a good text from a bad one counts."""
    mode: str = SINGLE
    environment: Mapping[str, str] = field(default_factory=dict)
    seconds: float | None = None
    """What a call may take; None: what the command line says."""
    memory: int | None = None
    """Bytes that it may use, 0 for any; None: a default."""
    output: int = OUTPUT_LIMIT
    """Bytes of each stream that are read; the rest is dropped."""

    @property
    def reads_input(self) -> bool:
        """Whether a text goes to standard input and not into a file."""
        return self.mode == SINGLE and not any(FILE_MARK in word for word in self.command)


def load(path: Path) -> Description:
    """The description in a file; raises TargetError, one line with the file and the key."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise TargetError(f"{path}: {error.strerror}") from error
    try:
        return described(content.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise TargetError(f"{path} is not UTF-8") from error
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise TargetError(f"{path} is not TOML: {error}") from error
    except TargetError as wrong:
        raise TargetError(f"{path}: {wrong}") from wrong


def like_of(spec: str) -> str:
    """The build that a target is like by its description; empty if there is none, or none that can be read."""
    path = split_name(spec)[1]
    with suppress(TargetError):
        return load(Path(path).expanduser()).like if is_description(path) else ""
    return ""


@cache
def shipped(name: str) -> Description:
    """The description of this name that comes with the project; its command has `{program}`."""
    return described(
        (Path(__file__).parent / "families" / f"{name}{DESCRIPTION}").read_text(encoding="utf-8"), program=True
    )


def described(text: str, *, program: bool = False) -> Description:
    """The description that a TOML text is; raises TargetError, the key first. `program`: its command may have that."""
    table = tomllib.loads(text)
    _only(table, _KEYS, "")
    mode = _one_of(table, "mode", tuple(_MARKS), SINGLE)
    if mode == LINES and "accepts" in table:
        raise TargetError(f"accepts: with mode = {LINES!r} null is what accepts")
    signs = {name: _signs(table, name, mode) for name in _SIGNS if name in table}
    return Description(
        name=_word(table, "name", _NAME, "letters, digits, `-`"),
        version=_version(table),
        like=_word(table, "like", _BUILD, "a build, such as `tint@0.6.2`") if "like" in table else "",
        command=_command(table, mode, [*_MARKS[mode], PROGRAM_MARK] if program else _MARKS[mode]),
        options=_options(table),
        mode=mode,
        environment=_environment(table),
        **_limits(table),
        dialect=_dialect(signs, _table(table, "message")),
    )


# ---------------------------------------------------------------------------------------------------- each of the keys


def _command(table: Mapping[str, Any], mode: str, marks: Collection[str]) -> tuple[str, ...]:
    command = _texts(table, "command")
    if not command or not command[0]:
        raise TargetError("command: it is empty")
    for word in command:
        for mark in _MARK.findall(word):
            if mark not in marks:
                there = f"there are {', '.join(marks)}"
                raise TargetError(f"command: {mark} stands for nothing with mode = {mode!r}; {there}")
            if mark == OPTIONS_MARK and word != mark:
                raise TargetError(f"command: {mark} stands for several words, so it is one by itself")
    if (OPTIONS_MARK in command) != ("options" in table):
        raise TargetError(f"options: they go with {OPTIONS_MARK} in the command")
    return command


def _options(table: Mapping[str, Any]) -> tuple[tuple[str, ...], ...]:
    options = table.get("options", [[]])
    if not isinstance(options, list) or not options or not all(isinstance(one, list) for one in options):
        raise TargetError("options: it is a list of lists of words")
    return tuple(_texts({"options": one}, "options") for one in options)


def _version(table: Mapping[str, Any]) -> str | tuple[str, ...]:
    if "version" not in table:
        return ""
    if isinstance(table["version"], list):
        command = _texts(table, "version")
        if not command:
            raise TargetError("version: the command is empty")
        return command
    return _word(table, "version", _VERSION, "letters, digits, `.`, `-`, `+`")


def _environment(table: Mapping[str, Any]) -> dict[str, str]:
    given = _table(table, "environment")
    for key, value in given.items():
        if not isinstance(value, str) or "\0" in value + key or "=" in key or not key:
            raise TargetError(f"environment: {key}: it is no variable with a text")
    return dict(given)


def _limits(table: Mapping[str, Any]) -> dict[str, Any]:
    given = _table(table, "limits")
    _only(given, ("seconds", "memory", "output"), "limits: ")
    memory = _number(given, "memory", 0, 1 << 20, (int,))
    return {
        "seconds": _number(given, "seconds", 0.1, 3600, (int, float)),
        "memory": None if memory is None else int(memory) * MEBIBYTE,
        "output": int(_number(given, "output", 1, 1 << 24, (int,)) or OUTPUT_LIMIT),
    }


def _number(given: Mapping[str, Any], key: str, least: float, most: float, kinds: tuple[type, ...]) -> float | None:
    value = given.get(key)
    if value is None:
        return None
    if type(value) not in kinds or not math.isfinite(value) or not least <= value <= most:
        what = "number" if float in kinds else "whole number"
        raise TargetError(f"limits: {key}: it is a {what} from {least:g} to {most:g}, not {value!r}")
    number: float = value
    return number


def _dialect(signs: Mapping[str, tuple[Sign, ...]], given: Mapping[str, Any]) -> Dialect:
    _only(given, ("error", "headline", "place", "detail"), "message: ")
    found: dict[str, Any] = dict(signs)
    for name, key in (("errors", "error"), ("headlines", "headline")):
        if key in given:
            found[name] = _patterns(given, key, f"message: {key}")
    for key in ("place", "detail"):
        if key in given:
            (found[key],) = _patterns(given, key, f"message: {key}")[:1]
            if found[key].groups < 1:
                raise TargetError(f"message: {key}: it has no group (...)")
    for headline in found.get("headlines", ()):
        if "text" not in headline.groupindex:
            raise TargetError("message: headline: it has no group (?P<text>...)")
    return Dialect(**found)


def _signs(table: Mapping[str, Any], name: str, mode: str) -> tuple[Sign, ...]:
    given = table[name] if isinstance(table[name], list) else [table[name]]
    if not given or not all(isinstance(one, dict) for one in given):
        raise TargetError(f"{name}: it is a table, such as [{name}] with output = '...'")
    return tuple(_sign(one, name, mode == SINGLE) for one in given)


def _sign(given: Mapping[str, Any], name: str, by_status: bool) -> Sign:
    _only(given, ("status", *_STREAMS), f"{name}: ")
    if not given:
        raise TargetError(f"{name}: it is empty: give a status or what the output holds")
    if "status" in given and not by_status:
        raise TargetError(f"{name}: status: it goes with mode = {SINGLE!r}, where each text has a process")
    if name == "rejects" and not given.keys() & {*_STREAMS}:
        raise TargetError("rejects: a status alone does not tell a uniformity violation from other errors: add output")
    streams = tuple((s, _patterns(given, s, f"{name}: {s}")) for s in _STREAMS if s in given)
    return Sign(_status(given, name), streams)


def _status(given: Mapping[str, Any], name: str) -> frozenset[int] | None:
    value = given.get("status")
    if value is None:
        return None
    if value == NOT_ZERO:
        return NON_ZERO
    numbers = value if isinstance(value, list) else [value]
    if not numbers or not all(type(n) is int and 0 <= n <= 255 for n in numbers):
        wanted = f"a number from 0 to 255, a list of them, or {NOT_ZERO!r}"
        raise TargetError(f"{name}: status: it is {wanted}, not {value!r}")
    return frozenset(numbers)


# ------------------------------------------------------------------------------------------------------ kinds of values


def _only(given: Mapping[str, Any], known: Sequence[str], where: str) -> None:
    for key in given:
        if key not in known:
            near = get_close_matches(key, known, 1)
            instead = f"did you mean {near[0]}?" if near else f"there are {', '.join(known)}"
            raise TargetError(f"{where}{key}: there is no such key; {instead}")


def _table(given: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = given.get(key, {})
    if not isinstance(value, dict):
        raise TargetError(f"{key}: it is a table, not {value!r}")
    return value


def _texts(given: Mapping[str, Any], key: str) -> tuple[str, ...]:
    if key not in given:
        raise TargetError(f"{key}: it is missing")
    value = given[key]
    if not isinstance(value, list) or not all(isinstance(word, str) and "\0" not in word for word in value):
        raise TargetError(f'{key}: it is a list of words, such as ["./compiler", "{FILE_MARK}"], not {value!r}')
    return tuple(value)


def _word(given: Mapping[str, Any], key: str, shape: re.Pattern[str], of: str) -> str:
    if key not in given:
        raise TargetError(f"{key}: it is missing")
    value = given[key]
    if not isinstance(value, str) or not shape.fullmatch(value):
        raise TargetError(f"{key}: it is a word of {of}, not {value!r}")
    return value


def _one_of(given: Mapping[str, Any], key: str, known: Sequence[str], default: str) -> str:
    value = given.get(key, default)
    if value not in known:
        raise TargetError(f"{key}: it is one of {', '.join(known)}, not {value!r}")
    return str(value)


def _patterns(given: Mapping[str, Any], key: str, where: str) -> Patterns:
    """One regular expression, or a list of which one has to be found."""
    value = given[key]
    texts = value if isinstance(value, list) else [value]
    if not texts or not all(isinstance(text, str) for text in texts):
        raise TargetError(f"{where}: it is a regular expression, or a list of them, not {value!r}")
    return tuple(_pattern(text, where) for text in texts)


def _pattern(text: str, where: str) -> re.Pattern[str]:
    try:
        return re.compile(text)
    except (re.error, OverflowError, RecursionError) as error:
        raise TargetError(f"{where}: {text!r} is no regular expression: {error}") from error


TINT, NAGA = shipped("tint").dialect, shipped("naga").dialect
