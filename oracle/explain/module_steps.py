"""A path of a uniformity graph told step by step, from what must be uniform to the source of non-uniformity.

What goes on in a called function is told one level deeper.
"""

from typing import assert_never

from wgsl_fuzz.oracle.explain.module_sources import Sources
from wgsl_fuzz.oracle.explain.module_text import ModuleText
from wgsl_fuzz.oracle.explain.module_values import ValueSteps
from wgsl_fuzz.oracle.explain.module_walk import (
    CF_START,
    MAY_BE_NON_UNIFORM,
    VALUE_RETURN,
    Named,
    StepKind,
    Trail,
    Walk,
    parameter_node,
)
from wgsl_fuzz.oracle.rules.digraph import Node
from wgsl_fuzz.oracle.rules.uniformity.analysis import FunctionResult
from wgsl_fuzz.oracle.rules.uniformity.graph import Demand, Requirement, Role
from wgsl_fuzz.wgsl.builtins import Rule, Scope
from wgsl_fuzz.wgsl.syntax import Call, Function, Parameter
from wgsl_fuzz.wgsl.syntax import Node as Syntax

Results = dict[tuple[int, Scope | None], FunctionResult]
"""By `id` of the function, and scope."""

_TOGETHER = {
    Rule.SYNCHRONIZATION: "all invocations of the workgroup must reach it together",
    Rule.DERIVATIVE: "it compares neighbouring invocations, so all of them must reach it together",
    Rule.SUBGROUP: "all invocations of a subgroup must reach it together",
}


class Narrator(ValueSteps):
    """Tells paths of one module; what it has told in a called function, it does not tell again."""

    def __init__(self, text: ModuleText, results: Results) -> None:
        super().__init__(text)
        self.results = results
        self.sources = Sources(text)
        self._told: set[tuple[int, Node, Node]] = set()
        self._caller: tuple[int, Node | None] | None = None

    # ---------------------------------------------------------------------------------------------------- requirements

    def violation(self, result: FunctionResult, r: Requirement) -> None:
        """A requirement that does not hold."""
        self.required(result, r, MAY_BE_NON_UNIFORM, 0)

    def required(self, result: FunctionResult, r: Requirement, target: Node, depth: int) -> None:
        """A requirement, and the path from it to `target`."""
        path = result.graph.shortest_path(r.target, target)
        call = f"the call of `{r.call.callee.name}` on line {self.line(r.call)}"
        walk = Walk(result, path, depth, call, r.call)
        if r.argument is not None:
            walk.at = r.call.arguments[r.argument]
        callee = self.resolution.function(r.call)
        self.enter(Trail(result, tuple(path), r, self._caller))
        if callee is None:
            self.add(walk, StepKind.REQUIREMENT, r.call, self.of_builtin(r))
        else:
            self.add(walk, StepKind.REQUIREMENT, r.call, self.of_user(r, callee))
            self.inside_requirement(r, callee, walk)
        self.link(walk, r)
        self.follow(walk)

    def of_builtin(self, r: Requirement) -> str:
        """What a built-in function requires."""
        name = r.call.callee.name
        if r.argument is None:
            rule = next(iter(r.rules), Rule.SYNCHRONIZATION)
            return f"`{name}` must be called in uniform control flow: {_TOGETHER[rule]}"
        return self.value(r, r.argument) + " must be uniform"

    def of_user(self, r: Requirement, callee: Function) -> str:
        """What a function of the module requires."""
        if r.argument is None:
            return f"`{callee.name}` must be called in uniform control flow, as its body requires"
        return self.value(r, r.argument) + f" must be uniform, as the body of `{callee.name}` requires"

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

    def inside_requirement(self, r: Requirement, callee: Function, walk: Walk) -> None:
        """The requirement in the called function from which the tag comes."""
        inner = self.results[id(callee), walk.result.scope]
        target = self.target(inner, r)
        for candidates in ([q for q in inner.graph.requirements if q.severity is r.severity], inner.graph.requirements):
            for own in candidates:
                if inner.graph.reachable(own.target)[target]:
                    self.nested(inner, own.target, target, walk, own)
                    return

    @staticmethod
    def target(inner: FunctionResult, r: Requirement) -> Node:
        """The node of the called function that must be uniform."""
        if r.argument is None:
            return CF_START
        role = Role.CONTENTS_AT_ENTRY if r.demand is Demand.CONTENTS else Role.PARAMETER
        return parameter_node(inner, inner.function.parameters[r.argument], role)

    # ----------------------------------------------------------------------------------------------- called functions

    def enter(self, trail: Trail) -> None:
        """A new trail; what is entered next is entered from its requirement."""
        self.trails.append(trail)
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
            self.enter(Trail(inner, tuple(path), None, self._caller))
            self.follow(Walk(inner, path, walk.depth + 1, f"the end of `{inner.function.name}`", None))
        self._caller = caller

    def result(self, walk: Walk) -> None:
        """The result of a call."""
        call, f = walk.label.syntax, walk.label.subject
        assert isinstance(call, Call), "a result is a call's"
        if isinstance(f, Function) and walk.ends:
            told = f"the result of `{f.name}` may be non-uniform whatever its arguments are, as its body shows"
            self.add(walk, StepKind.CALL, call, told)
            self.nested(self.results[id(f), walk.result.scope], VALUE_RETURN, MAY_BE_NON_UNIFORM, walk)
        elif isinstance(f, Function) and not self.goes_to_flow(walk, walk.i):
            walk.at = call
            self.add(walk, StepKind.CALL, call, f"the result of `{f.name}` depends on {self.of_argument(walk, call)}")

    def of_argument(self, walk: Walk, call: Call) -> str:
        """`its argument 1, `x``: the argument of a call that the path goes on to."""
        i = self.argument(call, walk.after)
        if i is None:
            return "an argument"
        contents = "what " if walk.after.role is Role.ARGUMENT_CONTENTS else ""
        points = " points to" if contents else ""
        return f"{contents}its argument {i + 1}, `{self.text.quote(call.arguments[i], 40)}`{',' * bool(points)}{points}"

    def written(self, walk: Walk) -> None:
        """A variable after a call that was given a pointer to it."""
        call, f = walk.label.syntax, walk.label.subject
        assert isinstance(call, Call), "only a call writes through a pointer argument"
        assert isinstance(f, Function), "only functions of the module do"
        x = walk.variable
        walk.at = call
        i = self.written_through(walk, call, f)
        name = "the variable" if x is None else self.name(x)
        inner = self.results[id(f), walk.result.scope]
        exit_node = parameter_node(inner, f.parameters[i], Role.CONTENTS_AT_EXIT)
        why = f"`{f.name}` writes to {name} through argument {i + 1}"
        if walk.ends:
            self.add(walk, StepKind.CALL, call, f"{why}, and may leave a non-uniform value there, as its body shows")
            self.nested(inner, exit_node, MAY_BE_NON_UNIFORM, walk)
        elif self.is_flow(walk.after, call):
            self.add(walk, StepKind.CALL, call, f"{why}, and perhaps not in every invocation")
        else:
            self.written_from(walk, call, inner, exit_node, why)
        walk.subject = f"the call of `{f.name}` on line {self.line(call)}"

    def written_through(self, walk: Walk, call: Call, f: Function) -> int:
        """The argument that is the pointer; two of them may lead to one variable, each with a node of its own."""
        exits = self.results[id(f), walk.result.scope].graph.labels
        written = {id(label.subject) for label in exits if label.role is Role.CONTENTS_AT_EXIT}
        pointers = [i for i, p in enumerate(f.parameters) if id(p) in written]
        labels = walk.result.graph.labels[: walk.path[walk.i]]
        before = sum(label.role is Role.WRITTEN and label.syntax is call for label in labels)
        return pointers[before % len(pointers)]  # by the letter, a let's pointer is calculated again

    def written_from(self, walk: Walk, call: Call, inner: FunctionResult, exit_node: Node, why: str) -> None:
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
        if not inner.graph.reachable(exit_node)[node]:
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
        if isinstance(x, Named) and not is_address and not self.is_flow(walk.after, e):
            self.defined(walk, x)

    # ------------------------------------------------------------------------------------------------------------ path

    def follow(self, walk: Walk) -> None:
        """The nodes of a path, one by one."""
        while walk.i < len(walk.path) - 1:
            self.tell(walk)
            walk.i += 1
        self.end(walk)

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
                if self.is_flow(walk.label, walk.at):
                    self.control(walk)
            case Role.CONTENTS_AT_EXIT | Role.CONTENTS_AT_ENTRY | Role.PARAMETER:
                walk.variable = walk.label.subject if isinstance(walk.label.subject, Parameter) else None
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
        self.add(walk, StepKind.SOURCE, place, self.sources.sentence(label, walk.result.function, walk.result.scope))

    def end(self, walk: Walk) -> None:
        """The last node of a path."""
        label, f = walk.label, walk.result.function
        if walk.path[-1] == CF_START:
            told = f"{walk.subject} runs in the control flow of the caller of `{f.name}`"
            self.add(walk, StepKind.CONTROL, f, told)
        elif isinstance(label.subject, Parameter):
            p = label.subject
            i = next(i for i, q in enumerate(f.parameters) if q is p)
            what = f"`{p.name}` is parameter {i + 1} of `{f.name}`"
            contents = label.role is Role.CONTENTS_AT_ENTRY
            told = (
                f"{what}: the caller decides what it points to" if contents else f"{what}: the caller gives its value"
            )
            self.add(walk, StepKind.VALUE, p, told)
        elif walk.path[-1] == MAY_BE_NON_UNIFORM and not self.is_told(walk):
            place: Syntax = walk.at or f
            self.add(walk, StepKind.SOURCE, place, "the rules take this to be non-uniform")

    @staticmethod
    def is_told(walk: Walk) -> bool:
        """Whether the node before MayBeNonUniform has said why it is there."""
        if len(walk.path) < 2:
            return False
        label = walk.labelled(len(walk.path) - 2)
        return label.role in (Role.SOURCE, Role.RESULT, Role.WRITTEN)
