"""Records as JSON: a dataclass is the schema of what is stored, and is read and written here alone.

A field `draw_again` is stored as "draw again". What is null or missing has the field's default; a field without a
default must be there. Properties that a class calls `COMPUTED` are written as texts, and not read. Enums are stored by
their values, what has a `parse` as a text, other dataclasses as objects: those that are `SPARSE` without defaults.
"""

import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, fields, is_dataclass
from enum import Enum
from functools import cache, lru_cache
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, TypeVar, Union, get_args, get_origin

import orjson

from wgsl_fuzz.fuzz.problems import Problem

_T = TypeVar("_T")
_WORDS: dict[type, str] = {
    **{str: "a text", int: "a whole number", float: "a number", bool: "true or false"},
    **{list: "a list", dict: "an object"},
}
INLINE = {"inline": True}
"""Metadata of a field whose own fields are stored beside the others."""

FORMAT = 3
"""The version of the format of all records; others are not read."""


class RecordError(ValueError):
    """A record does not hold what its dataclass says; the message is one line, without the file."""

    def about(self, file: object) -> str:
        """The line that names the file, too."""
        return f"{file} is damaged: {self}"


class FormatError(RecordError):
    """A record was written in another format."""

    def about(self, file: object) -> str:
        """The line that names the file, too."""
        return f"{file} {self}"


@dataclass(kw_only=True, slots=True)
class Record:
    """A record with its own file. `format` is the version of the format."""

    format: int = FORMAT


# ------------------------------------------------------------------------------------------------------------- reading


def read(cls: type[_T], value: object, needed: Iterable[str] = (), *, strict: bool = False) -> _T:
    """The record that a JSON value holds; raises RecordError with the first fault, or as the format is another.

    The keys `needed` must be there and not null, beside the fields without a default. If `strict`, there are no others.
    """
    if not isinstance(value, dict):
        raise RecordError("it is no JSON object")
    if issubclass(cls, Record):
        value = {"format": FORMAT} | value  # people may leave it out
        version = value["format"]
        if type(version) is int and version != FORMAT:
            other = "a newer" if version > FORMAT else "an older"
            raise FormatError(f"was written by {other} wgsl-fuzz (format {version}; this one reads {FORMAT})")
    for name in needed:
        if value.get(name) is None:
            raise _missing(name, value)
    any_class: Any = cls
    record: _T = _object(any_class, strict)(value, "")
    return record


def from_json(content: bytes | str) -> object:
    """The value of a JSON text; raises RecordError."""
    try:
        return orjson.loads(content)
    except orjson.JSONDecodeError as error:
        raise RecordError(f"it is not JSON ({error})") from error


def from_toml(cls: type[_T], text: str, path: Path) -> _T:
    """The record that the text of a TOML file holds, and nothing else. Raises Problem."""
    try:
        return read(cls, tomllib.loads(text), strict=True)
    except tomllib.TOMLDecodeError as error:
        raise Problem(f"{path} is not TOML: {error}") from error
    except RecordError as error:
        raise Problem(f"{path}: {error}") from error


def _missing(key: str, value: Mapping[str, object], where: str = "") -> RecordError:
    return RecordError(f"{where}{key!r} is null" if key in value else f"{where}there is no {key!r}")


fields_of: Callable[[Any], tuple[Field[Any], ...]] = cache(fields)
"""The fields of a record's class, in the order in which they are stored."""


def key_of(field: Field[Any]) -> str:
    """The key that a field is stored by."""
    return field.name.replace("_", " ")


def has_default(field: Field[Any]) -> bool:
    """Whether a field may be missing."""
    return field.default is not MISSING or field.default_factory is not MISSING


_Read = Callable[[Any, str], Any]
"""Reads a value: takes the value and its place. Raises RecordError.

Logs have millions of lines, so what to do for an annotation is decided once, not for every value.
"""


@cache
def _value(shape: Any, strict: bool) -> _Read:
    """How to read what an annotation stands for."""
    origin, arguments = get_origin(shape), get_args(shape)
    if shape is Any:
        return lambda value, _: value
    if origin in (Union, UnionType):
        return _one_of([_value(one, strict) for one in arguments if one is not NoneType], NoneType in arguments)
    if origin is tuple or origin is list:
        whole = [one for one in arguments if one is not Ellipsis]
        return _items(origin, [_value(one, strict) for one in whole], Ellipsis in arguments or origin is list)
    if origin is not None:
        return _mapping(_value(arguments[0], strict), _value(arguments[1], strict))
    if hasattr(shape, "parse"):
        return _parsed(shape)
    cls: Any = shape
    if is_dataclass(shape):
        part = _object(cls, strict)
        return lambda value, where: part(_checked(value, dict, where), f"{where}: ")
    if issubclass(cls, Enum):
        return _member(cls)
    return lambda value, where: _checked(value, cls, where)


def _checked(value: Any, kind: type, where: str) -> Any:
    """The value, which must be of a kind; a bool is no number."""
    if type(value) is not kind and not (kind is float and type(value) is int):
        raise RecordError(f"{where!r} is not {_WORDS[kind]}")
    return value


def _member(of: type[Enum]) -> _Read:
    members = {one.value: one for one in of}

    def read_member(value: Any, where: str) -> Any:
        if isinstance(value, str) and value in members:
            return members[value]
        raise RecordError(f"{where!r} is {value!r}, not one of {', '.join(members)}")

    return read_member


def _parsed(cls: Any) -> _Read:
    parse = lru_cache(maxsize=4096)(cls.parse)

    def read_text(value: Any, where: str) -> Any:
        try:
            return parse(_checked(value, str, where))
        except RecordError:
            raise
        except ValueError as error:
            raise RecordError(f"{where!r} is {error}") from error

    return read_text


def _one_of(readers: Sequence[_Read], may_be_none: bool) -> _Read:
    """The first that fits; if none does, the fault of the last for an object, else that of the first."""

    def read_one(value: Any, where: str) -> Any:
        faults = []
        for reader in () if value is None and may_be_none else readers:
            try:
                return reader(value, where)
            except RecordError as fault:
                faults.append(fault)
        if faults:
            raise faults[-1 if isinstance(value, dict) else 0]
        return None

    return read_one


def _items(kind: Any, readers: list[_Read], repeated: bool) -> _Read:
    """A list, `tuple[x, ...]` or a tuple of several annotations; the last two are stored as lists."""

    def read_items(value: Any, where: str) -> Any:
        if len(_checked(value, list, where)) != len(readers) and not repeated:
            raise RecordError(f"{where!r} is not a list of {len(readers)}")
        each = readers * len(value) if repeated else readers
        return kind([reader(one, f"{where}: {i}") for i, (reader, one) in enumerate(zip(each, value), 1)])

    return read_items


def _mapping(key: _Read, item: _Read) -> _Read:
    def read_mapping(value: Any, where: str) -> Any:
        pairs = _checked(value, dict, where).items()
        return {key(k, f"{where}: {k}"): item(one, f"{where}: {k}") for k, one in pairs}

    return read_mapping


@cache
def _object(cls: Any, strict: bool) -> _Read:
    """How to read the fields of a dataclass from an object."""
    shapes: dict[str, Any] = {f.name: f.type for f in fields_of(cls)}
    inline = [f.name for f in fields_of(cls) if f.metadata == INLINE]
    parts = [(name, _object(shapes[name], False)) for name in inline]
    own = [(f, key_of(f), _value(shapes[f.name], strict)) for f in fields_of(cls) if f.name not in inline]
    known = {key for _, key, _ in own} | {key_of(f) for name in inline for f in fields_of(shapes[name])}

    def read_object(value: dict[str, Any], where: str) -> Any:
        given = {name: part(value, where) for name, part in parts}
        for f, key, reader in own:
            one = value.get(key)
            if one is not None:
                given[f.name] = reader(one, where + key)
            elif not has_default(f):
                raise _missing(key, value, where)
        if strict and (unknown := value.keys() - known):
            raise RecordError(f"{where}unknown key {min(unknown)!r}")
        return cls(**given)

    return read_object


# ------------------------------------------------------------------------------------------------------------- writing


def write(record: Any, *, nulls: bool = False) -> dict[str, Any]:
    """A record as a JSON object; what is None is left out, or null if `nulls`."""
    written: dict[str, Any] = {}
    cls: Any = type(record)
    sparse = getattr(cls, "SPARSE", False)
    for f in fields_of(cls):
        value = getattr(record, f.name)
        if f.metadata == INLINE:
            written |= write(value, nulls=nulls)
        elif value if sparse and has_default(f) else value is not None or nulls:
            written[key_of(f)] = _plain(value, nulls)
    return written | {name: str(getattr(record, name)) for name in getattr(cls, "COMPUTED", ())}


def text_of(record: Any) -> str:
    """A record in one line, the same for equal ones: a key of a table."""
    return orjson.dumps(write(record)).decode()


def to_json(record: Any, *, nulls: bool = False) -> bytes:
    """The text of a file that holds a record."""
    return orjson.dumps(write(record, nulls=nulls), option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)


def _plain(value: Any, nulls: bool) -> Any:
    """A value as JSON has it."""
    if isinstance(value, Enum):
        return value.value
    if hasattr(value, "parse"):
        return str(value)
    if is_dataclass(value):
        return write(value, nulls=nulls)
    if isinstance(value, Mapping):
        return {_plain(key, nulls): _plain(one, nulls) for key, one in value.items()}
    return [_plain(one, nulls) for one in value] if isinstance(value, tuple | list) else value
