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


@dataclass(frozen=True, slots=True)
class Part:
    """An expression of a statement, or part of one; in the order in which they are evaluated, parents last."""

    expression: w.Expression
    role: PartRole
    parent: w.Expression | None
    once: bool
    """It is evaluated exactly once when the statement begins, and first of all before any other statement runs."""
    first: int
    """The position of the first part of it."""
    position: int


def parts(resolution: Resolution, s: w.Statement) -> list[Part]:
    """The expressions that belong to a statement itself, not to statements in it."""
    walk = _Parts(resolution)
    match s:
        case w.Assign():
            walk.visit(s.left, PartRole.REFERENCE, None, True)
            walk.visit(s.right, PartRole.VALUE, None, True)
        case w.Increment():
            walk.visit(s.left, PartRole.REFERENCE, None, True)
        case w.Variable() | w.Let() | w.Return() | w.Phony():
            if s.value is not None:
                walk.visit(s.value, PartRole.VALUE, None, True)
        case w.CallStatement():
            walk.visit(s.call, PartRole.FIXED, None, True)
        case w.If():
            walk.visit(s.condition, PartRole.VALUE, None, True)
            branch = s.orelse
            while isinstance(branch, w.If):
                walk.visit(branch.condition, PartRole.VALUE, None, False)
                branch = branch.orelse
        case w.Switch():
            walk.visit(s.selector, PartRole.VALUE, None, True)
        case w.BreakIf():
            walk.visit(s.condition, PartRole.VALUE, None, True)
        case w.While():
            walk.visit(s.condition, PartRole.VALUE, None, False)
        case w.For():
            for header in (s.initial, s.update):
                if header is not None and not isinstance(header, w.Const):
                    shift = len(walk.found)
                    for part in parts(resolution, header):
                        moved = replace(part, once=False, first=part.first + shift, position=part.position + shift)
                        walk.found.append(moved)
            if s.condition is not None:
                walk.visit(s.condition, PartRole.VALUE, None, False)
        case _:
            pass
    return walk.found


class _Parts:
    """The walk through the expressions of a statement."""

    def __init__(self, resolution: Resolution) -> None:
        self._resolution = resolution
        self.found: list[Part] = []

    def visit(self, e: w.Expression, role: PartRole, parent: w.Expression | None, once: bool) -> None:
        """Notes an expression behind what it consists of."""
        first = len(self.found)
        match e:
            case w.Unary():
                roles = {"&": PartRole.REFERENCE, "*": PartRole.POINTER}
                self.visit(e.operand, roles.get(e.operator, PartRole.VALUE), e, once)
            case w.Binary():
                self.visit(e.left, PartRole.VALUE, e, once)
                self.visit(e.right, PartRole.VALUE, e, once and e.operator not in ("&&", "||"))
            case w.Index():
                self.visit(e.base, self._of_base(e.base, e, role), e, once)
                self.visit(e.index, PartRole.VALUE, e, once)
            case w.Member():
                self.visit(e.base, self._of_base(e.base, e, role), e, once)
            case w.Call():
                for argument in e.arguments:
                    self.visit(argument, self._of_argument(argument, e), e, once)
            case _:
                pass
        if role is PartRole.VALUE and self._resolution.is_pointer(e):
            role = PartRole.POINTER
        self.found.append(Part(e, role, parent, once, first, len(self.found)))

    def _of_base(self, base: w.Expression, whole: w.Expression, role: PartRole) -> PartRole:
        if self._resolution.is_pointer(base):
            return PartRole.POINTER
        if isinstance(whole, w.Member) and role is not PartRole.REFERENCE and self._resolution.is_swizzle(whole):
            return PartRole.VALUE
        return PartRole.REFERENCE if self._resolution.is_view(base) else PartRole.VALUE

    def _of_argument(self, argument: w.Expression, call: w.Call) -> PartRole:
        resolution = self._resolution
        builtin = resolution.builtin(call)
        if builtin is not None:
            name = builtin.name
            needs_constant = name.startswith("texture") or name in CONSTANT_SECOND
            if needs_constant and is_constant(resolution, argument):
                return PartRole.FIXED
        root = resolution.root(argument)
        if isinstance(root, w.Variable) and resolution.space(root) is Space.HANDLE:
            return PartRole.FIXED
        found = resolution.type(argument)
        return (
            PartRole.FIXED if found is not None and found.name.startswith(("texture_", "sampler")) else PartRole.VALUE
        )
