"""Sentences about values: where a variable got the value that may be non-uniform, and from what."""

from wgsl_fuzz.oracle.explain.module_control import ControlSteps
from wgsl_fuzz.oracle.explain.module_walk import Named, StepKind, Walk
from wgsl_fuzz.oracle.rules.uniformity.graph import Label, Role
from wgsl_fuzz.wgsl.syntax import (
    Assign,
    Binary,
    Expression,
    Identifier,
    If,
    Increment,
    Let,
    Parameter,
    Return,
    Switch,
    Variable,
)
from wgsl_fuzz.wgsl.syntax import Node as Syntax
from wgsl_fuzz.wgsl.walk import descendants


class ValueSteps(ControlSteps):
    """The nodes of variables, and of the parts of expressions."""

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
        if isinstance(x, Let) and self.resolution.is_pointer(x.value):
            told = f"`{x.name}` is a pointer" + (f", and its address depends on {depends}" if depends else "")
        else:
            told = f"`{x.name}` is declared here" + (f" with a value that depends on {depends}" if depends else "")
        self.add(walk, StepKind.VALUE, x, told)
        walk.subject = f"the declaration of `{x.name}` on line {self.line(x)}"

    # ----------------------------------------------------------------------------------------------------- assignments

    def assigned(self, walk: Walk) -> None:
        """A variable after an assignment."""
        s, x = walk.label.syntax, walk.label.subject
        assert isinstance(s, Assign | Increment), "nothing else assigns"
        assert isinstance(x, Variable | Parameter), "nothing else is assigned to"
        walk.at, walk.variable = s, x
        told = self.assignment(walk, s, x)
        self.add(walk, StepKind.VALUE, s, told)
        walk.subject = f"the assignment on line {self.line(s)}"
        if self.is_kept(walk, s):
            self.defined(walk, x)

    def is_kept(self, walk: Walk, s: Assign | Increment) -> bool:
        """Whether the path goes on to the value that the variable had before and keeps in part."""
        inside = self.text.contains(s, walk.after.syntax) and not self.is_flow(walk.after, s)
        return not inside and not self.is_flow(walk.after, s)

    def assignment(self, walk: Walk, s: Assign | Increment, x: Variable | Parameter) -> str:
        """What an assignment has to do with the rest of the path."""
        name, after = self.name(x), walk.after
        part = not self.resolution.is_full(s.left)
        if self.is_flow(after, s):
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

    def through(self, left: Expression) -> str:
        """` through `p``: the let of pointer type by which a variable is assigned to; empty if there is none."""
        names = [e for e in descendants(left) if isinstance(e, Identifier)]
        declared = self.resolution.declaration(names[0]) if names else None
        return f", through the pointer `{declared.name}`," if isinstance(declared, Let) else ""

    # ----------------------------------------------------------------------------------------------------------- joins

    def joined(self, walk: Walk) -> None:
        """A variable where several ways meet."""
        s, x = walk.label.syntax, walk.label.subject
        assert s is not None, "a join belongs to a statement or an operator"
        assert isinstance(x, Variable | Parameter), "nothing else is assigned to"
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
    def noun(s: Syntax) -> str:
        """The keyword or operator of what joins."""
        match s:
            case If():
                return "`if`"
            case Switch():
                return "`switch`"
            case Binary():
                return f"`{s.operator}`"
            case _:
                return "loop"

    def origins(self, walk: Walk, x: Named) -> list[str]:
        """Where the values that meet here were made, in the order of the text."""
        graph = walk.result.graph
        labels = [graph.labels[v] for v in graph.successors[walk.path[walk.i]]]
        return list(dict.fromkeys(self.origin(label, x) for label in sorted(labels, key=lambda n: self.made_at(n, x))))

    def made_at(self, label: Label, x: Named) -> int:
        """The offset at which a variable got a value."""
        return label.syntax.start if label.syntax is not None and self.is_value_of(label, x) else x.start

    def is_decided_by_way(self, walk: Walk) -> bool:
        """Whether the value is non-uniform since it is assigned on some ways only, and not for what is assigned."""
        if walk.after.role not in (Role.ASSIGNED, Role.WRITTEN) or walk.i + 2 >= len(walk.path):
            return False
        return self.is_flow(walk.labelled(walk.i + 2), walk.after.syntax)

    def head_of_variable(self, walk: Walk) -> None:
        """A variable at the head of a loop: as before the loop, or as at the end of the last iteration."""
        s, x = walk.label.syntax, walk.label.subject
        assert s is not None, "a head belongs to a loop"
        assert isinstance(x, Variable | Parameter), "nothing else is assigned to"
        if walk.path[walk.i + 1] != walk.result.graph.successors[walk.path[walk.i]][0]:
            told = f"{self.name(x)} is carried from one iteration of this loop to the next"
            self.add(walk, StepKind.VALUE, s, told)
        walk.at = s
        self.defined(walk, x)

    # --------------------------------------------------------------------------------------------------------- returns

    def returned(self, walk: Walk) -> None:
        """From Value_return: the `return` whose value the path goes on to."""
        function, after = walk.result.function, walk.after
        returns = [r for r in self.text.jumps(function.body) if isinstance(r, Return)]
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
            walk.subject = f"the `return` on line {self.line(s)}"
