"""Repairs of uniform values that the rules do not see as such: built-in inputs, and what private variables keep."""

from collections.abc import Iterator, Sequence

from wgsl_fuzz.fuzz.repair.edit import Cost, Edit, Patch
from wgsl_fuzz.fuzz.repair.shader import Broken
from wgsl_fuzz.oracle.rules.uniformity.graph import Label
from wgsl_fuzz.wgsl import syntax as w
from wgsl_fuzz.wgsl.builtins import INPUTS, Scope, Stage
from wgsl_fuzz.wgsl.lower.expressions import constant_integer
from wgsl_fuzz.wgsl.resolution import Space, attribute_of
from wgsl_fuzz.wgsl.walk import descendants

_IDS = ("local_invocation_id", "global_invocation_id")
_SAME = "The value is the same, and now the rules see that it is uniform."


def by_workgroup(shader: Broken, _: Label, function: w.Function) -> Iterator[Edit]:
    """Components of ids of invocations, where the workgroup has one invocation in that direction: `workgroup_id`."""
    entry = _only_entry(shader, function)
    if entry is None:
        return
    attribute = attribute_of(entry.attributes, "workgroup_size")
    sizes = [constant_integer(shader.resolution, e) for e in (() if attribute is None else attribute.arguments)]
    pairs = zip(("xr", "yg", "zb"), [*sizes, 1, 1], strict=False)
    flat = {*"".join(names for names, size in pairs if size == 1)}
    members = [n for n in descendants(function.body) if isinstance(n, w.Member) and n.name in flat]
    reads = [(n, builtin) for n in members if (builtin := _builtin(shader, n.base)) in _IDS]
    group, declares = own_parameter(shader, function, entry, "workgroup_id")
    new = [Patch(n.start, n.end, "0u" if builtin == _IDS[0] else f"{group}.{n.name}") for n, builtin in reads]
    if new:
        uses = [f"`{patch.text}` for `{shader.written(n)}`" for patch, (n, _) in zip(new, reads, strict=True)]
        what = " and ".join(dict.fromkeys(uses))
        what = f"use {what}: the workgroup has one invocation in that direction"
        needed = declares if any(patch.text != "0u" for patch in new) else []
        yield Edit((*new, *needed), what, Cost.SAME, _SAME, is_proven=True)


def _only_entry(shader: Broken, function: w.Function) -> w.Function | None:
    """The compute shader that a function is, or the only one of the module."""
    found = [f for f in shader.resolution.entry_points if f is function] or shader.resolution.entry_points
    return found[0] if len(found) == 1 and shader.resolution.entry_stage(found[0]) is Stage.COMPUTE else None


def _builtin(shader: Broken, e: w.Expression | None) -> str | None:
    """The built-in input that an expression is, also behind `let`s and private variables."""
    if isinstance(e, w.Member):
        p = shader.resolution.declaration(e.base) if isinstance(e.base, w.Identifier) else None
        members = _members(shader, p) if isinstance(p, w.Parameter) else ()
        return next((shader.resolution.builtin_input(m) for m in members if m.name == e.name), None)
    declared = shader.resolution.declaration(e) if isinstance(e, w.Identifier) else None
    if isinstance(declared, w.Parameter):
        return shader.resolution.builtin_input(declared)
    if isinstance(declared, w.Let):
        return _builtin(shader, declared.value)
    return _builtin(shader, _kept(shader, declared)) if isinstance(declared, w.Variable) else None


def _members(shader: Broken, p: w.Parameter) -> Sequence[w.StructMember]:
    """The members of a parameter whose structure nothing else uses."""
    struct = shader.resolution.struct(p.type)
    return () if struct is None or shader.resolution.uses[id(struct)] > 1 else struct.members


def _kept(shader: Broken, variable: w.Variable) -> w.Expression | None:
    """What a private variable holds whenever it is read: the value of its only store, early in the entry point."""
    if shader.resolution.space(variable) is not Space.PRIVATE or len(shader.resolution.entry_points) > 1:
        return None
    match shader.writes(variable):
        case [w.Assign(left=w.Identifier(), operator="=", right=value) as store]:
            entry = shader.function_around(store)
        case _:
            return None
    if entry is not shader.resolution.entry_points[0] or shader.context.parent(store) is not entry.body:
        return None
    before = [n for s in entry.body.statements if s.start < store.start for n in descendants(s)]
    early = any(isinstance(n, w.Call | w.Return) for n in before) or any(
        use.start < store.start for use in shader.uses(variable, entry)
    )
    changes = any(shader.may_change(d, entry.body) for d in shader.reads(value))
    return None if early or changes or not shader.is_plain(value) else value


def in_parameter(shader: Broken, label: Label, function: w.Function) -> Iterator[Edit]:
    """A uniform built-in input leaves a structure of inputs, which counts as one value."""
    outer, stage = shader.context.parent(label.syntax or function), shader.resolution.entry_stage(function)
    builtin = _builtin(shader, outer) if isinstance(outer, w.Member) else None
    if builtin is not None and stage is not None and Scope.WORKGROUP in INPUTS[builtin, stage].uniform_in:
        _, patches = own_parameter(shader, function, function, builtin)
        yield Edit(tuple(patches), f"give `{builtin}` a parameter of its own", Cost.SAME, _SAME, is_proven=True)


def through_private(shader: Broken, label: Label, function: w.Function) -> Iterator[Edit]:
    """The value that a private variable keeps is used instead of the variable."""
    variable = label.subject
    value = _kept(shader, variable) if isinstance(variable, w.Variable) else None
    entry, type = _only_entry(shader, function), None if value is None else shader.type(value)
    if value is None or entry is None or type is None or not isinstance(variable, w.Variable):
        return
    locals_ = any(shader.function_around(d) is not None for d in shader.reads(value))
    written = shader.written(value)
    name = f"({written})" if isinstance(value, w.Binary | w.Unary) else written
    patches = []
    if locals_ and function is not entry:
        name = shader.fresh(variable.name)
        patches = list(_handed(shader, function, name, shader.type_name(type), written))
    store = next(use for use in shader.uses(variable, entry.body))
    reads = [use for use in shader.uses(variable, function.body) if use is not store]
    patches += [Patch(read.start, read.end, name) for read in reads]
    yield Edit(tuple(patches), f"use `{name}` for `{variable.name}`, which keeps it", Cost.SAME, _SAME, is_proven=True)


def own_parameter(shader: Broken, function: w.Function, entry: w.Function, builtin: str) -> tuple[str, list[Patch]]:
    """The name of a built-in input in a function, and what makes it a parameter there, if it is none yet."""
    stage = shader.resolution.entry_stage(entry)
    assert stage is not None, "an entry point has one"
    type = shader.type_name(INPUTS[builtin, stage].type)
    names = [p.name for p in entry.parameters if shader.resolution.builtin_input(p) == builtin]
    name = names[0] if names else shader.fresh(builtin) if shader.count(builtin) else builtin
    patches = [] if names else [shader.one_more(entry, f"@builtin({builtin}) {name}: {type}")]
    for p in entry.parameters:
        members = _members(shader, p)
        for i, m in enumerate(members):
            if shader.resolution.builtin_input(m) == builtin:  # no input is there twice
                reads = [shader.context.parent(use) for use in shader.uses(p, entry.body)]
                patches += [Patch(r.start, r.end, name) for r in reads if isinstance(r, w.Member) and r.name == m.name]
                last = i + 1 == len(members)
                patches.append(
                    Patch(members[i - 1].end if last else m.start, m.end if last else members[i + 1].start, "")
                )
    return name, patches if function is entry else [*patches, *_handed(shader, function, name, type, name)]


def _handed(shader: Broken, function: w.Function, name: str, type: str, value: str) -> Iterator[Patch]:
    """A parameter for a function, and for those between it and the entry point, which hands in a value."""
    takers = {id(function): function}
    for f in reversed(shader.resolution.functions):
        if shader.resolution.entry_stage(f) is None and any(id(g) in takers for g in shader.resolution.callees(f)):
            takers[id(f)] = f

    def argument(call: w.Call) -> str:
        return name if id(shader.function_around(call)) in takers else value

    return shader.handed(list(takers.values()), f"{name}: {type}", argument)
