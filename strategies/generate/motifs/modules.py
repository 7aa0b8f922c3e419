"""Motifs as whole modules: a few motifs in an entry point, and what they use at module scope."""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from types import MappingProxyType

from wgsl_fuzz.strategies.choices.source import ChoiceSource, Odds, RandomSource
from wgsl_fuzz.strategies.generate.motifs.builtins import ACCEPTED_CALLS, BUILTINS, DIFFERING, filtered_call
from wgsl_fuzz.strategies.generate.motifs.calls import CALLS, MEMORY, POINTERS, REMEMBERED
from wgsl_fuzz.strategies.generate.motifs.drawing import MotifDrawer
from wgsl_fuzz.strategies.generate.motifs.filters import COVERING, FILTERS
from wgsl_fuzz.strategies.generate.motifs.flow import FLOW, FLOW_OF_FILTERED, FLOWS
from wgsl_fuzz.strategies.generate.motifs.hosting import hosted, new_link
from wgsl_fuzz.strategies.generate.motifs.inputs import ACCEPTED_INPUTS, INPUT_MOTIFS
from wgsl_fuzz.strategies.generate.motifs.narrow import NARROW
from wgsl_fuzz.strategies.generate.motifs.proposals import ACCEPTED_PROPOSALS, PROPOSED
from wgsl_fuzz.strategies.generate.motifs.shapes import SETTLED_SHAPES, SHAPES
from wgsl_fuzz.strategies.generate.motifs.texts import Motif
from wgsl_fuzz.strategies.generate.motifs.values import FORMS, SETTLED, VALUES
from wgsl_fuzz.strategies.generate.profile import COMPUTE, TINY, ModuleProfile, Weights
from wgsl_fuzz.tinywgsl.ast import Shader
from wgsl_fuzz.wgsl.builtins import FUNCTIONS, INPUTS, Stage
from wgsl_fuzz.wgsl.lower.module import lower
from wgsl_fuzz.wgsl.parser import parse
from wgsl_fuzz.wgsl.resolve import resolve
from wgsl_fuzz.wgsl.syntax import Declaration, Module

Group = Sequence[Motif]

_NARROW = (*NARROW, REMEMBERED, FLOW_OF_FILTERED, FLOW_OF_FILTERED, filtered_call, filtered_call)

_WEIGHED: Sequence[tuple[Group, Sequence[int], Sequence[int]]] = (
    (FLOW, (10, 6, 4, 4, 10), (7, 7, 7, 7, 7)),
    (FLOWS, (20, 7, 7, 6, 4), (4, 4, 4, 4, 2)),
    (VALUES, (24, 10, 9, 8, 18), (8, 8, 8, 8, 8)),
    (CALLS, (18, 7, 6, 5, 12), (6, 6, 6, 6, 6)),
    (POINTERS, (26, 9, 7, 6, 0), (8, 8, 8, 8, 0)),
    (MEMORY, (4, 1, 1, 1, 0), (0, 0, 0, 0, 0)),
    (BUILTINS, (6, 6, 8, 5, 0), (0, 0, 0, 0, 0)),
    (DIFFERING, (4, 11, 45, 42, 0), (0, 0, 0, 0, 0)),
    (ACCEPTED_CALLS, (1, 3, 5, 5, 0), (9, 9, 14, 14, 0)),
    (INPUT_MOTIFS, (5, 7, 13, 8, 0), (0, 0, 0, 0, 0)),
    (FILTERS, (1, 15, 7, 7, 0), (0, 0, 0, 0, 0)),
    (COVERING, (0, 0, 0, 0, 0), (0, 6, 6, 6, 0)),
    (ACCEPTED_INPUTS, (1, 0, 2, 1, 0), (3, 0, 16, 1, 0)),
    (SETTLED, (0, 0, 0, 0, 0), (7, 7, 4, 4, 7)),
    (FORMS, (17, 14, 12, 10, 5), (3, 3, 2, 2, 3)),
    (_NARROW, (32, 13, 13, 12, 2), (0, 0, 0, 0, 0)),
    (SHAPES, (28, 13, 9, 8, 3), (0, 0, 0, 0, 0)),
    (SETTLED_SHAPES, (0, 0, 0, 0, 0), (4, 4, 4, 4, 1)),
)
"""How often a group is drawn where something may decide, and where all is calm: in compute and fragment shaders, in
these with subgroup operations, which have the longest tables, and in modules that have a core."""
GROUPS: tuple[Group, ...] = tuple(group for group, *_ in _WEIGHED)
_COLUMNS = (
    *((stage, subgroups, False) for subgroups in (False, True) for stage in (Stage.COMPUTE, Stage.FRAGMENT)),
    (Stage.COMPUTE, False, True),
)
_TABLES = {key: Odds([(group, of[i]) for group, of, _ in _WEIGHED]) for i, key in enumerate(_COLUMNS)}
_QUIET = {key: Odds([(group, of[i]) for group, _, of in _WEIGHED]) for i, key in enumerate(_COLUMNS)}

MOTIFS: Mapping[str, Motif] = MappingProxyType(
    {motif.__name__.replace("_", "-"): motif for group in (*GROUPS, PROPOSED) for motif in group}
)
"""By name. Each gives the statements of a motif in the body of an entry point."""


def motif_of(d: MotifDrawer, *, quiet: bool) -> str:
    """The statements of a motif; of a quiet one that the rules accept, though it is near to what they reject."""
    before, d.calm = d.calm, d.calm or quiet
    if d.proposals and d.chance(_OF_PROPOSALS):
        text = d.source.pick(ACCEPTED_PROPOSALS if quiet else PROPOSED)(d)
    else:
        table = (_QUIET if quiet else _TABLES)[d.stage, d.subgroups, d.core]
        text = _of_core(d, table) if d.core else d.source.pick(d.source.weighted(table))(d)
    d.calm = before
    return text


_OF_PROPOSALS = 60
"""The rate of motifs of proposals where there may be some."""
_TRIES = 12
_CORE_WORDS = """if else loop while for continuing break continue return let var const const_assert fn true false u32
i32 bool local_invocation_index local_invocation_id x state words data signs bits SIZE workgroupBarrier storageBarrier
textureBarrier"""
_BEYOND_CORE = re.compile(rf"&\w|if true|\b(?!(?:{'|'.join(_CORE_WORDS.split())}|\w+_\d+)\b)[A-Za-z]")
"""Addresses, words that TinyWGSL does not have, and a condition that the paper's behaviours do not evaluate."""


_FUNCTION = re.compile(r"fn (\w+)")


def _of_core(d: MotifDrawer, table: Odds[Group]) -> str:
    """The first motif drawn that is written in TinyWGSL and calls all its functions."""
    for _ in range(_TRIES):
        before, declared = d.state(), len(d.declarations)
        text = d.source.pick(d.source.weighted(table))(d)
        whole = " ".join([text, *d.declarations[declared:]])
        called = all(whole.count(f"{name}(") > 1 for name in _FUNCTION.findall(whole))
        if called and not _BEYOND_CORE.search(whole):
            return text
        d.restore(before)
    return f"if {d.doubt()} {{ {d.require()} }}"


_IN_CORE = ("<private>", "<workgroup>")
RESOURCES: Mapping[str, str] = MappingProxyType(
    {
        "state": "var<private> state: u32;",
        "flags": "var<private> flags: array<u32, 4>;",
        "words": "var<workgroup> words: array<u32, 8>;",
        "counter": "var<workgroup> counter: atomic<u32>;",
        "limit": "@group(0) @binding(0) var<uniform> limit: vec4u;",
        "table": "@group(0) @binding(1) var<storage, read> table: array<u32>;",
        "data": "@group(0) @binding(2) var<storage, read_write> data: array<u32, 8>;",
        "signs": "@group(0) @binding(16) var<storage, read_write> signs: array<i32, 4>;",
        "bits": "var<workgroup> bits: array<bool, 4>;",
        "total": "@group(0) @binding(3) var<storage, read_write> total: atomic<u32>;",
        "image": "@group(0) @binding(4) var image: texture_2d<f32>;",
        "texels": "@group(0) @binding(5) var texels: texture_storage_2d<r32uint, read_write>;",
        "linear_sampler": "@group(0) @binding(6) var linear_sampler: sampler;",
        "depth": "@group(0) @binding(7) var depth: texture_depth_2d;",
        "comparing": "@group(0) @binding(8) var comparing: sampler_comparison;",
        "layers": "@group(0) @binding(9) var layers: texture_2d_array<f32>;",
        "samples": "@group(0) @binding(10) var samples: texture_multisampled_2d<f32>;",
        "canvas": "@group(0) @binding(11) var canvas: texture_storage_2d<rgba8unorm, write>;",
        "sketch": "@group(0) @binding(12) var sketch: texture_storage_2d<r32uint, read>;",
        "bytes": "@group(0) @binding(13) var<storage, read> bytes: buffer;",
        "memory": "@group(0) @binding(14) var<storage, read_write> memory: buffer;",
        "push": "var<immediate> push: vec4u;",
        "grid": "@group(0) @binding(15) var<storage, read_write> grid: array<f32>;",
        "cells": "var<workgroup> cells: array<f32, 1024>;",
        "tiles": "var<workgroup> tiles: array<u32, 1024>;",
        "rows": "var<workgroup> rows: array<array<f32, 512>, 2>;",
        "shared_texels": "@group(1) @binding(0) var shared_texels: texel_buffer<r32uint, read_write>;",
        "fixed_texels": "@group(1) @binding(1) var fixed_texels: texel_buffer<r32uint, read>;",
        "pictures": "@group(1) @binding(2) var pictures: binding_array<texture_2d<f32>, 4>;",
        "wide": "@group(1) @binding(6) var<storage, read_write> wide: array<atomic<vec2u>, 4>;",
        "halves": "var<private> halves: array<f16, 4>;",
        "portions": "var<workgroup> portions: array<f16, 4>;",
        "ratios": "@group(1) @binding(7) var<uniform> ratios: vec4h;",
        "fractions": "@group(1) @binding(8) var<storage, read_write> fractions: array<f16, 8>;",
        "knob": "override knob: u32 = 3;",
        "box": "var<workgroup> box: Pair;",
        "SIZE": "const SIZE = 2u;",
        "Pair": "struct Pair { a: u32, b: u32 }",
        "Nest": "struct Nest { p: Pair, c: u32 }",
        "Half": "struct Half { h: f16, a: u32 }",
    }
)
"""The declarations at module scope that motifs may use, by name; a module has those that it uses."""
_RESOURCES = frozenset({text.replace(*change) for text in RESOURCES.values() for change in (("", ""), _IN_CORE)})

_WORDS = re.compile(r"\w+")
KINDS: Mapping[str, tuple[Stage, bool, bool]] = MappingProxyType(
    {
        "compute": (Stage.COMPUTE, False, False),
        "fragment": (Stage.FRAGMENT, False, False),
        "compute-subgroups": (Stage.COMPUTE, True, False),
        "fragment-subgroups": (Stage.FRAGMENT, True, False),
        "compute-proposals": (Stage.COMPUTE, True, True),
    }
)
"""The stage of the entry point, and whether there are subgroup operations, and what is only proposed."""
_REQUIRING = frozenset(name for name, row in FUNCTIONS.items() if row.rule is not None)
_COUNTS = Odds([(3, 2), (4, 2), (5, 2), (6, 2)])
_SEVERAL, _VERTEX = 5, 30
"""The rates of modules with another entry point, and of vertex shaders among these."""
_VERTEX_SHADERS = (
    "@vertex fn corners(@builtin(vertex_index) corner: u32) -> @builtin(position) vec4f { return vec4f(f32(corner)); }",
    "@vertex fn corners(@location(0) at: vec4f, @builtin(instance_index) copy: u32) -> @builtin(position) @invariant "
    "vec4f { if copy == 0u { return at; } return at * f32(copy); }",
    "struct Corner { @builtin(position) at: vec4f, @location(0) @interpolate(flat) kind: u32, @location(1) "
    "@interpolate(linear, center) shade: vec2f } @vertex fn corners(@builtin(vertex_index) corner: u32) -> Corner { "
    "var made: Corner; for (var i = 0u; i < corner; i++) { made.at += vec4f(1.0); } made.kind = corner; return made; }",
    "alias Color = vec4<f32>; @id(7) override scale: f32 = 1.0; override copies: i32; const SHADES = array(1u, 2u); "
    "@must_use fn shaded(at: Color) -> Color { return at * scale; } @vertex fn corners(@location(0) at: Color, "
    "@location(1) @interpolate(flat, either) side: vec3i) -> @builtin(position) Color { "
    "return shaded(at) + Color(f32(side.x * copies)); }",
)
"""They require nothing, and have what stands in no motif."""
_TRIES_OF_A_LINK = 12
"""The motifs that are drawn in vain if none reads what was handed on, and hands it on."""
_CHAINED, _MOST_LINKS = (85, 70), 3
"""The rate of motifs behind one that hands on to them what it would require, and how many do so at most. The second is
of modules with derivatives or subgroup operations: what these give is never handed on, as they require something."""
_BESIDE = Odds([(0, 6), (1, 2), (2, 1)])
"""How many quiet motifs stand beside one that is rejected: what they add is time."""


@cache
def _weighed(kinds: Weights) -> Odds[str]:
    return Odds(kinds)


def draw_module(seed: int, profile: ModuleProfile = COMPUTE) -> Module:
    """The module of a seed: a pure function of (GENERATOR_VERSION, profile, seed)."""
    return draw(RandomSource(seed), profile)


def draw_shader(seed: int, profile: ModuleProfile = TINY) -> Shader:
    """The core of the module of a seed; the profile is one of modules that have a core."""
    return core_from(RandomSource(seed), profile)


def core_from(source: ChoiceSource, profile: ModuleProfile) -> Shader:
    """The core of a module that is drawn."""
    return lower(resolve(draw(source, profile))).shader


def draw(source: ChoiceSource, profile: ModuleProfile) -> Module:
    """Draws one valid module of few motifs."""
    lines = motif_text(source, profile).split("\n")
    resources = [_resource(line) for line in lines if line in _RESOURCES]
    rest = parse("\n".join([line for line in lines if line not in _RESOURCES]))
    return Module(rest.directives, (*resources, *rest.declarations))


@cache
def _resource(text: str) -> Declaration:
    """The tree of a resource, which all modules share: a tree is never changed."""
    return parse(text).declarations[0]


def motif_text(source: ChoiceSource, profile: ModuleProfile) -> str:
    """The same as a text. Of its motifs one decides, if any; the others are accepted, in some calm modules all."""
    if profile.core:
        return _text_in_core(source, profile)
    several = source.percent(_SEVERAL)
    drawer = _drawer(source, profile)
    entries = [(drawer, _body(drawer, source.weighted(_COUNTS) if drawer.calm else 1 + source.weighted(_BESIDE)))]
    if several and source.percent(_VERTEX):
        drawer.declare(source.pick(_VERTEX_SHADERS))
    elif several:
        new, names = drawer.newest, drawer.names
        other = MotifDrawer(source, *_kind(source, profile), newest=new, f16=drawer.f16, names=names)
        other.declarations, other.directives = drawer.declarations, drawer.directives
        entries.insert(source.integer(0, 1), (other, _body(other, 1, source.integer(-1, 0))))
    return assembled(*entries)


def _drawer(source: ChoiceSource, profile: ModuleProfile) -> MotifDrawer:
    kind = _kind(source, profile)
    calm, newest = source.percent(profile.calm), source.percent(profile.newest)
    f16 = not profile.core and source.percent(profile.f16)
    return MotifDrawer(source, *kind, profile.core, calm=calm, newest=newest, f16=f16)


def _kind(source: ChoiceSource, profile: ModuleProfile) -> tuple[Stage, bool, bool]:
    return KINDS[source.weighted(_weighed(profile.motif_kinds))]


def _text_in_core(source: ChoiceSource, profile: ModuleProfile) -> str:
    """A module of TinyWGSL."""
    aim, threads = source.integer(*profile.statements), source.integer(*profile.threads)
    drawer = _drawer(source, profile)
    links = _MOST_LINKS if aim >= _STATEMENTS else 0
    body = _body(drawer, max(1, (aim + _STATEMENTS // 2) // _STATEMENTS), small=aim < _HOSTED, links=links)
    racy = source.percent(profile.racy)
    if not racy:
        drawer.declarations = [_only_reading(text.replace("data[", "words[")) for text in drawer.declarations]
        body = _only_reading(_CELL.sub("data[local_invocation_index]", body))
    if source.percent(_ALIASED):
        body = body.replace(": u32", ": Number")
        texts = [text.replace(": u32", ": Number") for text in drawer.declarations]
        drawer.declarations = ["alias Number = u32;", *texts]
    if source.percent(profile.returns):
        body += drawer.some(" workgroupBarrier();")
    elif "return" in body:
        body = body.replace("local_invocation_id.x", "local_invocation_index")
        drawer.declare(f"fn body(local_invocation_index: u32) {{ {body} }}")
        body = "body(local_invocation_index); workgroupBarrier();"
    else:
        body += " workgroupBarrier();"
    text = assembled((drawer, body), head=f"@compute @workgroup_size({threads})")
    return text if racy else text.replace(" data: array<u32, 8>", f" data: array<u32, {max(8, threads)}>")


_STATEMENTS, _HOSTED = 28, 14
"""About as many a motif has, behind others and in the blocks around it, or in these alone."""
_ALIASED = 10
"""The rate of modules with an alias of u32."""
_CELL = re.compile(r"\bdata\[\d+\]")
_SHARED_WRITE = re.compile(r"\b(?:state|words\[\d+\])(?: (?:[-+*/%&|^]|<<|>>)?= |(?:\+\+|--)(?=;))")


def _only_reading(text: str) -> str:
    """A text in which nothing is written to `state` and `words`."""
    return _SHARED_WRITE.sub(lambda found: "_ = " if found[0].endswith(" ") else "_ = 1u", text)


def _body(
    drawer: MotifDrawer, count: int, culprit: int | None = None, *, small: bool = False, links: int = _MOST_LINKS
) -> str:
    """The statements of an entry point: so many motifs, of which that at `culprit` decides, or none.

    `small`: they stand in no blocks that are not theirs. So many `links` lead to what decides, at most.
    """
    source, parts = drawer.source, []
    if culprit is None:
        culprit = source.integer(0, count - 1)
    for i in range(count):
        drawer.culprit, drawer.telling = i == culprit, None
        text = _chain(drawer, links) if drawer.culprit and not small else motif_of(drawer, quiet=not drawer.culprit)
        often = not small and (drawer.culprit or drawer.calm or source.percent(30))
        parts += [drawer.padding(), hosted(drawer, text) if often else text]
    body = " ".join(filter(None, [*parts, drawer.padding()]))
    return hosted(drawer, body) if not small and source.percent(30) else body


def _chain(drawer: MotifDrawer, links: int) -> str:
    """A motif that decides, behind others that hand on from one to the next what it depends on."""
    texts: list[str] = []
    chained = _CHAINED[drawer.subgroups or drawer.stage is Stage.FRAGMENT]
    for _ in range(links):
        if not drawer.chance(chained) or not (text := _handing_on(drawer)):
            break
        texts.append(text)
    texts.append(_using_link(drawer) or motif_of(drawer, quiet=False))
    drawer.link = ""
    return " ".join(texts)


def _handing_on(drawer: MotifDrawer) -> str:
    """A motif that requires nothing, and stores to a link what it would ask; empty if none of few does."""
    link = new_link(drawer)
    drawer.hands_on = link
    text = _using_link(drawer, link.name)
    drawer.hands_on = None
    if not text:
        return ""
    drawer.link = link.value
    return f"{link.declaration} {text}"


def _using_link(drawer: MotifDrawer, handed: str = "") -> str:
    """A motif that reads what the one before has handed on, and hands it on itself; empty if none of few does."""
    for _ in range(_TRIES_OF_A_LINK):
        before, declared = drawer.state(), len(drawer.declarations)
        text = motif_of(drawer, quiet=False)
        if drawer.link in text:
            words = {*_WORDS.findall(" ".join([text, *drawer.declarations[declared:]]))} if handed else set()
            if not handed or (handed in words and "return" not in text and _REQUIRING.isdisjoint(words)):
                return text
        drawer.restore(before)
    return ""


def assembled(*entries: tuple[MotifDrawer, str], head: str = "@compute @workgroup_size(4, 2)") -> str:
    """The text of a module with entry points of these bodies, and with all that they use."""
    drawer, bodies = entries[-1][0], [_with_members(*entry) for entry in entries]
    used = {*_WORDS.findall(" ".join([*drawer.declarations, *bodies]))}
    if _REQUIRING.isdisjoint(used):
        required = drawer.require()
        used.update(_WORDS.findall(required))
        bodies[-1] += f" {required}"
    used |= {"Pair"} if used & {"Nest", "box"} else set()
    resources = [text for name, text in RESOURCES.items() if name in used]
    if drawer.core:
        resources = [text.replace(*_IN_CORE) for text in resources]
    mains = [
        f"{head if d.stage is Stage.COMPUTE else '@fragment'} fn main{i or ''}({_parameters(d, body)}) {{ {body} }}"
        for i, ((d, _), body) in enumerate(zip(entries, bodies, strict=True))
    ]
    return "\n".join([*_extensions(drawer, used), *drawer.directives, *resources, *drawer.declarations, *mains])


def _with_members(drawer: MotifDrawer, body: str) -> str:
    """A body in which inputs that are members of a parameter are read as such."""
    for name, member in drawer.taken.items():
        body = re.sub(rf"(?<![\w.]){name}\b", member, body)
    return body


def _extensions(drawer: MotifDrawer, used: set[str]) -> list[str]:
    """The directives that these words need."""
    found = ["enable primitive_index;"] if "primitive_index" in used else []
    found += ["enable f16;"] * drawer.f16
    if "wide" in used:
        found.append("enable atomic_vec2u_min_max;")
    of_subgroups = [name for name in used if name.startswith(("subgroup", "quad", "num_subgroups"))]
    if any(name.startswith(("subgroup_matrix", "subgroupMatrix")) for name in of_subgroups):
        found.append("enable chromium_experimental_subgroup_matrix;")
    if of_subgroups:
        found.append(drawer.some("enable subgroup_size_control;", 10 * drawer.newest) or "enable subgroups;")
    return found


def _parameters(drawer: MotifDrawer, body: str) -> str:
    """Of an entry point: the inputs that its body uses."""
    used = {*_WORDS.findall(body)}
    rows = [row for (_, stage), row in INPUTS.items() if stage is drawer.stage and row.name in used]
    found = [f"@builtin({row.name}) {row.name}: {row.type}" for row in rows if row.name not in drawer.taken]
    return ", ".join([*found, *(["@location(0) varied: f32"] if "varied" in used else []), *drawer.parameters])
