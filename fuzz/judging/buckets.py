"""Buckets: which findings look like one cause (docs/words.md).

A fine key depends on one finding alone: on its reduced shader. A run's findings taken together say more. A branch of a
rule *explains* a finding if breaking that branch gives the target's verdict on the drawn and on the reduced shader.
`common_causes` looks for few and rare branches that together explain all findings. `benchmarks/buckets.py` measures how
well this separates planted mutants, and how much worse the keys alone do. Findings that a target's known departures
explain (`fuzz.judging.judge.own_cause`) need no such search.
"""

import math
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import pairwise
from pathlib import Path
from typing import assert_never

import orjson

from wgsl_fuzz.fuzz.judging.judge import (
    HAVE_FINE_KEYS,
    NOT_IMPLEMENTED,
    BucketKey,
    Disagreement,
    FineKey,
    Kind,
    rules_of,
)
from wgsl_fuzz.oracle.rules.analysis import Analysis, FunctionResult, analyse
from wgsl_fuzz.oracle.rules.coverage import deciding
from wgsl_fuzz.oracle.rules.graph import CF_START, MAY_BE_NON_UNIF, MUST_BE_UNIF, VALUE_RETURN, Label, Node, Role
from wgsl_fuzz.oracle.rules.rule_set import PAPER
from wgsl_fuzz.oracle.rules.uniformity.revisions import DEPARTURES
from wgsl_fuzz.oracle.rules.variants import CHANGES
from wgsl_fuzz.oracle.verdict import Verdict
from wgsl_fuzz.tinywgsl.ast import (
    Assign,
    Barrier,
    Binary,
    Break,
    Call,
    Continue,
    Function,
    If,
    Lid,
    Loop,
    Return,
    Shader,
    SharedAssign,
    Stmt,
    Unary,
    blocks_of,
    expressions_in,
    is_break_if,
)

NEW_CAUSE = 10.0
"""What one more cause costs, in nats: so much likelier must it make the findings. Measured: less splits planted
mutants, more puts two into one bucket if their own branches are not in the catalogue."""


RARITIES = ("rarity.json", "rarity_modules.json")
"""How often branches of the paper's rules, and arms of the rules for the whole language, decide what is drawn."""


def fine_key(shader: Shader, found: Disagreement) -> FineKey | BucketKey:
    """The fine bucket of a finding: the raw key, the rules on the witness path and the constructs left.

    `shader` is the reduced one. The path is the reference's if that rejects, else that of the rules that the cause
    names. Literals, operators, names and how often a construct occurs do not matter. What says nothing of the analysis
    (a crash, say) has its raw key. A miscompiled shader has no path, and its operators do matter.
    """
    if found.kind not in HAVE_FINE_KEYS or found.cause == NOT_IMPLEMENTED:
        return found.key
    if found.kind is Kind.MISCOMPILED:
        words = sorted(constructs(shader) | operators(shader))
        return FineKey(found.key, "no path", ", ".join(words) or "no construct")
    analysis = analyse(shader)
    if analysis.verdict is Verdict.ACCEPTS:
        analysis = analyse(shader, rules_of(found.cause) or PAPER)
    rules, left = path_rules(analysis), constructs(shader)
    return FineKey(found.key, ", ".join(sorted(rules)) or "no path", ", ".join(sorted(left)) or "no construct")


# ------------------------------------------------------------------------------------------- rules on the witness path


def path_rules(analysis: Analysis) -> frozenset[str]:
    """The rules that made the nodes of the path from MustBeUnif to MayBeNonUnif, in called functions too."""
    path = _witness_path(analysis)
    results = {r.function.name: r for r in analysis.functions}
    return frozenset(_rules_on(results, analysis.functions[-1], path)) if path else frozenset()


def _witness_path(analysis: Analysis) -> list[Node]:
    """A shortest path from MustBeUnif to MayBeNonUnif in the violating function's graph; empty if it is accepted."""
    if analysis.verdict is Verdict.ACCEPTS:
        return []
    return analysis.functions[-1].graph.shortest_path(MUST_BE_UNIF, MAY_BE_NON_UNIF)


def _rules_on(results: dict[str, FunctionResult], result: FunctionResult, path: Sequence[Node]) -> Iterator[str]:
    graph = result.graph
    if path[0] == MUST_BE_UNIF:
        s, argument = graph.demands[path[1]]
        yield "barrier" if isinstance(s, Barrier) else "call demands control flow" if argument is None else "argument"
        if isinstance(s, Call):
            target = CF_START if argument is None else VALUE_RETURN + 1 + argument
            yield from _inside(results, s, MUST_BE_UNIF, target)
    for node, after in pairwise(path):
        label = graph.labels[node]
        yield from _rule_of(label)
        if label.role is Role.RESULT and after == MAY_BE_NON_UNIF and isinstance(label.statement, Call):
            yield from _inside(results, label.statement, VALUE_RETURN, MAY_BE_NON_UNIF)


def _inside(results: dict[str, FunctionResult], s: Call, source: Node, target: Node) -> Iterator[str]:
    callee = results[s.function]
    yield from _rules_on(results, callee, callee.graph.shortest_path(source, target))


def _rule_of(label: Label) -> Iterator[str]:
    role, statement, detail = label
    match role:
        case Role.SPECIAL:
            return
        case Role.SOURCE:
            yield "lid" if isinstance(detail, Lid) else "shared read"
        case Role.OPERATION:
            yield "binary" if isinstance(detail, Binary) else "unary" if isinstance(detail, Unary) else "conversion"
        case _:
            yield role.value
    if role in (Role.SOURCE, Role.OPERATION, Role.READ) and isinstance(statement, If):
        yield "condition"


# ------------------------------------------------------------------------------------------------------ constructs left


def constructs(shader: Shader) -> frozenset[str]:
    """What a shader is made of, coarsely: which statements, and where jumps, barriers and returns are."""
    return frozenset(name for f in shader.all_functions for name in _constructs_of(f))


def operators(shader: Shader) -> frozenset[str]:
    """The operators in a shader's expressions, each with a word for how many operands it has."""
    found = set()
    for e in (e for f in shader.all_functions for e in expressions_in(f.body)):
        match e:
            case Binary():
                found.add(f"binary {e.op}")
            case Unary():
                found.add(f"unary {e.op}")
            case _:
                pass
    return frozenset(found)


def _constructs_of(f: Function) -> Iterator[str]:
    callee = f.result is not None
    body = f.body[:-1] if callee and f.body and isinstance(f.body[-1], Return) else f.body
    for s, loops in _with_loops(body, 0):
        match s:
            case If():
                yield "else" if s.orelse else "if"
            case Loop():
                yield "nested loop" if loops else "loop"
                if s.continuing:
                    yield "break if" if is_break_if(s.continuing[-1]) else "continuing"
            case Barrier():
                yield from ("barrier in a function",) * callee
            case Return():
                yield ("return in a loop" if loops else "return") + " of a function" * callee
            case Break():
                yield "break"
            case Call():
                yield "call in a loop" if loops else "call"
            case SharedAssign():
                yield "shared write"
            case Assign() | Continue():
                pass
            case _:
                assert_never(s)


def _with_loops(body: Sequence[Stmt], loops: int) -> Iterator[tuple[Stmt, int]]:
    """Each statement, and how many loops it is in."""
    for s in body:
        yield s, loops
        for block in blocks_of(s):
            yield from _with_loops(block, loops + isinstance(s, Loop))


# ----------------------------------------------------------------------------------------------- what explains findings


def explaining(*shaders: Shader | None) -> frozenset[str]:
    """The branches, by their variants' names, that decide all of `shaders`: each alone explains a finding on them.

    The last shader is the reduced one and counts most. One before it is ignored if it is None (its text is not
    TinyWGSL), or if it has no branch in common with those that follow.
    """
    found: frozenset[str] = frozenset()
    for shader in reversed(shaders):
        branches = frozenset[str]() if shader is None else _deciding(shader)
        found = (found & branches) or found or branches
    return found


@lru_cache(maxsize=4096)
def _deciding(shader: Shader) -> frozenset[str]:
    return frozenset(deciding(shader))


@cache
def surprise() -> dict[str, float]:
    """How surprising it is, in nats, that a branch decides a random shader, by its variant's name.

    From `rarity.json` and `rarity_modules.json`: of so many shaders of the default profile, or modules of the mixed
    languages, how many each branch decides. Frequent branches explain nearly everything; a rare one that explains all
    findings is the likelier cause.
    """
    surprises: dict[str, float] = {}
    for file in RARITIES:
        counts = orjson.loads(Path(__file__).with_name(file).read_bytes())
        shaders = counts["shaders"]
        surprises |= {name: -math.log((n + 1) / (shaders + 2)) for name, n in counts["decided"].items()}
    return surprises


def _surprise(branch: str) -> float:
    of_new = math.log(100)  # of a branch that is newer than the table
    # What explains as much is less likely than what a text or a compiler is known to do.
    historic = 0.01 if branch in CHANGES or branch in DEPARTURES else 0.0
    return surprise().get(branch, of_new) + historic


@dataclass(frozen=True, slots=True)
class _Cause:
    branch: str
    findings: frozenset[int]

    @property
    def gain(self) -> float:
        """By how much it shortens the description of its findings."""
        return len(self.findings) * _surprise(self.branch)


Explained = dict[str, frozenset[int]]
"""Which findings each branch explains."""


def common_causes(
    explained: Sequence[Collection[str]], fitting: Sequence[Collection[str]] | None = None
) -> list[str | None]:
    """For each finding, one of the branches that explain it: few branches in all, and rare ones (minimum description
    length).

    `explained[i]` are the branches that explain finding `i`, and `fitting[i]` what also fits its neighbours: of what
    explains the same findings, the branch is taken that fits the neighbours of most. The result is None for a finding
    without any. The order of the findings does not matter.
    """
    explains: dict[str, set[int]] = defaultdict(set)
    for i, branches in enumerate(explained):
        for branch in branches:
            explains[branch].add(i)
    frozen = {branch: frozenset(findings) for branch, findings in sorted(explains.items())}
    starts = (_rarest(frozen), _greedy(frozen))
    best = min((_merged(causes, frozen) for causes in starts), key=_length)
    chosen: list[str | None] = [None] * len(explained)
    for cause in best:
        branch = cause.branch if fitting is None else _best_fitting(cause, explained, fitting)
        for i in cause.findings:
            chosen[i] = branch
    return chosen


def _best_fitting(cause: _Cause, explained: Sequence[Collection[str]], fitting: Sequence[Collection[str]]) -> str:
    """Of the branches that explain all findings of a cause, the one that fits the neighbours of most of them."""
    able = set.intersection(*(set(explained[i]) for i in cause.findings))

    def worth(branch: str) -> tuple[int, bool, float]:
        return sum(branch in fitting[i] for i in cause.findings), branch == cause.branch, _surprise(branch)

    return max(sorted(able), key=worth)


def _length(causes: list[_Cause]) -> float:
    return sum(NEW_CAUSE - cause.gain for cause in causes)


def _rarest(explains: Explained) -> list[_Cause]:
    """Each finding by the rarest branch that explains it: too many causes, to be merged."""
    by_branch: dict[str, set[int]] = defaultdict(set)
    for i in frozenset().union(*explains.values()):
        able = [branch for branch, findings in explains.items() if i in findings]
        by_branch[max(able, key=lambda branch: (_surprise(branch), len(explains[branch])))].add(i)
    return [_Cause(branch, frozenset(findings)) for branch, findings in sorted(by_branch.items())]


def _greedy(explains: Explained) -> list[_Cause]:
    """Weighted set cover, the branch first that says most of the findings left: not far off if there is one cause."""
    left = frozenset().union(*explains.values())
    causes = []
    while left:
        best = max((_Cause(branch, findings & left) for branch, findings in explains.items()), key=lambda c: c.gain)
        causes.append(best)
        left -= best.findings
    return causes


def _merged(causes: list[_Cause], explains: Explained) -> list[_Cause]:
    """Several causes become one, as long as that makes the description shorter."""
    while True:
        best, taken = 1e-9, list[_Cause]()
        merged = None
        for branch, findings in explains.items():
            within = [c for c in causes if c.findings <= findings]
            gains = {c: NEW_CAUSE + len(c.findings) * _surprise(branch) - c.gain for c in within}
            gain = sum(g for g in gains.values() if g > 0) - NEW_CAUSE
            if gain > best:
                best, taken = gain, [c for c, g in gains.items() if g > 0]
                merged = _Cause(branch, frozenset().union(*(c.findings for c in taken)))
        if merged is None:
            return causes
        causes = [*(c for c in causes if c not in taken), merged]
