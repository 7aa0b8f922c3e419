"""Where an edit may happen: positions between statements, with what is visible there, and parts of statements."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from functools import lru_cache
from typing import Any

from wgsl_fuzz.strategies.edit.constancy import is_constant
from wgsl_fuzz.strategies.edit.tree import has_filter
from wgsl_fuzz.wgsl import syntax as w
from wgsl_fuzz.wgsl.builtins import CONSTANT_SECOND
from wgsl_fuzz.wgsl.resolution import Declared, Resolution, Space
from wgsl_fuzz.wgsl.types import ValueTypes
from wgsl_fuzz.wgsl.walk import free_jumps


@dataclass(frozen=True, slots=True)
class InsertionPoint:
    """A position in a block, in front of the statement with this index, or at the end."""

    function: w.Function
    block: w.Block
    index: int
    visible: Mapping[str, Declared]
    """What each name means there; predeclared ones are missing."""
    breaks: bool = False
    continues: bool = False
    returns: bool = True
    depth: int = 0
    filtered: bool = False
    """Whether a diagnostic filter of the function or in it is in force."""

    @property
    def statement(self) -> w.Statement:
        """The statement behind it; there must be one."""
        return self.block.statements[self.index]

    @property
    def hides(self) -> str | None:
        """The name that the statement behind it declares for its own expressions: that of a `for` may hide another."""
        declared = None if self.is_end else declared_in_head(self.statement)
        return None if declared is None else declared.name

    def takes_jumps_of(self, s: w.Statement) -> bool:
        """Whether what leaves a statement by `break` or `continue` has somewhere to go there."""
        jumps = {type(jump) for jump in free_jumps(s)}
        return (self.breaks or w.Break not in jumps) and (self.continues or w.Continue not in jumps)

    @property
    def is_end(self) -> bool:
        """Whether no statement follows in the block."""
        return self.index == len(self.block.statements)


class InsertionPoints:
    """The places of a module, in the order of the text."""

    def __init__(self, resolution: Resolution) -> None:
        self.resolution = resolution
        self.types = ValueTypes(resolution)
        self.top: Mapping[str, Declared] = {
            d.name: d for d in resolution.module.declarations if not isinstance(d, w.ConstAssert)
        }
        self.all: list[InsertionPoint] = []
        for function in resolution.module.declarations:
            if isinstance(function, w.Function):
                visible: Mapping[str, Declared] = {**self.top, **{p.name: p for p in function.parameters}}
                start = InsertionPoint(function, function.body, 0, visible, filtered=has_filter(function.attributes))
                self._block(start)

    @property
    def statements(self) -> Iterator[InsertionPoint]:
        """The places that a statement follows."""
        return (place for place in self.all if not place.is_end)

    def _block(self, start: InsertionPoint) -> InsertionPoint:
        """Notes the places of a block; returns the last."""
        here = replace(start, filtered=True) if has_filter(start.block.attributes) else start
        for index, statement in enumerate(start.block.statements):
            here = replace(here, index=index)
            self.all.append(here)
            self._inside(statement, here)
            if isinstance(statement, w.Variable | w.Let | w.Const):
                here = replace(here, visible={**here.visible, statement.name: statement})
        here = replace(here, index=len(start.block.statements))
        if not any(isinstance(s, w.BreakIf) for s in start.block.statements[-1:]):
            self.all.append(here)
        return here

    def _enter(self, block: w.Block, around: InsertionPoint, **changes: Any) -> InsertionPoint:
        return self._block(replace(around, block=block, index=0, depth=around.depth + 1, **changes))

    def _inside(self, s: w.Statement, here: InsertionPoint) -> None:
        if has_filter(getattr(s, "attributes", ())) or has_filter(getattr(s, "body_attributes", ())):
            here = replace(here, filtered=True)
        match s:
            case w.Block():
                self._enter(s, here)
            case w.If():
                self._if(s, here)
            case w.Switch():
                for clause in s.clauses:
                    self._enter(clause.body, here, breaks=True)
            case w.Loop():
                end = self._enter(s.body, here, breaks=True, continues=True)
                if s.continuing is not None:
                    self._enter(s.continuing, end, breaks=False, continues=False, returns=False)
            case w.While():
                self._enter(s.body, here, breaks=True, continues=True)
            case w.For():
                declared = declared_in_head(s)
                visible = here.visible if declared is None else {**here.visible, declared.name: declared}
                self._enter(s.body, here, breaks=True, continues=True, visible=visible)
            case _:
                pass

    def _if(self, s: w.If, here: InsertionPoint) -> None:
        self._enter(s.then, here)
        branch = s.orelse
        while isinstance(branch, w.If):
            self._enter(branch.then, here)
            branch = branch.orelse
        if branch is not None:
            self._enter(branch, here)


@lru_cache(maxsize=2)
def insertion_points(resolution: Resolution) -> InsertionPoints:
    """The places of a module: many edits of one are tried, at times beside a donor."""
    return InsertionPoints(resolution)


def declared_in_head(s: w.Statement) -> w.Variable | w.Let | w.Const | None:
    """What a `for` declares for itself and its body."""
    initial = s.initial if isinstance(s, w.For) else None
    return initial if isinstance(initial, w.Variable | w.Let | w.Const) else None


# ------------------------------------------------------------------------------------------------- parts of a statement


class PartRole(Enum):
    """What a part of an expression is used for."""

    VALUE = "its value is used, after a load if it is a reference"
    REFERENCE = "it is assigned, its address is taken, or part of it is"
    POINTER = "it is a pointer"
    FIXED = "it must stay as it is: a const-expression, a texture, or a call that is a statement"


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """An expression of a statement, or part of one."""

    expression: w.Expression
    role: PartRole
    parent: w.Expression | None
    once: bool
    """It is evaluated exactly once when the statement begins, and first of all before any other statement runs."""
    among: "list[Part]"
    """The parts of the statement, in the order in which they are evaluated, parents last."""
    first: int
    """The position of the first part of it among those."""


def parts(resolution: Resolution, s: w.Statement) -> list[Part]:
    """The expressions that belong to a statement itself, not to statements in it."""
    found: list[Part] = []

    def visit(e: w.Expression | None, role: PartRole = PartRole.VALUE, once: bool = True) -> None:
        if e is not None:
            _visit(resolution, e, role, None, once, found)

    match s:
        case w.Assign():
            visit(s.left, PartRole.REFERENCE)
            visit(s.right)
        case w.Increment():
            visit(s.left, PartRole.REFERENCE)
        case w.Variable() | w.Let() | w.Return() | w.Phony():
            visit(s.value)
        case w.CallStatement():
            visit(s.call, PartRole.FIXED)
        case w.If():
            visit(s.condition)
            branch = s.orelse
            while isinstance(branch, w.If):
                visit(branch.condition, once=False)
                branch = branch.orelse
        case w.Switch():
            visit(s.selector)
        case w.BreakIf():
            visit(s.condition)
        case w.While():
            visit(s.condition, once=False)
        case w.For():
            for header in (s.initial, s.update):
                if header is not None and not isinstance(header, w.Const):
                    found += [replace(p, once=False) for p in parts(resolution, header)]
            visit(s.condition, once=False)
        case _:
            pass
    return found


def _visit(
    resolution: Resolution, e: w.Expression, role: PartRole, parent: w.Expression | None, once: bool, found: list[Part]
) -> None:
    """Notes an expression behind what it consists of."""
    first = len(found)

    def inside(part: w.Expression, its_role: PartRole = PartRole.VALUE, is_once: bool = once) -> None:
        _visit(resolution, part, its_role, e, is_once, found)

    match e:
        case w.Unary():
            inside(e.operand, {"&": PartRole.REFERENCE, "*": PartRole.POINTER}.get(e.operator, PartRole.VALUE))
        case w.Binary():
            inside(e.left)
            inside(e.right, is_once=once and e.operator not in ("&&", "||"))
        case w.Index():
            inside(e.base, _role_of_base(resolution, e, role))
            inside(e.index)
        case w.Member():
            inside(e.base, _role_of_base(resolution, e, role))
        case w.Call():
            for argument in e.arguments:
                inside(argument, _role_of_argument(resolution, argument, e))
        case _:
            pass
    if role is PartRole.VALUE and resolution.is_pointer(e):
        role = PartRole.POINTER
    found.append(Part(e, role, parent, once, found, first))


def _role_of_base(resolution: Resolution, whole: w.Index | w.Member, role: PartRole) -> PartRole:
    if resolution.is_pointer(whole.base):
        return PartRole.POINTER
    if isinstance(whole, w.Member) and role is not PartRole.REFERENCE and resolution.is_swizzle(whole):
        return PartRole.VALUE
    return PartRole.REFERENCE if resolution.root(whole.base) is not None else PartRole.VALUE


def _role_of_argument(resolution: Resolution, argument: w.Expression, call: w.Call) -> PartRole:
    builtin = resolution.builtin(call)
    needs_constant = builtin is not None and (builtin.name.startswith("texture") or builtin.name in CONSTANT_SECOND)
    root, type = resolution.root(argument), resolution.type(argument)
    is_handle = isinstance(root, w.Variable) and resolution.space(root) is Space.HANDLE
    is_handle = is_handle or (type is not None and type.name.startswith(("texture_", "sampler")))
    is_fixed = is_handle or (needs_constant and is_constant(resolution, argument))
    return PartRole.FIXED if is_fixed else PartRole.VALUE
