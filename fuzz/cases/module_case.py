"""A text in the whole of WGSL, and what the reference for the whole language says of it."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from wgsl_fuzz.oracle.explain.module_path import Explanation, explain_module
from wgsl_fuzz.oracle.rules.rule_set import Rules
from wgsl_fuzz.oracle.rules.uniformity.analysis import ModuleAnalysis
from wgsl_fuzz.oracle.rules.uniformity.revisions import INTENT, analyse_wgsl
from wgsl_fuzz.oracle.verdict import Verdict
from wgsl_fuzz.wgsl.builtins import Stage
from wgsl_fuzz.wgsl.diagnostics import Severity
from wgsl_fuzz.wgsl.parser import parse
from wgsl_fuzz.wgsl.problems import Source, WgslError
from wgsl_fuzz.wgsl.resolution import Resolution
from wgsl_fuzz.wgsl.resolve import resolve
from wgsl_fuzz.wgsl.syntax import Function


@dataclass
class ModuleCase:
    """A module whose names are resolved, and the rules that judge it; `read_module` makes it."""

    source: Source
    resolution: Resolution
    rules: Rules = INTENT
    """The reference's, unless it is asked about others."""

    @cached_property
    def analysis(self) -> ModuleAnalysis:
        """The answer by these rules."""
        return analyse_wgsl(self.resolution, self.rules)

    @property
    def verdict(self) -> Verdict:
        """The verdict on the whole module."""
        return self.analysis.verdict

    def verdict_under(self, rules: Rules) -> Verdict:
        """The verdict of another rule set; INVALID if it takes the module as one of an empty behaviour."""
        try:
            return analyse_wgsl(self.resolution, rules).verdict
        except WgslError:
            return Verdict.INVALID

    @cached_property
    def explanations(self) -> list[Explanation]:
        """Why the requirements that do not hold do not, of every severity."""
        return explain_module(self.analysis, self.resolution, self.source)

    def entry_points(self) -> Iterator[tuple[Function, Stage, Severity | None]]:
        """Each entry point with its stage, and the worst severity of what it reaches; None: nothing is violated."""
        for function in self.resolution.functions:
            stage = self.resolution.entry_stage(function)
            if stage is not None:
                reached = {id(f) for f in self._reached(function)}
                found = [v.severity for result, v in self.analysis.violations if id(result.function) in reached]
                yield function, stage, min(found, key=list(Severity).index, default=None)

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


def read_module(text: str, rules: Rules = INTENT) -> ModuleCase:
    """The module that a text is. Raises WgslError: it is no WGSL, or has what the reference does not know."""
    case = ModuleCase(Source(text), resolve(parse(text)), rules)
    _ = case.analysis  # says what it does not know
    return case
