"""Buckets of findings on modules of the whole language: the fine key, and the arms of the rules that explain one."""

from collections.abc import Iterator

from wgsl_fuzz.fuzz.cases.module_case import ModuleCase
from wgsl_fuzz.fuzz.judging.departures import rules_of_module
from wgsl_fuzz.fuzz.judging.judge import HAVE_FINE_KEYS, NOT_IMPLEMENTED, BucketKey, Disagreement, FineKey, Kind
from wgsl_fuzz.oracle.explain.path import StepKind, explanations_of
from wgsl_fuzz.oracle.rules.uniformity.coverage import deciding_arms
from wgsl_fuzz.oracle.rules.uniformity.revisions import INTENT, analyse_wgsl
from wgsl_fuzz.oracle.verdict import Verdict
from wgsl_fuzz.wgsl.builtins import FUNCTIONS
from wgsl_fuzz.wgsl.problems import WgslError
from wgsl_fuzz.wgsl.resolution import Resolution
from wgsl_fuzz.wgsl.syntax import (
    Assign,
    Attribute,
    Binary,
    Break,
    BreakIf,
    Call,
    Continue,
    Discard,
    For,
    If,
    Increment,
    Index,
    Loop,
    Member,
    Node,
    Return,
    Switch,
    Unary,
    While,
)
from wgsl_fuzz.wgsl.walk import descendants

_WORDS: dict[type[Node], str] = {
    Switch: "switch",
    While: "while",
    For: "for",
    Loop: "loop",
    Break: "break",
    BreakIf: "break if",
    Continue: "continue",
    Return: "return",
    Discard: "discard",
    Increment: "increment",
}


def module_fine_key(case: ModuleCase, found: Disagreement) -> FineKey | BucketKey:
    """The fine bucket: the raw key, what kinds of steps the path has, and the constructs left in the reduced module.

    The path is the reference's if that rejects, else that of the rules that the cause names.
    """
    if found.kind not in HAVE_FINE_KEYS or found.cause == NOT_IMPLEMENTED:
        return found.key
    left = constructs(case.resolution)
    if found.kind is Kind.MISCOMPILED:  # its operators matter
        words = sorted(
            left | {n.operator for n in descendants(case.resolution.module) if isinstance(n, Binary | Unary)}
        )
        return FineKey(found.key, "no path", ", ".join(words) or "no construct")
    return FineKey(found.key, ", ".join(_path(case, found)) or "no path", ", ".join(sorted(left)) or "no construct")


def _path(case: ModuleCase, found: Disagreement) -> list[str]:
    """The kinds of steps on the paths of whichever rules reject the module."""
    if case.verdict is Verdict.REJECTS:
        explanations = case.explanations
    else:
        one = case.placed
        try:
            analysis = analyse_wgsl(one.resolution, rules_of_module(found.cause) or INTENT)
        except WgslError:
            return []
        explanations = explanations_of(analysis, one.resolution, one.source)
    return sorted({str(s.kind) for e in explanations for s in e.steps} - {StepKind.REQUIREMENT, StepKind.SOURCE})


def constructs(resolution: Resolution) -> frozenset[str]:
    """What a module is made of, coarsely: statements, pointers, partial assignments, built-in functions that demand."""
    return frozenset(
        name for f in resolution.functions for n in descendants(f.body) for name in _construct(resolution, n)
    )


def _construct(resolution: Resolution, node: Node) -> Iterator[str]:
    match node:
        case If():
            yield "else" if node.orelse is not None else "if"
        case Assign():
            yield from ("partial assignment",) * isinstance(node.left, Index | Member)
            yield from ("compound assignment",) * (node.operator != "=")
        case Binary(operator="&&" | "||"):
            yield "short circuit"
        case Unary(operator="&"):
            yield "pointer"
        case Call() if node.callee.name in FUNCTIONS and resolution.function(node) is None:
            yield from (node.callee.name,) * (FUNCTIONS[node.callee.name].rule is not None)
        case Call() if resolution.function(node) is not None:
            yield "call"
        case Attribute():
            yield f"@{node.name}"
        case _ if type(node) in _WORDS:
            yield _WORDS[type(node)]


def explaining_modules(*modules: ModuleCase) -> frozenset[str]:
    """The arms, by their variants' names, that decide all of `modules`: each alone explains a finding on them.

    The last module is the reduced one and counts most. One before it is ignored if they have no arm in common.
    """
    found: frozenset[str] = frozenset()
    for module in reversed(modules):
        # Those that no later module has are never asked about: that is most of them.
        arms = frozenset(deciding_arms(module.resolution, module.judgement, only=found or None))
        found = arms or found
    return found
