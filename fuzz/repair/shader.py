"""A rejected shader, and what repairs ask about its parts."""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from itertools import compress, takewhile
from types import UnionType

from wgsl_fuzz.fuzz.cases.case import Case
from wgsl_fuzz.fuzz.repair.edit import Patch, applied, indentation, line_end, line_start, unwrapped
from wgsl_fuzz.oracle.explain.narrator import Narrator
from wgsl_fuzz.oracle.explain.text import Results, ShaderText
from wgsl_fuzz.oracle.rules.uniformity.analysis import FunctionResult
from wgsl_fuzz.oracle.rules.uniformity.graph import Requirement, Role
from wgsl_fuzz.strategies.edit.tree import all_names
from wgsl_fuzz.wgsl import syntax as w
from wgsl_fuzz.wgsl.builtins import Rule
from wgsl_fuzz.wgsl.diagnostics import Severity
from wgsl_fuzz.wgsl.resolution import Access, Space
from wgsl_fuzz.wgsl.rewrite import fresh_name
from wgsl_fuzz.wgsl.types import Type, ValueTypes, concrete
from wgsl_fuzz.wgsl.walk import descendants

Guilty = tuple[FunctionResult, Requirement]
"""A requirement that does not hold, in the function whose control flow or values break it."""

JUMPS = w.Return | w.Break | w.Continue | w.Discard
LOOPS = w.For | w.While | w.Loop

Region = tuple[w.Statement, ...]
"""Neighbours in a block: a statement is to be put in front of the first, the node that it concerns is in the last."""


_OPPOSITES = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">", "&&": "||", "||": "&&"}
_NAMES = (("textureSample", "sampled"), ("dpd", "derivative"), ("fwidth", "width"), ("workgroup", "loaded"))
_WRITING = ("atomic", "textureStore", "subgroupMatrixStore", "print")
_WRITTEN_TEXELS = ("texture_storage", "texel_buffer")
_DECLARATIONS = (w.Variable, w.Let, w.Const, w.Parameter, w.Function, w.Override, w.Struct, w.Alias)


@dataclass(frozen=True, slots=True)
class Effects:
    """What a call does: the trigger rules of all calls in it, and the rest."""

    rules: Set[Rule] = frozenset()
    changes: bool = False
    """Whether it changes memory."""
    loops: bool = False
    """Whether it may not end."""
    used: Collection[w.Variable] = ()
    """The variables of the module that its body uses."""


def has(root: w.Node, kinds: UnionType) -> bool:
    """Whether a node of some kinds is in another, or is it."""
    return any(isinstance(n, kinds) for n in descendants(root))


class Broken:
    """A shader with places in its text; `fresh` makes names that it does not have yet."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.resolution = case.resolution
        self.text = case.text
        self.context = ShaderText(case.resolution, case.source)
        self.types = ValueTypes(case.resolution)
        self._effects: dict[int, Effects] = {}
        """By `id` of a function, when they are asked for."""

    @cached_property
    def guilty(self) -> list[Guilty]:
        """The requirements of severity error that do not hold, those of callees first."""
        return [(r, v) for r, v in self.case.analysis.violations if v.severity is Severity.ERROR]

    @cached_property
    def results(self) -> Results:
        """The analysis of each function in each scope."""
        return {(id(r.function), r.scope): r for r in self.case.analysis.functions}

    @cached_property
    def faults(self) -> tuple[int, int, int]:
        """How many calls of built-in functions are guilty, how many sources make them so, how many calls lead there."""
        calls = [call for guilty in self.guilty for _, call in self.calls(guilty)]
        graphs = [(result.graph, result.graph.reachable(r.target)) for result, r in self.guilty]
        sources = sum(label.role is Role.SOURCE for graph, seen in graphs for label in compress(graph.labels, seen))
        return sum(self.resolution.builtin(call) is not None for call in calls), sources, len(calls)

    def fresh(self, wish: str, besides: Collection[str] = ()) -> str:
        """A name that nothing in the shader has, and that is none of some others; the same for the same wish."""
        return fresh_name(wish, {*all_names(self.resolution.module), *besides})

    @staticmethod
    def wish(call: w.Call) -> str:
        """A name for the value of a call, which may be taken."""
        return next((name for start, name in _NAMES if call.callee.name.startswith(start)), "result")

    def count(self, name: str) -> int:
        """How many declarations in the shader have a name."""
        return sum(isinstance(n, _DECLARATIONS) and n.name == name for n in descendants(self.resolution.module))

    def written(self, node: w.Node, *patches: Patch) -> str:
        """A node as it is written, with patches in it."""
        inside = [Patch(p.start - node.start, p.end - node.start, p.text) for p in patches]
        return applied(self.text[node.start : node.end], inside)

    def before(self, statement: w.Node, *lines: str) -> Patch:
        """Lines in front of a statement, and of the comments that belong to it."""
        start = self.start(statement)
        alone = not self.text[line_start(self.text, start) : start].strip()
        end = f"\n{indentation(self.text, statement.start)}" if alone or "//" in "".join(lines) else " "
        return Patch(start, start, "".join(f"{line}{end}" for line in lines))

    def braced(self, head: str, lines: Sequence[str]) -> list[str]:
        """Lines in braces behind a head, one step further in."""
        return [f"{head}{{", *(f"{self._step}{line}" if line else "" for line in lines), "}"]

    def branch(self, condition: str | None, lines: Sequence[str]) -> list[str]:
        """Lines under a condition, if there is one, joined with that of the only `if` in them; parentheses as usual."""
        if condition is None or not lines:
            return list(lines)
        if not lines[0]:
            return ["", *self.branch(condition, lines[1:])]
        comments = list(takewhile(lambda line: line.startswith("//"), lines))
        first, *inner = lines[len(comments) :]
        joins = re.fullmatch(r"if\b[^|^]*\{", first) and not re.search(r"(?<!&)&(?!&)", first)
        if joins and inner[-1:] == ["}"] and all(line[:1] in ("", " ", "\t") for line in inner[:-1]):
            condition = f"{condition} && {unwrapped(first[2:-1].strip())}"
            lines = [line.removeprefix(self._step) for line in inner[:-1]]
        else:
            comments = []
        usual = 2 * len(re.findall(r"\bif\s*\(", self.text)) > len(re.findall(r"\bif\b", self.text))
        head = f"if ({condition}) " if usual else f"if {condition} "
        return [*comments, *self.braced(head, lines)]

    @cached_property
    def _step(self) -> str:
        """One level of indentation."""
        levels = re.findall(r"^([ \t]*)\S.*\{[ \t]*\r?\n\1([ \t]+)\S", self.text, re.MULTILINE)
        return Counter(step for _, step in levels).most_common(1)[0][0] if levels else "    "

    def one_more(self, f: w.Function | w.Call, written: str) -> Patch:
        """One more parameter behind those of a function, or one more argument of a call."""
        if isinstance(f, w.Call):
            end = f.end - 1
        else:
            end = self.text.index(")", f.parameters[-1].end if f.parameters else self.context.span(f)[0])
        head = self.text[:end].rstrip()
        comma = "" if head.endswith(("(", ",")) else ","
        if not self.text[len(head) : end].count("\n"):
            return Patch(len(head), end, f"{comma} {written}" if not head.endswith("(") else written)
        blanks = indentation(self.text, len(head))
        return Patch(len(head), len(head), f"{comma}\n{blanks}{written}{',' if not comma else ''}")

    def handed(
        self, functions: Sequence[w.Function], parameter: str, value: Callable[[w.Call], str]
    ) -> Iterator[Patch]:
        """A parameter for some functions, and an argument for each call of these that has a value for it."""
        yield from (self.one_more(f, parameter) for f in functions)
        for call in descendants(self.resolution.module):
            if isinstance(call, w.Call) and any(self.resolution.function(call) is f for f in functions):
                written = value(call)
                yield from [self.one_more(call, written)] if written else []

    def behind(self, call: w.Call, i: int, written: str) -> Patch:
        """One more argument behind the one with a number."""
        if i + 1 == len(call.arguments):
            return self.one_more(call, written)
        comma = self.text.rindex(",", 0, call.arguments[i + 1].start)
        return Patch(comma, comma, f", {written}")

    def lines(self, statement: w.Statement, *patches: Patch) -> list[str]:
        """A statement with patches, with the comments above it and behind it on its line; not indented."""
        piece = self.written(statement, *patches) + self.text[statement.end : self.end(statement)]
        blanks = indentation(self.text, statement.start)
        lines = (line.removeprefix(blanks) if line.strip() else "" for line in piece.splitlines())
        return [*self.comments_above(statement), *lines]

    def comments_above(self, statement: w.Node) -> list[str]:
        """The lines directly above a statement on which only a comment stands; not indented."""
        lines = self.text[self.start(statement) : line_start(self.text, statement.start)].splitlines()
        return [line.removeprefix(indentation(self.text, statement.start)).rstrip() for line in lines]

    def end(self, statement: w.Statement) -> int:
        """Where a statement ends, with its semicolon and the comment behind it."""
        end = line_end(self.text, statement.end)
        rest = self.text[statement.end : end]
        return end if rest.lstrip(" \t;").startswith("//") else statement.end + rest.startswith(";")

    def start(self, statement: w.Node) -> int:
        """Where a statement begins, with the lines above it on which only a comment stands."""
        found, start = statement.start, line_start(self.text, statement.start)
        while start and not self.text[start:found].strip():
            above = line_start(self.text, start - 1 - (self.text[start - 2 : start] == "\r\n"))
            if self.text[above:start].rstrip().endswith("*/"):
                above = line_start(self.text, max(0, self.text.rfind("/*", 0, start)))
            line = self.text[above:start]
            if not line.strip().startswith(("//", "/*")):
                break
            found, start = above + len(line) - len(line.lstrip()), above
        return found

    def indented(self, lines: Sequence[str], statement: w.Statement) -> str:
        """Lines that take the place of a statement, which are indented as it is."""
        return re.sub(r"\n(?=[^\n])", f"\n{indentation(self.text, statement.start)}", "\n".join(lines))

    def is_apart(self, statement: w.Statement) -> bool:
        """Whether a blank line is above a statement and its comments."""
        above = self.text[: self.start(statement)]
        return above[len(above.rstrip()) :].count("\n") > 1

    def without(self, statement: w.Statement) -> Patch:
        """Deletes a statement and its comments, and its line if nothing else is on it."""
        text, start, end = self.text, self.start(statement), self.end(statement)
        line, rest = line_start(text, start), text[end : line_end(text, end)]
        if text[line:start].strip() or rest.strip():
            return Patch(start, end, "")
        return Patch(line, end + len(rest) + (2 if text[end + len(rest) :][:2] == "\r\n" else 1), "")

    def type(self, e: w.Expression) -> Type | None:
        """The concrete type of an expression, if it is known."""
        found = self.types.of(e)
        return None if found is None else concrete(found)

    def type_name(self, type: Type | str) -> str:
        """A type as the text writes such: `vec3u`, or `vec3<u32>`."""
        if re.search(r"\bvec[234] *<", self.text):
            return re.sub(r"\b(vec[234])([fiu])\b", r"\1<\g<2>32>", str(type))
        return re.sub(r"\b(vec[234])<([fiu])32>", r"\1\2", str(type))

    def opposite(self, e: w.Expression) -> str:
        """The negation of a condition."""
        if isinstance(e, w.Unary) and e.operator == "!":
            return self.written(e.operand)
        if isinstance(e, w.Binary) and e.operator in _OPPOSITES:
            start, end, other = e.left.end, e.right.start, _OPPOSITES[e.operator]
            if e.operator in ("&&", "||"):
                sides = [self.opposite(side) for side in (e.left, e.right)]
                if not any(side.startswith("!(") for side in sides):
                    return f" {other} ".join(f"({side})" if e.operator in side else side for side in sides)
            elif str(self.type(e.left)) in ("i32", "u32", "bool"):
                return self.written(e, Patch(start, end, self.text[start:end].replace(e.operator, other, 1)))
        text = self.written(e)
        return f"!{text}" if isinstance(e, w.Identifier | w.Call | w.Member) else f"!({text})"

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
        """The call of a requirement, then the calls in the called functions that it comes from; each once."""
        todo, seen, calls = [guilty], set(), set()
        while todo:
            result, requirement = todo.pop(0)
            call, key = requirement.call, (id(requirement.call), requirement.demand, requirement.argument)
            if key in seen:
                continue
            seen.add(key)
            if id(call) not in calls:
                yield result.function, call
            calls.add(id(call))
            callee = self.resolution.function(call)
            if callee is not None:
                inner = self.results[id(callee), result.scope]
                todo += [(inner, own) for own in Narrator.origins_of(requirement, inner)]

    def function_around(self, node: w.Node) -> w.Function | None:
        """The function in which a node stands."""
        return next((f for f in self.context.around(node) if isinstance(f, w.Function)), None)

    def uses(self, declared: w.Node, within: w.Node | None = None) -> Iterator[w.Identifier]:
        """The names in a node, or in all, that stand for a declaration."""
        for node in descendants(within or self.resolution.module):
            if isinstance(node, w.Identifier) and self.resolution.declaration(node) is declared:
                yield node

    def writes(self, variable: w.Variable) -> list[w.Node]:
        """What may write a variable: assignments, and where its address is taken."""
        return [
            n
            for n in descendants(self.resolution.module)
            if (isinstance(n, w.Assign | w.Increment) and self.resolution.root(n.left) is variable)
            or (isinstance(n, w.Unary) and n.operator == "&" and self.resolution.root(n.operand) is variable)
        ]

    def collective(self, node: w.Node) -> list[w.Call]:
        """The calls in a node that all invocations must reach together."""
        return [e for e in descendants(node) if isinstance(e, w.Call) and self.rules(e)]

    def is_pure(self, e: w.Node) -> bool:
        """Whether evaluating an expression changes no memory; it may be collective."""
        return not any(self.effects(call).changes for call in descendants(e) if isinstance(call, w.Call))

    def is_plain(self, e: w.Node) -> bool:
        """Whether nothing is to be said about when an expression is evaluated: it is pure, and not collective."""
        return self.is_pure(e) and not self.collective(e)

    def only_samples(self, nodes: Sequence[w.Node]) -> bool:
        """Whether nobody waits in some nodes, and all calls end: what all evaluate, and may not need, is pure then."""
        calls = [self.effects(n) for node in nodes for n in descendants(node) if isinstance(n, w.Call)]
        return all(call.rules <= {Rule.DERIVATIVE} and not call.loops for call in calls)

    def rules(self, call: w.Call) -> Set[Rule]:
        """The trigger rules of a call, and of all calls in the function that it calls."""
        return self.effects(call).rules

    def effects(self, call: w.Call) -> Effects:
        """What a call does."""
        builtin, function = self.resolution.builtin(call), self.resolution.function(call)
        if builtin is not None:
            changes = builtin.name != "atomicLoad" and builtin.name.startswith(_WRITING)
            return Effects(set() if builtin.rule is None else {builtin.rule}, changes)
        if function is not None and not self._effects:  # once for each: calls may have exponentially many paths
            for f in self.resolution.functions:  # callees first
                self._effects[id(f)] = self._of_function(f)
        return Effects() if function is None else self._effects[id(function)]

    def _of_function(self, function: w.Function) -> Effects:
        """The effects of calls of a function, when those of its callees are known."""
        nodes = list(descendants(function.body))
        inner = [self.effects(node) for node in nodes if isinstance(node, w.Call)]
        used = {id(d): d for d in self.reads(function.body) if isinstance(d, w.Variable)}
        return Effects(
            {rule for e in inner for rule in e.rules},
            any(map(self._writes, nodes)) or any(e.changes for e in inner),
            has(function.body, LOOPS) or any(e.loops for e in inner),
            [d for d in used.values() if not self.resolution.is_function_scope(d)],
        )

    def _writes(self, node: w.Node) -> bool:
        """Whether a node is an assignment to what outlives its function, or may be."""
        if not isinstance(node, w.Assign | w.Increment):
            return isinstance(node, w.Discard)
        root = self.resolution.root(node.left)
        return not isinstance(root, w.Variable) or not self.resolution.is_function_scope(root)

    def reads(self, e: w.Node) -> Iterator[w.Node]:
        """The declarations that the names in a node stand for, and the variables that functions called in it use."""
        for node in descendants(e):
            if isinstance(node, w.Identifier) and (declared := self.resolution.declaration(node)) is not None:
                yield declared
            if isinstance(node, w.Call):
                yield from self.effects(node).used

    def shares(self, node: w.Node) -> bool:
        """Whether a node accesses memory that other invocations may write, or may do so by a pointer."""
        return any(
            self.resolution.space(d) not in (Space.FUNCTION, Space.PRIVATE) and self.is_written(d)
            if isinstance(d, w.Variable)
            else self._is_pointer(d)
            for d in self.reads(node)
        )

    def may_change(self, declared: w.Node, *within: w.Node) -> bool:
        """Whether the contents of a variable, or of a pointer, may change while some statements run."""
        is_memory = self.is_written(declared) if isinstance(declared, w.Variable) else self._is_pointer(declared)
        return is_memory and any(self.may_write(node, declared) for s in within for node in descendants(s))

    def may_write(self, node: w.Node, declared: w.Node) -> bool:
        """Whether a node, without what is in it, may write a variable."""
        if isinstance(node, w.Assign | w.Increment):
            root = self.resolution.root(node.left)
            return root is None or root is declared or not isinstance(root, w.Variable)
        if not isinstance(node, w.Call):
            return False
        waits = not self.is_local(declared) and Rule.SYNCHRONIZATION in self.rules(node)  # others may write before it
        return waits or self.effects(node).changes

    def is_local(self, declared: w.Node) -> bool:
        """Whether a declaration is of a variable in a function."""
        return isinstance(declared, w.Variable) and self.resolution.is_function_scope(declared)

    def is_written(self, variable: w.Variable) -> bool:
        """Whether anything in the shader may write a variable, or its texels."""
        type = None if variable.type is None else self.resolution.named(variable.type)
        if type is not None and type.name.startswith(_WRITTEN_TEXELS):
            return True
        return self.resolution.is_function_scope(variable) or self.resolution.access(variable) is not Access.READ

    def _is_pointer(self, declared: w.Node) -> bool:
        if isinstance(declared, w.Parameter):
            return self.resolution.is_pointer_type(declared.type)
        return isinstance(declared, w.Let) and self.resolution.is_pointer(declared.value)
