"""Options from a file: `wgsl-fuzz.toml`, or the table `[tool.wgsl-fuzz]` of a `pyproject.toml`.

The keys of the table are the options of the campaign by their long names; a table in it is a command's.

    [tool.wgsl-fuzz]
    target = ["tint:./out/tint"]
    minutes = 10
    fail-on = ["unsound", "too-lenient"]

    [tool.wgsl-fuzz.replay]
    strict = true

The nearest file counts, from the working directory upwards. What stands on the command line counts more.
"""

import tomllib
from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import click

from wgsl_fuzz.fuzz.files import read_text
from wgsl_fuzz.fuzz.problems import Problem

FILE, SHARED_FILE, TABLE = "wgsl-fuzz.toml", "pyproject.toml", "wgsl-fuzz"

_NEVER = frozenset({"help", "version", "resume"})
"""Options that only make sense for one call."""


def defaults(group: click.Group, context: click.Context, folder: Path) -> dict[str, Any]:
    """Click's `default_map` from the nearest file; raises Problem for a file that is not as the module says."""
    found = nearest(folder)
    return {} if found is None else _mapped(group, context, found[1], str(found[0]))


def nearest(folder: Path) -> tuple[Path, Mapping[str, Any]] | None:
    """The nearest file with a table for us, and the table; raises Problem for one that is not TOML."""
    for place in (folder, *folder.parents):
        for name in (FILE, SHARED_FILE):
            path = place / name
            if not path.is_file():
                continue
            try:
                content = tomllib.loads(read_text(path))
            except tomllib.TOMLDecodeError as error:
                if name == SHARED_FILE:  # someone else's to mend
                    continue
                raise Problem(f"{path} is not TOML: {error}") from error
            table = content if name == FILE else content.get("tool", {}).get(TABLE)
            if table is not None:
                return path, table
    return None


def _mapped(group: click.Group, context: click.Context, table: Mapping[str, Any], where: str) -> dict[str, Any]:
    """The table's values by the parameters that receive them, and each command's beside them."""
    if not isinstance(table, Mapping):
        raise Problem(f"{where}: the options of wgsl-fuzz are no table")
    own = {key: value for key, value in table.items() if not isinstance(value, Mapping)}
    values = _values(group, own, where)
    for name in sorted(table.keys() - own.keys()):
        command = group.get_command(context, name)
        if command is None:
            raise Problem(f"{where}: there is no command {name!r}{_instead(name, group.list_commands(context))}")
        values[name] = _values(command, table[name], f"{where}: {name}")
    return values


def _values(command: click.Command, table: Mapping[str, Any], where: str) -> dict[str, Any]:
    options = {
        (opt if opt not in p.secondary_opts else "").removeprefix("--"): p
        for p in command.params
        if isinstance(p, click.Option)
        for opt in p.opts
        if opt.startswith("--") and opt.removeprefix("--") not in _NEVER
    }
    values: dict[str, Any] = {}
    for key, value in table.items():
        option = options.get(key)
        if option is None:
            raise Problem(f"{where}: there is no option {key!r}{_instead(key, sorted(options))}")
        values[option.name or ""] = _checked(option, value, f"{where}: {key}")
    return values


def _checked(option: click.Option, value: Any, where: str) -> Any:
    """The value as click takes it; raises Problem if it does not fit the option."""
    if option.is_flag:
        if not isinstance(value, bool):
            raise Problem(f"{where} is true or false, not {value!r}")
        return value
    values = value if isinstance(value, list) else [value]
    if isinstance(value, list) and not option.multiple:
        raise Problem(f"{where} is one value, not a list")
    if any(isinstance(one, bool | dict | list) for one in values):
        raise Problem(f"{where} is a text or a number, not {value!r}")
    return [str(one) for one in values] if option.multiple else str(value)


def _instead(name: str, known: list[str]) -> str:
    near = get_close_matches(name, known, 1)
    return f"; did you mean {near[0]}?" if near else ""
