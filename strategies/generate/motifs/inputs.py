"""Motifs of inputs (13.3.1.1, 15.2.8): each built-in value decides, as a parameter or as a member of one."""

from wgsl_fuzz.strategies.generate.motifs.drawing import NEWEST_INPUTS, MotifDrawer
from wgsl_fuzz.strategies.generate.motifs.texts import Texts, motifs
from wgsl_fuzz.wgsl.builtins import INPUTS, BuiltinInput, Scope, Stage


def input_decides(d: MotifDrawer) -> str:
    """One built-in input, or one given by the user, decides; as a parameter or as a member of one."""
    rows = [r for (_, stage), r in INPUTS.items() if stage is d.stage and (d.subgroups or r.extension != "subgroups")]
    rows = [r for r in rows if d.newest or r.name not in NEWEST_INPUTS]
    rows += [r for r in rows if r.name in NEWEST_INPUTS or r.extension == "subgroups"]  # fewer modules may have them
    row = d.source.pick(rows)
    name = row.name
    if name in d.taken:
        return d.guarded(d.doubt())
    text = name
    if d.chance(60):
        text = f"{_structure(d, name, row.type)}.{name}"
    value = {
        "vec3u": f"{text}.{d.pick('x', 'y', 'z')}",
        "vec4f": f"u32({text}.{d.pick('x', 'w')})",
        "bool": f"u32({text})",
    }
    condition = d.test(d.wrapped(value.get(row.type, text)))
    if row.uniform_in == {Scope.SUBGROUP} and d.chance(75):  # a subgroup operation would not notice
        return f"if {condition} {{ {d.require_in_workgroup()} }}"
    return d.guarded(condition)


def _structure(d: MotifDrawer, name: str, type_: str) -> str:
    """A parameter of the entry point whose members are inputs, the one named among them."""
    struct, p = d.name("Inputs"), d.name("inputs")
    members = [f"@builtin({name}) {name}: {type_}"]
    d.taken[name] = f"{p}.{name}"
    if d.chance(50):
        others = {Stage.COMPUTE: ("local_invocation_id", "workgroup_id"), Stage.FRAGMENT: ("position",)}[d.stage]
        other = d.pick(*others)
        if other not in d.taken:
            d.taken[other] = f"{p}.{other}"
            row = INPUTS[other, d.stage]
            members.insert(d.source.integer(0, 1), f"@builtin({other}) {other}: {row.type}")
    elif d.stage is Stage.FRAGMENT and d.chance(60):
        members.insert(d.source.integer(0, 1), f"@location({d.source.integer(1, 9)}) given: f32")
    d.declare(f"struct {struct} {{ {', '.join(members)} }}")
    d.parameters.append(f"{p}: {struct}")
    return p


def accepted_inputs(d: MotifDrawer) -> str:
    """Each input that is uniform in a scope decides what requires that, and the rules accept it."""
    rows = [r for (_, stage), r in INPUTS.items() if stage is d.stage and r.uniform_in]
    rows = [
        r for r in rows if (d.subgroups or r.extension != "subgroups") and (d.newest or r.name not in NEWEST_INPUTS)
    ]
    rows += 4 * [r for r in rows if r.name in NEWEST_INPUTS]  # fewer modules may have them
    if not rows:
        return f"if {d.guess()} {{ {d.require()} }}"
    return " ".join(_accepted(d, d.source.pick(rows)) for _ in range(d.source.integer(2, 5)))


def _accepted(d: MotifDrawer, row: BuiltinInput) -> str:
    e = f"{row.name}.{d.pick('x', 'y', 'z')}" if row.type == "vec3u" else row.name
    everywhere = Scope.WORKGROUP in row.uniform_in
    requires = d.require_in_workgroup() if everywhere and d.chance(50) else ""
    if not requires:
        requires = d.require_in_subgroup() if d.subgroups else d.require_in_workgroup()
    return f"if {d.test(d.wrapped(e))} {{ {requires} }}"


ACCEPTED_INPUTS = (accepted_inputs,)
_OF_USER: dict[str, Texts] = {"user-input-decides": ("fn f(a: u32) { ASK a; } # f(V);", "FRAGMENT # ASK u32(varied);")}
INPUT_MOTIFS = (input_decides, input_decides, input_decides, *motifs(_OF_USER))
