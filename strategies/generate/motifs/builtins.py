"""Motifs of built-in functions (15.2.7): each tag of each row decides."""

from functools import cache

from wgsl_fuzz.strategies.generate.motifs.drawing import CALLS, MotifDrawer
from wgsl_fuzz.strategies.generate.motifs.texts import Texts, motifs
from wgsl_fuzz.wgsl.builtins import FUNCTIONS, BuiltinFunction, Rule, Scope, Stage

_BUFFERS = [name for name in CALLS if FUNCTIONS[name].extension == "buffer_view"]
_UNIFORM_SECOND = [name for name in CALLS if FUNCTIONS[name].required == (1,)]


def _called(d: MotifDrawer, name: str, e: str) -> str:
    """A call that depends on a u32, by one of its arguments."""
    other = d.number() if name in _UNIFORM_SECOND or d.chance(70) else d.uniform()
    call = CALLS[name]
    if name in _UNIFORM_SECOND and d.chance(50):
        call = call.replace("SELF, OTHER", "OTHER, SELF")
    elif "OTHER" in call and d.chance(25):
        call = call.replace("SELF", "ANY").replace("OTHER", "SELF").replace("ANY", "OTHER")
    memory = "total" if d.stage is Stage.FRAGMENT or d.in_helper else d.pick("total", "counter")
    buffer = d.pick("bytes", "memory")
    return call.replace("MEMORY", memory).replace("BUFFER", buffer).replace("OTHER", other).replace("SELF", e)


@cache
def _rows(stage: Stage, subgroups: bool, newest: bool, results: bool) -> list[BuiltinFunction]:
    """The functions that a module of a kind may call; `results`: those that give one."""
    names = [*CALLS, *_BUFFERS, *_BUFFERS] if newest else [name for name in CALLS if name not in _BUFFERS]
    rows = [FUNCTIONS[name] for name in names]  # fewer modules may have those of buffers
    rows = [row for row in rows if stage in row.stages and (row.result or not results) and (newest or not row.since)]
    return [row for row in rows if subgroups or row.rule is not Rule.SUBGROUP]


def _row(d: MotifDrawer, own: int = 85, *, results: bool = False) -> BuiltinFunction:
    """One of them; so many of 100 have the rule that is special to the module."""
    rows = _rows(d.stage, d.subgroups, d.newest, results)
    ruled = [row for row in rows if row.rule is not None]
    special = [row for row in ruled if row.rule is Rule.SUBGROUP] if d.subgroups else ruled
    return d.source.pick(special if d.chance(own) else rows)


def _statement(row: BuiltinFunction, call: str) -> str:
    return f"_ = {call};" if row.result and row.must_use else f"{call.removesuffix('.old_value')};"


def called_by_some(d: MotifDrawer) -> str:
    """Some invocations call a built-in function, with uniform arguments."""
    row = _row(d)
    s = _statement(row, _called(d, row.name, d.uniform()))
    return d.pick(
        f"if {d.doubt()} {{ {s} }}",
        f"if {d.doubt()} {{ return; }} {s}",
        f"while {d.doubt()} {{ {s} break; }}",
        f"if {d.varying()} == 1u {{ {s} }}",
    )


def filtered_call(d: MotifDrawer) -> str:
    """The same with a filter that takes the edge off one rule: only that of the function counts."""
    row = _row(d)
    s = _statement(row, _called(d, row.name, d.uniform()))
    rule = row.rule if row.rule in (Rule.DERIVATIVE, Rule.SUBGROUP) and d.chance(75) else Rule.DERIVATIVE
    return f"@diagnostic({d.pick('off', 'warning', 'info')}, {rule}) if {d.varying()} == 1u {{ {s} }}"


def result_decides(d: MotifDrawer) -> str:
    """What a built-in function gives decides, with uniform arguments or others."""
    row = _row(d, results=True)
    e = _called(d, row.name, d.uniform() if d.chance(80) else d.suspect())
    y = d.name("y")
    if d.chance(30):
        return d.guarded(d.test(e))
    return f"{d.pick('let', 'var')} {y} = {e}; {d.guarded(d.test(y))}"


def result_differs(d: MotifDrawer) -> str:
    """A result that is never uniform decides what has the largest scope in which it is not, or the smallest."""
    in_subgroup = d.subgroups and d.chance(45 if d.stage is Stage.COMPUTE else 70)
    scope = Scope.SUBGROUP if in_subgroup else Scope.WORKGROUP
    rows = [row for row in _rows(d.stage, d.subgroups, d.newest, True) if scope in row.non_uniform_in]
    if d.subgroups:
        rule: Rule | None = Rule.SUBGROUP
        if in_subgroup:
            rule = None if d.chance(20) else Rule.DERIVATIVE if d.stage is Stage.FRAGMENT and d.chance(75) else rule
        rows = [row for row in rows if row.rule is rule]
    call = _called(d, d.source.pick(rows).name, d.uniform())
    guarded = d.require_in_subgroup() if in_subgroup else d.require_in_workgroup()
    y = d.name("y")
    return d.pick(f"let {y} = {call}; if {d.test(y)} {{ {guarded} }}", f"if {d.test(call)} {{ {guarded} }}")


def argument_varies(d: MotifDrawer) -> str:
    """A call in uniform control flow with an argument that is not uniform, which matters for few functions."""
    row = _row(d)
    return _statement(row, _called(d, row.name, d.varying()))


def distance_varies(d: MotifDrawer) -> str:
    """The argument of a call that must be uniform is not, or the other one is."""
    name = d.pick(*_UNIFORM_SECOND) if d.subgroups else "workgroupUniformLoad"
    if d.stage is Stage.FRAGMENT and not d.subgroups:
        return result_differs(d)
    first, second = d.source.pick(((d.uniform(), d.varying()), (d.varying(), d.uniform())))
    call = CALLS[name].replace("SELF", first if d.subgroups else second).replace("OTHER", second)
    return f"_ = {call};"


def in_subgroup(d: MotifDrawer) -> str:
    """What is uniform in each subgroup decides a subgroup operation, or a barrier."""
    if not d.subgroups:
        return result_decides(d)
    sources = [
        "subgroup_size",
        "subgroupAdd(1u)",
        "subgroupBroadcastFirst(SELF)",
        "subgroupBallot(SELF == 1u).y",
        "subgroupMax(SELF)",
    ]
    if d.stage is Stage.COMPUTE:
        sources += ["subgroup_id", "subgroup_id", "num_subgroups"] if d.newest else ["subgroup_size"]
    e = d.pick(*sources).replace("SELF", d.varying())
    row = _row(d)
    s = _statement(row, _called(d, row.name, d.uniform()))
    return d.pick(
        f"if {d.test(e)} {{ {s} }}",
        d.guarded(d.test(e)),
        f"let {d.name('k')} = {e}; if {d.test(e)} {{ _ = subgroupOr({e}); }}",
    )


def accepted_calls(d: MotifDrawer) -> str:
    """Some calls, each of which the rules accept though something in it is not uniform."""
    return " ".join(_accepted(d, _row(d, 60)) for _ in range(d.source.integer(1, 8)))


def _accepted(d: MotifDrawer, row: BuiltinFunction) -> str:
    call = _called(d, row.name, d.uniform())
    s = _statement(row, call)
    uneven = f"{d.varying()} == 1u"
    ways = []
    if row.rule is None:
        ways.append(f"if {uneven} {{ {s} }}")
        if not row.required:
            ways.append(_statement(row, _called(d, row.name, d.varying())))
    elif row.rule is not Rule.SYNCHRONIZATION:
        ways.append(f"@diagnostic({d.pick('off', 'warning', 'info')}, {row.rule}) if {uneven} {{ {s} }}")
    if row.rule is Rule.SUBGROUP:
        first = d.number() if row.name in _UNIFORM_SECOND else d.varying()
        ways.append(_statement(row, row.called(d.varying(), first)))
        if d.stage is Stage.COMPUTE and d.newest:
            ways.append(f"if {d.test('subgroup_id')} {{ {s} }}")
    if row.pointer:
        ways.append(f"if {d.test(call.replace('&memory', '&bytes'))} {{ {d.require()} }}")
    elif row.result:
        if Scope.WORKGROUP not in row.non_uniform_in:
            ways.append(f"if {d.test(call)} {{ {d.require()} }}")
        elif Scope.SUBGROUP not in row.non_uniform_in:
            e = _called(d, row.name, d.varying())
            ways.append(f"if {d.test(e)} {{ {d.require_in_subgroup()} }}")
    return d.pick(*ways) if ways else s


_TEXTURES = (
    *[("texels", "texture_storage_2d<r32uint, read_write>", "")] * 2,
    ("sketch", "texture_storage_2d<r32uint, read>", ""),
    ("image", "texture_2d<f32>", ", 0"),
)
_READ: dict[str, Texts] = {
    "texels": tuple(
        f"{before} let x = {e}; ASK x;"
        for texture, type_, level in _TEXTURES
        for before, e in (
            (f"fn f(t: {type_}) -> u32 {{ return u32(textureLoad(t, vec2u(){level}).x); }} #", f"f({texture})"),
            (f"NEWEST # let t = {texture};", f"u32(textureLoad(t, vec2u(){level}).x)"),
            ("", f"u32(textureLoad({texture}, vec2u(){level}).x)"),
            ("", f"textureDimensions({texture}).x"),
        )
    ),
    "buffer-views": (
        "NEWEST # let x = *bufferView<u32>(&[[memory ~ memory ~ bytes]], [[0u ~ (V & 4u)]]); ASK x;",
        "NEWEST # ASK (*bufferView<u32>(&[[memory ~ memory ~ bytes]], [[0u ~ (V & 4u)]]));",
        "NEWEST # let p = bufferView<u32>(&[[memory ~ memory ~ bytes]], [[0u ~ (V & 4u)]]); ASK *p;",
        "NEWEST # let p = bufferView<u32>(&[[memory ~ memory ~ bytes]], [[0u ~ (V & 4u)]]); R",
        "NEWEST # let x = bufferArrayView<array<u32>>(&[[memory ~ memory ~ bytes]], [[0u ~ (V & 4u)]], 8u)[1]; ASK x;",
        "NEWEST # ASK bufferLength(&[[memory ~ bytes]]);",
    ),
}
BUILTINS = (
    filtered_call,
    result_decides,
    argument_varies,
    in_subgroup,
    *motifs(_READ, times={"texels": 2, "buffer-views": 3}),
)
DIFFERING = (*[result_differs] * 6, called_by_some, distance_varies)
"""They have the longest tables to go through."""
ACCEPTED_CALLS = (accepted_calls,)
