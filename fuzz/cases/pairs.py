"""Pairs of small shaders, one accepted and one rejected, for every row of the rules: `corpus/wgsl/pairs/*.toml`.

A file is a list of `[[pair]]`, or (`combinations.toml`) of `[[shader]]`: larger texts with one verdict each. Fields:

- `name` (unique), `row`: the section of the specification, its anchor, and the row of its table in words.
- `accepted`, `rejected`: the body of the entry point, into which `COMPUTE`, `FRAGMENT` or `VERTEX` puts it. What stands
  above a line `---` is declared at module scope. A text with `fn main` has an entry point already, and only gets
  `VARIABLES`. With `plain = true` a text is a module, and nothing is added (directives have to come first).
- `helpers`: declarations at module scope for both. `stage`: `compute` (if left out), `fragment` or `vertex`.
  `enable`: names of extensions.
- `refusal = "invalid"`: the rejected text is refused for another reason than uniformity (behaviours, 9.7).
- `accepted_messages`, `rejected_messages`: every triggered diagnostic, as `severity rule`. The rule is one of `RULES`.
  An accepted text without the field has no message; of a rejected text without it no more than an error is said.
  `error synchronization`, `warning derivative_uniformity` and `info subgroup_uniformity` are messages.
- `tint`: the verdict of current Tint, where it differs from what the pair expects; `who` says who is right and why.
- `change`: date and pull request of the change that gave the row its present form, or brought what the texts use.
  `before`: verdicts just before it, where the texts meant something then, and something else.
- `letter`: verdicts by the letter, where the evident intent of the specification (which decides here) differs from it.
  By the letter a call statement leaves behind its pointers what its tags say; a call elsewhere changes no variable.
- `each`: tables of texts. The entry is then a pair for every choice of one text of each: `$table` stands for that in
  `text`, and for its key in `name` and `row`. In the accepted text `X` is `U`, in the rejected one `N`. `but` has other
  fields by the name of a pair.
"""

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from itertools import product
from pathlib import Path
from string import Template
from typing import Any

from wgsl_fuzz.fuzz.shipped import wgsl_folder
from wgsl_fuzz.oracle.verdict import Verdict

COMBINATIONS = "combinations.toml"

RULES = ("synchronization", "derivative_uniformity", "subgroup_uniformity", "subgroup_matrix_uniformity")
"""The trigger rules. `synchronization` stands for the one without a name: always an error."""

VARIABLES = """\
var<private> g: u32;
var<workgroup> wa: array<u32, 8>;
var<workgroup> at: atomic<u32>;
@group(0) @binding(0) var<storage, read> ro: array<u32, 8>;
@group(0) @binding(1) var<storage, read_write> sb: array<u32, 8>;
@group(0) @binding(2) var<uniform> un: u32;
@group(0) @binding(3) var rw: texture_storage_2d<r32uint, read_write>;
@group(0) @binding(4) var tex: texture_2d<f32>;
@group(0) @binding(5) var smp: sampler;
@group(0) @binding(6) var dep: texture_depth_2d;
@group(0) @binding(7) var cmp: sampler_comparison;
"""
"""Private, workgroup, read-only and read-write variables of the module; a shader uses what it likes."""

COMPUTE = """\
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) N: u32, @builtin(workgroup_id) workgroup: vec3u) {
let U = workgroup.x;
%s
}
"""
"""`N` is not uniform, `U` is."""

FRAGMENT = """\
@fragment
fn main(@builtin(position) position: vec4f, @builtin(front_facing) n: bool) {
let u = un == 0u;
let v = position.x;
%s
}
"""
"""`n`, a bool, and `v`, an f32, are not uniform; `u`, a bool, is."""

VERTEX = """\
@vertex
fn main(@builtin(vertex_index) N: u32) -> @builtin(position) vec4f {
%s
return vec4f();
}
"""

WRAPPERS = {"compute": COMPUTE, "fragment": FRAGMENT, "vertex": VERTEX}
SPLIT = "\n---\n"


@dataclass(frozen=True, slots=True)
class Pair:
    """Two shaders that are as near to each other as the row allows, as complete modules."""

    name: str
    file: str
    row: str
    accepted: str
    rejected: str
    refusal: Verdict = Verdict.REJECTS
    accepted_messages: frozenset[str] = frozenset()
    rejected_messages: frozenset[str] | None = None
    tint: Mapping[str, Verdict] = field(default_factory=dict)
    """Of `accepted` and `rejected`, where Tint answers otherwise."""
    who: str = ""
    change: str = ""
    before: Mapping[str, Verdict] = field(default_factory=dict)
    letter: Mapping[str, Verdict] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Combination:
    """A larger shader that mixes features, and the verdict that the rules and Tint give it."""

    name: str
    text: str
    verdict: Verdict


def module(text: str, *, helpers: str = "", stage: str = "compute", enable: tuple[str, ...] = ()) -> str:
    """A complete module: a body in the standard entry point of its stage, or a text with an entry point of its own."""
    above, split, body = text.strip().rpartition(SPLIT)
    if not split and "fn main" in body:
        above, main = body, ""
    else:
        main = WRAPPERS[stage] % body.strip()
    enables = "".join(f"enable {name};\n" for name in enable)
    parts = (enables + VARIABLES.strip(), helpers.strip(), above.strip(), main.strip())
    return "\n".join(part for part in parts if part) + "\n"


def _text(entry: Mapping[str, Any], key: str) -> str:
    if entry.get("plain", False):
        return str(entry[key]).strip() + "\n"
    enable = tuple(entry.get("enable", ()))
    return module(entry[key], helpers=entry.get("helpers", ""), stage=entry.get("stage", "compute"), enable=enable)


TEXT_KEYS = frozenset({"helpers", "stage", "enable", "plain"})
"""What texts are made with."""
_READ: Mapping[str, Callable[[Any], Any]] = {
    "refusal": Verdict,
    **dict.fromkeys(("accepted_messages", "rejected_messages"), frozenset),
    **dict.fromkeys(("tint", "before", "letter"), lambda table: {key: Verdict(word) for key, word in table.items()}),
}
"""How the fields are read that are no texts."""


def _check_keys(entry: Mapping[str, Any], kind: type[Pair | Combination], file: str) -> None:
    known = {one.name for one in fields(kind)} - {"file"} | TEXT_KEYS
    if unknown := entry.keys() - known:
        raise ValueError(f"{file}: {entry.get('name')}: unknown {sorted(unknown)}")


def _pair(entry: Mapping[str, Any], file: str) -> Pair:
    _check_keys(entry, Pair, file)
    texts = {side: _text(entry, side) for side in ("accepted", "rejected")}
    others = {key: _READ[key](value) if key in _READ else value for key, value in entry.items() if key not in TEXT_KEYS}
    return Pair(**(others | texts | {"file": file}))


def _entries(path: Path, key: str) -> list[Mapping[str, Any]]:
    return [one for entry in tomllib.loads(path.read_text(encoding="utf-8"))[key] for one in _each(entry)]


def _each(entry: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The pairs that an entry stands for: itself, or one for every choice of texts."""
    tables: Mapping[str, Mapping[str, str]] = entry.get("each", {})
    if not tables:
        yield entry
        return
    for keys in product(*tables.values()):
        text, chosen = entry["text"], dict(zip(tables, keys, strict=True))
        while "$" in text:
            text = Template(text).substitute({table: tables[table][key] for table, key in chosen.items()})
        made = {key: value for key, value in entry.items() if key not in ("each", "but", "text")}
        made |= {key: Template(entry[key]).substitute(chosen) for key in ("name", "row")}
        made |= {side: re.sub(r"\bX\b", value, text) for side, value in (("accepted", "U"), ("rejected", "N"))}
        yield made | entry.get("but", {}).get(made["name"], {})


def pairs_folder() -> Path:
    """Where the files are."""
    return wgsl_folder() / "pairs"


@cache
def load() -> tuple[Pair, ...]:
    """Every pair, in the order of the files' names and then of the file."""
    paths = sorted(path for path in pairs_folder().glob("*.toml") if path.name != COMBINATIONS)
    return tuple(_pair(entry, path.stem) for path in paths for entry in _entries(path, "pair"))


def _combination(entry: Mapping[str, Any]) -> Combination:
    _check_keys(entry, Combination, COMBINATIONS)
    return Combination(entry["name"], _text(entry, "text"), Verdict(entry["verdict"]))


@cache
def load_combinations() -> tuple[Combination, ...]:
    """Every combination, in the order of the file."""
    return tuple(_combination(entry) for entry in _entries(pairs_folder() / COMBINATIONS, "shader"))


@cache
def load_applications() -> Mapping[str, str]:
    """Shaders as real applications have them, by name; every one is accepted."""
    # As bytes: reading as text would turn each carriage return into a line feed.
    paths = sorted((wgsl_folder() / "applications").glob("*.wgsl"))
    return {path.stem: path.read_bytes().decode() for path in paths}
