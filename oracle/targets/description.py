"""A compiler by description: a TOML file that says how a compiler is called and how its answers are read.

docs/targets.md, "A compiler by description", has the keys. The commands `tint:PATH` and `naga:PATH` are such
files, too.
"""

import math
import re
import tomllib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import Any

from wgsl_fuzz.oracle.targets.messages import NON_ZERO, Dialect, Patterns, Sign
from wgsl_fuzz.oracle.targets.named import DESCRIPTION
from wgsl_fuzz.oracle.targets.protocol import TargetError

SINGLE, FILES, LINES = "single", "files", "lines"
MODES = (SINGLE, FILES, LINES)
NOT_ZERO = "not 0"

FILE_MARK, FILES_MARK, OUT_MARK, HERE_MARK = "{file}", "{files}", "{out}", "{here}"
PROGRAM_MARK, OPTIONS_MARK = "{program}", "{options}"
_MARKS = {
    SINGLE: (FILE_MARK, OUT_MARK, HERE_MARK, OPTIONS_MARK),
    FILES: (FILES_MARK, OUT_MARK, HERE_MARK, OPTIONS_MARK),
    LINES: (HERE_MARK,),
}
"""Which marks the words of a command may have, by the mode."""
_MARK = re.compile(r"\{[a-z]+\}")
_NAME = re.compile(r"[A-Za-z][\w-]*")
_VERSION = re.compile(r"\w[\w.+-]*")

MEBIBYTE = 1 << 20
_SIGNS = ("accepts", "rejects", "invalid", "crashed", "unsupported")
_STREAMS = ("stdout", "stderr", "output")
_KEYS = ("name", "version", "command", "options", "mode", "section", "environment", "limits", "message", *_SIGNS)


@dataclass(frozen=True, slots=True)
class Bounds:
    """What a call may use. None: what the command line says, or a default."""

    seconds: float | None = None
    memory: int | None = None
    """Bytes; 0: unlimited."""
    output: int = 64 << 10
    """Bytes of each stream that are read; the rest is dropped."""
    batch: int = 64
    """Texts in a call, where there may be several."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Description:
    """A compiler as its file describes it."""

    name: str
    command: tuple[str, ...]
    dialect: Dialect
    version: str | tuple[str, ...] = ""
    """A text, or the command that says it."""
    options: tuple[tuple[str, ...], ...] = ((),)
    """Alternatives for `{options}`: the first with which the compiler knows a good text from a bad one counts."""
    mode: str = SINGLE
    section: re.Pattern[str] | None = None
    """Of many files a call: the line with which the words about one of them begin; `file` is its name."""
    environment: Mapping[str, str] = field(default_factory=dict)
    bounds: Bounds = Bounds()

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
    except _Wrong as wrong:
        raise TargetError(f"{path}: {wrong}") from wrong


@cache
def shipped(name: str) -> Description:
    """The description of this name that comes with the project; its command has `{program}`."""
    return described(
        (Path(__file__).parent / "families" / f"{name}{DESCRIPTION}").read_text(encoding="utf-8"), program=True
    )


class _Wrong(Exception):
    """What is wrong with a description, the key first."""


def described(text: str, *, program: bool = False) -> Description:
    """The description that a TOML text is. `program`: its command may have `{program}`."""
    table = tomllib.loads(text)
    _only(table, _KEYS, "")
    mode = _one_of(table, "mode", MODES, SINGLE)
    _only_with_mode(table, mode)
    signs = {name: _signs(table, name, mode) for name in _SIGNS if name in table}
    return Description(
        name=_word(table, "name", _NAME, "letters, digits, `-`"),
        version=_version(table),
        command=_command(table, mode, [*_MARKS[mode], PROGRAM_MARK] if program else _MARKS[mode]),
        options=_options(table),
        mode=mode,
        section=_section(table, mode),
        environment=_environment(table),
        bounds=_bounds(table),
        dialect=_dialect(signs, _table(table, "message")),
    )


# ---------------------------------------------------------------------------------------------------- each of the keys


def _only_with_mode(table: Mapping[str, Any], mode: str) -> None:
    """Raises if what the mode needs is missing, or what it cannot use is there."""
    if mode == FILES and "accepts" not in table:
        raise _Wrong(f"accepts: it is missing: with mode = {FILES!r} silence about a file is no answer")
    if mode == LINES and "accepts" in table:
        raise _Wrong(f"accepts: with mode = {LINES!r} null is what accepts")
    if ("section" in table) != (mode == FILES):
        raise _Wrong(f"section: it goes with mode = {FILES!r}, which needs it")


def _command(table: Mapping[str, Any], mode: str, marks: Collection[str]) -> tuple[str, ...]:
    command = _texts(table, "command")
    if not command or not command[0]:
        raise _Wrong("command: it is empty")
    for word in command:
        for mark in _MARK.findall(word):
            if mark not in marks:
                raise _Wrong(f"command: {mark} stands for nothing with mode = {mode!r}; there are {', '.join(marks)}")
            if mark in (FILES_MARK, OPTIONS_MARK) and word != mark:
                raise _Wrong(f"command: {mark} stands for several words, so it is one by itself")
    if mode == FILES and FILES_MARK not in command:
        raise _Wrong(f"command: with mode = {FILES!r} it has {FILES_MARK}")
    if (OPTIONS_MARK in command) != ("options" in table):
        raise _Wrong(f"options: they go with {OPTIONS_MARK} in the command")
    return command


def _options(table: Mapping[str, Any]) -> tuple[tuple[str, ...], ...]:
    options = table.get("options", [[]])
    if not isinstance(options, list) or not options or not all(isinstance(one, list) for one in options):
        raise _Wrong("options: it is a list of lists of words")
    return tuple(_texts({"options": one}, "options") for one in options)


def _version(table: Mapping[str, Any]) -> str | tuple[str, ...]:
    if "version" not in table:
        return ""
    if isinstance(table["version"], list):
        command = _texts(table, "version")
        if not command:
            raise _Wrong("version: the command is empty")
        return command
    return _word(table, "version", _VERSION, "letters, digits, `.`, `-`, `+`")


def _section(table: Mapping[str, Any], mode: str) -> re.Pattern[str] | None:
    if mode != FILES:
        return None
    (pattern,) = _patterns(table, "section", "section")
    if "file" not in pattern.groupindex:
        raise _Wrong("section: it has no group (?P<file>...)")
    return pattern


def _environment(table: Mapping[str, Any]) -> dict[str, str]:
    given = _table(table, "environment")
    for key, value in given.items():
        if not isinstance(value, str) or "\0" in value + key or "=" in key or not key:
            raise _Wrong(f"environment: {key}: it is no variable with a text")
    return dict(given)


def _bounds(table: Mapping[str, Any]) -> Bounds:
    given = _table(table, "limits")
    _only(given, ("seconds", "memory", "output", "batch"), "limits: ")
    seconds = _number(given, "seconds", 0.1, 3600, (int, float))
    memory = _number(given, "memory", 0, 1 << 20, (int,))
    return Bounds(
        seconds,
        None if memory is None else int(memory) * MEBIBYTE,
        int(_number(given, "output", 1, 1 << 24, (int,)) or Bounds().output),
        int(_number(given, "batch", 1, 1024, (int,)) or Bounds().batch),
    )


def _number(given: Mapping[str, Any], key: str, least: float, most: float, kinds: tuple[type, ...]) -> float | None:
    value = given.get(key)
    if value is None:
        return None
    if type(value) not in kinds or not math.isfinite(value) or not least <= value <= most:
        what = "number" if float in kinds else "whole number"
        raise _Wrong(f"limits: {key}: it is a {what} from {least:g} to {most:g}, not {value!r}")
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
                raise _Wrong(f"message: {key}: it has no group (...)")
    for headline in found.get("headlines", ()):
        if "text" not in headline.groupindex:
            raise _Wrong("message: headline: it has no group (?P<text>...)")
    return Dialect(**found)


def _signs(table: Mapping[str, Any], name: str, mode: str) -> tuple[Sign, ...]:
    given = table[name] if isinstance(table[name], list) else [table[name]]
    if not given or not all(isinstance(one, dict) for one in given):
        raise _Wrong(f"{name}: it is a table, such as [{name}] with output = '...'")
    by_status = mode == SINGLE or (mode == FILES and name == "crashed")
    return tuple(_sign(one, name, by_status) for one in given)


def _sign(given: Mapping[str, Any], name: str, by_status: bool) -> Sign:
    _only(given, ("status", *_STREAMS), f"{name}: ")
    if not given:
        raise _Wrong(f"{name}: it is empty: give a status or what the output holds")
    if "status" in given and not by_status:
        raise _Wrong(f"{name}: status: it goes with mode = {SINGLE!r}, where each text has a process")
    if name == "rejects" and not given.keys() & {*_STREAMS}:
        raise _Wrong("rejects: a status alone does not tell a uniformity violation from other errors: add output")
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
        raise _Wrong(f"{name}: status: it is a number from 0 to 255, a list of them, or {NOT_ZERO!r}, not {value!r}")
    return frozenset(numbers)


# ------------------------------------------------------------------------------------------------------ kinds of values


def _only(given: Mapping[str, Any], known: Sequence[str], where: str) -> None:
    for key in given:
        if key not in known:
            near = get_close_matches(key, known, 1)
            instead = f"did you mean {near[0]}?" if near else f"there are {', '.join(known)}"
            raise _Wrong(f"{where}{key}: there is no such key; {instead}")


def _table(given: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = given.get(key, {})
    if not isinstance(value, dict):
        raise _Wrong(f"{key}: it is a table, not {value!r}")
    return value


def _texts(given: Mapping[str, Any], key: str) -> tuple[str, ...]:
    if key not in given:
        raise _Wrong(f"{key}: it is missing")
    value = given[key]
    if not isinstance(value, list) or not all(isinstance(word, str) and "\0" not in word for word in value):
        raise _Wrong(f'{key}: it is a list of words, such as ["./compiler", "{FILE_MARK}"], not {value!r}')
    return tuple(value)


def _word(given: Mapping[str, Any], key: str, shape: re.Pattern[str], of: str) -> str:
    if key not in given:
        raise _Wrong(f"{key}: it is missing")
    value = given[key]
    if not isinstance(value, str) or not shape.fullmatch(value):
        raise _Wrong(f"{key}: it is a word of {of}, not {value!r}")
    return value


def _one_of(given: Mapping[str, Any], key: str, known: Sequence[str], default: str) -> str:
    value = given.get(key, default)
    if value not in known:
        raise _Wrong(f"{key}: it is one of {', '.join(known)}, not {value!r}")
    return str(value)


def _patterns(given: Mapping[str, Any], key: str, where: str) -> Patterns:
    """One regular expression, or a list of which one has to be found."""
    value = given[key]
    texts = value if isinstance(value, list) else [value]
    if not texts or not all(isinstance(text, str) for text in texts):
        raise _Wrong(f"{where}: it is a regular expression, or a list of them, not {value!r}")
    return tuple(_pattern(text, where) for text in texts)


def _pattern(text: str, where: str) -> re.Pattern[str]:
    try:
        return re.compile(text)
    except (re.error, OverflowError, RecursionError) as error:
        raise _Wrong(f"{where}: {text!r} is no regular expression: {error}") from error


TINT, NAGA = shipped("tint").dialect, shipped("naga").dialect
