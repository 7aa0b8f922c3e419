"""A rejected shader, and what repairs ask about its parts."""

from collections.abc import Collection, Iterator, Mapping, Set
from functools import cached_property

from wgsl_fuzz.fuzz.cases.case import Case
from wgsl_fuzz.fuzz.repair.edit import Patch, indentation, indented, line_end, line_start
from wgsl_fuzz.oracle.explain.text import ShaderText
from wgsl_fuzz.oracle.rules.uniformity.analysis import FunctionResult
from wgsl_fuzz.oracle.rules.uniformity.graph import Requirement
from wgsl_fuzz.strategies.edit.tree import all_names
from wgsl_fuzz.wgsl import syntax as w
from wgsl_fuzz.wgsl.builtins import Rule
from wgsl_fuzz.wgsl.diagnostics import Severity
from wgsl_fuzz.wgsl.resolution import Access
from wgsl_fuzz.wgsl.rewrite import fresh_name
from wgsl_fuzz.wgsl.types import Type, ValueTypes, concrete
from wgsl_fuzz.wgsl.walk import descendants

Guilty = tuple[FunctionResult, Requirement]
"""A requirement that does not hold, in the function whose control flow or values break it."""

Region = tuple[w.Statement, ...]
"""Neighbours in a block: a statement is to be put in front of the first, the node that it concerns is in the last."""

_Effects = tuple[Set[Rule | None], bool]
"""The trigger rules of all calls in what is called, and whether it changes memory."""

_DECLARATIONS = (w.Variable, w.Let, w.Const, w.Parameter, w.Function, w.Override, w.Struct, w.Alias)


class Broken:
    """A shader with places in its text; `fresh` makes names that it does not have yet."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.resolution = case.resolution
        self.text = case.text
        self.context = ShaderText(case.resolution, case.source)
        self.types = ValueTypes(case.resolution)

    @cached_property
    def guilty(self) -> list[Guilty]:
        """The requirements of severity error that do not hold, those of callees first."""
        return [(r, v) for r, v in self.case.analysis.violations if v.severity is Severity.ERROR]

    @cached_property
    def _taken(self) -> set[str]:
        return all_names(self.resolution.module)

    def fresh(self, wish: str, besides: Collection[str] = ()) -> str:
        """A name that nothing in the shader has, and that is none of some others; the same for the same wish."""
        return fresh_name(wish, {*self._taken, *besides})

    def is_unique(self, name: str) -> bool:
        """Whether only one declaration in the shader has a name."""
        named = [node for node in descendants(self.resolution.module) if isinstance(node, _DECLARATIONS)]
        return sum(node.name == name for node in named) == 1

    # ---------------------------------------------------------------------------------------------------------- text

    def written(self, node: w.Node) -> str:
        """A node as it is written."""
        return self.text[node.start : node.end]

    def indentation(self, node: w.Node) -> str:
        """The blanks in front of the line on which a node begins."""
        return indentation(self.text, node.start)

    def before(self, statement: w.Node, *lines: str) -> Patch:
        """Lines in front of a statement."""
        blanks = self.indentation(statement)
        return Patch(statement.start, statement.start, "".join(f"{line}\n{blanks}" for line in lines))

    def lines(self, statement: w.Statement) -> list[str]:
        """A statement as it is written, with a comment behind it on its line; not indented."""
        end = line_end(self.text, statement.end)
        rest = self.text[statement.end : end].lstrip(" \t;")
        end = end if rest.startswith("//") else statement.end + (self.text[statement.end : end][:1] == ";")
        return indented(self.text[statement.start : end], self.indentation(statement), "").split("\n")

    def comments_above(self, statement: w.Node) -> list[str]:
        """The lines directly above a statement on which only a comment stands; not indented."""
        found: list[str] = []
        start = line_start(self.text, statement.start)
        while start and (found or not self.text[start : statement.start].strip()):
            above = line_start(self.text, start - 1)
            line = self.text[above:start].strip()
            if not line.startswith("//"):
                break
            found.insert(0, line)
            start = above
        return found

    def line(self, node: w.Node) -> int:
        """The line on which a node begins."""
        return self.context.line(node)

    def type(self, e: w.Expression) -> Type | None:
        """The concrete type of an expression, if it is known."""
        found = self.types.of(e)
        return None if found is None else concrete(found)

    # ---------------------------------------------------------------------------------------------------------- tree

    def statements_around(self, node: w.Node) -> Iterator[tuple[w.Block, w.Statement]]:
        """The statements around a node that stand in a block, from the inside, each with its block."""
        inner = node
        for outer in self.context.around(node):
            if isinstance(outer, w.Block) and isinstance(inner, w.Statement):
                yield outer, inner
            inner = outer

    def regions(self, node: w.Node) -> Iterator["Region"]:
        """The places before which what a node computes may be computed: from the inside, the nearest first.

        In front of a statement around it, or of an earlier one by which some invocations leave.
        """
        region: Region = ()
        for block, statement in self.statements_around(node):
            region = (statement,)
            yield region
            place = next(i for i, s in enumerate(block.statements) if s is statement)
            for i in range(place - 1, -1, -1):
                if any(True for _ in self.context.jumps(block.statements[i])):
                    region = block.statements[i : place + 1]
                    yield region

    def calls(self, guilty: Guilty) -> Iterator[tuple[w.Function, w.Call]]:
        """The call of a requirement, then the calls in the called functions that it comes from."""
        results = {(id(r.function), r.scope): r for r in self.case.analysis.functions}
        todo, seen = [guilty], set()
        while todo:
            result, requirement = todo.pop(0)
            if id(requirement.call) in seen:
                continue
            seen.add(id(requirement.call))
            yield result.function, requirement.call
            callee = self.resolution.function(requirement.call)
            if callee is not None:
                inner = results[(id(callee), result.scope)]
                todo += [(inner, r) for r in inner.graph.requirements if r.severity is requirement.severity]

    # ------------------------------------------------------------------------------------------------------- effects

    def is_collective(self, node: w.Node) -> bool:
        """Whether anything in a node must be reached by all invocations together."""
        return any(isinstance(e, w.Call) and self.needs_all(e) for e in descendants(node))

    def needs_all(self, call: w.Call) -> bool:
        """Whether a call, or one in the called function, must be reached by all invocations together."""
        return bool(self.rules(call) - {None})

    def is_pure(self, e: w.Node) -> bool:
        """Whether evaluating an expression changes no memory; it may be collective."""
        return not any(self._effects(call)[1] for call in descendants(e) if isinstance(call, w.Call))

    def rules(self, call: w.Call) -> Set[Rule | None]:
        """The trigger rules of a call, and of all calls in the function that it calls."""
        return self._effects(call)[0]

    def _effects(self, call: w.Call, known: Mapping[int, _Effects] | None = None) -> _Effects:
        builtin, function = self.resolution.builtin(call), self.resolution.function(call)
        if builtin is not None:
            changes = builtin.name != "atomicLoad" and builtin.name.startswith(("atomic", "textureStore"))
            return {builtin.rule}, changes
        known = self._of_functions if known is None else known
        return (set(), False) if function is None else known[id(function)]

    @cached_property
    def _of_functions(self) -> dict[int, _Effects]:
        """By `id` of a function, its effects: once for each, since calls may have exponentially many paths."""
        found: dict[int, _Effects] = {}
        for function in self.resolution.functions:  # callees first
            nodes = list(descendants(function.body))
            effects = [self._effects(node, found) for node in nodes if isinstance(node, w.Call)]
            changes = any(map(self._writes, nodes)) or any(changes for _, changes in effects)
            found[id(function)] = {rule for rules, _ in effects for rule in rules}, changes
        return found

    def _writes(self, node: w.Node) -> bool:
        """Whether a node is an assignment to what outlives its function, or may be."""
        if not isinstance(node, w.Assign | w.Increment):
            return isinstance(node, w.Discard)
        root = self.resolution.root(node.left)
        return not isinstance(root, w.Variable) or not self.resolution.is_function_scope(root)

    def reads(self, e: w.Node) -> Iterator[w.Node]:
        """The declarations that the names in an expression stand for."""
        for name in descendants(e):
            if isinstance(name, w.Identifier) and (declared := self.resolution.declaration(name)) is not None:
                yield declared

    def may_change(self, declared: w.Node, *within: w.Node) -> bool:
        """Whether the contents of a variable, or of a pointer, may change while some statements run."""
        if isinstance(declared, w.Let | w.Parameter) and not self._is_pointer(declared):
            return False
        if not isinstance(declared, w.Variable | w.Let | w.Parameter):
            return False
        if isinstance(declared, w.Variable) and not self.is_written(declared):
            return False
        return any(self.may_write(node, declared) for s in within for node in descendants(s))

    def may_write(self, node: w.Node, declared: w.Node) -> bool:
        """Whether a node, without what is in it, may write a variable."""
        if isinstance(node, w.Assign | w.Increment):
            root = self.resolution.root(node.left)
            return root is None or root is declared or not isinstance(root, w.Variable)
        if not isinstance(node, w.Call):
            return False
        is_local = isinstance(declared, w.Variable) and self.resolution.is_function_scope(declared)
        if not is_local and self.needs_all(node) and Rule.SYNCHRONIZATION in self.rules(node):
            return True  # others may write before it
        return self._effects(node)[1]

    def is_written(self, variable: w.Variable) -> bool:
        """Whether anything in the shader may write a variable."""
        return self.resolution.is_function_scope(variable) or self.resolution.access(variable) is not Access.READ

    def _is_pointer(self, declared: w.Let | w.Parameter) -> bool:
        if isinstance(declared, w.Parameter):
            return self.resolution.is_pointer_type(declared.type)
        return self.resolution.is_pointer(declared.value)
