"""What makes a target wrong whatever the rules say: the least text beside which it is wrong about a plain shader."""

import re
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from itertools import combinations

from wgsl_fuzz.fuzz.cases.case import Case, read_case
from wgsl_fuzz.fuzz.judging.buckets import FILLER
from wgsl_fuzz.fuzz.judging.kinds import NO_RULE, BucketKey
from wgsl_fuzz.fuzz.reduction.search import read, reduce
from wgsl_fuzz.oracle.targets.protocol import Target, answers_of
from wgsl_fuzz.oracle.verdict import Verdict
from wgsl_fuzz.strategies.choices.source import RandomSource
from wgsl_fuzz.strategies.edit.relations import RELATION, applied
from wgsl_fuzz.wgsl import syntax as w
from wgsl_fuzz.wgsl.lexer import pieces
from wgsl_fuzz.wgsl.printer import print_module
from wgsl_fuzz.wgsl.resolution import Declared, Resolution
from wgsl_fuzz.wgsl.rewrite import Nodes, fresh_name, rebuilt
from wgsl_fuzz.wgsl.walk import descendants

VIOLATION = """var<private> {0}: u32;

fn {1}() {{
    if ({0} == 0u) {{
        workgroupBarrier();
    }}
}}
"""
"""Every analysis has to reject it, in whatever module it stands; nobody calls it."""
_HARMLESS = frozenset(pieces(VIOLATION))
PROBES = {
    "@": "@compute @workgroup_size(1) fn a() { }",
    "struct": "struct a { a: u32, }",
    "f16": "enable f16;",
    "switch": "fn a() { switch 0u { default { } } }",
    "loop": "fn a() { loop { break; } }",
    "while": "fn a() { while true { } }",
    "for": "fn a() { for (; true;) { } }",
}
"""What may be at fault by itself, in order, by the word that the shader then has."""
_NO_SOURCE = RELATION["no-source"]

Wrong = Callable[[str], bool]
"""Whether the target is wrong about a plain shader with this text in front of it."""


def beside(text: str, wanted: Verdict) -> str:
    """A shader with a text in it that ought not to matter: a target that answers as `wanted` is wrong.

    To accept is wrong as a violation stands behind the text; to reject is, if the text has no source.
    """
    if wanted is Verdict.REJECTS:
        return text
    taken = {*"".join(c if c.isalnum() or c == "_" else " " for c in text).split()}
    front = text.removesuffix("\n") + "\n" * bool(text)
    return front + VIOLATION.format(fresh_name("p", taken), fresh_name("q", taken))


def least_beside(tree: Resolution, text: str, wrong: Wrong, wanted: Verdict, give_up: Callable[[], bool]) -> str | None:
    """The least part of a shader beside which a target is wrong about a plain one; None if the rules matter.

    Many lines, or one name, are tried before parts of the `tree`: they cannot be found by leaving out.
    """
    if wanted is Verdict.REJECTS:
        without = applied(_NO_SOURCE, tree, RandomSource(0))
        tree, text = (tree, text) if without is None else (without, print_module(without.module))
    if wrong("") or not wrong(text):
        return None
    most = max(text.count("\n"), len(text) // len(FILLER)) + 1
    for line in ("\n", f"{FILLER}\n"):
        if wrong(line * most):
            return line * bisect_left(range(most), True, key=lambda n: wrong(line * n))
    for name in sorted({*_declared(tree)}, key=lambda name: (len(name), name)):
        if wrong(_constant(name)):
            return _constant(_least_name(name, wrong))
    words = {*pieces(text)}
    for word, probe in PROBES.items():
        if word in words and wrong(probe):
            return probe
    if not wrong(print_module(tree.module)):
        return None
    called = read(print_module(_without_entry_points(tree.module)))
    if called is not None and wrong(print_module(called.module)):
        tree = called

    def shows(smaller: Resolution) -> bool:
        if wanted is Verdict.REJECTS and applied(_NO_SOURCE, smaller, RandomSource(0)) is not None:
            return False
        return wrong(print_module(smaller.module))

    least = reduce(tree, shows, give_up=give_up)
    names = dict(zip(dict.fromkeys(_declared(least.resolution)), "abcdefghijklmnopqrstuvwxyz", strict=False))
    renamed = re.sub(r"\b\w+\b", lambda word: names.get(word[0], word[0]), least.text)
    return renamed if wrong(renamed) else least.text


def words_of(text: str) -> frozenset[str]:
    """The words and signs of a text, and what longer signs consist of, without those that do no harm by themselves, and
    names of one letter.
    """
    words = {*pieces(text)}
    parts = {part for sign in words - _HARMLESS if re.fullmatch(r"\W+", sign) for part in sign}
    return frozenset(word for word in words | parts if len(word) > 1 or not word.isalnum()) - _HARMLESS


def sets_of(text: str) -> frozenset[str]:
    """What may be at fault in a text: its words, and pairs of them with a space between."""
    words = sorted(words_of(text))
    return frozenset([*words, *map(" ".join, combinations(words, 2))])


def never_right(text: str, right: Collection[frozenset[str]]) -> tuple[str, ...]:
    """The words of a text, and pairs of its other words, with which a target was never right; `right` has the words of
    each text about which it was.
    """
    never = {one for one in sets_of(text) if not any(words.issuperset(one.split()) for words in right)}
    return tuple(sorted(one for one in never if not never.intersection(one.split()) - {one}))


def words_that_name(key: BucketKey) -> frozenset[str]:
    """The words that a text of a bucket has that no rule is the cause of: that of a probe, or those in its name."""
    told = [one.strip("`") for one in key.cause.left]
    return frozenset(word for word, probe in PROBES.items() if probe in told) or words_of(" ".join(told))


def buckets_beside(case: Case, target: Target, said: Verdict) -> list[BucketKey]:
    """The buckets of what a target wrongly said of a shader, if it says that of a plain one beside it, not alone, too.

    They are those of its words, without such as do no harm where their probe stands, and pairs. Raises TargetError.
    """
    without = applied(_NO_SOURCE, case.resolution, RandomSource(0)) if said is Verdict.REJECTS else None
    text = case.text if without is None else print_module(without.module)
    whole = beside(text, said)
    if {read_case(whole).verdict, said} != {Verdict.ACCEPTS, Verdict.REJECTS}:
        return []
    probed = {word: probe for word, probe in PROBES.items() if word in words_of(text)}
    texts = [beside("", said), whole, *(beside(probe, said) for probe in probed.values())]
    alone, together, *of_probes = (answer.verdict is said for answer in answers_of(target, texts))
    if alone or not together:
        return []
    harmless = {word for word, wrong in zip(probed, of_probes, strict=True) if not wrong}
    parts = [tuple(one.split()) for one in sets_of(text) if one not in harmless]
    parts += [(probe,) for word, probe in probed.items() if word not in harmless]
    plain = BucketKey(target.name, None, NO_RULE)
    return [plain.with_left(tuple(f"`{one}`" for one in some)) for some in parts]


def _without_entry_points(module: w.Module) -> w.Module:
    """The module with plain functions for its entry points."""
    changes: dict[int, Nodes] = {}
    for f in module.declarations:
        if isinstance(f, w.Function):
            parameters = tuple(replace(p, attributes=()) for p in f.parameters)
            changes[id(f)] = replace(f, parameters=parameters, attributes=(), result_attributes=())
    return rebuilt(module, changes)


def _declared(tree: Resolution) -> Iterator[str]:
    return (node.name for node in descendants(tree.module) if isinstance(node, Declared))


def _constant(name: str) -> str:
    return f"const {name} = 0u;\n"


def _least_name(name: str, wrong: Wrong) -> str:
    """A shortest part of a name that does as well; it begins with a letter."""
    shorter = (name[:i] + name[i + 1 :] for i in range(len(name)))
    return next((_least_name(one, wrong) for one in shorter if one[:1].isalpha() and wrong(_constant(one))), name)
