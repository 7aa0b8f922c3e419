"""A path of a uniformity graph told step by step, from what must be uniform to the source of non-uniformity.

What goes on in a called function is told one level deeper. An expression has a node for each of its parts, and a value
may be the node of the control flow in which it is computed. So a node's meaning depends on where the path comes from.
"""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from typing import assert_never

from wgsl_fuzz.oracle.explain.sources import source_sentence
from wgsl_fuzz.oracle.explain.text import (
    KEYWORDS,
    TOGETHER,
    VARIABLE_ROLES,
    Jump,
    Results,
    ShaderText,
    Step,
    StepKind,
    Trail,
    listed,
    parameter_node,
)
from wgsl_fuzz.oracle.rules.digraph import Node
from wgsl_fuzz.oracle.rules.uniformity.analysis import FunctionResult, Iteration
from wgsl_fuzz.oracle.rules.uniformity.graph import (
    CF_START,
    MAY_BE_NON_UNIFORM,
    VALUE_RETURN,
    Demand,
    Label,
    Requirement,
    Role,
)
from wgsl_fuzz.wgsl import syntax as w
from wgsl_fuzz.wgsl.builtins import Rule
from wgsl_fuzz.wgsl.diagnostics import of_attributes
from wgsl_fuzz.wgsl.walk import descendants

Named = w.Variable | w.Let | w.Parameter

MOST_JUMPS = 2
"""More of those that leave one statement are not told."""
MOST_NODES = 400
"""Of a path; of a longer one the middle is neither told nor drawn."""


@dataclass
class Walk:
    """A path in one function's graph, and how far it is narrated."""

    result: FunctionResult
    path: Sequence[Node]
    depth: int
    subject: str
    """What the last sentence was about: the next one may begin with it."""
    at: w.Node | None
    """Where that stands."""
    i: int = 0
    variable: Named | None = None
    """The variable of which the node at hand is the value."""

    @property
    def label(self) -> Label:
        """That of the node at hand."""
        return self.labelled(self.i)

    @property
    def after(self) -> Label:
        """That of the next node."""
        return self.labelled(self.i + 1)

    def labelled(self, i: int) -> Label:
        """The label of a node of the path."""
        return self.result.graph.labels[self.path[i]]


class Narrator:
    """Tells paths of one shader; what it has told in a called function, it does not tell again."""

    def __init__(self, text: ShaderText, results: Results) -> None:
        self.text = text
        self.resolution = text.resolution
        self.steps: list[Step] = []
        self.trails: list[Trail] = []
        self.results = results
        self._told: set[tuple[int, Node, Node]] = set()
        self._caller: tuple[int, Node | None] | None = None

    def add(self, walk: Walk, kind: StepKind, place: w.Node, sentence: str) -> None:
        """One more step."""
        self.steps.append(Step(kind, sentence, self.text.quote(place), self.text.span(place), walk.depth))

    # ------------------------------------------------------------------------------------------------------------ path

    def follow(self, walk: Walk) -> None:
        """The nodes of a path, one by one; of a long one the first and the last."""
        more = len(walk.path) - MOST_NODES
        while walk.i < len(walk.path) - 1:
            if more > 0 and walk.i == MOST_NODES // 2:
                self.pass_over(walk, more)
            self.tell(walk)
            walk.i += 1
        self.end(walk)

    def pass_over(self, walk: Walk, more: int) -> None:
        """Goes on at the next node behind so many more that has a place."""
        walk.i += more
        while (place := walk.label.syntax) is None:
            walk.i += 1
        walk.at, walk.subject = place, f"`{self.text.quote(place)}` on line {self.text.line(place)}"
        self.add(walk, StepKind.VALUE, place, f"... {walk.i - MOST_NODES // 2} steps more of this path lead here")

    def tell(self, walk: Walk) -> None:
        """The sentences of one node."""
        match walk.label.role:
            case Role.OPERATION:
                pass  # The sentence before says what the whole expression depends on.
            case Role.READ:
                self.reads(walk)
            case Role.SOURCE:
                self.source(walk)
            case Role.ASSIGNED:
                self.assigned(walk)
            case Role.SHORT_CIRCUIT | Role.AFTER_IF | Role.AFTER_SWITCH | Role.CONTINUING | Role.EXIT:
                self.joined(walk)
            case Role.HEAD:
                self.head_of_variable(walk)
            case Role.ARGUMENT_CONTENTS:
                self.contents(walk)
            case Role.WRITTEN:
                self.written(walk)
            case Role.RESULT:
                self.result(walk)
            case Role.CONDITION | Role.CF_AFTER_IF | Role.CF_AFTER_SWITCH | Role.CF_HEAD | Role.CF_BREAK_IF:
                if self.text.is_flow(walk.label, walk.at):
                    self.control(walk)
            case Role.CONTENTS_AT_EXIT | Role.CONTENTS_AT_ENTRY | Role.PARAMETER:
                walk.variable = walk.label.subject if isinstance(walk.label.subject, w.Parameter) else None
            case Role.SPECIAL:
                if walk.path[walk.i] == VALUE_RETURN:
                    self.returned(walk)
            case role:
                assert_never(role)

    def source(self, walk: Walk) -> None:
        """The end of a path."""
        label = walk.label
        assert label.syntax is not None, "a source is read somewhere"
        place = self.text.whole(label.syntax)
        self.add(walk, StepKind.SOURCE, place, source_sentence(self.text, label, walk.result))

    def end(self, walk: Walk) -> None:
        """The last node of a path."""
        label, f = walk.label, walk.result.function
        if walk.path[-1] == CF_START:
            told = f"{walk.subject} runs in the control flow of the caller of `{f.name}`"
            self.add(walk, StepKind.CONTROL, f, told)
        elif isinstance(label.subject, w.Parameter):
            p = label.subject
            i = next(i for i, q in enumerate(f.parameters) if q is p)
            what = f"`{p.name}` is parameter {i + 1} of `{f.name}`"
            contents = label.role is Role.CONTENTS_AT_ENTRY
            does = "decides what it points to" if contents else "gives its value"
            self.add(walk, StepKind.VALUE, p, f"{what}: the caller {does}")
        elif walk.path[-1] == MAY_BE_NON_UNIFORM and not self.is_told(walk):
            place: w.Node = walk.at or f
            self.add(walk, StepKind.SOURCE, place, "the rules take this to be non-uniform")

    @staticmethod
    def is_told(walk: Walk) -> bool:
        """Whether the node before MayBeNonUniform has said why it is there."""
        if len(walk.path) < 2:
            return False
        label = walk.labelled(len(walk.path) - 2)
        return label.role in (Role.SOURCE, Role.RESULT, Role.WRITTEN)

    # ---------------------------------------------------------------------------------------------------- requirements

    def required(
        self, result: FunctionResult, r: Requirement, target: Node = MAY_BE_NON_UNIFORM, depth: int = 0
    ) -> None:
        """A requirement, and the path from it to `target`: by default one that does not hold."""
        path = result.graph.shortest_path(r.target, target)
        call = f"the call of `{r.call.callee.name}` on line {self.text.line(r.call)}"
        walk = Walk(result, path, depth, call, r.call)
        if r.argument is not None:
            walk.at = r.call.arguments[r.argument]
        callee = self.resolution.function(r.call)
        self.enter(result, path, r)
        filtered = "" if callee is None else self.filtered(r)
        self.add(walk, StepKind.REQUIREMENT, r.call, self.demand(r, callee) + filtered)
        if callee is not None:
            self.inside_requirement(r, callee, walk)
        self.link(walk, r)
        self.follow(walk)

    def demand(self, r: Requirement, callee: w.Function | None) -> str:
        """What a built-in function requires, or the body of a function of the module."""
        name, body = r.call.callee.name, f", as the body of `{r.call.callee.name}` requires"
        if r.argument is not None:
            return f"{self.value(r, r.argument)} must be uniform" + body * (callee is not None)
        rule = next(iter(r.rules), Rule.SYNCHRONIZATION)
        why = f": {TOGETHER[rule]}" if callee is None else ", as its body requires"
        return f"`{name}` must be called in uniform control flow{why}"

    def filtered(self, r: Requirement) -> str:
        """That a filter around the call of a function does not count for what the function calls."""
        for around in self.text.around(r.call):
            attributes: w.Attributes = getattr(around, "attributes", ())
            if any(rule in r.rules and s is not r.severity for rule, s in of_attributes(attributes).items()):
                line = self.text.source.position(attributes[0].start)[0]
                return f"; the filter on line {line} has no effect: put it around the call in `{r.call.callee.name}`"
        return ""

    def value(self, r: Requirement, i: int) -> str:
        """What of an argument must be uniform."""
        written = f"argument {i + 1} of `{r.call.callee.name}`, `{self.text.quote(r.call.arguments[i], 40)}`,"
        if r.demand is Demand.CONTENTS:
            return f"what {written} points to"
        return f"the address in {written}" if self.resolution.is_pointer(r.call.arguments[i]) else written

    def link(self, walk: Walk, r: Requirement) -> None:
        """From an argument to what it depends on, unless it is that itself."""
        if r.argument is None or not walk.path:
            return
        argument = r.call.arguments[r.argument]
        depends = self.depends_on(walk, 0)
        root = self.resolution.root(argument)
        known = f"`{self.text.quote(argument)}`" if root is None else self.name(root)
        if depends and depends not in (known, f"`{self.text.quote(argument)}`"):
            what = f"argument {r.argument + 1} of `{r.call.callee.name}`"
            what = f"what {what} points to" if r.demand is Demand.CONTENTS else what
            self.add(walk, StepKind.VALUE, argument, f"{what} depends on {depends}")

    def inside_requirement(self, r: Requirement, callee: w.Function, walk: Walk) -> None:
        """The requirement in the called function from which the tag comes, and other calls there that have it."""
        inner = self.results[id(callee), walk.result.scope]
        if not (origins := self.origins_of(r, inner)):  # a relaxation asks for a part of what the callee requires
            return
        first, *others = origins
        self.nested(inner, first.target, self.target(inner, r), walk, first)
        inside = Walk(inner, (), walk.depth + 1, "", None)
        for call in {id(q.call): q.call for q in others if q.call is not first.call}.values():
            told = f"this call requires the same of those who call `{callee.name}`"
            self.add(inside, StepKind.REQUIREMENT, call, told)

    @classmethod
    def origins_of(cls, r: Requirement, inner: FunctionResult) -> list[Requirement]:
        """The requirements of the called function from which one comes: of its severity, if any has that."""
        reaches = inner.graph.reaching(cls.target(inner, r))
        found = [own for own in inner.graph.requirements if reaches(own.target)]
        return [own for own in found if own.severity is r.severity] or found

    @staticmethod
    def target(inner: FunctionResult, r: Requirement) -> Node:
        """The node of the called function that must be uniform."""
        if r.argument is None:
            return CF_START
        role = Role.CONTENTS_AT_ENTRY if r.demand is Demand.CONTENTS else Role.PARAMETER
        return parameter_node(inner, inner.function.parameters[r.argument], role)

    # ----------------------------------------------------------------------------------------------- called functions

    def enter(self, result: FunctionResult, path: Sequence[Node], requirement: Requirement | None = None) -> None:
        """A new trail; what is entered next is entered from its requirement."""
        half = MOST_NODES // 2
        told = path if len(path) <= MOST_NODES else [*path[:half], *path[-half:]]
        self.trails.append(Trail(result, tuple(told), requirement, self._caller))
        self._caller = len(self.trails) - 1, None

    def nested(
        self, inner: FunctionResult, start: Node, target: Node, walk: Walk, requirement: Requirement | None = None
    ) -> None:
        """A path in a called function, one level deeper."""
        key = (id(inner), start, target)
        caller = self._caller
        if requirement is None and caller is not None:
            self._caller = caller[0], walk.path[walk.i]
        if key in self._told:
            self.add(walk, StepKind.CALL, inner.function, f"`{inner.function.name}` does this as told above")
        elif requirement is not None:
            self._told.add(key)
            self.required(inner, requirement, target, walk.depth + 1)
        else:
            self._told.add(key)
            path = inner.graph.shortest_path(start, target)
            self.enter(inner, path)
            self.follow(Walk(inner, path, walk.depth + 1, f"the end of `{inner.function.name}`", None))
        self._caller = caller

    def result(self, walk: Walk) -> None:
        """The result of a call."""
        call, f = walk.label.syntax, walk.label.subject
        assert isinstance(call, w.Call), "a result is a call's"
        if isinstance(f, w.Function) and walk.path[walk.i + 1] == MAY_BE_NON_UNIFORM:
            told = f"the result of `{f.name}` may be non-uniform whatever its arguments are, as its body shows"
            self.add(walk, StepKind.CALL, call, told)
            self.nested(self.results[id(f), walk.result.scope], VALUE_RETURN, MAY_BE_NON_UNIFORM, walk)
        elif isinstance(f, w.Function) and not self.goes_to_flow(walk, walk.i):
            walk.at = call
            depends = self.of_argument(walk, call) + self.other_arguments(walk, call)
            self.add(walk, StepKind.CALL, call, f"the result of `{f.name}` depends on {depends}")

    def of_argument(self, walk: Walk, call: w.Call) -> str:
        """`its argument 1, `x``: the argument of a call that the path goes on to."""
        i = self.argument(call, walk.after)
        if i is None:
            return "an argument"
        contents = "what " if walk.after.role is Role.ARGUMENT_CONTENTS else ""
        points = " points to" if contents else ""
        return f"{contents}its argument {i + 1}, `{self.text.quote(call.arguments[i], 40)}`{',' * bool(points)}{points}"

    def other_arguments(self, walk: Walk, call: w.Call) -> str:
        """`, and also on its argument 2`: those that may be non-uniform beside the one that the path goes on to."""
        graph = walk.result.graph
        non_uniform, labels = graph.non_uniform(), graph.labels
        nodes = [
            v for v in graph.successors[walk.path[walk.i]] if non_uniform(v) and not self.text.is_flow(labels[v], call)
        ]
        numbers = {i for v in nodes if (i := self.argument(call, labels[v])) is not None}
        others = [f"its argument {i + 1}" for i in sorted(numbers - {self.argument(call, walk.after)})]
        return f", and also on {listed(others)}" if others else ""

    def written(self, walk: Walk) -> None:
        """A variable after a call that was given a pointer to it."""
        call, f = walk.label.syntax, walk.label.subject
        assert isinstance(call, w.Call), "only a call writes through a pointer argument"
        assert isinstance(f, w.Function), "only functions of the module do"
        x = walk.variable
        walk.at = call
        i = self.written_through(walk, call, f)
        name = "the variable" if x is None else self.name(x)
        inner = self.results[id(f), walk.result.scope]
        exit_node = parameter_node(inner, f.parameters[i], Role.CONTENTS_AT_EXIT)
        why = f"`{f.name}` writes to {name} through argument {i + 1}"
        if walk.path[walk.i + 1] == MAY_BE_NON_UNIFORM:
            self.add(walk, StepKind.CALL, call, f"{why}, and may leave a non-uniform value there, as its body shows")
            self.nested(inner, exit_node, MAY_BE_NON_UNIFORM, walk)
        elif self.text.is_flow(walk.after, call):
            self.add(walk, StepKind.CALL, call, f"{why}, and perhaps not in every invocation")
        else:
            self.written_from(walk, call, inner, exit_node, why)
        walk.subject = f"the call of `{f.name}` on line {self.text.line(call)}"

    def written_through(self, walk: Walk, call: w.Call, f: w.Function) -> int:
        """The argument that is the pointer; two of them may lead to one variable, each with a node of its own."""
        exits = self.results[id(f), walk.result.scope].graph.labels
        written = {id(label.subject) for label in exits if label.role is Role.CONTENTS_AT_EXIT}
        pointers = [i for i, p in enumerate(f.parameters) if id(p) in written]
        labels = walk.result.graph.labels[: walk.path[walk.i]]
        before = sum(label.role is Role.WRITTEN and label.syntax is call for label in labels)
        return pointers[before % len(pointers)]  # by the letter, a let's pointer is calculated again

    def written_from(self, walk: Walk, call: w.Call, inner: FunctionResult, exit_node: Node, why: str) -> None:
        """What a call writes depends on an argument, or it keeps a part of what was there."""
        x, f, j = walk.variable, inner.function, self.argument(call, walk.after)
        if j is None:
            if walk.after.role is Role.WRITTEN and walk.after.syntax is call:
                self.add(walk, StepKind.CALL, call, f"{why}, and so may another pointer to it in the same call")
                return
            kept = "before" if x is None else self.origin(walk.after, x)
            self.add(walk, StepKind.CALL, call, f"{why}, and a part may keep its value of {kept}")
            if x is not None:
                self.defined(walk, x)
            return
        depends = self.of_argument(walk, call)
        role = Role.CONTENTS_AT_ENTRY if walk.after.role is Role.ARGUMENT_CONTENTS else Role.PARAMETER
        node = parameter_node(inner, f.parameters[j], role)
        path = inner.graph.shortest_path(exit_node, node)
        if len(path) == 2:
            self.add(walk, StepKind.CALL, call, f"`{f.name}` may leave {depends} as it was")
            return
        if not path:
            self.add(walk, StepKind.CALL, call, f"{why}, and where it writes depends on {depends}")
            return
        self.add(walk, StepKind.CALL, call, f"{why}, and what it leaves there depends on {depends}, as its body shows")
        self.nested(inner, exit_node, node, walk)

    def contents(self, walk: Walk) -> None:
        """What a pointer argument points to."""
        e, x = walk.label.syntax, walk.label.subject
        assert e is not None, "an argument is an expression"
        walk.at = e
        is_address = self.text.contains(e, walk.after.syntax)
        if isinstance(x, Named) and not is_address and not self.text.is_flow(walk.after, e):
            self.defined(walk, x)

    # ---------------------------------------------------------------------------------------------------- control flow

    def control(self, walk: Walk) -> None:
        """The sentence of a node of control flow; none if it only passes on what is around."""
        s = walk.label.syntax
        if walk.label.role is Role.CONDITION and self.skips_condition(walk, walk.i):
            return
        match s:
            case w.If() | w.Switch() if walk.label.role is not Role.CONDITION:
                self.behind(walk, s)
            case w.If() | w.Switch():
                self.branch(walk, s)
            case w.Loop() | w.While() | w.For() if walk.label.role is Role.CF_HEAD:
                self.head(walk, s)
            case w.While() | w.For():
                self.add(walk, StepKind.CONTROL, s, f"{self.in_loop(walk, s)}: its {self.condition(walk, s)}")
            case w.Binary():
                self.right_operand(walk, s)
            case w.BreakIf():
                self.break_if(walk, s)

    def skips_condition(self, walk: Walk, i: int) -> bool:
        """Passes over a condition that is not at fault: the path goes on to the control flow around it."""
        at = walk.labelled(i).syntax
        at = at.left if isinstance(at, w.Binary) else at
        for k in range(i + 1, len(walk.path)):
            label = walk.labelled(k)
            if self.text.is_flow(label, at):
                walk.i = k - 1
                return True
            is_part = label.role in (Role.OPERATION, Role.CONDITION) or isinstance(label.subject, str)
            is_read = label.role in (Role.READ, Role.RESULT) and k + 1 < len(walk.path)
            if not is_part and not (
                is_read and (self.text.is_flow(after := walk.labelled(k + 1), at) or after.role is Role.CONDITION)
            ):
                return False
        return False

    def condition(self, walk: Walk, place: w.Node) -> str:
        """`condition depends on `x``; the walk is in the condition, or the selector, from here on."""
        walk.at, noun = place, "selector" if isinstance(place, w.Switch) else "condition"
        depends, others = self.depends_on(walk, walk.i + 1), self.other_operands(walk, place)
        walk.subject = self.text.named(place)
        if not depends:
            return f"{noun} may be non-uniform"
        others = [other for other in others if other != depends]
        return f"{noun} depends on {depends}" + (f", and also on {listed(others)}" if others else "")

    def other_operands(self, walk: Walk, place: w.Node) -> list[str]:
        """What else in the condition of a statement is non-uniform, also if what depends on the condition is not."""
        e = next((getattr(place, name) for name in ("condition", "selector") if hasattr(place, name)), None)
        graph, at = walk.result.graph, walk.path[walk.i]
        reached = graph.reachable(walk.path[walk.i + 1])
        found: list[tuple[w.Node, Label]] = []
        for node in () if e is None else self.operands(walk.result, e):
            label = graph.labels[node]
            if reached[node] and label.syntax is not None:
                values = [v for v in graph.successors[node] if not self.text.is_flow(graph.labels[v], label.syntax)]
                if graph.reachable_from(values, closed=at)[MAY_BE_NON_UNIFORM]:
                    found.append((self.text.whole(label.syntax), label))
        found.sort(key=lambda one: one[0].start)
        inner = {id(a) for a, _ in found for b, _ in found if a is not b and self.text.contains(b, a)}
        return list(dict.fromkeys(self.text.read(label) for whole, label in found if id(whole) not in inner))

    def operands(self, result: FunctionResult, e: w.Node) -> list[Node]:
        """The nodes that are values in an expression."""
        if id(result) not in self.text.operands:
            labelled = ((label.syntax, v) for v, label in enumerate(result.graph.labels) if self.is_operand(label))
            self.text.operands[id(result)] = sorted((s.start, s.end, v) for s, v in labelled if s is not None)
        known = self.text.operands[id(result)]
        first, last = (bisect_left(known, (place,)) for place in (e.start, e.end))
        return sorted(v for _, end, v in known[first:last] if end <= e.end)

    @staticmethod
    def is_operand(label: Label) -> bool:
        """Whether a node is a value that a condition names: of a built-in function's result, its arguments are."""
        if label.role is Role.RESULT:
            return isinstance(label.subject, w.Function)
        return label.role in (Role.READ, Role.SOURCE)

    def branch(self, walk: Walk, s: w.If | w.Switch) -> None:
        """What stands inside an `if` or a `switch`."""
        subject, at = walk.subject, walk.at
        condition = self.condition(walk, s)
        if isinstance(s, w.Switch):
            told = f"{subject} is inside this `switch`, whose {condition}: invocations may take different clauses"
        else:
            place = "in the `else` of" if self.text.contains(s.orelse, at) else "inside"
            told = f"{subject} is {place} this `if`, whose {condition}: invocations may take different branches"
        self.add(walk, StepKind.CONTROL, s, told)

    def behind(self, walk: Walk, s: w.If | w.Switch) -> None:
        """What comes after an `if` or `switch` that some invocations leave for elsewhere."""
        after = walk.after
        if after.role is not Role.CONDITION or after.syntax is not s:
            return  # A statement inside tells of it, or one around it.
        if self.skips_condition(walk, walk.i + 1):
            return
        walk.i += 1
        subject = walk.subject
        jumps = list(self.text.jumps(s, breaks=isinstance(s, w.If)))
        elsewhere = [jump for jump in jumps if not self.leads_to(jump, walk.at)]
        shown = (elsewhere or jumps)[:MOST_JUMPS]
        condition = self.condition(walk, s)
        ways = " or ".join(self.way(jump) for jump in shown)
        if elsewhere:
            more = " or elsewhere" if len(elsewhere) > len(shown) else ""
            why = f"only the invocations that do not leave it by {ways}{more} come there"
        else:
            why = f"invocations that leave it by {ways} come there, too, and the rules do not take them to be together"
        self.add(
            walk, StepKind.CONTROL, s, f"{subject} comes after this `{KEYWORDS[type(s)]}`, whose {condition}: {why}"
        )
        for jump in shown:
            self.jump(walk, jump)

    def leads_to(self, jump: Jump, at: w.Node | None) -> bool:
        """Whether a `continue` leads to a place as well: the next iteration, or what is done at the end of this one."""
        loop = self.text.left_by(jump)
        if not isinstance(jump, w.Continue) or at is None:
            return False
        end = loop.continuing if isinstance(loop, w.Loop) else loop.update if isinstance(loop, w.For) else None
        return at is loop or self.text.contains(end, at)

    def way(self, jump: Jump) -> str:
        """`the `return` on line 8`."""
        return f"the `{type(jump).__name__.lower()}` on line {self.text.line(jump)}"

    def jump(self, walk: Walk, jump: Jump) -> None:
        """Where a jump leads."""
        left = self.text.left_by(jump)
        what = "it" if left is None else self.text.named(left)
        match jump:
            case w.Return() if isinstance(left, w.Function) and self.resolution.entry_stage(left) is None:
                told = f"the invocations that come here leave {what}, and meet the others again behind its call only"
            case w.Return() | w.Break():
                told = f"the invocations that come here leave {what}"
            case w.Continue():
                told = f"the invocations that come here skip the rest of the body of {what}"
        self.add(walk, StepKind.JUMP, jump, told)

    def right_operand(self, walk: Walk, e: w.Binary) -> None:
        """What is evaluated on the right of `&&` or `||`."""
        subject = walk.subject
        walk.at = e.left
        depends = self.depends_on(walk, walk.i + 1)
        left, value = self.text.quote(e.left, 40), "true" if e.operator == "&&" else "false"
        where = f"evaluated only where the left one, `{left}`, is {value}"
        told = f"{subject} is in the right operand of `{e.operator}`, {where}"
        told += f", which depends on {depends}" if depends not in ("", f"`{left}`") else ""
        self.add(walk, StepKind.CONTROL, e, told)
        walk.subject = f"the left operand of `{e.operator}` on line {self.text.line(e)}"

    def in_loop(self, walk: Walk, s: Iteration) -> str:
        """Where the subject is, seen from a loop."""
        if walk.at is not None and walk.at.start >= s.end:
            return f"{walk.subject} comes after this loop, out of which invocations may return in different iterations"
        return f"{walk.subject} is in this loop, whose iterations invocations may not run together"

    def head(self, walk: Walk, s: Iteration) -> None:
        """Control flow at the head of a loop: on entry as before it, otherwise as at its end."""
        entry = walk.result.graph.successors[walk.path[walk.i]][0]
        if walk.path[walk.i + 1] == entry:
            return
        if walk.after.role is Role.CONDITION and walk.after.syntax is s and not self.skips_condition(walk, walk.i + 1):
            return
        self.add(walk, StepKind.CONTROL, s, self.in_loop(walk, s))
        walk.subject, walk.at = f"the next iteration of {self.text.named(s)}", s

    def break_if(self, walk: Walk, s: w.BreakIf) -> None:
        """`break if`."""
        if self.skips_condition(walk, walk.i):
            return
        left = next((outer for outer in self.text.around(s) if isinstance(outer, w.Loop)), None)
        what = "the loop" if left is None else self.text.named(left)
        condition = self.condition(walk, s)
        told = f"invocations may leave {what} here in different iterations: the {condition}"
        self.add(walk, StepKind.CONTROL, s, told)

    # ----------------------------------------------------------------------------------------------------- expressions

    def reads(self, walk: Walk) -> None:
        """A read of a variable, let or parameter: where that got its value."""
        if not self.goes_to_flow(walk, walk.i) and isinstance(walk.label.subject, Named):
            self.defined(walk, walk.label.subject)

    def defined(self, walk: Walk, x: Named) -> None:
        """The next node is the value of `x`: the sentence of its declaration, if it is the value it began with."""
        walk.variable = x
        if self.is_value_of(walk.after, x):
            return
        walk.at = x
        depends = self.depends_on(walk, walk.i + 1)
        if isinstance(x, w.Let) and self.resolution.is_pointer(x.value):
            told = f"`{x.name}` is a pointer" + (f", and its address depends on {depends}" if depends else "")
        else:
            told = f"`{x.name}` is declared here" + (f" with a value that depends on {depends}" if depends else "")
        self.add(walk, StepKind.VALUE, x, told)
        walk.subject = f"the declaration of `{x.name}` on line {self.text.line(x)}"

    # ----------------------------------------------------------------------------------------------------- assignments

    def assigned(self, walk: Walk) -> None:
        """A variable after an assignment."""
        s, x = walk.label.syntax, walk.label.subject
        assert isinstance(s, w.Assign | w.Increment), "nothing else assigns"
        assert isinstance(x, w.Variable | w.Parameter), "nothing else is assigned to"
        walk.at, walk.variable = s, x
        told = self.assignment(walk, s, x)
        self.add(walk, StepKind.VALUE, s, told)
        walk.subject = f"the assignment on line {self.text.line(s)}"
        # The path may go on to the value that the variable had before and keeps in part.
        if not self.text.contains(s, walk.after.syntax) and not self.text.is_flow(walk.after, s):
            self.defined(walk, x)

    def assignment(self, walk: Walk, s: w.Assign | w.Increment, x: w.Variable | w.Parameter) -> str:
        """What an assignment has to do with the rest of the path."""
        name, after = self.name(x), walk.after
        part = not self.resolution.is_full(s.left)
        if self.text.is_flow(after, s):
            return f"{name} is changed here, and perhaps not by every invocation"
        if after.syntax is s.left and after.role is Role.READ:
            return f"the new value of {name} depends on its old one"
        depends = self.depends_on(walk, walk.i + 1)
        if self.text.contains(s.left, after.syntax):
            return (
                f"which part of {name} is assigned here depends on {depends}, so {name} may differ between invocations"
            )
        if self.text.contains(s, after.syntax):
            value = f"a value that depends on {depends}" if depends else "a value that may be non-uniform"
            if part:
                return f"a part of {name}{self.through(s.left)} gets {value}, and {name} counts as one value"
            return f"{name}{self.through(s.left)} gets {value}"
        return f"only a part of {name} is assigned here, the rest keeps its value of {self.origin(after, x)}"

    def through(self, left: w.Expression) -> str:
        """` through `p``: the let of pointer type by which a variable is assigned to; empty if there is none."""
        names = [e for e in descendants(left) if isinstance(e, w.Identifier)]
        declared = self.resolution.declaration(names[0]) if names else None
        return f", through the pointer `{declared.name}`," if isinstance(declared, w.Let) else ""

    def joined(self, walk: Walk) -> None:
        """A variable where several ways meet."""
        s, x = walk.label.syntax, walk.label.subject
        assert s is not None, "a join belongs to a statement or an operator"
        assert isinstance(x, w.Variable | w.Parameter), "nothing else is assigned to"
        walk.at = s
        origins = self.origins(walk, x)
        if len(origins) > 1 and self.is_decided_by_way(walk):
            where = {Role.CONTINUING: "at the end of the body of this loop", Role.EXIT: "behind this loop"}
            here = where.get(walk.label.role, f"behind this {self.noun(s)}")
            values = " or ".join(origins)
            told = f"{self.name(x)} {here} may come from {values}, depending on the way that an invocation took"
            self.add(walk, StepKind.VALUE, s, told)
        self.defined(walk, x)

    @staticmethod
    def noun(s: w.Node) -> str:
        """The keyword or operator of what joins."""
        if isinstance(s, w.Binary):
            return f"`{s.operator}`"
        return f"`{KEYWORDS[type(s)]}`" if isinstance(s, w.If | w.Switch) else "loop"

    def origins(self, walk: Walk, x: Named) -> list[str]:
        """Where the values that meet here were made, in the order of the text."""
        graph = walk.result.graph
        labels = [graph.labels[v] for v in graph.successors[walk.path[walk.i]]]

        def made_at(label: Label) -> int:
            return label.syntax.start if label.syntax is not None and self.is_value_of(label, x) else x.start

        return list(dict.fromkeys(self.origin(label, x) for label in sorted(labels, key=made_at)))

    def is_decided_by_way(self, walk: Walk) -> bool:
        """Whether the value is non-uniform since it is assigned on some ways only, and not for what is assigned."""
        if walk.after.role not in (Role.ASSIGNED, Role.WRITTEN) or walk.i + 2 >= len(walk.path):
            return False
        return self.text.is_flow(walk.labelled(walk.i + 2), walk.after.syntax)

    def head_of_variable(self, walk: Walk) -> None:
        """A variable at the head of a loop: as before the loop, or as at the end of the last iteration."""
        s, x = walk.label.syntax, walk.label.subject
        assert s is not None, "a head belongs to a loop"
        assert isinstance(x, w.Variable | w.Parameter), "nothing else is assigned to"
        if walk.path[walk.i + 1] != walk.result.graph.successors[walk.path[walk.i]][0]:
            told = f"{self.name(x)} is carried from one iteration of this loop to the next"
            self.add(walk, StepKind.VALUE, s, told)
        walk.at = s
        self.defined(walk, x)

    def returned(self, walk: Walk) -> None:
        """From Value_return: the `return` whose value the path goes on to."""
        function, after = walk.result.function, walk.after
        returns = [r for r in self.text.jumps(function.body) if isinstance(r, w.Return)]
        inside = [r for r in returns if self.text.contains(r.value, after.syntax)]
        by_flow = [r for r in returns if self.text.contains(after.syntax, r)]
        behind = [r for r in returns if after.syntax is not None and r.start >= after.syntax.end]
        found = (inside or by_flow or behind or returns)[:1]
        for s in found:
            walk.at = s
            depends = self.depends_on(walk, walk.i + 1)
            if inside and depends:
                told = f"`{function.name}` returns a value that depends on {depends}"
            else:
                told = f"`{function.name}` returns here in some invocations, and perhaps not in others"
            self.add(walk, StepKind.VALUE, s, told)
            walk.subject = f"the `return` on line {self.text.line(s)}"

    def is_value_of(self, label: Label, x: Named) -> bool:
        """Whether a node was made for the value of a variable; otherwise it is that of its initialiser."""
        if label.role is Role.WRITTEN and isinstance(label.syntax, w.Call):
            return any(self.resolution.root(a) is x for a in label.syntax.arguments)
        return label.subject is x and (label.role in VARIABLE_ROLES or label.role is Role.PARAMETER)

    def origin(self, label: Label, x: Named) -> str:
        """Where a variable got the value that a node stands for: `line 9`, or where several values met."""
        if label.syntax is None or not self.is_value_of(label, x):
            return f"line {self.text.line(x)}"
        if label.role is Role.CONTENTS_AT_ENTRY:
            return "the caller"
        if label.role in (Role.ASSIGNED, Role.WRITTEN):
            return f"line {self.text.line(label.syntax)}"
        return "the head of " * (label.role is Role.HEAD) + self.text.named(label.syntax)

    def name(self, x: Named) -> str:
        """A variable, or what a pointer parameter in the `function` address space points to."""
        if isinstance(x, w.Parameter) and self.resolution.pointer(x) is not None:
            return f"what `{x.name}` points to"
        return f"`{x.name}`"

    def depends_on(self, walk: Walk, i: int) -> str:
        """What the value at a node of the path depends on, in a few words; empty if that is control flow.

        The left operand of a `&&` within the value is a part of it.
        """
        at = walk.at
        while i < len(walk.path) - 1:
            label = walk.labelled(i)
            if self.text.is_flow(label, at):
                return ""
            match label.role:
                case Role.SOURCE:
                    return self.text.read(label)
                case Role.READ if not self.goes_to_flow(walk, i):
                    return self.text.read(label)
                case Role.RESULT if isinstance(label.subject, w.Function) and not self.goes_to_flow(walk, i):
                    return f"the result of `{label.subject.name}`"
                case Role.WRITTEN:
                    return "" if walk.variable is None else self.name(walk.variable)
                case role if role in VARIABLE_ROLES and isinstance(label.subject, Named):
                    return self.name(label.subject)
                case _:
                    i += 1
        label, p = walk.labelled(i), walk.labelled(i).subject
        if isinstance(p, w.Parameter) and label.role is Role.PARAMETER and self.resolution.pointer(p) is not None:
            return f"the address that `{p.name}` holds"
        return self.name(p) if isinstance(p, w.Parameter) else ""

    def goes_to_flow(self, walk: Walk, i: int) -> bool:
        """Whether a read or a call counts for the control flow in which it stands only, or for a left operand."""
        after = walk.labelled(i + 1)
        return after.role is Role.CONDITION or self.text.is_flow(after, walk.at)

    # ----------------------------------------------------------------------------------------------------------- calls

    def argument(self, call: w.Call, label: Label) -> int | None:
        """The argument of a call that a node belongs to, from 0."""
        for i, argument in enumerate(call.arguments):
            if label.role is Role.PARAMETER:
                if self.resolution.root(argument) is label.subject:
                    return i
            elif self.text.contains(argument, label.syntax):
                return i
        return None
