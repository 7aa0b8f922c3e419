"""Relations' transformations of calls: a function instead of statements."""

from dataclasses import dataclass, field

from wgsl_fuzz.strategies.modules.edit.places import Place
from wgsl_fuzz.strategies.modules.edit.subject import Subject, jumps_out, returns
from wgsl_fuzz.strategies.modules.edit.tree import Change, copied, rebuilt
from wgsl_fuzz.wgsl.syntax import (
    Assign,
    Block,
    BreakIf,
    Call,
    CallStatement,
    Const,
    Expression,
    Function,
    Identifier,
    Increment,
    Let,
    Module,
    Node,
    Parameter,
    Statement,
    Unary,
    Variable,
)
from wgsl_fuzz.wgsl.types import Declared
from wgsl_fuzz.wgsl.value_types import spelled
from wgsl_fuzz.wgsl.walk import descendants

_MOST = 3
"""So many statements at once."""


@dataclass(slots=True)
class _Interface:
    """What an outlined function gets from its place."""

    parameters: list[Parameter] = field(default_factory=list)
    arguments: list[Expression] = field(default_factory=list)
    pointers: set[int] = field(default_factory=set)
    """By identity: the variables that are behind pointers now."""


def outlined(subject: Subject) -> Module | None:
    """A call of a new function instead of some statements that nothing jumps out of.

    The variables that they touch are passed by pointer, those that they only read now and then by value, lets and
    parameters by value. No filter may be in force, since it would not reach the function.
    """

    def wanted(place: Place) -> bool:
        s = place.statement
        return not place.filtered and not isinstance(s, BreakIf) and not jumps_out(s) and not returns(s)

    place = subject.pick(wanted)
    if place is None:
        return None
    rest = place.block.statements[place.index : place.index + subject.source.integer(1, _MOST)]
    count = next((k for k, s in enumerate(rest) if isinstance(s, BreakIf) or jumps_out(s) or returns(s)), len(rest))
    statements = rest[:count]
    if _is_seen_outside(subject, place, statements):
        return None
    interface = _interface(subject, place, statements)
    if interface is None:
        return None
    name = subject.fresh("outlined")
    changes: dict[int, Change] = {
        id(node): Unary("*", Identifier(node.name))
        for s in statements
        for node in descendants(s)
        if isinstance(node, Identifier) and id(subject.resolution.declaration(node)) in interface.pointers
    }
    body = rebuilt(Block(statements), changes)
    function = Function(name, tuple(interface.parameters), body)
    call = CallStatement(Call(Identifier(name), tuple(interface.arguments)))
    return subject.with_spliced(place, count, call, above=(function,))


def _is_seen_outside(subject: Subject, place: Place, statements: tuple[Statement, ...]) -> bool:
    """Whether something else in the function uses what the statements declare."""
    declared = {id(s) for s in statements}
    inner = {id(node) for s in statements for node in descendants(s)}
    uses = (n for n in descendants(place.function.body) if isinstance(n, Identifier) and id(n) not in inner)
    return any(id(subject.resolution.declaration(use)) in declared for use in uses)


def _interface(subject: Subject, place: Place, statements: tuple[Statement, ...]) -> _Interface | None:
    """What the statements need; None if something of it cannot be passed."""
    interface = _Interface()
    local = {id(p) for p in place.function.parameters}
    local |= {id(d) for d in descendants(place.function.body) if isinstance(d, Variable | Let | Const)}
    inner = {id(node) for s in statements for node in descendants(s)}
    seen: set[int] = set()
    for s in statements:
        for node in descendants(s):
            declared = subject.resolution.declaration(node) if isinstance(node, Identifier) else None
            if declared is None or id(declared) in seen | inner or id(declared) not in local:
                continue
            seen.add(id(declared))
            if not _add(subject, declared, statements, interface):
                return None
    return interface


def _add(subject: Subject, declared: Declared, statements: tuple[Statement, ...], interface: _Interface) -> bool:
    name = declared.name
    if isinstance(declared, Parameter) and subject.resolution.pointer(declared) is not None:
        interface.parameters.append(Parameter(name, copied(declared.type)))
        interface.arguments.append(Identifier(name))
        return True
    type = subject.types.declared(declared)
    if type is None or not subject.types.is_constructible(type):
        return False
    written = spelled(type)
    if isinstance(declared, Variable):
        if _is_touched(subject, declared, statements) or subject.source.percent(30):
            interface.pointers.add(id(declared))
            pointer = Identifier("ptr", (Identifier("function"), written))
            interface.parameters.append(Parameter(name, pointer))
            interface.arguments.append(Unary("&", Identifier(name)))
            return True
    elif isinstance(declared, Let) and subject.resolution.is_pointer(declared.value):
        return False
    interface.parameters.append(Parameter(name, written))
    interface.arguments.append(Identifier(name))
    return True


def _is_touched(subject: Subject, variable: Variable, statements: tuple[Statement, ...]) -> bool:
    """Whether the variable is assigned, or its address taken."""

    def target(node: Node) -> Expression | None:
        if isinstance(node, Assign | Increment):
            return node.left
        return node.operand if isinstance(node, Unary) and node.operator == "&" else None

    targets = (target(node) for s in statements for node in descendants(s))
    return any(e is not None and subject.resolution.root(e) is variable for e in targets)
