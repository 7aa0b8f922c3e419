"""Which arms of section 15.2 decide the verdict on a module, not merely are reached (docs/paper-notes.md, note 8).

An arm decides a module if breaking it changes the verdict. Whether it does is asked of its variants, each known by its
name. Functions on which a variant cannot differ, by what they contain and by the tags of their callees, keep the
results of the reference. Most variants need no run at all.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cache
from typing import NamedTuple, Self

from wgsl_fuzz.oracle.rules.rule_set import UNCHANGED, Rules, Variant
from wgsl_fuzz.oracle.rules.uniformity.analysis import FunctionResult, ModuleAnalysis, ScopeAnalysis
from wgsl_fuzz.oracle.rules.uniformity.revisions import all_variants, analysis_under, judge_wgsl, set_analysis_under
from wgsl_fuzz.oracle.rules.uniformity.sets import on_sets
from wgsl_fuzz.oracle.rules.uniformity.touching import Watch
from wgsl_fuzz.oracle.rules.uniformity.variants.proposals import is_proposed
from wgsl_fuzz.oracle.verdict import Verdict
from wgsl_fuzz.wgsl.behaviours import BehaviourAnalysis, Behaviours
from wgsl_fuzz.wgsl.builtins import Scope, words
from wgsl_fuzz.wgsl.diagnostics import Severity
from wgsl_fuzz.wgsl.problems import ResolveProblem
from wgsl_fuzz.wgsl.resolution import Resolution
from wgsl_fuzz.wgsl.syntax import Function
from wgsl_fuzz.wgsl.walk import statements_below, with_more_stack

SILENT = words(
    """B/function/any-result builtin/scope/other-rules-in-both builtin/severity/infos-are-off
    builtin/severity/infos-are-warnings builtin/severity/rules-forgotten builtin/severity/warnings-are-infos
    builtin/severity/warnings-are-off call/control-flow/without-rules call/parameter/required-without-rules
    tag/rules/forgotten tag/rules/of-every-severity tag/severity/failed-ones-too tag/severity/no-infos
    tag/severity/no-warnings"""
)
"""Variants that change messages, or refusals of invalid modules, but no verdict on a valid one."""


@cache
def arms(proposals: bool = False) -> tuple[Variant, ...]:
    """Every variant of which some valid module shows that it is broken, by its verdict; in the order of the rules.

    Those of proposals are among them only if asked for.
    """
    shown = (v for v in all_variants().values() if not v.equivalent and v.name not in SILENT)
    return tuple(v for v in shown if proposals or not is_proposed(v))


def deciding_arms(
    resolution: Resolution,
    reference: ModuleAnalysis | None = None,
    *,
    only: Collection[str] | None = None,
    verdict: Verdict | None = None,
    base: Rules = UNCHANGED,
) -> list[str]:
    """The names of the variants whose verdict on a module is not the reference's, in the order of `arms`.

    `reference` is what the rules say of it, if it is known already, and with a `base` what that rule set says, on top
    of which the variants act; of the variants only those named in `only` are asked, if given, and of their verdicts
    only one counts, if given: INVALID is that of a variant that finds behaviours that are not allowed.
    """
    reference = judge_wgsl(resolution, base) if reference is None else reference
    able = _able_to_change(reference.verdict, bool(resolution.proposals), base)
    arms = [arm for arm in able if only is None or arm.name in only]
    if not arms:
        return []

    def deciding() -> list[str]:
        module = JudgedModule(resolution, reference, base)
        said = ((arm.name, module.verdict_under(arm)) for arm in arms)
        return [name for name, told in said if told is not module.verdict and verdict in (None, told)]

    return with_more_stack(deciding)


class Arm(NamedTuple):
    """A rule set made ready to run, mostly of one variant."""

    name: str
    analysis: type[ScopeAnalysis]
    watched: frozenset[str]
    """The names of its variants, without those that replace rules of behaviours (9.7), and nothing else."""
    has_behaviours: bool
    """Whether there are such variants."""
    across_functions: bool
    """Whether what it does in one function may depend on those before it."""


@cache
def _able_to_change(verdict: Verdict, proposals: bool, base: Rules) -> tuple[Arm, ...]:
    able = (v for v in arms(proposals) if v.direction.can_change(verdict) and v not in base)
    return tuple(readied(v.rules, base) for v in able)


@cache
def readied(rules: Rules, base: Rules = UNCHANGED) -> Arm:
    """A rule set made ready to run, on top of another one."""
    analysis = set_analysis_under(rules) if not base else on_sets(analysis_under(around(rules, base)))
    watched = {v for v in rules if not all(issubclass(cls, BehaviourAnalysis) for cls in v.replacements)}
    # The range of a filter reaches into statements that have none, also those of the next function.
    in_order = analysis.analyse_function is not ScopeAnalysis.analyse_function
    across = in_order or any(v.place == "filter/range" for v in rules)
    names = frozenset(v.name for v in watched)
    return Arm("+".join(rules.names), analysis, names, len(watched) < len(rules), across)


def around(rules: Rules, base: Rules) -> Rules:
    """Both rule sets, the first one around the other."""
    return Rules((*base, *(replace(v, place="") for v in rules)))  # those without a place stand around the others


def can_be_watched(rules: Rules) -> bool:
    """Whether all variants of a rule set are ours, so that a `JudgedModule` may be asked about it."""
    return rules <= _watchable()


_watchable = cache(lambda: frozenset(all_variants().values()))
_watch = cache(lambda base: Watch(_watchable(), base))


class JudgedModule:
    """A module and what the reference, or a `base`, says of it, function by function."""

    def __init__(self, resolution: Resolution, reference: ModuleAnalysis, base: Rules = UNCHANGED) -> None:
        self.resolution = resolution
        self.verdict = reference.verdict
        self.results = {(r.scope, id(r.function)): r for r in reference.functions}
        self.touched_by = _watch(base).touched_by(resolution)
        # Whose behaviours the analysis asks for.
        self.statements = {id(f): [f.body, *statements_below(f.body)] for f in resolution.functions}
        self.behaviours = {
            id(f): self._behaviours(f, analysis_under(base).behaviour_analysis()) for f in resolution.functions
        }

    def _behaviours(self, f: Function, B: BehaviourAnalysis) -> list[Behaviours]:
        return [B.behaviour(s) for s in self.statements[id(f)]]

    def verdict_under(self, arm: Arm) -> Verdict:
        """The verdict of another rule set; INVALID if it finds behaviours that are not allowed."""
        try:
            touched = self.touched(arm)
            if not touched:
                return self.verdict
            return Verdict.REJECTS if self.rejects(arm, touched) else Verdict.ACCEPTS
        except ResolveProblem:
            return Verdict.INVALID

    def touched(self, arm: Arm) -> set[int]:
        """The functions on which a rule set may differ with the same tags of callees, by `id`."""
        functions = self.resolution.functions
        found = {id(f) for f in functions if not arm.watched.isdisjoint(self.touched_by[id(f)])}
        if arm.has_behaviours:
            B = arm.analysis.behaviour_analysis()
            for f in functions:
                B.check(f)
            found |= {id(f) for f in functions if self._behaviours(f, B) != self.behaviours[id(f)]}
        return {id(f) for f in functions} if arm.across_functions and found else found

    def rejects(self, arm: Arm, touched: set[int]) -> bool:
        """Whether a variant finds a violation: functions are analysed again only where it may differ."""
        results: list[FunctionResult] = []
        for scope in arm.analysis.scopes(self.resolution):
            for result in self.run(arm, scope, touched) if arm.analysis.goes_on(results) else ():
                if any(violation.severity is Severity.ERROR for violation in result.violations):
                    return True
                results.append(result)
        return False

    def run(self, arm: Arm, scope: Scope | None, touched: set[int]) -> Iterator[FunctionResult]:
        """The functions in one scope, callees first."""
        analysis = arm.analysis(self.resolution, scope)
        changed: set[int] = set()
        for f in self.resolution.functions:
            result = self.results.get((scope, id(f)))
            kept = None if id(f) in touched else result
            if kept is None or any(id(g) in changed for g in self.resolution.callees(f)):
                kept = analysis.analyse_function(f)
                if result is None or kept.tags != result.tags:
                    changed.add(id(f))
            analysis.F[id(f)] = kept.tags
            yield kept


@dataclass(slots=True)
class ArmCoverage:
    """How many modules each arm decided."""

    modules: int = 0
    decided: Counter[str] = field(default_factory=Counter)
    """By the variant's name; one that decided none is not in it."""

    def extend(self, modules: Iterable[Resolution]) -> Self:
        """Counts each of `modules`; itself."""
        for module in modules:
            self.modules += 1
            self.decided.update(deciding_arms(module))
        return self

    def rows(self) -> list[tuple[Variant, int]]:
        """Every arm and how many modules it decided; those that decided none first, then the rarest."""
        return sorted(((v, self.decided[v.name]) for v in arms()), key=lambda row: row[1])
