"""Buckets: which findings look like one cause (docs/words.md).

A fine key depends on one finding alone: on its reduced shader. A run's findings taken together say more. A branch of a
rule *explains* a finding if breaking that branch gives the target's verdict on the drawn and on the reduced shader.
`common_causes` looks for few and rare branches that together explain all findings. `benchmarks/buckets.py` measures how
well this separates planted mutants, and how much worse the keys alone do. Findings that a target's known departures
explain (`fuzz.judging.departures.are_known`) need no such search.
"""

import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from functools import cache
from pathlib import Path

import orjson

from wgsl_fuzz.fuzz.cases.case import Case
from wgsl_fuzz.fuzz.judging.kinds import HAVE_FINE_KEYS, NO_ANALYSIS, Disagreement, Kind
from wgsl_fuzz.oracle.rules.uniformity.coverage import deciding_arms
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

NEW_CAUSE = 10.0
"""The cost of one more cause, in nats. Measured: a lower cost splits planted mutants; a higher one puts two mutants
into one bucket if their branches are not in the catalogue."""


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


def explaining(*cases: Case, verdict: Verdict | None = None) -> frozenset[str]:
    """The branches of the rules (arms), by variant name, that decide all of `cases`: each explains a finding on them.

    The last case is the reduced one. An earlier case narrows the answer, unless nothing would be left. With a `verdict`
    only those count that give it.
    """
    found: frozenset[str] = frozenset()
    for case in reversed(cases):
        # An arm that a later case does not have is skipped: most are.
        arms = frozenset(deciding_arms(case.resolution, case.quick_analysis, only=found or None, verdict=verdict))
        found = arms or found
    return found


@cache
def surprise() -> dict[str, float]:
    """How surprising it is, in nats, that a branch decides a random shader, by its variant's name.

    From `rarity.json`: of so many shaders of a campaign, how many each branch decides. Frequent branches explain nearly
    everything; a rare one that explains all findings is the likelier cause.
    """
    counts = orjson.loads(Path(__file__).with_name("rarity.json").read_bytes())
    return {name: -math.log((n + 1) / (counts["shaders"] + 2)) for name, n in counts["decided"].items()}


def _surprise(branch: str) -> float:
    of_new = math.log(100)  # for a branch that is not in the table yet
    # Of two equally good explanations, a known departure is the likelier.
    historic = 0.01 if branch in DEPARTURES else 0.0
    return surprise().get(branch, of_new) + historic


def rarest(branches: Iterable[str]) -> list[str]:
    """Branches, the rarest first."""
    return sorted(branches, key=lambda branch: (-_surprise(branch), branch))


_Cause = tuple[str, frozenset[int]]
"""A branch, and the findings that it is the cause of."""
Explained = dict[str, dict[int, float]]
"""Which findings each branch explains, and how many nats it saves in the description of each."""
MISJUDGED = 0.5
"""The cost of a neighbour that a cause misjudges, in nats. Less than it seems worth: neighbours resemble each other."""


def _gain(explains: Explained, branch: str, findings: Iterable[int]) -> float:
    """How many nats a cause saves in the description of its findings."""
    return math.fsum(explains[branch][i] for i in findings)


def common_causes(
    explained: Sequence[Collection[str]],
    fitting: Sequence[Collection[str]] | None = None,
    recorded: Sequence[str] | None = None,
    misjudged: Sequence[Mapping[str, int]] | None = None,
) -> list[str | None]:
    """For each finding, one of the branches that explain it: few branches in all, and rare ones that misjudge few
    neighbours (minimum description length).

    `explained[i]` are the branches that explain finding `i`, `misjudged[i]` how many of its neighbours each gives
    otherwise, and `fitting[i]` what fits all: of what explains the same findings, the branch is taken that fits the
    neighbours of most, then the departure that is `recorded` as the cause of most. The result is None for a finding
    without any. The order of the findings does not matter.
    """
    explains: Explained = defaultdict(dict)
    for i, branches in enumerate(explained):
        for branch in sorted(branches):
            explains[branch][i] = _surprise(branch) - MISJUDGED * (misjudged[i].get(branch, 0) if misjudged else 0)
    explains = dict(sorted(explains.items()))
    merged = [_merged(causes, explains) for causes in (_rarest(explains), _greedy(explains))]
    best = min(merged, key=lambda causes: sum(NEW_CAUSE - _gain(explains, *cause) for cause in causes))
    best = _likeliest(best, explains)
    chosen: list[str | None] = [None] * len(explained)
    fitting, recorded = fitting or [()] * len(explained), recorded or [""] * len(explained)
    for cause in best:
        branch = _named(cause, explains, fitting, recorded, {*chosen, *(other for other, _ in best)})
        for i in cause[1]:
            chosen[i] = branch
    return chosen


def _likeliest(causes: list[_Cause], explains: Explained) -> list[_Cause]:
    """The causes, each finding with the one that saves most in its description."""
    branches = sorted(branch for branch, _ in causes)
    home: dict[str, set[int]] = defaultdict(set)
    for i in frozenset().union(*explains.values()):
        home[max([b for b in branches if i in explains[b]], key=lambda branch: explains[branch][i])].add(i)
    return [(branch, frozenset(findings)) for branch, findings in sorted(home.items())]


def _named(
    cause: _Cause,
    explains: Explained,
    fitting: Sequence[Collection[str]],
    recorded: Sequence[str],
    taken: Set[str | None],
) -> str:
    """Of the branches that explain all findings of a cause, the one that fits the neighbours of most of them.

    Of several a departure is named that a text or a compiler is known for, unless it misjudges many more neighbours, or
    another cause has that name.
    """
    named, findings = cause
    able = [branch for branch, own in explains.items() if own.keys() >= findings and branch not in taken - {named}]

    def cost(branch: str) -> float:
        return len(findings) * _surprise(branch) - _gain(explains, branch, findings)

    def worth(branch: str) -> tuple[int, bool, int, bool, float]:
        fits = sum(branch in fitting[i] for i in findings)
        first = sum(branch == recorded[i] for i in findings)
        departs = branch in DEPARTURES and cost(branch) <= cost(named) + NEW_CAUSE
        return fits, departs, first, branch == named, _gain(explains, branch, findings)

    return max(able, key=worth)


def _rarest(explains: Explained) -> list[_Cause]:
    """The best branch for each finding: a start with too many causes."""
    by_branch: dict[str, set[int]] = defaultdict(set)
    for i in frozenset().union(*explains.values()):
        able = [branch for branch, findings in explains.items() if i in findings]
        by_branch[max(able, key=lambda branch: (explains[branch][i], len(explains[branch])))].add(i)
    return [(branch, frozenset(findings)) for branch, findings in sorted(by_branch.items())]


def _greedy(explains: Explained) -> list[_Cause]:
    """Greedy weighted set cover: a good start if there is one cause."""
    left = frozenset().union(*explains.values())
    causes: list[_Cause] = []
    while left:
        able = [(branch, own) for branch, findings in explains.items() if (own := left.intersection(findings))]
        best = max(able, key=lambda cause: (_gain(explains, *cause), len(cause[1])))
        causes.append(best)
        left -= best[1]
    return causes


def _merged(causes: list[_Cause], explains: Explained) -> list[_Cause]:
    """Merges causes as long as that makes the description shorter."""
    while True:
        best, taken = 1e-9, list[_Cause]()
        merged: _Cause | None = None
        for branch, findings in explains.items():
            within = [cause for cause in causes if cause[1] <= findings.keys()]
            gains = {c: NEW_CAUSE + _gain(explains, branch, c[1]) - _gain(explains, *c) for c in within}
            gain = sum(g for g in gains.values() if g > 0) - NEW_CAUSE
            if gain > best:
                best, taken = gain, [c for c, g in gains.items() if g > 0]
                merged = branch, frozenset().union(*(covered for _, covered in taken))
        if merged is None:
            return causes
        causes = [*(c for c in causes if c not in taken), merged]
