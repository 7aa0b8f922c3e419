"""Relaxations of the rules that nobody has: each one sentence of text, as a variant (docs/for-editors.md).

They are asked for by name only: no answer of a compiler is explained by one.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from typing import Any

from wgsl_fuzz.oracle.rules.digraph import Node
from wgsl_fuzz.oracle.rules.uniformity.analysis import FunctionResult, Iteration, ScopeAnalysis
from wgsl_fuzz.oracle.rules.uniformity.expressions import VariableMap
from wgsl_fuzz.oracle.rules.uniformity.graph import CF_START, Demand, LabelSubject, Requirement, Role
from wgsl_fuzz.oracle.rules.uniformity.tags import FunctionTags, Required
from wgsl_fuzz.oracle.rules.uniformity.variants.rows import LAXER, Author, departure
from wgsl_fuzz.wgsl import syntax as w
from wgsl_fuzz.wgsl.behaviours import CONTINUE, NEXT
from wgsl_fuzz.wgsl.builtins import Scope, words
from wgsl_fuzz.wgsl.lower.expressions import constant_integer
from wgsl_fuzz.wgsl.resolution import Resolution, Space, StoreType, attribute_of
from wgsl_fuzz.wgsl.resolve import resolve
from wgsl_fuzz.wgsl.rewrite import fresh, fresh_name, rewritten_below, with_fields
from wgsl_fuzz.wgsl.types import literal_count
from wgsl_fuzz.wgsl.walk import descendants

_COMPONENTS = "xyzw"
_COLOURS = str.maketrans("rgba", _COMPONENTS)
_LARGEST = 16  # of more elements of an array none has a value of its own
_Path = tuple[str, ...]


class Split(int):
    """The node of a value, with those of its parts by name. Rules that ask for no part take it for the value's."""

    parts: dict[str, Node]

    def __new__(cls, whole: Node, parts: dict[str, Node]) -> "Split":
        node = super().__new__(cls, whole)
        node.parts = parts
        return node

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Split) and int(self) == int(other) and self.parts == other.parts

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = int.__hash__


def part(node: Node, *path: str) -> Node:
    """The node of a part, which is that of the whole if this is not split."""
    for name in path:
        node = node.parts.get(name, int(node)) if isinstance(node, Split) else node
    return node


_PARTWISE = frozenset(
    Role[name] for name in words("READ ASSIGNED SHORT_CIRCUIT AFTER_IF AFTER_SWITCH HEAD CONTINUING EXIT")
)
"""What a node of these roles is made of is so in each part."""


@cache
def _partwise(graph: Any) -> Any:
    """A class of graphs whose nodes have parts where what they are made of has."""

    class Partwise(graph):  # type: ignore[misc]
        __slots__ = ()

        def fresh(self, role: Role, syntax: w.Node | None, subject: LabelSubject, *successors: Node) -> Node:
            return _in_parts(super().fresh, role, syntax, subject, successors)

        def growing(self, role: Role, syntax: w.Node | None, subject: LabelSubject, *successors: Node) -> Node:
            return _in_parts(super().growing, role, syntax, subject, successors)

        def add_edge(self, source: Node, target: Node) -> None:
            super().add_edge(int(source), int(target))
            for name, inner in source.parts.items() if isinstance(source, Split) else ():
                self.add_edge(inner, part(target, name))

    return Partwise


def _in_parts(
    make: Callable[..., Node], role: Role, syntax: w.Node | None, subject: LabelSubject, successors: tuple[Node, ...]
) -> Node:
    whole = make(role, syntax, subject, *map(int, successors))
    split = next((s for s in successors if isinstance(s, Split)), None) if role in _PARTWISE else None
    if split is None:
        return whole
    names = split.parts
    parts = {n: _in_parts(make, role, syntax, subject, tuple([part(s, n) for s in successors])) for n in names}
    return Split(whole, parts)


class _PartsOfValues(ScopeAnalysis):
    """Values with parts: vectors, structures and small arrays, through names, parameters and constructors."""

    divides = False  # a variable without a value that is split

    def start_function(self, f: w.Function) -> None:
        super().start_function(f)
        graph: Any = self.graph_type
        self.graph = _partwise(graph)()

    def shape(self, found: StoreType | None) -> dict[str, StoreType | None]:
        """The parts of a type, with their types; none if it has none, or too many."""
        if found is None:
            return {}
        if found.struct is not None:
            return {m.name: self.resolution.named(m.type) for m in found.struct.members}
        if found.name.startswith("vec"):
            return dict.fromkeys(_COMPONENTS[: int(found.name[3])])
        count = literal_count(found.arguments[1]) if found.name == "array" and len(found.arguments) > 1 else None
        return {str(i): found.element for i in range(count)} if count is not None and count <= _LARGEST else {}

    def paths(self, found: StoreType | None) -> Iterator[_Path]:
        """Where the parts of a type are, and the parts of these."""
        for name, inner in self.shape(found).items():
            yield (name,)
            yield from ((name, *path) for path in self.paths(inner))

    def split(self, node: Node, found: StoreType | None) -> Node:
        """A value of a type, in parts that are all as the whole is."""
        shape = {} if isinstance(node, Split) else self.shape(found)
        return Split(node, {name: self.split(node, inner) for name, inner in shape.items()}) if shape else node

    def name_of(self, e: w.Member | w.Index, names: _Path) -> str | None:
        """Which of these parts an expression takes; None: several, or one that varies."""
        if isinstance(e, w.Index):
            i = constant_integer(self.resolution, e.index)
            return names[i] if i is not None and 0 <= i < len(names) else None
        return next((name for name in (e.name, e.name.translate(_COLOURS)) if name in names), None)

    def expr(self, e: w.Expression, cf: Node, loaded: bool) -> Node:
        node = super().expr(e, cf, loaded)
        if not isinstance(e, w.Member) or not isinstance(node, Split):
            return node
        name = self.name_of(e, (*node.parts,))
        if name is not None:
            return node.parts[name]
        taken = [node.parts[name] for name in e.name.translate(_COLOURS)]
        return Split(self.graph.fresh(Role.OPERATION, e, None, *taken), dict(zip(_COMPONENTS, taken)))

    def index(self, e: w.Index, cf: Node, loaded: bool) -> Node:
        if constant_integer(self.resolution, e.index) is None:
            return super().index(e, cf, loaded)
        base = self.expr(e.base, cf, loaded)
        name = self.name_of(e, (*base.parts,)) if isinstance(base, Split) else None
        return part(base, name) if name is not None else self.both(e, cf, base)

    def depending(self, e: w.Call, cf: Node, arguments: list[Node]) -> Node:
        """A constructor's arguments are the parts of what it makes, and so are those of vectors among them."""
        whole = super().depending(e, cf, arguments)
        found = None if self.resolution.builtin(e) is not None else self.resolution.type(e)
        names, parts = (*self.shape(found),), arguments
        if found is not None and found.struct is None and found.name.startswith("vec"):
            parts = [inner for a in arguments for inner in (a.parts.values() if isinstance(a, Split) else (a,))]
        if not any(isinstance(a, Split) for a in arguments) and not self.divides:
            return whole
        if len(parts) != len(names) or not names:
            return whole
        return Split(whole, {n: self.graph.fresh(Role.READ, e, None, cf, p) for n, p in zip(names, parts)})

    def path(self, e: w.Expression) -> list[tuple[str, _Path]] | None:
        """From a variable to what a reference takes of it: each part, with all names there; None: it varies."""
        if not isinstance(e, w.Member | w.Index):
            return [] if self.resolution.is_full(e) else None
        names = (*self.shape(self.resolution.type(e.base)),)
        above, name = self.path(e.base), self.name_of(e, names)
        return None if above is None or name is None else [*above, (name, names)]

    def assigned(self, s: w.Assign | w.Increment, x: int, cf: Node, left: Node, operands: list[Node]) -> Node:
        if not isinstance(s, w.Assign) or s.operator != "=":
            operands = [int(node) for node in operands]
        path = self.path(s.left)
        if not path:
            return super().assigned(s, x, cf, left, operands if path is not None else [int(n) for n in operands])
        new = self.graph.fresh(Role.ASSIGNED, s, self.subjects[x], *{cf, left, *operands})
        return self.stored(s, self.M[x], path, new)

    def stored(self, s: w.Node, old: Node, path: list[tuple[str, _Path]], new: Node) -> Node:
        """A value in which a part is replaced."""
        if not path:
            return new
        (name, names), *inner = path
        if not (self.divides or isinstance(old, Split) or isinstance(new, Split)):
            return self.graph.fresh(Role.OPERATION, s, None, old, new)
        parts = {n: part(old, n) for n in names}
        parts[name] = self.stored(s, parts[name], inner, new)
        return Split(self.graph.fresh(Role.OPERATION, s, None, *parts.values()), parts)

    def old_value(self, e: w.Expression, cf: Node) -> Node:
        return part(super().old_value(e, cf), *(name for name, _ in self.path(e) or ()))

    def var_statement(self, s: w.Variable, cf: Node) -> Node:
        cf = super().var_statement(s, cf)
        if self.divides:
            found = self.resolution.type(s.value) if s.value is not None and s.type is None else None
            self.M[id(s)] = self.split(self.M[id(s)], self.resolution.named(s.type) if s.type is not None else found)
        return cf

    def leaves(self, f: w.Function) -> Iterator[tuple[int, _Path]]:
        """The parts of a function's parameters; tags have them behind the parameters."""
        for i, p in enumerate(f.parameters):
            if self.resolution.pointer(p) is None and self.resolution.entry_stage(f) is None:
                yield from ((i, path) for path in self.paths(self.resolution.named(p.type)))

    def at_entry(self, role: Role, p: w.Parameter) -> Node:
        node = super().at_entry(role, p)
        if role is not Role.PARAMETER or self.resolution.pointer(p) is not None:
            return node
        return self._grown(p, node, self.resolution.named(p.type))

    def _grown(self, p: w.Parameter, node: Node, found: StoreType | None) -> Node:
        shape, own = self.shape(found), super().at_entry
        return Split(node, {n: self._grown(p, own(Role.PARAMETER, p), t) for n, t in shape.items()}) if shape else node

    def tags(self, f: w.Function, entries: VariableMap, violations: tuple[Requirement, ...]) -> FunctionTags:
        leaves = [*self.leaves(f)]
        more = tuple([with_fields(f.parameters[i]) for i, _ in leaves])
        for p, (i, path) in zip(more, leaves, strict=True):
            self.parameters[id(p)] = part(self.parameters[id(f.parameters[i])], *path)
        self.function = with_fields(f, parameters=(*f.parameters, *more))
        found = super().tags(self.function, entries, violations)
        self.function = f
        return found

    def user_call(self, e: w.Call, f: w.Function, cf: Node, arguments: list[Node]) -> Node:
        more = [part(arguments[i], *path) for i, path in self.leaves(f)]
        return super().user_call(e, f, cf, [*arguments, *more])

    def require(
        self, required: Required, target: Node, e: w.Call, demand: Demand = Demand.CONTROL_FLOW, i: int | None = None
    ) -> None:
        f = self.resolution.function(e)
        if i is not None and f is not None and i >= len(f.parameters):
            i = [*self.leaves(f)][i - len(f.parameters)][0]
        super().require(required, target, e, demand, i)


class Components(_PartsOfValues):
    """Takes the components of a built-in input for values of their own, uniform where the workgroup has size 1.

    Text: "The components of a built-in input value of vector type, and the members of a structure of inputs, are
    analysed as values of their own; in a direction in which the workgroup size is 1 the component of
    local_invocation_id and of global_invocation_id is uniform, and so are the indices in a workgroup of one."
    """

    def entry_input(self, e: w.Expression, p: w.Parameter, cf: Node) -> Node:
        struct = None if p.attributes else self.resolution.struct(p.type)
        if struct is None:
            return self._input(e, p, p, cf)
        whole = super().entry_input(e, p, cf)
        return Split(whole, {m.name: self._input(e, p, m, cf) for m in struct.members})

    def _input(self, e: w.Expression, p: w.Parameter, member: w.Parameter | w.StructMember, cf: Node) -> Node:
        if self.is_uniform_input(member):
            return cf
        flat, source = self._flat(member), self.source(e, p)
        return Split(source, {n: cf if n in flat else source for n in "xyz"}) if flat else source

    def is_uniform_input(self, member: w.Parameter | w.StructMember) -> bool:
        return super().is_uniform_input(member) or self._flat(member) == "xyz"

    def _flat(self, member: w.Parameter | w.StructMember) -> str:
        """The directions in which a number of the invocation is the same in the whole workgroup."""
        name, size = self.resolution.builtin_input(member), attribute_of(self.function.attributes, "workgroup_size")
        if size is None or name not in _NUMBERS:
            return ""
        sizes = [self._size(e) for e in size.arguments]
        flat = "".join(c for c, n in zip("xyz", (*sizes, 1, 1), strict=False) if n == 1)
        return flat if flat == "xyz" or not name.endswith("index") else ""

    def _size(self, e: w.Expression) -> int | None:
        """A constant, or the default of an override: a pipeline that gives it another value needs another analysis."""
        declared = self.resolution.declaration(e) if isinstance(e, w.Identifier) else None
        default = declared.value if isinstance(declared, w.Override) else e
        return None if default is None else constant_integer(self.resolution, default)


_NUMBERS = words("local_invocation_id global_invocation_id local_invocation_index global_invocation_index")


class Parts(_PartsOfValues):
    """Takes what a member or a constant index of a variable holds for a value of its own.

    Text: "Each member, and each element that a constant index selects, of a variable in the function or private address
    space is analysed as a variable of its own; a store to all of it stores to each, and so does one by an index that is
    no constant."
    """

    divides = True


class PrivateFollowed(ScopeAnalysis):
    """Takes a private variable for a variable of the entry point, which functions are handed a pointer to.

    Text: "A variable in the private address space is analysed as one of the function address space that is declared at
    the start of each entry point, and each function that uses it as if it had a pointer parameter for it."
    """

    def __init__(self, resolution: Resolution, scope: Scope | None) -> None:
        super().__init__(resolution.once(PrivateFollowed, lambda: _HandedDown(resolution).resolved()), scope)


class _HandedDown:
    """A module whose private variables are handed down from the entry points."""

    def __init__(self, resolution: Resolution) -> None:
        self.resolution, module = resolution, resolution.module
        variables = [d for d in module.declarations if isinstance(d, w.Variable)]
        self.private = {id(v): v for v in variables if resolution.space(v) is Space.PRIVATE}
        taken = {getattr(n, "name", "") for n in descendants(module)} if self.private else set()
        self.names = {x: fresh_name(f"{v.name}_private", taken) for x, v in self.private.items()}
        self.touched: dict[int, list[w.Variable]] = {}
        for f in resolution.functions:
            own = [id(resolution.declaration(n)) for n in descendants(f) if isinstance(n, w.Identifier)]
            own += [id(v) for callee in resolution.callees(f) for v in self.touched[id(callee)]]
            self.touched[id(f)] = [self.private[x] for x in dict.fromkeys(own) if x in self.private]

    def resolved(self) -> Resolution:
        """The module; the given one if it has no private variables."""
        if not self.private:
            return self.resolution
        module = self.resolution.module
        new = rewritten_below(module, lambda n: self.function(n) if isinstance(n, w.Function) else _of_function(n))
        return resolve(new, checked=False)

    def function(self, f: w.Function) -> w.Function:
        """A function with a parameter for each variable; an entry point, with the variables."""
        is_entry, own = self.resolution.entry_stage(f) is not None, self.touched[id(f)]
        f = rewritten_below(f, lambda n: self.changed(n, is_entry))
        if is_entry:
            more = [with_fields(fresh(v), name=self.names[id(v)], template=()) for v in own]
            return with_fields(f, body=with_fields(f.body, statements=(*more, *f.body.statements)))
        types = [w.Identifier("u32") if v.type is None else fresh(v.type) for v in own]  # for their parts alone
        pointers = [w.Identifier("ptr", (w.Identifier("function"), type)) for type in types]
        given = [w.Parameter(self.names[id(v)], type) for v, type in zip(own, pointers, strict=True)]
        return with_fields(f, parameters=(*f.parameters, *given))

    def changed(self, n: w.Node, is_entry: bool) -> w.Node | None:
        """What stands for a name of a private variable, a pointer type or a call; None: nothing else."""
        if isinstance(n, w.Identifier):
            name = self.names.get(id(self.resolution.declaration(n)))
            if name is None:
                return _of_function(n)
            use = w.Identifier(name, start=n.start, end=n.end)
            return use if is_entry else w.Unary("*", use, start=n.start, end=n.end)
        callee = self.resolution.function(n) if isinstance(n, w.Call) else None
        if not isinstance(n, w.Call) or callee is None or not self.touched[id(callee)]:
            return None
        inner = rewritten_below(n, lambda below: self.changed(below, is_entry))
        more = [w.Identifier(self.names[id(v)]) for v in self.touched[id(callee)]]
        return with_fields(inner, arguments=(*inner.arguments, *(w.Unary("&", e) if is_entry else e for e in more)))


def _of_function(n: w.Node) -> w.Node | None:
    """The type of a pointer into private memory, as one into that of a function."""
    if not isinstance(n, w.Identifier) or n.name != "ptr" or n.template[:1] != (w.Identifier("private"),):
        return None
    return with_fields(n, template=(w.Identifier("function"), *rewritten_below(n, _of_function).template[1:]))


class MeetingAgain(ScopeAnalysis):
    """Takes control flow in a `continuing` for that before each statement that can only go on or `continue`.

    Text: "The control flow at the start of a continuing block is that behind the last statement of the loop's body
    whose behaviour has Break or Return, and that at the body's start if there is none."
    """

    met: Node = CF_START
    """Where all that get to the end of a list of statements, or to a `continue` in it, were together last."""

    def stmts(self, statements: tuple[w.Statement, ...], cf: Node) -> Node:
        met = cf
        for s in statements:
            b = self.behaviours.behaviour(s)
            cf = self.stmt(s, cf)
            if b & ~(NEXT | CONTINUE):
                met = cf
            if not NEXT & b:
                break
        self.met = met
        return cf

    def continuing(self, s: Iteration, cf: Node) -> Node:
        return super().continuing(s, self.met)


class NeverWritten(ScopeAnalysis):
    """Takes a variable at module scope that nothing in the module may write for one that is only read.

    Text: "A read of a variable at module scope is uniform if no assignment of the module has it as its root, and no
    call but one that only reads is given a pointer to it."
    """

    def may_be_written(self, x: w.Variable) -> bool:
        return super().may_be_written(x) and id(x) in self.resolution.once(NeverWritten, self._written)

    def _written(self) -> frozenset[int]:
        found = [e.left for e in self.resolution.effects if isinstance(e, w.Assign | w.Increment)]
        calls = [e for e in self.resolution.effects if isinstance(e, w.Call) and e.callee.name not in _READERS]
        found += [a for e in calls for a in e.arguments if self.resolution.is_pointer(a)]
        return frozenset(id(self.resolution.root(e)) for e in found)


_READERS = words("arrayLength atomicLoad workgroupUniformLoad bufferView bufferArrayView bufferLength")


class NeverReached(ScopeAnalysis):
    """Asks for nothing where constants, or the lack of a call, keep calls from being executed.

    Text: "What a call requires does not count in a branch of an if statement, or the body of a while or for statement,
    that a const-expression as condition rules out, and in a function that no entry point calls."
    """

    def conditional(self, s: w.If, cf: Node) -> Node:
        holds = constant_integer(self.resolution, s.condition)
        if holds is not None:
            self.never.add(id(s.orelse if holds else s.then))
        return super().conditional(s, cf)

    def stmt(self, s: w.Statement, cf: Node) -> Node:
        before, after = len(self.graph.requirements), super().stmt(s, cf)
        if id(s) in self.never:
            del self.graph.requirements[before:]
        return after

    def loop(self, s: Iteration, cf: Node) -> Node:
        condition, before = None if isinstance(s, w.Loop) else s.condition, len(self.graph.requirements)
        after = super().loop(s, cf)
        if condition is not None and constant_integer(self.resolution, condition) == 0:
            del self.graph.requirements[before:]
        return after

    def start_function(self, f: w.Function) -> None:
        super().start_function(f)
        self.never: set[int] = set()

    def analyse_function(self, f: w.Function) -> FunctionResult:
        result = super().analyse_function(f)
        return result if self.resolution.stages(f) else replace(result, violations=())


_CLASSES = (Components, Parts, PrivateFollowed, MeetingAgain, NeverWritten, NeverReached)
RELAXED = {v.name: v for v in (departure(Author("relaxed"), cls, LAXER) for cls in _CLASSES)}
