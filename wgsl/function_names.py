"""The names of one function, scope by scope (WGSL 7.1), and the places where a jump may stand (9.4)."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from wgsl_fuzz.wgsl import syntax as w
from wgsl_fuzz.wgsl.diagnostics import check_statement_attributes, of_attributes
from wgsl_fuzz.wgsl.names import NameBinder
from wgsl_fuzz.wgsl.problems import ResolveProblem, WgslError
from wgsl_fuzz.wgsl.resolution import Extent, Position
from wgsl_fuzz.wgsl.types import Declared


@dataclass(slots=True)
class _Around:
    """What a jump can leave: a loop, a switch, or a `continuing` block, which no jump may leave."""

    kind: type
    first_continue: tuple[str, ...] | None = field(default=None)
    """What the body of a loop had declared at the first `continue`, if there was any."""
    depth: int = 0
    """The number of scopes that are open in the body of a loop."""


class _Notes:
    """A context that notes the first problem within, and goes on behind that. It may be entered again within."""

    __slots__ = ("_problems",)

    def __init__(self, problems: list[WgslError]) -> None:
        self._problems = problems

    def __enter__(self) -> None:
        """Nothing is kept of what was before."""

    def __exit__(self, kind: object, problem: BaseException | None, trace: object) -> bool:
        if not isinstance(problem, WgslError):
            return False
        self._problems.append(problem)
        return True


class FunctionBinder:
    """Binds the names in functions and checks where their jumps stand."""

    def __init__(self, names: NameBinder) -> None:
        self._names = names
        self._noting = _Notes(names.problems)
        self._scopes = names.scopes
        self.locals: list[Declared] = []
        """All declarations in functions, in the order of the text; parameters are not among them."""
        self.constants: list[w.Const | w.ConstAssert | w.Switch] = []
        """What must have const-expressions in it."""
        self.targets: list[w.Expression] = []
        """The left sides of assignments, and what is incremented."""
        self.assigned: list[w.Expression] = []
        """The left sides of assignments: they alone may be swizzles."""
        self.extents: dict[int, list[Extent]] = {}
        """By the identity of a function: where its body, each `if`, each `switch` and each loop begins and ends."""
        self._extents: list[Extent] = []
        """Those of the current function."""
        self.discards: list[w.Discard] = []
        """Those of the current function."""
        self._around: list[_Around] = []
        self._result = False

    def function(self, function: w.Function) -> None:
        """Binds the names in a function. What is declared at module scope is visible already."""
        with self._names.before_runtime(), self._noting:
            self._signature(function)
        self._result = function.result is not None
        self._scopes.enter()
        for parameter in function.parameters:
            with self._noting:
                self._scopes.declare(parameter)
        start, self._extents = self._position(), []
        self._statements(function.body)
        self._scopes.leave()
        self.extents[id(function)] = [Extent(id(function.body), start, self._position()), *self._extents]

    def _position(self) -> Position:
        return Position(len(self._names.calls), len(self.targets), len(self._names.short_circuits))

    def _signature(self, function: w.Function) -> None:
        names = self._names
        of_attributes(function.attributes)
        names.attributes(function.attributes)
        for parameter in function.parameters:
            names.attributes(parameter.attributes)
            names.type(parameter.type)
        names.attributes(function.result_attributes)
        names.type(function.result)

    def _filters(self, *nodes: w.Attributes) -> None:
        for attributes in nodes:
            if attributes:
                with self._noting:
                    check_statement_attributes(attributes)

    # ------------------------------------------------------------------------------------------------------ statements

    def _statements(self, block: w.Block) -> None:
        self._filters(block.attributes)
        for statement in block.statements:
            self._statement(statement)

    def _block(self, block: w.Block) -> None:
        self._scopes.enter()
        self._statements(block)
        self._scopes.leave()

    def _statement(self, statement: w.Statement) -> None:
        kind = type(statement)
        try:
            if kind in _EXTENDED:
                start = self._position()
                _RULES[kind](self, statement)
                self._extents.append(Extent(id(statement), start, self._position()))
            else:
                _RULES[kind](self, statement)
        except WgslError as problem:
            self._names.problems.append(problem)

    def _declaration(self, s: w.Variable | w.Let | w.Const) -> None:
        if isinstance(s, w.Variable):
            if s.template or s.attributes or s.type is s.value is None:
                with self._noting:
                    self._variable(s)
        elif isinstance(s, w.Const):
            self.constants.append(s)
        self._names.type(s.type)
        self._names.value(s.value)
        self._scopes.declare(s)
        self.locals.append(s)

    def _variable(self, s: w.Variable) -> None:
        if s.attributes:
            raise ResolveProblem("a variable in a function takes no attributes", s.attributes[0].start)
        self._names.space(s.template)
        if s.template and getattr(s.template[0], "name", None) != "function":
            raise ResolveProblem("a variable in a function has address space 'function'", s.start)
        if len(s.template) > 1:
            raise ResolveProblem("only variables in 'storage' have an access mode", s.start)
        if s.type is None and s.value is None:
            raise ResolveProblem(f"variable '{s.name}' needs a type or an initialiser", s.start)

    def _assign(self, s: w.Assign) -> None:
        self._names.value(s.left)
        self._names.value(s.right)
        self.targets.append(s.left)
        self.assigned.append(s.left)

    def _phony(self, s: w.Phony) -> None:
        self._names.value(s.value)

    def _increment(self, s: w.Increment) -> None:
        self._names.value(s.left)
        self.targets.append(s.left)

    def _call(self, s: w.CallStatement) -> None:
        with self._noting:
            if self._names.call(s.call):
                raise ResolveProblem(f"the result of '{s.call.callee.name}' must be used", s.start)
        self._names.values(s.call.arguments)

    def _const_assert(self, s: w.ConstAssert) -> None:
        self._names.value(s.condition)
        self.constants.append(s)

    def _if(self, s: w.If) -> None:
        branch: w.If | w.Block | None = s
        starts: list[tuple[int, Position]] = []
        while isinstance(branch, w.If):
            starts.append((id(branch), self._position()))
            self._filters(branch.attributes)
            self._names.value(branch.condition)
            self._block(branch.then)
            branch = branch.orelse
        if branch is not None:
            self._block(branch)
        end = self._position()
        self._extents += [Extent(link, start, end) for link, start in starts]

    def _switch(self, s: w.Switch) -> None:
        self._filters(s.attributes, s.body_attributes)
        self._names.value(s.selector)
        self.constants.append(s)
        defaults = 0
        for clause in s.clauses:
            defaults += _defaults(clause)
            self._names.values(e for e in clause.selectors if not isinstance(e, w.DefaultSelector))
            self._enclosed(w.Switch, clause.body)
        if defaults != 1:
            raise ResolveProblem(f"a switch has exactly one default clause, this one has {defaults}", s.start)

    def _enclosed(self, kind: type, body: w.Block) -> None:
        self._around.append(_Around(kind))
        self._block(body)
        self._around.pop()

    def _loop(self, s: w.Loop) -> None:
        self._filters(s.attributes)
        around = _Around(w.Loop, depth=self._scopes.depth + 1)
        self._around.append(around)
        self._scopes.enter()
        self._statements(s.body)
        self._around.pop()
        if s.continuing is not None:
            self._continuing(s.continuing, around.first_continue)
        self._scopes.leave()

    def _continuing(self, continuing: w.Block, declared_before: tuple[str, ...] | None) -> None:
        self._filters(continuing.attributes)
        names, outer = self._names, self._names.bypassed
        if declared_before is not None:
            later = self._scopes.declared_at(self._scopes.depth)[len(declared_before) :]
            names.bypassed = outer | {id(self._scopes.visible[name]): name for name in later}
        self._around.append(_Around(w.Block))
        self._scopes.enter()
        for statement in continuing.statements[:-1]:
            self._statement(statement)
        for statement in continuing.statements[-1:]:
            if isinstance(statement, w.BreakIf):
                names.value(statement.condition)
            else:
                self._statement(statement)
        self._scopes.leave()
        self._around.pop()
        names.bypassed = outer

    def _while(self, s: w.While) -> None:
        self._filters(s.attributes)
        self._names.value(s.condition)
        self._enclosed(w.While, s.body)

    def _for(self, s: w.For) -> None:
        self._filters(s.attributes)
        self._scopes.enter()
        if s.initial is not None:
            self._statement(s.initial)
        self._names.value(s.condition)
        if s.update is not None:
            self._statement(s.update)
        self._enclosed(w.For, s.body)
        self._scopes.leave()

    # ----------------------------------------------------------------------------------------------------------- jumps

    def _break_if(self, s: w.BreakIf) -> None:
        raise ResolveProblem("'break if' is the last statement of a 'continuing' block", s.start)

    def _break(self, s: w.Break) -> None:
        around = self._around[-1].kind if self._around else None
        if around is w.Block:
            raise ResolveProblem("'break' must not leave a 'continuing' block", s.start)
        if around is None:
            raise ResolveProblem("'break' is for loops and switch statements", s.start)

    def _continue(self, s: w.Continue) -> None:
        loop = next((a for a in reversed(self._around) if a.kind is not w.Switch), None)
        if loop is None:
            raise ResolveProblem("'continue' is for loops", s.start)
        if loop.kind is w.Block:
            raise ResolveProblem("'continue' must not leave a 'continuing' block", s.start)
        if loop.kind is w.Loop and loop.first_continue is None:
            loop.first_continue = self._scopes.declared_at(loop.depth)

    def _return(self, s: w.Return) -> None:
        if any(around.kind is w.Block for around in self._around):
            raise ResolveProblem("'return' must not leave a 'continuing' block", s.start)
        if (s.value is not None) != self._result:
            what = "a value" if self._result else "no value"
            raise ResolveProblem(f"'return' must have {what} in this function", s.start)
        self._names.value(s.value)

    def _discard(self, s: w.Discard) -> None:
        self.discards.append(s)

    def _nothing(self, s: w.Empty) -> None:
        """There are no names in it."""


_EXTENDED = frozenset({w.Switch, w.Loop, w.While, w.For})
"""What has an extent, but for `if`, which has one for each link of its chain."""


def _defaults(clause: w.Clause) -> int:
    return sum(isinstance(e, w.DefaultSelector) for e in clause.selectors) if clause.selectors else 1


_RULES: dict[type, Callable[[FunctionBinder, Any], None]] = {
    w.Empty: FunctionBinder._nothing,
    w.Discard: FunctionBinder._discard,
    w.Block: FunctionBinder._block,
    w.Variable: FunctionBinder._declaration,
    w.Let: FunctionBinder._declaration,
    w.Const: FunctionBinder._declaration,
    w.Assign: FunctionBinder._assign,
    w.Phony: FunctionBinder._phony,
    w.Increment: FunctionBinder._increment,
    w.CallStatement: FunctionBinder._call,
    w.ConstAssert: FunctionBinder._const_assert,
    w.If: FunctionBinder._if,
    w.Switch: FunctionBinder._switch,
    w.Loop: FunctionBinder._loop,
    w.While: FunctionBinder._while,
    w.For: FunctionBinder._for,
    w.BreakIf: FunctionBinder._break_if,
    w.Break: FunctionBinder._break,
    w.Continue: FunctionBinder._continue,
    w.Return: FunctionBinder._return,
}
