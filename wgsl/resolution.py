"""What the names of a module mean: declarations, address spaces, pointers, root identifiers, stages.

`resolve.resolve` makes it. Nodes are told apart by identity: no node may be in a module twice.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Any, TypeVar

from wgsl_fuzz.wgsl import syntax as w
from wgsl_fuzz.wgsl.builtins import FUNCTIONS, HANDLE_STEMS, PROPOSALS, TYPES, BuiltinFunction, Stage
from wgsl_fuzz.wgsl.problems import ResolveProblem, in_each
from wgsl_fuzz.wgsl.walk import children

Declared = w.Variable | w.Let | w.Const | w.Override | w.Parameter | w.Function | w.Struct | w.Alias
"""What a name can stand for, unless it is predeclared."""

VIEWS = frozenset(name for name, row in FUNCTIONS.items() if row.pointer)
_LIKE_FIRST_ARGUMENT = frozenset({"select", "workgroupUniformLoad"})
_WITH_ELEMENTS = frozenset({"array", "ptr", "binding_array"})
_LIKE_TEMPLATE = frozenset({"bitcast"}) | VIEWS
_SWIZZLES = frozenset("xyzw"), frozenset("rgba")


class Space(StrEnum):
    """An address space."""

    FUNCTION = "function"
    PRIVATE = "private"
    WORKGROUP = "workgroup"
    UNIFORM = "uniform"
    STORAGE = "storage"
    IMMEDIATE = "immediate"
    HANDLE = "handle"


class Access(StrEnum):
    """An access mode."""

    READ = "read"
    WRITE = "write"
    READ_WRITE = "read_write"


# Looked up at each name of a variable: to call the enumeration takes several times as long.
_SPACES: dict[str, Space] = {space.value: space for space in Space}
_ACCESSES: dict[str, Access] = {access.value: access for access in Access}

_READ_ONLY = frozenset({Space.UNIFORM, Space.STORAGE, Space.IMMEDIATE, Space.HANDLE})
"""Where access is `read` unless another mode is written."""


@dataclass(frozen=True, slots=True)
class PointerType:
    """The type `ptr<space, store, access>`."""

    space: Space
    access: Access
    store: w.Identifier


Root = w.Variable | w.Parameter
"""What a reference or pointer leads into; a parameter is a pointer."""


MayWrite = w.Assign | w.Increment | w.Call | w.Binary
"""What may change a variable; `e1 && e2` and `e1 || e2`, where paths meet, are among these."""
Extent = tuple[int, int, int]
"""The identity of a statement, and where its effects begin and end among those of the module."""


@dataclass(slots=True, eq=False)
class StoreType:
    """A type's name, structure and element: enough to resolve pointers and members, without checking."""

    name: str
    """Without a template: `array`, `texture_2d`, the name of a structure."""
    struct: w.Struct | None = None
    element: "StoreType | None" = None
    """Of an array or a pointer type, if it is known."""
    arguments: tuple[w.Expression, ...] = ()
    """The template as it is written."""


def _pointee(found: StoreType | None) -> StoreType | None:
    return found.element if found is not None and found.name == "ptr" and found.struct is None else found


def is_swizzle(name: str) -> bool:
    """Whether a name after a dot is a swizzle of several components, if what stands before it is a vector."""
    return 2 <= len(name) <= 4 and any(letters.issuperset(name) for letters in _SWIZZLES)


_T = TypeVar("_T", bound="Resolution")
_V = TypeVar("_V")


class Resolution:
    """A module and what its names mean. Questions about a node take constant time, but for the length of the node."""

    def __init__(
        self,
        module: w.Module,
        uses: Mapping[int, Declared],
        functions: tuple[w.Function, ...],
        callees: Mapping[int, tuple[w.Function, ...]],
        declared: tuple[Declared, ...],
        effects: Sequence[MayWrite],
        extents: Mapping[int, Sequence[Extent]],
        extensions: frozenset[str] = frozenset(),
        proposals: frozenset[str] = frozenset(),
    ) -> None:
        """What the search for names has found: `uses` by the identity of the identifier, `callees` and `extents` by
        that of the function. Callees come before callers, and behind what it refers to each of `declared`: all but
        functions and parameters. `proposals` are language features of proposals that are used.
        """
        self.module = module
        self.functions = functions
        self.extensions = extensions
        self.has_matrices = "subgroup_matrix" in extensions
        """Whether the module may have subgroup matrices."""
        required = {name for d in module.directives if isinstance(d, w.Requires) for name in d.names}
        self.proposals = (extensions | required) & PROPOSALS | proposals
        """The proposals that the module enables or uses: its meaning is not that of the specification alone."""
        self._made: dict[object, Any] = {}
        self.declared = declared
        self._uses = uses
        self._callees = callees
        self._types: dict[int, StoreType | None] = {}
        """By the identity of a declaration."""
        self._module_scope = {id(d) for d in module.declarations}
        self._entry = {id(f): stage for f in functions if (stage := stage_of(f.attributes)) is not None}
        self._pointers = {id(p): self.pointer_type(p.type) for f in functions for p in f.parameters}
        self._assigned_swizzles: set[int] = set()
        self._lets: dict[int, tuple[Root, bool]] = {}
        """Of each let of pointer type, what it points into, and whether to all of it."""
        self.effects, self.extents = effects, extents
        """What may write in functions, in the order in which names are bound; where the body, and then each `if`,
        `switch` and loop of a function begins and ends in it."""
        self._find_pointers()

    def _find_pointers(self) -> None:
        """Finds the lets of pointers, and the swizzles that are assigned to."""
        for d in self.declared:
            if d.__class__ is not w.Variable or d.type is None:  # chains of any length, from their ends
                self._type_of(d)
            if isinstance(d, w.Let) and self.is_pointer(d.value):
                root = self.root(d.value)
                if root is not None:
                    self._lets[id(d)] = root, self.is_full(d.value)
        for effect in self.effects:
            if effect.__class__ is w.Assign:
                target: w.Expression = effect.left
                while isinstance(target, (w.Member, w.Index)):
                    if isinstance(target, w.Member) and self.is_swizzle(target):
                        self._assigned_swizzles.add(id(target))
                    target = target.base

    def once(self, key: object, make: Callable[[], _V]) -> _V:
        """What `make` gives, made once for each key.

        The key is what makes it: `core_of`, and `_of_core` what runs; `ValueTypes`; an analysis of behaviours; with an
        `id`, `changes_in` a function and the zero of a `Variable`.
        """
        if key not in self._made:
            self._made[key] = make()
        found: _V = self._made[key]
        return found

    def copied_as(self, cls: type[_T]) -> _T:
        """This as an object of a subclass, which may answer some questions otherwise."""
        other = cls.__new__(cls)
        vars(other).update(vars(self))
        return other

    # ------------------------------------------------------------------------------------------- names and functions

    def declaration(self, name: w.Identifier) -> Declared | None:
        """What a use of a name stands for; None: it is predeclared."""
        return self._uses.get(id(name))

    @cached_property
    def uses(self) -> Mapping[int, int]:
        """By the identity of a declaration: how many names in the module stand for it."""
        return Counter(map(id, self._uses.values()))

    def function(self, call: w.Call) -> w.Function | None:
        """The user-defined function that is called; None: a built-in one or a constructor."""
        declared = self._uses.get(id(call.callee))
        return declared if isinstance(declared, w.Function) else None

    def builtin(self, call: w.Call) -> BuiltinFunction | None:
        """The built-in function that is called; None: a user-defined one or a constructor."""
        return None if id(call.callee) in self._uses else FUNCTIONS.get(call.callee.name)

    def entry_stage(self, function: w.Function) -> Stage | None:
        """The stage of an entry point; None: it is no entry point."""
        return self._entry.get(id(function))

    @property
    def entry_points(self) -> list[w.Function]:
        """The functions that are entry points, callees before callers."""
        return [f for f in self.functions if id(f) in self._entry]

    def stages(self, function: w.Function) -> frozenset[Stage]:
        """The stages of the entry points that reach a function."""
        return self._stages[id(function)]

    def callees(self, function: w.Function) -> tuple[w.Function, ...]:
        """The user-defined functions that a function calls, each once, in the order of the text."""
        return self._callees[id(function)]

    def reached(self, function: w.Function) -> list[w.Function]:
        """A function and all that it calls."""
        found, seen = [function], {id(function)}
        for f in found:
            new = [g for g in self.callees(f) if id(g) not in seen]
            found += new
            seen.update(map(id, new))
        return found

    @cached_property
    def _stages(self) -> dict[int, frozenset[Stage]]:
        stages = {id(f): frozenset[Stage]() for f in self.functions}
        for caller in reversed(self.functions):
            stage = self._entry.get(id(caller))
            if stage is not None:
                stages[id(caller)] |= {stage}
            for callee in self._callees[id(caller)]:
                stages[id(callee)] |= stages[id(caller)]
        return stages

    # ------------------------------------------------------------------------------------------- variables and types

    def is_function_scope(self, variable: w.Variable) -> bool:
        """Whether a variable is declared in a function."""
        return id(variable) not in self._module_scope

    def space(self, variable: w.Variable) -> Space:
        """The address space of a variable."""
        if variable.template:
            return _SPACES[_word(variable.template[0])]
        return Space.FUNCTION if self.is_function_scope(variable) else Space.HANDLE

    def access(self, variable: w.Variable) -> Access:
        """The access mode of a variable's memory, not of the texels that a handle leads to."""
        if len(variable.template) > 1:
            return _ACCESSES[_word(variable.template[1])]
        return default_access(self.space(variable))

    def _type_of(self, declared: Declared) -> StoreType | None:
        """The type of a declaration; of a function, its result type. Ask about its references first."""
        try:
            return self._types[id(declared)]
        except KeyError:
            self._types[id(declared)] = found = self._declared_type(declared)
            return found

    def _declared_type(self, declared: Declared) -> StoreType | None:
        if isinstance(declared, w.Struct):
            return StoreType(declared.name, declared)
        if isinstance(declared, w.Function):
            return self.named(declared.result)
        if isinstance(declared, (w.Alias, w.Parameter)) or declared.type is not None:
            return self.named(declared.type)
        return self.type(declared.value)

    def named(self, name: w.Identifier | None) -> StoreType | None:
        """The type that a name in the text stands for, aliases seen through; None where there is no name."""
        if name is None:
            return None
        declared = self._uses.get(id(name))
        if declared is not None:
            return self._type_of(declared)
        element = None
        if name.template and name.name in _WITH_ELEMENTS:
            inner = name.template[0 if name.name != "ptr" else -1 if len(name.template) < 2 else 1]
            element = self.named(inner) if isinstance(inner, w.Identifier) else None
        return StoreType(name.name, None, element, name.template)

    def type(self, expression: w.Expression | None) -> StoreType | None:
        """The type of an expression as far as it is known; of pointers and references the store type."""
        path: list[str | None] = []
        found: StoreType | None = None
        while expression is not None:
            if isinstance(expression, w.Index):
                path.append(None)
                expression = expression.base
            elif isinstance(expression, w.Member):
                path.append(expression.name)
                expression = expression.base
            elif isinstance(expression, w.Unary) and expression.operator in "*&":
                expression = expression.operand
            else:
                found, expression = self._first_type(expression)
        for step in reversed(path):
            found = self._part_type(_pointee(found), step)
        return _pointee(found)

    def _first_type(self, expression: w.Expression) -> tuple[StoreType | None, w.Expression | None]:
        """The type of what a chain of postfixes begins with, or the expression that has the same type."""
        if isinstance(expression, w.Identifier):
            declared = self._uses.get(id(expression))
            return (None if declared is None else self._type_of(declared)), None
        if not isinstance(expression, w.Call):
            return None, None
        callee, arguments = expression.callee, expression.arguments
        declared = self._uses.get(id(callee))
        if declared is not None:
            return self._type_of(declared), None
        if callee.name in _LIKE_FIRST_ARGUMENT and arguments:
            return None, arguments[0]
        if callee.name in _LIKE_TEMPLATE and callee.template and isinstance(callee.template[0], w.Identifier):
            return self.named(callee.template[0]), None
        if callee.name == "array" and not callee.template and arguments:
            return StoreType("array", None, self.type(arguments[0])), None
        return (self.named(callee) if callee.name in TYPES else None), None

    def _part_type(self, base: StoreType | None, member: str | None) -> StoreType | None:
        """The type of `base[...]` or `base.member`."""
        if base is None or member is None:
            return base.element if base is not None else None
        if base.struct is None:
            return None
        return next((self.named(m.type) for m in base.struct.members if m.name == member), None)

    def is_handle(self, variable: w.Variable) -> bool:
        """Whether a variable is a texture or a sampler."""
        found = self._type_of(variable)
        return found is not None and found.struct is None and found.name.startswith(HANDLE_STEMS)

    def struct(self, type: w.Identifier) -> w.Struct | None:
        """The structure that a type names, aliases seen through."""
        found = self.named(type)
        return None if found is None else found.struct

    def contains(self, found: StoreType | None, names: frozenset[str]) -> bool:
        """Whether a type, an element or a member of it is one of these predeclared types."""
        while found is not None and found.name == "array" and found.struct is None:
            found = found.element
        if found is None or found.struct is None:
            return found is not None and found.name in names
        return any(self.contains(self.named(member.type), names) for member in found.struct.members)

    def is_pointer_type(self, type: w.Identifier | None) -> bool:
        """Whether a type is a pointer, or an array of them, which nothing but a parameter or a let may have."""
        found = self.named(type)
        while found is not None and found.name == "array" and found.struct is None:
            found = found.element
        return found is not None and found.name == "ptr" and found.struct is None

    def pointer(self, parameter: w.Parameter) -> PointerType | None:
        """The type of a parameter if it is a pointer, aliases seen through."""
        return self._pointers.get(id(parameter))

    def pointer_type(self, type: w.Identifier | None) -> PointerType | None:
        """What is written if it is a pointer type, aliases seen through."""
        found = self.named(type)
        if found is None or found.name != "ptr" or found.struct is not None:
            return None
        space = _SPACES[_word(found.arguments[0])]
        access = _ACCESSES[_word(found.arguments[2])] if len(found.arguments) > 2 else default_access(space)
        store = found.arguments[1]
        assert isinstance(store, w.Identifier), "types are identifiers"
        return PointerType(space, access, store)

    def builtin_input(self, parameter: w.Parameter | w.StructMember) -> str | None:
        """The name in `@builtin(name)`, of an input or an output."""
        attribute = attribute_of(parameter.attributes, "builtin")
        return _word(attribute.arguments[0]) if attribute is not None else None

    def texture_access(self, texture: w.Expression | w.Variable) -> Access | None:
        """How the texels of a storage texture may be accessed; None: it is no storage texture."""
        found = self._type_of(texture) if isinstance(texture, w.Variable) else self.type(texture)
        while found is not None and found.name == "binding_array" and found.struct is None:
            found = found.element
        storage = ("texture_storage_", "texel_buffer")
        if found is None or not found.name.startswith(storage) or found.struct is not None:
            return None
        return _ACCESSES[_word(found.arguments[1])]

    # --------------------------------------------------------------------------------------- pointers and references

    def is_pointer(self, expression: w.Expression) -> bool:
        """Whether an expression is of pointer type: `&r`, a name of a pointer, a view of a buffer."""
        if isinstance(expression, w.Unary):
            return expression.operator == "&"
        if isinstance(expression, w.Identifier):
            declared = self._uses.get(id(expression))
            if isinstance(declared, w.Let):
                return id(declared) in self._lets
            return isinstance(declared, w.Parameter) and self._pointers[id(declared)] is not None
        return self._is_buffer_view(expression)

    def root(self, expression: w.Expression) -> Root | None:
        """The root identifier of a reference or pointer: a variable or a pointer parameter; None: a plain value.

        Lets of pointers are seen through. A swizzle of several components is a value, since it loads, but for one on
        the left of an assignment, or in what is assigned to there: Tint has that before the specification does. It is
        a partial reference.
        """
        while expression.__class__ is not w.Identifier:
            if isinstance(expression, w.Index):
                expression = expression.base
            elif isinstance(expression, w.Member):
                if id(expression) not in self._assigned_swizzles and self.is_swizzle(expression):
                    return None
                expression = expression.base
            elif isinstance(expression, w.Unary) and expression.operator in "&*":
                expression = expression.operand
            elif isinstance(expression, w.Call) and self._is_buffer_view(expression):
                expression = expression.arguments[0]
            else:
                return None
        return self._root_of_name(expression)

    def _root_of_name(self, name: w.Identifier) -> Root | None:
        declared = self._uses.get(id(name))
        if isinstance(declared, w.Variable):
            return declared
        if isinstance(declared, w.Let):
            view = self._lets.get(id(declared))
            return None if view is None else view[0]
        return declared if isinstance(declared, w.Parameter) and self._pointers[id(declared)] is not None else None

    def is_full(self, expression: w.Expression) -> bool:
        """Whether an expression is a full reference or a full pointer: it stands for all of a variable."""
        while isinstance(expression, w.Unary) and expression.operator in "&*":
            expression = expression.operand
        if not isinstance(expression, w.Identifier):
            return False
        declared = self._uses.get(id(expression))
        if isinstance(declared, w.Let):
            return id(declared) in self._lets and self._lets[id(declared)][1]
        return self._root_of_name(expression) is not None

    def is_swizzle(self, member: w.Member) -> bool:
        """Whether `base.name` takes several components of a vector."""
        if not is_swizzle(member.name):
            return False
        found = self.type(member.base)
        return found is None or found.struct is None

    def _is_buffer_view(self, expression: w.Expression) -> bool:
        return (
            isinstance(expression, w.Call)
            and expression.callee.name in VIEWS
            and id(expression.callee) not in self._uses
            and bool(expression.arguments)
        )


def stage_of(attributes: w.Attributes) -> Stage | None:
    """The stage that the attributes of a function name."""
    for attribute in attributes:
        if attribute.name in _STAGES:
            return _STAGES[attribute.name]
    return None


_STAGES: dict[str, Stage] = {stage.value: stage for stage in Stage}


def attribute_of(attributes: w.Attributes, name: str) -> w.Attribute | None:
    """The first attribute of a name."""
    for attribute in attributes:
        if attribute.name == name:
            return attribute
    return None


def default_access(space: Space) -> Access:
    """The access mode of a variable or pointer that writes none."""
    return Access.READ if space in _READ_ONLY else Access.READ_WRITE


def _word(expression: w.Expression) -> str:
    assert isinstance(expression, w.Identifier), "an enumerant is an identifier"
    return expression.name


# ----------------------------------------------------------------------------------------------------------- aliasing


_Uses = tuple[dict[int, Root], dict[int, Root]]
"""The roots that a function reads and those that it writes, by their identity, and what its callees do to those that it
can name."""


def check_aliases(resolution: Resolution) -> None:
    """Raises ResolveProblem for each call with a pointer to memory that its callee also uses in another way.

    One of the two uses must be a write. A pointer that the callee neither reads nor writes through is no use.
    """
    asked = {id(f) for f in resolution.functions if any(resolution.pointer(p) is not None for p in f.parameters)}
    if not asked:
        return
    known = _uses_of(resolution, asked)
    in_each(
        [e for e in resolution.effects if isinstance(e, w.Call) and id(resolution.function(e)) in asked],
        lambda call: _check_call_aliases(resolution, call, known),
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
        uses: _Uses = {}, {}
        known[id(function)] = uses
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
    read, written = uses
    match node:
        case w.Assign() | w.Increment():
            _note(resolution, resolution.root(node.left), written)
            if isinstance(node, w.Increment) or node.operator != "=":
                _note(resolution, resolution.root(node.left), read)
        case w.Identifier() | w.Unary(operator="*") | w.Member() | w.Index() if loaded and not resolution.is_pointer(
            node
        ):
            _note(resolution, resolution.root(node), read)
        case w.Call() if (builtin := resolution.builtin(node)) is not None:
            if builtin.name in ("atomicLoad", "workgroupUniformLoad", "subgroupMatrixLoad"):
                _note(resolution, resolution.root(node.arguments[0]), read)
            elif builtin.name.startswith("atomic") or builtin.name == "subgroupMatrixStore":
                _note(resolution, resolution.root(node.arguments[0]), written)


def _note(resolution: Resolution, root: Root | None, into: dict[int, Root]) -> None:
    """Notes the root of a view, unless it is a variable of the function: no other function can name it."""
    if isinstance(root, w.Parameter) or (isinstance(root, w.Variable) and not resolution.is_function_scope(root)):
        into[id(root)] = root


def _use_of_call(resolution: Resolution, call: w.Call, callee: w.Function, inner: _Uses, uses: _Uses) -> None:
    """Notes what a callee does to variables at module scope, and through the pointers that it is given."""
    given = {id(p): resolution.root(a) for p, a in zip(callee.parameters, call.arguments, strict=True)}
    for done, into in zip(inner, uses, strict=True):
        for key, root in done.items():
            _note(resolution, given.get(key, root), into)


def _check_call_aliases(resolution: Resolution, call: w.Call, known: dict[int, _Uses]) -> None:
    callee = resolution.function(call)
    assert callee is not None, "calls of functions of the module are asked about"
    # The roots that the call reads and writes so far: at module scope, and through the arguments before.
    read, written = map(set[int], known[id(callee)])
    for parameter, argument in zip(callee.parameters, call.arguments, strict=True):
        root = resolution.root(argument) if resolution.pointer(parameter) is not None else None
        if root is None:
            continue
        reads, writes = (id(parameter) in roots for roots in known[id(callee)])
        if (id(root) in written and (writes or reads)) or (id(root) in read and writes):
            raise ResolveProblem(
                f"'{callee.name}' writes '{root.name}', which it uses through '{parameter.name}' and in another way",
                argument.start,
            )
        written.update([id(root)] * writes)
        read.update([id(root)] * reads)
