"""Records as JSON: a dataclass is the schema of what is stored, and is read and written here alone.

A field `draw_again` is stored as "draw again". What is null or missing has the field's default; a field without a
default must be there. Enums are stored by their values, classes with a `parse` as texts, other dataclasses as objects.
"""

from collections.abc import Iterable, Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass
from enum import Enum
from functools import cache
from types import NoneType, UnionType
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

import orjson

_T = TypeVar("_T")
_WORDS: dict[Any, str] = {str: "a text", int: "a whole number", float: "a number", bool: "true or false"}
INLINE = {"inline": True}
"""Metadata of a field whose own fields are stored beside the others."""

FORMAT = 2
"""The version of the format of all records. Version 1 had no field `format`."""


class RecordError(ValueError):
    """A record does not hold what its dataclass says; the message is one line, without the file."""

    def about(self, file: object) -> str:
        """The line that names the file, too."""
        return f"{file} is damaged: {self}"


class NewerFormatError(RecordError):
    """A record was written in a format that is not known yet."""

    def about(self, file: object) -> str:
        """The line that names the file, too."""
        return f"{file} {self}"


@dataclass(kw_only=True, slots=True)
class Record:
    """What is a file of its own; `format` is the version of the format, 1 if the file does not say it."""

    format: int = FORMAT


# ------------------------------------------------------------------------------------------------------------- reading


def read(cls: type[_T], value: object, needed: Iterable[str] = ()) -> _T:
    """The record that a JSON value holds; raises RecordError with the first fault, or as the format is newer.

    The keys `needed` must be there and not null, beside the fields without a default.
    """
    reader = Reader()
    record = reader.record(cls, value, needed)
    if reader.faults:
        raise RecordError(reader.faults[0])
    return record


def from_json(content: bytes | str) -> object:
    """The value of a JSON text; raises RecordError."""
    try:
        return orjson.loads(content)
    except orjson.JSONDecodeError as error:
        raise RecordError(f"it is not JSON ({error})") from error


class Reader:
    """Reads values by annotations; `faults` gets a line for each thing that is not as it should be.

    What is read is without meaning if there are faults. A `strict` reader takes no keys that it does not know.
    """

    def __init__(self, *, strict: bool = False) -> None:
        self.faults: list[str] = []
        self.strict = strict

    def record(self, cls: type[_T], value: object, needed: Iterable[str] = ()) -> _T:
        """A record from the value of a whole file or line; raises NewerFormatError."""
        if not isinstance(value, dict):
            self.faults.append("it is no JSON object")
            return None  # type: ignore[return-value]
        if issubclass(cls, Record):
            self._check_format(value.get("format"))
        for name in needed:
            if value.get(name) is None:
                self.faults.append(f"{name!r} is null" if name in value else f"there is no {name!r}")
        record: _T = self._object(cls, value, "")
        return record

    def _check_format(self, version: object) -> None:
        if type(version) is int and version > FORMAT:
            raise NewerFormatError(
                f"was written by a newer wgsl-fuzz (format {version}; this one reads up to {FORMAT})"
            )
        if version is not None and (type(version) is not int or version < 1):
            self.faults.append(f"'format' is {version!r}, not the number of a version")

    def _value(self, shape: Any, value: object, where: str) -> Any:
        """The value as the annotation `shape` says."""
        origin, arguments = get_origin(shape), get_args(shape)
        if shape is Any:
            return value
        if origin in (Union, UnionType):
            return self._one_of(arguments, value, where)
        if origin is tuple or origin is list:
            return self._items(origin, arguments, value, where)
        if origin is not None:
            return self._mapping(arguments, value, where)
        if hasattr(shape, "parse"):
            return self._parsed(shape, value, where)
        if is_dataclass(shape):
            if isinstance(value, dict):
                return self._object(shape, value, f"{where}: ")
            return self._fault(where, "an object")
        if issubclass(shape, Enum):
            if value in [one.value for one in shape]:
                return shape(value)
            self.faults.append(f"{where!r} is {value!r}, not one of {', '.join(str(one.value) for one in shape)}")
            return None
        fits = isinstance(value, (int, float) if shape is float else shape) and (shape is bool) == (type(value) is bool)
        return value if fits else self._fault(where, _WORDS[shape])

    def _object(self, cls: Any, value: Mapping[str, Any], where: str) -> Any:
        """The fields of a dataclass from an object."""
        given, known = {}, set()
        for name, key, shape, default, inlined in _fields(cls):
            known.add(key)
            if inlined:
                given[name] = self._object(shape, value, where)
                known |= {key for _, key, *_ in _fields(shape)}
            elif issubclass(cls, Record) and key == "format":
                given[name] = 1 if value.get(key) is None else value[key]
            elif value.get(key) is not None:
                given[name] = self._value(shape, value[key], f"{where}{key}")
            elif not default:
                self.faults.append(f"{where}there is no {key!r}" if key not in value else f"{where}{key!r} is null")
        if self.strict and (unknown := sorted(value.keys() - known)):
            self.faults += [f"{where}unknown key {key!r}" for key in unknown]
        return None if self.faults else cls(**given)

    def _one_of(self, shapes: tuple[Any, ...], value: object, where: str) -> Any:
        """The value as the first of several annotations that it fits; the faults are by the one that is nearest."""
        if value is None and NoneType in shapes:
            return None
        faults: list[str] = []
        for shape in shapes:
            if shape is NoneType:
                continue
            trial = Reader(strict=self.strict)
            read = trial._value(shape, value, where)
            if not trial.faults:
                return read
            if not faults or (isinstance(value, dict) and is_dataclass(shape)):
                faults = trial.faults
        self.faults += faults
        return None

    def _items(self, kind: Any, shapes: tuple[Any, ...], value: object, where: str) -> Any:
        """A list, `tuple[x, ...]` or a tuple of several annotations; the last two are stored as lists."""
        if not isinstance(value, list):
            return self._fault(where, "a list")
        if kind is tuple and shapes[-1] is not Ellipsis and len(shapes) != len(value):
            return self._fault(where, f"a list of {len(shapes)}")
        each = shapes if kind is tuple and shapes[-1] is not Ellipsis else [shapes[0]] * len(value)
        return kind(self._value(shape, one, f"{where}: {i}") for i, (shape, one) in enumerate(zip(each, value), 1))

    def _mapping(self, shapes: tuple[Any, ...], value: object, where: str) -> Any:
        if not isinstance(value, dict):
            return self._fault(where, "an object")
        of_key, of_value = shapes
        return {
            self._value(of_key, key, f"{where}: {key}"): self._value(of_value, one, f"{where}: {key}")
            for key, one in value.items()
        }

    def _parsed(self, cls: Any, value: object, where: str) -> Any:
        if not isinstance(value, str):
            return self._fault(where, "a text")
        try:
            return cls.parse(value)
        except ValueError as error:
            self.faults.append(f"{where!r} is {error}")
            return None

    def _fault(self, where: str, what: str) -> None:
        self.faults.append(f"{where!r} is not {what}")


@cache
def _fields(cls: Any) -> tuple[tuple[str, str, Any, bool, bool], ...]:
    """Of each field: its name, its key, its annotation, whether it has a default, and whether it is inline."""
    shapes = get_type_hints(cls)
    return tuple(
        (
            f.name,
            f.name.replace("_", " "),
            shapes[f.name],
            f.default is not MISSING or f.default_factory is not MISSING,
            f.metadata == INLINE,
        )
        for f in fields(cls)
    )


# ------------------------------------------------------------------------------------------------------------- writing


def write(record: Any, *, nulls: bool = False) -> dict[str, Any]:
    """A record as a JSON object; what is None is left out, or null if `nulls`."""
    written: dict[str, Any] = {}
    cls: Any = type(record)
    for name, key, _, _, inlined in _fields(cls):
        value = getattr(record, name)
        if inlined:
            written |= write(value, nulls=nulls)
        elif value is not None or nulls:
            written[key] = _plain(value, nulls)
    return written


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
