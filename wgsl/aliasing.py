"""Aliases that WGSL forbids (11.4.1 #alias-analysis): two ways to one memory in a call, one of which writes.

Every function is summed up by the roots that it reads and writes: its pointer parameters, and module-scope variables.
A call adds what its callee does. Whether a statement is ever reached does not matter.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from wgsl_fuzz.wgsl import syntax as w
from wgsl_fuzz.wgsl.problems import ResolveProblem, in_each
from wgsl_fuzz.wgsl.resolution import Resolution
from wgsl_fuzz.wgsl.walk import children

Root = w.Variable | w.Parameter


@dataclass(slots=True)
class _Uses:
    """What a function does to roots, by their identity, and what its callees do to those that it can name."""

    read: dict[int, Root] = field(default_factory=dict)
    written: dict[int, Root] = field(default_factory=dict)


def check_aliases(resolution: Resolution) -> None:
    """Raises ResolveProblem for each call with a pointer to memory that its callee also uses in another way.

    One of the two uses must be a write. A pointer that the callee neither reads nor writes through is no use.
    """
    asked = {id(f) for f in resolution.functions if any(resolution.pointer(p) is not None for p in f.parameters)}
    if not asked:
        return
    known = _uses_of(resolution, asked)
    in_each(
        [call for call in resolution.places.calls if id(resolution.function(call)) in asked],
        lambda call: _check_call(resolution, call, known),
    )


def _uses_of(resolution: Resolution, asked: set[int]) -> dict[int, _Uses]:
    """What these functions do, by identity, and all that they call: nobody needs to know of the others."""
    needed = {*asked}
    for function in reversed(resolution.functions):
        if id(function) in needed:
            needed.update(map(id, resolution.callees(function)))
    known: dict[int, _Uses] = {}
    for function in resolution.functions:  # callees first
        if id(function) not in needed:
            continue
        known[id(function)] = uses = _Uses()
        for node, loaded in _with_loads(resolution, function.body):
            _use(resolution, node, loaded, uses)
            if isinstance(node, w.Call) and (callee := resolution.function(node)) is not None:
                _use_of_call(resolution, node, callee, known[id(callee)], uses)
    return known


def _with_loads(resolution: Resolution, root: w.Node) -> Iterator[tuple[w.Node, bool]]:
    """The nodes below one, and of each whether it is loaded if it is a reference."""
    stack = [(root, True)]
    while stack:
        node, loaded = stack.pop()
        yield node, loaded
        match node:
            case w.Identifier() | w.Literal():
                pass
            case w.Unary():
                stack.append((node.operand, node.operator not in "&*"))
            case w.Member():
                stack.append((node.base, resolution.root(node) is None))
            case w.Index():
                stack += [(node.base, resolution.root(node) is None), (node.index, True)]
            case w.Assign():
                stack += [(node.left, False), (node.right, True)]
            case w.Increment():
                stack.append((node.left, False))
            case _:
                stack += [(child, True) for child in children(node)]


def _use(resolution: Resolution, node: w.Node, loaded: bool, uses: _Uses) -> None:
    """Notes what a node itself reads or writes."""
    match node:
        case w.Assign() | w.Increment():
            _note(resolution, node.left, uses.written)
            if isinstance(node, w.Increment) or node.operator != "=":
                _note(resolution, node.left, uses.read)
        case w.Identifier() | w.Unary(operator="*") | w.Member() | w.Index() if loaded and not resolution.is_pointer(
            node
        ):
            _note(resolution, node, uses.read)
        case w.Call() if (builtin := resolution.builtin(node)) is not None:
            if builtin.name in ("atomicLoad", "workgroupUniformLoad"):
                _note(resolution, node.arguments[0], uses.read)
            elif builtin.name.startswith("atomic"):
                _note(resolution, node.arguments[0], uses.written)


def _note(resolution: Resolution, e: w.Expression, into: dict[int, Root]) -> None:
    """Notes the root of a view, unless it is a variable of the function: no other function can name it."""
    root = resolution.root(e)
    if isinstance(root, w.Parameter) or (isinstance(root, w.Variable) and not resolution.is_function_scope(root)):
        into[id(root)] = root


def _use_of_call(resolution: Resolution, call: w.Call, callee: w.Function, inner: _Uses, uses: _Uses) -> None:
    """Notes what a callee does to variables at module scope, and through the pointers that it is given."""
    given = {id(p): resolution.root(a) for p, a in zip(callee.parameters, call.arguments, strict=True)}
    for done, into in ((inner.read, uses.read), (inner.written, uses.written)):
        for key, root in done.items():
            seen = given.get(key, root)
            if isinstance(seen, w.Parameter) or (
                isinstance(seen, w.Variable) and not resolution.is_function_scope(seen)
            ):
                into[id(seen)] = seen


def _check_call(resolution: Resolution, call: w.Call, known: dict[int, _Uses]) -> None:
    callee = resolution.function(call)
    assert callee is not None, "calls of functions of the module are asked about"
    inner = known[id(callee)]
    read, written = {*inner.read}, {*inner.written}
    """The roots that the call reads and writes so far: at module scope, and through the arguments before."""
    for parameter, argument in zip(callee.parameters, call.arguments, strict=True):
        root = resolution.root(argument) if resolution.pointer(parameter) is not None else None
        if root is None:
            continue
        writes, reads = id(parameter) in inner.written, id(parameter) in inner.read
        if (id(root) in written and (writes or reads)) or (id(root) in read and writes):
            raise ResolveProblem(
                f"'{callee.name}' writes '{root.name}', which it uses through '{parameter.name}' and in another way",
                argument.start,
            )
        written |= {id(root)} if writes else set()
        read |= {id(root)} if reads else set()
