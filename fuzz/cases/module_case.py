"""A text in the whole of WGSL, and what the reference for the whole language says of it."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from wgsl_fuzz.oracle.rules.rule_set import Rules
from wgsl_fuzz.oracle.rules.uniformity.analysis import FunctionResult, ModuleAnalysis
from wgsl_fuzz.oracle.rules.uniformity.graph import Requirement
from wgsl_fuzz.oracle.rules.uniformity.revisions import analyse_wgsl
from wgsl_fuzz.oracle.verdict import Verdict
from wgsl_fuzz.wgsl.builtins import Stage
from wgsl_fuzz.wgsl.diagnostics import Severity
from wgsl_fuzz.wgsl.parser import parse
from wgsl_fuzz.wgsl.problems import Source, WgslError
from wgsl_fuzz.wgsl.resolution import Resolution
from wgsl_fuzz.wgsl.resolve import resolve
from wgsl_fuzz.wgsl.syntax import Function


@dataclass(frozen=True, slots=True)
class Violation:
    """A requirement that does not hold: `requirement` of a call in `result`'s function."""

    result: FunctionResult
    requirement: Requirement

    @property
    def severity(self) -> Severity:
        """An error makes the verdict; others are messages."""
        return self.requirement.severity


@dataclass
class ModuleCase:
    """A module whose names are resolved; `read_module` makes it."""

    source: Source
    resolution: Resolution

    @cached_property
    def analysis(self) -> ModuleAnalysis:
        """The reference's answer."""
        return analyse_wgsl(self.resolution)

    @property
    def verdict(self) -> Verdict:
        """The reference's verdict on the whole module."""
        return self.analysis.verdict

    def verdict_under(self, rules: Rules) -> Verdict:
        """The verdict of another rule set; INVALID if it has no behaviours for the module."""
        try:
            return analyse_wgsl(self.resolution, rules).verdict
        except WgslError:
            return Verdict.INVALID

    @cached_property
    def violations(self) -> tuple[Violation, ...]:
        """What does not hold, in the order of the text; each call once for each severity."""
        found = {
            (requirement.call.start, requirement.severity, requirement.rules): Violation(result, requirement)
            for result, requirement in reversed(list(self.analysis.violations))
        }
        return tuple(found[key] for key in sorted(found, key=lambda key: (key[0], key[1].value)))

    def entry_points(self) -> Iterator[tuple[Function, Stage, Severity | None]]:
        """Each entry point with its stage and the worst severity of what it reaches; None: nothing is violated."""
        for function in self.resolution.functions:
            stage = self.resolution.entry_stage(function)
            if stage is None:
                continue
            reached = {id(f) for f in self._reached(function)}
            severities = [v.severity for v in self.violations if id(v.result.function) in reached]
            yield function, stage, min(severities, key=list(Severity).index, default=None)

    def _reached(self, function: Function) -> list[Function]:
        """A function and all that it calls."""
        found = {id(function): function}
        waiting = [function]
        while waiting:
            for callee in self.resolution.callees(waiting.pop()):
                if id(callee) not in found:
                    found[id(callee)] = callee
                    waiting.append(callee)
        return list(found.values())


def read_module(text: str) -> ModuleCase:
    """The module that a text is. Raises WgslError: not WGSL, or nothing that the reference knows."""
    case = ModuleCase(Source(text), resolve(parse(text)))
    _ = case.analysis  # says what it does not know
    return case
