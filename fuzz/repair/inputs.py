"""Repairs of uniform values that the rules do not see as such: built-in inputs, and what private variables keep."""

from collections.abc import Iterator

from wgsl_fuzz.fuzz.repair.edit import Cost, Edit, Patch
from wgsl_fuzz.fuzz.repair.shader import Broken
from wgsl_fuzz.oracle.rules.uniformity.graph import Label
from wgsl_fuzz.wgsl import syntax as w
from wgsl_fuzz.wgsl.builtins import INPUTS, Scope, Stage
from wgsl_fuzz.wgsl.resolution import Space, attribute_of
from wgsl_fuzz.wgsl.types import literal_count
from wgsl_fuzz.wgsl.walk import descendants

_COMPONENTS = ("xr", "yg", "zb")
_SAME = "The value is the same, and now the rules see that it is uniform."
Input = w.Parameter | w.StructMember


def by_workgroup(shader: Broken, _: Label, function: w.Function) -> Iterator[Edit]:
    """Components of ids of invocations, where the workgroup has one invocation in that direction: `workgroup_id`."""
    entry = _only_entry(shader, function)
    flat = (
        []
        if entry is None
        else [name for name, size in zip(_COMPONENTS, _sizes(shader, entry), strict=False) if size == 1]
    )
    reads = [
        n for n in descendants(function.body) if isinstance(n, w.Member) and any(n.name in names for names in flat)
    ]
    inputs = [(read, _builtin(shader, read.base)) for read in reads]
    patches = [Patch(r.start, r.end, "0u") for r, builtin in inputs if builtin == "local_invocation_id"]
    by_group = [read for read, builtin in inputs if builtin == "global_invocation_id"]
    if by_group and entry is not None:
        name, more = _available(shader, function, entry, "workgroup_id")
        patches += [*more, *(Patch(read.start, read.end, f"{name}.{read.name}") for read in by_group)]
    if patches:
        said = {shader.written(r): next(p.text for p in patches if p.start == r.start) for r, b in inputs if b in _IDS}
        what = " and ".join(f"`{new}` for `{old}`" for old, new in said.items())
        yield Edit(
            tuple(patches),
            f"use {what}: the workgroup has one invocation in that direction",
            Cost.SAME,
            _SAME,
            is_proven=True,
        )


_IDS = ("local_invocation_id", "global_invocation_id")


def _only_entry(shader: Broken, function: w.Function) -> w.Function | None:
    """The compute shader that a function is, or the only one of the module."""
    found = [f for f in shader.resolution.entry_points if f is function] or shader.resolution.entry_points
    return found[0] if len(found) == 1 and shader.resolution.entry_stage(found[0]) is Stage.COMPUTE else None


def _sizes(shader: Broken, entry: w.Function) -> list[int | None]:
    """The three numbers of `@workgroup_size`; None where one is no literal, nor the name of one."""
    attribute = attribute_of(entry.attributes, "workgroup_size")
    sizes: list[int | None] = []
    for e in () if attribute is None else attribute.arguments:
        declared = shader.resolution.declaration(e) if isinstance(e, w.Identifier) else None
        sizes.append(literal_count(declared.value if isinstance(declared, w.Const) else e))
    return [*sizes, 1, 1][:3]


def _builtin(shader: Broken, e: w.Expression | None) -> str | None:
    """The built-in input that an expression is, also behind `let`s and private variables."""
    if isinstance(e, w.Member):
        member = _member(shader, e)
        return None if member is None else shader.resolution.builtin_input(member)
    declared = shader.resolution.declaration(e) if isinstance(e, w.Identifier) else None
    if isinstance(declared, w.Parameter):
        return shader.resolution.builtin_input(declared)
    if isinstance(declared, w.Let):
        return _builtin(shader, declared.value)
    return _builtin(shader, kept(shader, declared)) if isinstance(declared, w.Variable) else None


def _member(shader: Broken, e: w.Expression) -> w.StructMember | None:
    """The member of a parameter that an expression reads."""
    base = (
        shader.resolution.declaration(e.base) if isinstance(e, w.Member) and isinstance(e.base, w.Identifier) else None
    )
    struct = shader.resolution.struct(base.type) if isinstance(base, w.Parameter) else None
    members = () if struct is None else struct.members
    return next((m for m in members if isinstance(e, w.Member) and m.name == e.name), None)


def kept(shader: Broken, variable: w.Variable) -> w.Expression | None:
    """What a private variable holds whenever it is read: the value of its only store, early in the entry point."""
    if shader.resolution.is_function_scope(variable) or shader.resolution.space(variable) is not Space.PRIVATE:
        return None
    stores = [
        n
        for n in descendants(shader.resolution.module)
        if (isinstance(n, w.Assign | w.Increment) and shader.resolution.root(n.left) is variable)
        or (isinstance(n, w.Unary) and n.operator == "&" and shader.resolution.root(n.operand) is variable)
    ]
    match stores:
        case [w.Assign(left=w.Identifier(), operator="=", right=value) as store]:
            pass
        case _:
            return None
    entry = shader.function_around(store)
    if entry is None or len(shader.resolution.entry_points) > 1 or shader.resolution.entry_stage(entry) is None:
        return None
    place = next((i for i, s in enumerate(entry.body.statements) if s is store), None)
    before = () if place is None else entry.body.statements[:place]
    early = any(isinstance(n, w.Call | w.Return) for s in before for n in descendants(s))
    reads = list(shader.reads(value))
    changes = (
        any(shader.may_change(d, entry.body) for d in reads) or not shader.is_pure(value) or shader.is_collective(value)
    )
    early = early or any(use.start < store.start for use in shader.uses(variable, entry))
    return None if place is None or early or changes else value


def in_parameter(shader: Broken, label: Label, function: w.Function) -> Iterator[Edit]:
    """A uniform built-in input leaves a structure of inputs, which counts as one value."""
    outer = None if label.syntax is None else shader.context.parent(label.syntax)
    member = _member(shader, outer) if isinstance(outer, w.Member) else None
    builtin = None if member is None else shader.resolution.builtin_input(member)
    stage = shader.resolution.entry_stage(function)
    if builtin is None or stage is None or Scope.WORKGROUP not in INPUTS[builtin, stage].uniform_in:
        return
    _, patches = own_parameter(shader, function, builtin)
    yield Edit(tuple(patches), f"give `{builtin}` a parameter of its own", Cost.SAME, _SAME, is_proven=True)


def through_private(shader: Broken, label: Label, function: w.Function) -> Iterator[Edit]:
    """The value that a private variable keeps is used instead of the variable."""
    variable = label.subject
    value = kept(shader, variable) if isinstance(variable, w.Variable) else None
    entry, type = _only_entry(shader, function), None if value is None else shader.type(value)
    if value is None or entry is None or type is None or not isinstance(variable, w.Variable):
        return
    locals_ = any(shader.function_around(d) is not None for d in shader.reads(value))
    written = shader.written(value)
    name = f"({written})" if isinstance(value, w.Binary | w.Unary) else written
    patches = []
    if locals_ and function is not entry:
        name = shader.fresh(variable.name)
        patches = list(_handed(shader, function, name, str(type), written))
    store = next(use for use in shader.uses(variable, entry.body))
    reads = [use for use in shader.uses(variable, function.body) if use is not store]
    patches += [Patch(read.start, read.end, name) for read in reads]
    yield Edit(tuple(patches), f"use `{name}` for `{variable.name}`, which keeps it", Cost.SAME, _SAME, is_proven=True)


# --------------------------------------------------------------------------------------------------------- parameters


def own_parameter(shader: Broken, entry: w.Function, builtin: str) -> tuple[str, list[Patch]]:
    """The name of an entry point's parameter that is a built-in input, and what declares it if there is none yet."""
    type = "u32" if "index" in builtin else "vec3<u32>" if "vec3<u32>" in shader.text else "vec3u"
    name = shader.fresh(builtin) if shader.count(builtin) else builtin
    patches: list[Patch] = []
    for p in entry.parameters:
        if shader.resolution.builtin_input(p) == builtin:
            return p.name, []
        struct = shader.resolution.struct(p.type)
        members = () if struct is None else struct.members
        at = next((i for i, m in enumerate(members) if shader.resolution.builtin_input(m) == builtin), None)
        if at is not None:
            last = at + 1 == len(members)
            start, end = (members[at - 1].end, members[at].end) if last else (members[at].start, members[at + 1].start)
            patches.append(Patch(start, end, ""))
            reads = [shader.context.parent(use) for use in shader.uses(p, entry.body)]
            patches += [
                Patch(r.start, r.end, name) for r in reads if isinstance(r, w.Member) and r.name == members[at].name
            ]
    return name, [shader.one_more(entry, f"@builtin({builtin}) {name}: {type}"), *patches]


def _available(shader: Broken, function: w.Function, entry: w.Function, builtin: str) -> tuple[str, list[Patch]]:
    """The name of a built-in input in a function, and what declares it there."""
    name, patches = own_parameter(shader, entry, builtin)
    return name, patches if function is entry else [*patches, *_handed(shader, function, name, "vec3u", name)]


def _handed(shader: Broken, function: w.Function, name: str, type: str, value: str) -> Iterator[Patch]:
    """A parameter for a function, and for those between it and the entry point, which hands in a value."""
    takers = {id(function): function}
    for f in reversed(shader.resolution.functions):
        if shader.resolution.entry_stage(f) is None and any(id(g) in takers for g in shader.resolution.callees(f)):
            takers[id(f)] = f

    def argument(call: w.Call) -> str:
        return name if id(shader.function_around(call)) in takers else value

    return shader.handed(list(takers.values()), f"{name}: {type}", argument)
