"""What may be non-uniform of its own accord, in a sentence each: inputs, memory, built-in functions."""

from wgsl_fuzz.oracle.explain.text import ShaderText
from wgsl_fuzz.oracle.rules.uniformity.analysis import FunctionResult
from wgsl_fuzz.oracle.rules.uniformity.graph import Label
from wgsl_fuzz.wgsl.builtins import FUNCTIONS, INPUTS, Rule, Scope
from wgsl_fuzz.wgsl.resolution import Space, attribute_of
from wgsl_fuzz.wgsl.syntax import Call, Function, Identifier, Member, Node, Parameter, StructMember, Variable

_SHARED = "another invocation may write it at any time, so a read may give each invocation another value"

_OF_INPUT = {
    "local_invocation_id": "each invocation of the workgroup has its own",
    "local_invocation_index": "each invocation of the workgroup has its own",
    "global_invocation_id": "each invocation has its own",
    "global_invocation_index": "each invocation has its own",
    "subgroup_invocation_id": "each invocation of the subgroup has its own",
    "vertex_index": "each vertex has its own",
    "instance_index": "a draw has several instances, each with its own",
    "position": "each fragment has its own",
    "front_facing": "fragments of one draw may face either way",
    "primitive_index": "fragments of one draw belong to several primitives",
    "sample_index": "each sample has its own",
    "sample_mask": "each fragment has its own",
    "subgroup_id": "it is the same within a subgroup, but not in the whole workgroup",
    "subgroup_size": "it may differ between the subgroups of a draw",
}


def source_sentence(text: ShaderText, label: Label, result: FunctionResult) -> str:
    """Why the node of a source may be non-uniform."""
    subject, function = label.subject, result.function
    match subject:
        case Variable():
            return _memory(f"`{subject.name}`", text.resolution.space(subject))
        case Parameter() if text.resolution.entry_stage(function) is not None:
            return _input(text, subject, function, result.scope, label.syntax)
        case Parameter():
            pointer = text.resolution.pointer(subject)
            space = Space.STORAGE if pointer is None else pointer.space
            return _memory(f"`{subject.name}` points to memory that", space)
        case str() if isinstance(label.syntax, Call):
            return _builtin(text, label.syntax, subject)
        case _:
            return "the rules take this to be non-uniform"


def _memory(name: str, space: Space) -> str:
    """Memory that may be written, by its address space."""
    match space:
        case Space.PRIVATE:
            return f"{name} is in the `private` address space: each invocation has its own"
        case Space.WORKGROUP:
            return f"{name} is in the `workgroup` address space: {_SHARED}"
        case Space.STORAGE:
            return f"{name} is in the `storage` address space and may be written: {_SHARED}"
        case _:
            return f"{name} is in the `{space}` address space, and the rules take it to be non-uniform"


def _input(text: ShaderText, p: Parameter, function: Function, scope: Scope | None, use: Node | None) -> str:
    """A parameter of an entry point."""
    struct = text.resolution.struct(p.type)
    if struct is None:
        return f"`{p.name}` is {_member(text, p, function)}"
    members = [m for m in struct.members if not _is_uniform(text, m, function, scope)]
    outer = None if use is None else text.parent(use)
    used = outer.name if isinstance(outer, Member) else None
    if used is not None and all(m.name != used for m in members) and members:
        other = members[0]
        return (
            f"`{p.name}` is a structure of inputs and counts as one value: `{used}` is uniform, but "
            f"its member `{other.name}` is {_member(text, other, function)}"
        )
    shown = next((m for m in members if m.name == used), members[0] if members else None)
    if shown is None:
        return f"`{p.name}` is a structure of inputs, and the rules take it to be non-uniform"
    return f"`{p.name}` is a structure of inputs: its member `{shown.name}` is {_member(text, shown, function)}"


def _is_uniform(text: ShaderText, member: Parameter | StructMember, function: Function, scope: Scope | None) -> bool:
    """Whether an input is a built-in value that is uniform in this scope."""
    name, stage = text.resolution.builtin_input(member), text.resolution.entry_stage(function)
    if name is None or stage is None:
        return False
    return (scope or Scope.WORKGROUP) in INPUTS[name, stage].uniform_in


def _member(text: ShaderText, member: Parameter | StructMember, function: Function) -> str:
    """An input that is not uniform."""
    name = text.resolution.builtin_input(member)
    if name is not None:
        return f"the built-in input `{name}`: {_OF_INPUT.get(name, 'the rules do not take it to be uniform')}"
    location = attribute_of(member.attributes, "location")
    where = f" `{text.quote(location)}`" if location is not None else ""
    stage = text.resolution.entry_stage(function)
    each = {"fragment": "each fragment", "vertex": "each vertex"}.get(stage or "", "each invocation")
    return f"the user-defined input{where}: {each} may have its own"


def _builtin(text: ShaderText, call: Call, name: str) -> str:
    """A built-in function whose result may be non-uniform whatever its arguments are."""
    row = FUNCTIONS.get(name)
    if name.startswith("atomic"):
        return f"`{name}` works on memory that other invocations change: each invocation may get another value"
    if name == "textureLoad":
        texture = call.arguments[0] if call.arguments else None
        what = f"`{texture.name}`" if isinstance(texture, Identifier) else "the texture"
        found = text.resolution.type(texture) if texture is not None else None
        kind = "texel buffer" if found is not None and found.name == "texel_buffer" else "storage texture"
        return f"{what} is a `read_write` {kind}: another invocation may write the texel at any time"
    if row is not None and row.rule is Rule.DERIVATIVE:
        return f"the result of `{name}` may be another one for each fragment, whatever its arguments are"
    if row is not None and row.rule is Rule.SUBGROUP and row.non_uniform_in != frozenset(Scope):
        return f"the result of `{name}` is the same within a subgroup, but each subgroup may get another one"
    if row is not None and row.rule is Rule.SUBGROUP:
        return f"the result of `{name}` may be another one for each invocation of the subgroup"
    return f"the result of `{name}` may be non-uniform whatever its arguments are"
