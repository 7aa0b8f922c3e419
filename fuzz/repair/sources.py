"""Repairs of what may be non-uniform: memory that all invocations can be shown to read alike."""

from collections.abc import Iterator

from wgsl_fuzz.fuzz.repair.edit import Cost, Edit, Patch
from wgsl_fuzz.fuzz.repair.hoisting import Slice
from wgsl_fuzz.fuzz.repair.inputs import own_parameter
from wgsl_fuzz.fuzz.repair.shader import Broken, Guilty
from wgsl_fuzz.oracle.explain.path import narrated
from wgsl_fuzz.oracle.rules.uniformity.graph import Label, Role
from wgsl_fuzz.wgsl import syntax as w
from wgsl_fuzz.wgsl.builtins import Stage
from wgsl_fuzz.wgsl.resolution import Access, Space
from wgsl_fuzz.wgsl.types import Vector


def sources(shader: Broken, guilty: Guilty) -> Iterator[Label]:
    """The sources of non-uniformity at the ends of the paths from a requirement."""
    narrator = narrated(shader.context, shader.results, *guilty)
    for trail in narrator.trails:
        for node in trail.nodes:
            label = trail.result.graph.labels[node]
            if label.role is Role.SOURCE:
                yield label


def loaded_uniformly(shader: Broken, label: Label) -> Iterator[Edit]:
    """A read of workgroup memory becomes `workgroupUniformLoad`."""
    variable, read, pointer = label.subject, label.syntax, ""
    if isinstance(read, w.Call) and variable == "atomicLoad":
        variable, pointer = shader.resolution.root(read.arguments[0]), shader.written(read.arguments[0])
    elif isinstance(read, w.Identifier):
        read = _loadable(shader, shader.context.whole(read))
        pointer = f"&{shader.written(read)}"
    is_shared = isinstance(variable, w.Variable) and shader.resolution.space(variable) is Space.WORKGROUP
    if read is None or not pointer or not is_shared:
        return
    yield Edit(
        (Patch(read.start, read.end, f"workgroupUniformLoad({pointer})"),),
        f"read `{shader.written(read)}` by `workgroupUniformLoad`",
        Cost.WAITS,
        "All invocations wait for each other before and after the read, and get the same value.",
    )


def _loadable(shader: Broken, read: w.Node) -> w.Node:
    """The largest reference in a read that may have a pointer: components of vectors have none."""
    while isinstance(read, w.Member | w.Index):
        base = shader.type(read.base)
        if not isinstance(base, Vector):
            break
        read = read.base
    return read


def loaded_by_one(shader: Broken, label: Label) -> Iterator[Edit]:
    """A value in a buffer that may be written is read by one invocation for all, through workgroup memory."""
    variable, syntax = label.subject, label.syntax
    if not isinstance(variable, w.Variable) or shader.resolution.space(variable) is not Space.STORAGE:
        return
    entry = None if syntax is None else shader.function_around(syntax)
    if entry is None or syntax is None or shader.resolution.entry_stage(entry) is not Stage.COMPUTE:
        return
    read = _loadable(shader, shader.context.whole(syntax))
    type = shader.type(read) if isinstance(read, w.Expression) else None
    region = next(shader.regions(read))
    if type is None or not Slice(shader, region, read).fits:
        return
    index, patches = own_parameter(shader, entry, entry, "local_invocation_index")
    name, memory = shader.fresh("loaded"), shader.fresh("for_all")
    lines = shader.branch(f"{index} == 0u", [f"{memory} = {shader.written(read)};"])
    yield Edit(
        (
            *patches,
            shader.before(entry, f"var<workgroup> {memory}: {type};", ""),
            shader.before(region[0], *lines, f"let {name} = workgroupUniformLoad(&{memory});"),
            Patch(read.start, read.end, name),
        ),
        f"read `{shader.written(read)}` in one invocation, for all",
        Cost.WAITS,
        "All invocations wait for each other, and get the value that the first one reads.",
    )


def declared_read_only(shader: Broken, label: Label) -> Iterator[Edit]:
    """A storage buffer that nothing writes becomes read-only."""
    variable = label.subject
    if not isinstance(variable, w.Variable) or len(variable.template) < 2:
        return
    if shader.resolution.space(variable) is not Space.STORAGE or shader.resolution.access(variable) is Access.READ:
        return
    if shader.writes(variable):
        return
    mode = variable.template[1]
    yield Edit(
        (Patch(mode.start, mode.end, "read"),),
        f"declare `{variable.name}` as `var<storage, read>`: nothing writes it",
        Cost.BINDING,
        'The shader does the same; the pipeline\'s layout binds the buffer as "read-only-storage".',
        is_proven=True,
    )
