"""Sentences about control flow: why not all invocations may come to a place together."""

from wgsl_fuzz.oracle.explain.module_text import Iteration, Jump, ModuleText
from wgsl_fuzz.oracle.explain.module_walk import PathReader, Step, StepKind, Trail, Walk
from wgsl_fuzz.oracle.rules.uniformity.graph import Role
from wgsl_fuzz.wgsl.syntax import Binary, Break, BreakIf, Continue, For, Function, If, Loop, Return, Switch, While
from wgsl_fuzz.wgsl.syntax import Node as Syntax

MOST_JUMPS = 2
"""More of those that leave one statement are not told."""


class ControlSteps(PathReader):
    """The nodes of control flow."""

    def __init__(self, text: ModuleText) -> None:
        super().__init__(text)
        self.steps: list[Step] = []
        self.trails: list[Trail] = []

    def add(self, walk: Walk, kind: StepKind, place: Syntax, sentence: str) -> None:
        """One more step."""
        self.steps.append(Step(kind, sentence, self.text.quote(place), self.text.span(place), walk.depth))

    def line(self, place: Syntax) -> int:
        """The line on which something stands."""
        return self.text.line(place)

    def control(self, walk: Walk) -> None:
        """The sentence of a node of control flow; none if it only passes on what is around."""
        s = walk.label.syntax
        if walk.label.role is Role.CONDITION and self.skips_condition(walk, walk.i):
            return
        match s:
            case If() | Switch() if walk.label.role is not Role.CONDITION:
                self.behind(walk, s)
            case If() | Switch():
                self.branch(walk, s)
            case Loop() | While() | For() if walk.label.role is Role.CF_HEAD:
                self.head(walk, s)
            case While() | For():
                self.condition_of_loop(walk, s)
            case Binary():
                self.right_operand(walk, s)
            case BreakIf():
                self.break_if(walk, s)

    def skips_condition(self, walk: Walk, i: int) -> bool:
        """Passes over a condition that is not at fault: the path goes on to the control flow around it."""
        at = walk.labelled(i).syntax
        at = at.left if isinstance(at, Binary) else at
        for k in range(i + 1, len(walk.path)):
            label = walk.labelled(k)
            if self.is_flow(label, at):
                walk.i = k - 1
                return True
            is_part = label.role in (Role.OPERATION, Role.CONDITION) or isinstance(label.subject, str)
            is_read = label.role in (Role.READ, Role.RESULT) and k + 1 < len(walk.path)
            if not is_part and not (
                is_read and (self.is_flow(after := walk.labelled(k + 1), at) or after.role is Role.CONDITION)
            ):
                return False
        return False

    def condition(self, walk: Walk, place: Syntax, noun: str = "condition") -> str:
        """`condition depends on `x``; the walk is in the condition from here on."""
        walk.at = place
        depends = self.depends_on(walk, walk.i + 1)
        walk.subject = self.text.named(place)
        return f"{noun} depends on {depends}" if depends else f"{noun} may be non-uniform"

    # ------------------------------------------------------------------------------------------------------ branches

    def branch(self, walk: Walk, s: If | Switch) -> None:
        """What stands inside an `if` or a `switch`."""
        subject, at = walk.subject, walk.at
        if isinstance(s, Switch):
            condition = self.condition(walk, s, "selector")
            told = f"{subject} is inside this `switch`, whose {condition}: invocations may take different clauses"
        else:
            place = "in the `else` of" if self.text.contains(s.orelse, at) else "inside"
            condition = self.condition(walk, s)
            told = f"{subject} is {place} this `if`, whose {condition}: invocations may take different branches"
        self.add(walk, StepKind.CONTROL, s, told)

    def behind(self, walk: Walk, s: If | Switch) -> None:
        """What comes after an `if` or `switch` that some invocations leave for elsewhere."""
        after = walk.after
        if after.role is not Role.CONDITION or after.syntax is not s:
            return  # A statement inside tells of it, or one around it.
        if self.skips_condition(walk, walk.i + 1):
            return
        walk.i += 1
        subject = walk.subject
        jumps = list(self.text.jumps(s, breaks=isinstance(s, If)))
        elsewhere = [jump for jump in jumps if not self.leads_to(jump, walk.at)]
        shown = (elsewhere or jumps)[:MOST_JUMPS]
        noun = "if" if isinstance(s, If) else "switch"
        condition = self.condition(walk, s, "condition" if isinstance(s, If) else "selector")
        ways = " or ".join(self.way(jump) for jump in shown)
        if elsewhere:
            more = " or elsewhere" if len(elsewhere) > len(shown) else ""
            why = f"only the invocations that do not leave it by {ways}{more} come there"
        else:
            why = f"invocations that leave it by {ways} come there, too, and the rules do not take them to be together"
        self.add(walk, StepKind.CONTROL, s, f"{subject} comes after this `{noun}`, whose {condition}: {why}")
        for jump in shown:
            self.jump(walk, jump)

    def leads_to(self, jump: Jump, at: Syntax | None) -> bool:
        """Whether a `continue` leads to a place as well: the next iteration, or what is done at the end of this one."""
        loop = self.text.left_by(jump)
        if not isinstance(jump, Continue) or at is None:
            return False
        end = loop.continuing if isinstance(loop, Loop) else loop.update if isinstance(loop, For) else None
        return at is loop or self.text.contains(end, at)

    def way(self, jump: Jump) -> str:
        """`the `return` on line 8`."""
        return f"the `{type(jump).__name__.lower()}` on line {self.line(jump)}"

    def jump(self, walk: Walk, jump: Jump) -> None:
        """Where a jump leads."""
        left = self.text.left_by(jump)
        what = "it" if left is None else self.text.named(left)
        match jump:
            case Return() if isinstance(left, Function) and self.resolution.entry_stage(left) is None:
                told = f"the invocations that come here leave {what}, and meet the others again behind its call only"
            case Return() | Break():
                told = f"the invocations that come here leave {what}"
            case Continue():
                told = f"the invocations that come here skip the rest of the body of {what}"
        self.add(walk, StepKind.JUMP, jump, told)

    def right_operand(self, walk: Walk, e: Binary) -> None:
        """What is evaluated on the right of `&&` or `||`."""
        subject = walk.subject
        walk.at = e.left
        depends = self.depends_on(walk, walk.i + 1)
        left, value = self.text.quote(e.left, 40), "true" if e.operator == "&&" else "false"
        where = f"evaluated only where the left one, `{left}`, is {value}"
        told = f"{subject} is in the right operand of `{e.operator}`, {where}"
        self.add(
            walk,
            StepKind.CONTROL,
            e,
            told + (f", which depends on {depends}" if depends not in ("", f"`{left}`") else ""),
        )
        walk.subject = f"the left operand of `{e.operator}` on line {self.line(e)}"

    # ---------------------------------------------------------------------------------------------------------- loops

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

    def condition_of_loop(self, walk: Walk, s: While | For) -> None:
        """The condition of a loop."""
        told = self.in_loop(walk, s)
        self.add(walk, StepKind.CONTROL, s, f"{told}: its {self.condition(walk, s)}")

    def break_if(self, walk: Walk, s: BreakIf) -> None:
        """`break if`."""
        if self.skips_condition(walk, walk.i):
            return
        left = next((outer for outer in self.text.around(s) if isinstance(outer, Loop)), None)
        what = "the loop" if left is None else self.text.named(left)
        condition = self.condition(walk, s)
        told = f"invocations may leave {what} here in different iterations: the {condition}"
        self.add(walk, StepKind.CONTROL, s, told)
