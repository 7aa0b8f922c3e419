"""Buckets: which findings look like one cause (docs/words.md).

A fine key depends on one finding alone: on its reduced shader. A run's findings taken together say more. A branch of a
rule *explains* a finding if breaking that branch gives the target's verdict on the drawn and on the reduced shader.
`common_causes` looks for few branches that together explain all findings. `benchmarks/buckets.py` measures how
well this separates planted mutants, and how much worse the keys alone do. Findings that a target's known departures
explain (`fuzz.judging.departures.are_known`) need no such search.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence

from wgsl_fuzz.fuzz.cases.case import Case
from wgsl_fuzz.fuzz.judging.kinds import HAVE_FINE_KEYS, NO_ANALYSIS, Disagreement, Kind
from wgsl_fuzz.oracle.rules.rule_set import UNCHANGED, Rules
from wgsl_fuzz.oracle.rules.uniformity.coverage import deciding_arms
from wgsl_fuzz.oracle.rules.uniformity.places import arm_of
from wgsl_fuzz.oracle.rules.uniformity.revisions import DEPARTURES
from wgsl_fuzz.oracle.verdict import Verdict
from wgsl_fuzz.wgsl import syntax as w
from wgsl_fuzz.wgsl.builtins import FUNCTIONS
from wgsl_fuzz.wgsl.resolution import Resolution
from wgsl_fuzz.wgsl.walk import descendants

_WORDS: dict[type[w.Node], str] = {
    w.Switch: "switch",
    w.While: "while",
    w.For: "for",
    w.Loop: "loop",
    w.Break: "break",
    w.BreakIf: "break if",
    w.Continue: "continue",
    w.Return: "return",
    w.Discard: "discard",
    w.Increment: "increment",
}


def what_is_left(case: Case, found: Disagreement, beside: str | None = None) -> tuple[str, ...]:
    """What of a reduced shader tells findings of one raw bucket apart: its constructs, of a wrong result its operators;
    where no rule is the cause, what stands `beside` a plain shader. Nothing for kinds without fine keys.
    """
    if found.kind not in HAVE_FINE_KEYS or found.cause == NO_ANALYSIS:
        return ()
    if beside is not None:
        return (in_one_line(beside),)
    left = constructs(case.resolution)
    if found.kind is Kind.MISCOMPILED:
        nodes = descendants(case.resolution.module)
        left |= {n.operator for n in nodes if isinstance(n, w.Binary | w.Unary)}
    return tuple(sorted(left))


FILLER = "const_assert true;"
"""A line that says nothing, and has no name in it."""


def in_one_line(text: str) -> str:
    """What stands beside a plain shader, for titles and keys."""
    lines = text.splitlines()
    if len(lines) > 1 and {*lines} <= {"", FILLER}:
        return f"{len(lines)} {'empty lines' if lines[0] == '' else f'lines `{FILLER}`'}"
    return f"`{' '.join(text.split())}`"


def constructs(resolution: Resolution) -> frozenset[str]:
    """What a module is made of, coarsely: statements, pointers, partial assignments, built-in functions that demand."""
    return frozenset(
        name for f in resolution.functions for n in descendants(f.body) for name in _construct(resolution, n)
    )


def _construct(resolution: Resolution, node: w.Node) -> Iterator[str]:
    match node:
        case w.If():
            yield "else" if node.orelse is not None else "if"
        case w.Assign():
            yield from ("partial assignment",) * isinstance(node.left, w.Index | w.Member)
            yield from ("compound assignment",) * (node.operator != "=")
        case w.Binary(operator="&&" | "||"):
            yield "short circuit"
        case w.Unary(operator="&"):
            yield "pointer"
        case w.Call() if node.callee.name in FUNCTIONS and resolution.function(node) is None:
            yield from (node.callee.name,) * (FUNCTIONS[node.callee.name].rule is not None)
        case w.Call() if resolution.function(node) is not None:
            yield "call"
        case w.Attribute():
            yield f"@{node.name}"
        case _ if type(node) in _WORDS:
            yield _WORDS[type(node)]


def explaining(*cases: Case, verdict: Verdict | None = None, base: Rules = UNCHANGED) -> frozenset[str]:
    """The branches of the rules (arms), by variant name, that decide all of `cases`: each explains a finding on them.

    They act on top of a `base` that is known. The last case is the reduced one. An earlier case narrows the answer,
    unless nothing would be left. With a `verdict` only those count that give it.
    """
    found: frozenset[str] = frozenset()
    for case in reversed(cases):
        said = case.quick_analysis_under(base)
        if said is not None:
            # An arm that a later case does not have is skipped: most are.
            arms = deciding_arms(case.resolution, said, only=found or None, verdict=verdict, base=base)
            found = frozenset(arms) or found
    return found


def common_causes(explained: Sequence[Collection[str]], recorded: Sequence[str] = ()) -> list[str | None]:
    """For each finding, one of the changes of the rules that explain it: few in all.

    `explained[i]` are those that explain finding `i`, `recorded[i]` is what was taken for its cause. What explains most
    of the findings that are left is the cause of these; of several the departure that is recorded of most, then any
    departure, then what acts everywhere. The result is None for a finding without any. The order of the
    findings does not matter.
    """
    chosen: list[str | None] = [None] * len(explained)
    left = {i: frozenset(names) for i, names in enumerate(explained) if names}
    taken = Counter(recorded)

    def worth(cause: tuple[str, int]) -> tuple[int, int, bool, bool]:
        name, count = cause
        is_departure = name in DEPARTURES
        return count, taken[name] * is_departure, is_departure, arm_of(name) == name

    while left:
        often = Counter(name for names in left.values() for name in names)
        best, _ = max(sorted(often.items()), key=worth)
        for i in [i for i, names in left.items() if best in names]:
            chosen[i] = best
            del left[i]
    return chosen
