"""Diagnostic filters: the severity in force for a trigger rule at a node (WGSL 2.3 #diagnostics).

The filter of the smallest enclosing range decides. What has a range: a module (the directive), a function, a compound
statement, the body of a switch or loop, a `continuing` block. The body of a loop encloses its `continuing`, which the
tree has beside it.
"""

from collections.abc import Iterable
from enum import StrEnum

from wgsl_fuzz.wgsl.builtins import Rule
from wgsl_fuzz.wgsl.problems import ResolveProblem
from wgsl_fuzz.wgsl.syntax import Attribute, Attributes, Diagnostic, Directive, Expression, Identifier, Member


class Severity(StrEnum):
    """What becomes of a diagnostic, worst first."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"
    OFF = "off"


_SEVERITIES = frozenset(severity.value for severity in Severity)
_ATTRIBUTE = "diagnostic"
_PROPOSED_NAMES = {f"chromium.{Rule.MATRIX}": Rule.MATRIX.value}
"""Names that a rule of a proposal has in a compiler."""


class Filters:
    """The filters in force during a walk: `push` at each node with a range, `pop` when the walk leaves it."""

    def __init__(self, directives: Iterable[Directive] = ()) -> None:
        self.innermost = of_directives(directives)
        """By rule: the severity that a filter gives it here."""
        self._outer: list[dict[str, Severity]] = []

    def push(self, attributes: Attributes) -> None:
        """Enters the range of a node with these attributes; they may be none."""
        self._outer.append(self.innermost)
        if attributes:
            found = of_attributes(attributes)
            if found:
                self.innermost = {**self.innermost, **found}

    def pop(self) -> None:
        """Leaves the range that was entered last."""
        self.innermost = self._outer.pop()

    def outside(self, ranges: int) -> "Filters":
        """The filters in force outside of so many of the innermost ranges."""
        outer = Filters()
        outer.innermost = self._outer[-ranges]
        return outer

    def severity(self, rule: Rule) -> Severity:
        """The severity of a rule here: an error unless a filter says otherwise. Synchronisation has no filter."""
        if rule is Rule.SYNCHRONIZATION:
            return Severity.ERROR
        return self.innermost.get(rule, Severity.ERROR)


def of_directives(directives: Iterable[Directive]) -> dict[str, Severity]:
    """By rule, what the directives of a module say; ResolveProblem if two of them contradict each other."""
    found: dict[str, Severity] = {}
    for directive in directives:
        if isinstance(directive, Diagnostic):
            severity = _severity(directive.severity, directive.start)
            if found.setdefault(_PROPOSED_NAMES.get(directive.rule, directive.rule), severity) is not severity:
                raise ResolveProblem(f"conflicting severities for '{directive.rule}'", directive.start)
    return found


def of_attributes(attributes: Attributes) -> dict[str, Severity]:
    """By rule, what the attributes of one node say; each rule may be there once."""
    found: dict[str, Severity] = {}
    for attribute in attributes:
        if attribute.name != _ATTRIBUTE:
            continue
        severity, rule = _arguments(attribute)
        if rule in found:
            raise ResolveProblem(f"two severities for '{rule}'", attribute.start)
        found[rule] = severity
    return found


def check_statement_attributes(attributes: Attributes) -> None:
    """Raises ResolveProblem unless these are filters that can stand at one statement."""
    for attribute in attributes:
        if attribute.name != _ATTRIBUTE:
            raise ResolveProblem(f"'@{attribute.name}' is not for statements", attribute.start)
    of_attributes(attributes)


def _arguments(attribute: Attribute) -> tuple[Severity, str]:
    if len(attribute.arguments) != 2:
        raise ResolveProblem("'@diagnostic' takes a severity and a rule", attribute.start)
    severity, rule = attribute.arguments
    name = _dotted(rule)
    return _severity(_dotted(severity), attribute.start), _PROPOSED_NAMES.get(name, name)


def _dotted(argument: Expression) -> str:
    if isinstance(argument, Member) and isinstance(argument.base, Identifier):
        return f"{argument.base.name}.{argument.name}"
    if not isinstance(argument, Identifier) or argument.template:
        raise ResolveProblem("a name is expected here", argument.start)
    return argument.name


def _severity(word: str, start: int) -> Severity:
    if word not in _SEVERITIES:
        raise ResolveProblem(f"'{word}' is no severity: {', '.join(Severity)}", start)
    return Severity(word)
