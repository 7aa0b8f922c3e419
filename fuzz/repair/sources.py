"""Repairs of what may be non-uniform: memory that all invocations can be shown to read alike."""

from collections.abc import Iterator
from typing import TypeGuard

from wgsl_fuzz.fuzz.repair.edit import Cost, Edit, Patch
from wgsl_fuzz.fuzz.repair.hoisting import slices
from wgsl_fuzz.fuzz.repair.inputs import own_parameter
from wgsl_fuzz.fuzz.repair.shader import Broken, Guilty
from wgsl_fuzz.oracle.explain.path import narrated
from wgsl_fuzz.oracle.rules.uniformity.graph import Label, LabelSubject, Role
from wgsl_fuzz.wgsl import syntax as w
from wgsl_fuzz.wgsl.builtins import Stage
from wgsl_fuzz.wgsl.resolution import Access, Space
from wgsl_fuzz.wgsl.types import Vector


def sources(shader: Broken, guilty: Guilty) -> Iterator[tuple[Label, w.Function]]:
    """The sources of non-uniformity at the ends of the paths from a requirement, each with its function."""
    for trail in narrated(shader.context, shader.results, *guilty).trails:
        labels = (trail.result.graph.labels[node] for node in trail.nodes)
        yield from ((label, trail.result.function) for label in labels if label.role is Role.SOURCE)


def _is_in(variable: LabelSubject, space: Space, shader: Broken) -> TypeGuard[w.Variable]:
    """Whether the subject of a label is a variable in an address space."""
    return isinstance(variable, w.Variable) and shader.resolution.space(variable) is space


def loaded_uniformly(shader: Broken, label: Label, _: w.Function) -> Iterator[Edit]:
    """A read of workgroup memory becomes `workgroupUniformLoad`."""
    variable, read, pointer = label.subject, label.syntax, ""
    if isinstance(read, w.Call) and variable == "atomicLoad":
        variable, pointer = shader.resolution.root(read.arguments[0]), shader.written(read.arguments[0])
    elif isinstance(read, w.Identifier):
        read = _loadable(shader, shader.context.whole(read))
        pointer = f"&{shader.written(read)}"
    if read is None or not pointer or not _is_in(variable, Space.WORKGROUP, shader):
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


def loaded_by_one(shader: Broken, label: Label, entry: w.Function) -> Iterator[Edit]:
    """A value in a buffer that may be written is read by one invocation for all, through workgroup memory."""
    is_compute = shader.resolution.entry_stage(entry) is Stage.COMPUTE
    if label.syntax is None or not is_compute or not _is_in(label.subject, Space.STORAGE, shader):
        return
    read = _loadable(shader, shader.context.whole(label.syntax))
    type = shader.type(read) if isinstance(read, w.Expression) else None
    along = next(slices(shader, read), None)
    if type is None or along is None:
        return
    index, patches = own_parameter(shader, entry, entry, "local_invocation_index")
    name, memory = shader.fresh("loaded"), shader.fresh("for_all")
    lines = shader.branch(f"{index} == 0u", [f"{memory} = {shader.written(read)};"])
    yield Edit(
        (
            *patches,
            shader.before(entry, f"var<workgroup> {memory}: {shader.type_name(type)};", ""),
            *along.before([*lines, f"let {name} = workgroupUniformLoad(&{memory});"], read),
            Patch(read.start, read.end, name),
        ),
        f"read `{shader.written(read)}` in one invocation, for all",
        Cost.WAITS,
        "All invocations wait for each other, and get the value that the first one reads.",
    )


def declared_read_only(shader: Broken, label: Label, _: w.Function) -> Iterator[Edit]:
    """A storage buffer that nothing writes becomes read-only."""
    variable = label.subject
    if not _is_in(variable, Space.STORAGE, shader) or len(variable.template) < 2:
        return
    if shader.resolution.access(variable) is Access.READ or shader.writes(variable):
        return
    mode = variable.template[1]
    yield Edit(
        (Patch(mode.start, mode.end, "read"),),
        f"declare `{variable.name}` as `var<storage, read>`: nothing writes it",
        Cost.BINDING,
        'The shader does the same; the pipeline\'s layout binds the buffer as "read-only-storage".',
        is_proven=True,
    )
