"""Records as JSON: a dataclass is the schema of what is stored, and is read and written here alone.

A field `draw_again` is stored as "draw again". What is null or missing has the field's default; a field without a
default must be there. Properties that a class calls `COMPUTED` are written as texts, and not read. Enums are stored by
their values, what has a `parse` as a text, other dataclasses as objects: those that are `SPARSE` without defaults.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields, is_dataclass
from enum import Enum
from functools import cache, lru_cache
from types import NoneType, UnionType
from typing import Any, NamedTuple, TypeVar, Union, get_args, get_origin, get_type_hints

import orjson

_T = TypeVar("_T")
_WORDS: dict[Any, str] = {str: "a text", int: "a whole number", float: "a number", bool: "true or false"}
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


def read(cls: type[_T], value: object, needed: Iterable[str] = ()) -> _T:
    """The record that a JSON value holds; raises RecordError with the first fault, or as the format is another.

    The keys `needed` must be there and not null, beside the fields without a default.
    """
    reader = Reader()
    record = reader.record(cls, value, needed)
    if record is None:
        raise RecordError(reader.faults[0])
    return record


def from_json(content: bytes | str) -> object:
    """The value of a JSON text; raises RecordError."""
    try:
        return orjson.loads(content)
    except orjson.JSONDecodeError as error:
        raise RecordError(f"it is not JSON ({error})") from error


class Reader:
    """Reads records; `faults` gets a line for each thing that is not as it should be.

    A `strict` reader takes no keys that it does not know.
    """

    def __init__(self, *, strict: bool = False) -> None:
        self.faults: list[str] = []
        self.strict = strict

    def record(self, cls: type[_T], value: object, needed: Iterable[str] = ()) -> _T | None:
        """A record from the value of a whole file or line; None if there are faults. Raises FormatError."""
        if not isinstance(value, dict):
            self.faults.append("it is no JSON object")
            return None
        if issubclass(cls, Record):
            value = {"format": FORMAT} | value  # people may leave it out
            version = value["format"]
            if type(version) is int and version != FORMAT:
                other = "a newer" if version > FORMAT else "an older"
                raise FormatError(f"was written by {other} wgsl-fuzz (format {version}; this one reads {FORMAT})")
        self.faults += [_missing(name, value) for name in needed if value.get(name) is None]
        any_class: Any = cls
        record: _T | None = _object(any_class, self.strict)(value, "", self.faults)
        return record


def _missing(key: str, value: Mapping[str, object]) -> str:
    return f"{key!r} is null" if key in value else f"there is no {key!r}"


class FieldSchema(NamedTuple):
    """A field of a record: its name, the key that it is stored by, its annotation."""

    name: str
    key: str
    shape: Any
    has_default: bool
    inline: bool


@cache
def fields_of(cls: Any) -> tuple[FieldSchema, ...]:
    """The fields of a record's class, in the order in which they are stored."""
    shapes = get_type_hints(cls)
    return tuple(
        FieldSchema(
            f.name,
            f.name.replace("_", " "),
            shapes[f.name],
            f.default is not MISSING or f.default_factory is not MISSING,
            f.metadata == INLINE,
        )
        for f in fields(cls)
    )


# ------------------------------------------------------------------------------------------- reading by an annotation

_Read = Callable[[Any, str, list[str]], Any]
"""Reads a value: takes the value, its position and the list of faults, to which it adds a line for each fault.

Logs have millions of lines, so what to do for an annotation is decided once, not for every value.
"""


@cache
def _value(shape: Any, strict: bool) -> _Read:
    """How to read what an annotation stands for."""
    origin, arguments = get_origin(shape), get_args(shape)
    if shape is Any:
        return lambda value, _where, _faults: value
    if origin in (Union, UnionType):
        return _one_of([_value(one, strict) for one in arguments if one is not NoneType], NoneType in arguments)
    if origin is tuple or origin is list:
        whole = [one for one in arguments if one is not Ellipsis]
        return _items(origin, [_value(one, strict) for one in whole], Ellipsis in arguments or origin is list)
    if origin is not None:
        return _mapping(_value(arguments[0], strict), _value(arguments[1], strict))
    if hasattr(shape, "parse"):
        return _parsed(shape)
    if is_dataclass(shape):
        return _part(shape, strict)
    return _member(shape) if issubclass(shape, Enum) else _leaf(shape)


def _only(kind: type, word: str, read_it: _Read) -> _Read:
    """How to read a value that must be of a kind."""

    def read_kind(value: Any, where: str, faults: list[str]) -> Any:
        if isinstance(value, kind):
            return read_it(value, where, faults)
        faults.append(f"{where!r} is not {word}")
        return None

    return read_kind


def _part(cls: Any, strict: bool) -> _Read:
    part = _object(cls, strict)
    return _only(dict, "an object", lambda value, where, faults: part(value, f"{where}: ", faults))


def _leaf(shape: type) -> _Read:
    kinds = (int, float) if shape is float else (shape,)

    def read_leaf(value: Any, where: str, faults: list[str]) -> Any:
        if type(value) not in kinds:  # a bool is an int, too
            faults.append(f"{where!r} is not {_WORDS[shape]}")
        return value

    return read_leaf


def _member(of: type[Enum]) -> _Read:
    members = {one.value: one for one in of}

    def read_member(value: Any, where: str, faults: list[str]) -> Any:
        if isinstance(value, str) and value in members:
            return members[value]
        faults.append(f"{where!r} is {value!r}, not one of {', '.join(members)}")
        return None

    return read_member


def _parsed(cls: Any) -> _Read:
    parse = lru_cache(maxsize=4096)(cls.parse)

    def read_text(value: str, where: str, faults: list[str]) -> Any:
        try:
            return parse(value)
        except ValueError as error:
            faults.append(f"{where!r} is {error}")
            return None

    return _only(str, "a text", read_text)


def _one_of(readers: Sequence[_Read], may_be_none: bool) -> _Read:
    """The first that fits; if none does, the faults of the last for an object, else those of the first."""
    only = readers[0] if len(readers) == 1 else None

    def read_one(value: Any, where: str, faults: list[str]) -> Any:
        if value is None and may_be_none:
            return None
        if only is not None:
            return only(value, where, faults)
        tried: list[list[str]] = []
        for reader in readers:
            tried.append([])
            found = reader(value, where, tried[-1])
            if not tried[-1]:
                return found
        faults += tried[-1 if isinstance(value, dict) else 0]
        return None

    return read_one


def _items(kind: Any, readers: Sequence[_Read], repeated: bool) -> _Read:
    """A list, `tuple[x, ...]` or a tuple of several annotations; the last two are stored as lists."""

    def read_items(value: list[Any], where: str, faults: list[str]) -> Any:
        if not repeated and len(value) != len(readers):
            faults.append(f"{where!r} is not a list of {len(readers)}")
        each = list(readers) * len(value) if repeated else readers
        return kind([reader(one, f"{where}: {i}", faults) for i, (reader, one) in enumerate(zip(each, value), 1)])

    return _only(list, "a list", read_items)


def _mapping(key: _Read, item: _Read) -> _Read:
    def read_mapping(value: dict[str, Any], where: str, faults: list[str]) -> Any:
        return {key(k, f"{where}: {k}", faults): item(one, f"{where}: {k}", faults) for k, one in value.items()}

    return _only(dict, "an object", read_mapping)


@cache
def _object(cls: Any, strict: bool) -> _Read:
    """How to read the fields of a dataclass from an object, which is None if there are faults."""
    parts = [(f, _object(f.shape, False)) for f in fields_of(cls) if f.inline]
    own = [(f, _value(f.shape, strict)) for f in fields_of(cls) if not f.inline]
    known = {f.key for f, _ in own} | {inner.key for f, _ in parts for inner in fields_of(f.shape)}

    def read_object(value: dict[str, Any], where: str, faults: list[str]) -> Any:
        given = {f.name: part(value, where, faults) for f, part in parts}
        for f, reader in own:
            one = value.get(f.key)
            if one is not None:
                given[f.name] = reader(one, where + f.key, faults)
            elif not f.has_default:
                faults.append(where + _missing(f.key, value))
        if strict and (unknown := value.keys() - known):
            faults += [f"{where}unknown key {key!r}" for key in sorted(unknown)]
        return None if faults else cls(**given)

    return read_object


# ------------------------------------------------------------------------------------------------------------- writing


def write(record: Any, *, nulls: bool = False) -> dict[str, Any]:
    """A record as a JSON object; what is None is left out, or null if `nulls`."""
    written: dict[str, Any] = {}
    cls: Any = type(record)
    sparse = getattr(cls, "SPARSE", False)
    for f in fields_of(cls):
        value = getattr(record, f.name)
        if f.inline:
            written |= write(value, nulls=nulls)
        elif value if sparse and f.has_default else value is not None or nulls:
            written[f.key] = _plain(value, nulls)
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
