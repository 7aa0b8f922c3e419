"""Which pairs and triples of constructs some family of `enumerate` holds: `docs/catalogue.json`.

    python tools/catalogue.py

A pair is two constructs in one shader. A triple is three that touch one variable: they are around its uses, or declare
it. A `break`, a `continue` and a barrier are around none, so that at most 3,276 triples can be held. What is missing
was in no member up to the sizes below; `witnesses` are members that hold all the rest together, so that a test need
read only them.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import combinations
from math import comb
from pathlib import Path
from typing import Any

import orjson

from wgsl_fuzz.fuzz.cases.course import ShaderSequence
from wgsl_fuzz.fuzz.cli.certify import size_within
from wgsl_fuzz.strategies.enumerate.families import ALL_FAMILIES, ENUMERATION_VERSION
from wgsl_fuzz.wgsl import syntax as w
from wgsl_fuzz.wgsl.builtins import FUNCTIONS
from wgsl_fuzz.wgsl.resolution import Resolution
from wgsl_fuzz.wgsl.walk import children

FILE = Path(__file__).parents[1] / "docs" / "catalogue.json"
MOST = 4_000
"""Members of a family that are read, but for its smallest size."""
CLASSES = {w.Let: "let", w.Phony: "_ =", w.Increment: "++", w.Switch: "switch", w.While: "while", w.For: "for"} | {
    w.BreakIf: "break if", w.Break: "break", w.Continue: "continue", w.Return: "return", w.Index: "[]", w.Member: ".x"
}  # fmt: skip
BUILTINS = {"Barrier": "barrier", "workgroupUniformLoad": "workgroupUniformLoad", "atomic": "atomic"} | {
    **dict.fromkeys(("subgroup", "quad"), "subgroup"),
    **dict.fromkeys(("dpd", "fwidth", "textureSample"), "derivative"),
}
"""By a part of its name, what a built-in function is that has something to say of uniformity."""
CONSTRUCTS = (
    *CLASSES.values(),
    *dict.fromkeys(BUILTINS.values()),
    "var",
    "shared var",
    "pointer",
    "=",
    "+=",
    "&x",
    "*p",
    "&&",
    "if",
    "else",
)
CONSTRUCTS += ("loop", "continuing", "call", "@diagnostic")
Group = tuple[str, ...]


def constructs_of(node: w.Node, resolution: Resolution) -> Iterator[str]:
    """The constructs that a node is, without those below it."""
    if (name := CLASSES.get(type(node))) is not None:
        yield name
    if any(attribute.name == "diagnostic" for attribute in getattr(node, "attributes", ())):
        yield "@diagnostic"
    match node:
        case w.Variable(template=space):
            yield "shared var" if space else "var"
        case w.Parameter(type=w.Identifier(name="ptr")):
            yield "pointer"
        case w.Assign(operator=operator):
            yield "=" if operator == "=" else "+="
        case w.Unary(operator="&" | "*" as operator):
            yield "&x" if operator == "&" else "*p"
        case w.Binary(operator="&&" | "||"):
            yield "&&"
        case w.If(orelse=other):
            yield from ("if",) if other is None else ("if", "else")
        case w.Loop(continuing=block):
            yield from ("loop",) if block is None else ("loop", "continuing")
        case w.Call(callee=callee) if isinstance(resolution.declaration(callee), w.Function):
            yield "call"
        case w.Call(callee=callee) if callee.name in FUNCTIONS:
            yield from (what for part, what in BUILTINS.items() if part in callee.name)


def groups_of(resolution: Resolution) -> set[Group]:
    """The pairs of a module, and the triples of each of its variables, in the order of CONSTRUCTS."""
    touching: dict[int, set[str]] = defaultdict(set)
    everywhere: set[str] = set()

    def visit(node: w.Node, around: frozenset[str]) -> None:
        own = [*constructs_of(node, resolution)]
        everywhere.update(own)
        around = around.union(own)
        if isinstance(node, w.Identifier) and isinstance(variable := resolution.declaration(node), VARIABLES):
            touching[id(variable)] |= around.union(constructs_of(variable, resolution))
        for child in children(node):
            visit(child, around)

    visit(resolution.module, frozenset())
    triples = (group for names in touching.values() for group in in_order(names, 3))
    return {*in_order(everywhere, 2), *triples}


VARIABLES = (w.Variable, w.Let, w.Parameter)


def in_order(names: Iterable[str], n: int) -> Iterator[Group]:
    """The groups of n of these constructs."""
    return combinations(sorted(names, key=CONSTRUCTS.index), n)


def catalogue(witnesses: dict[str, list[int]], held: set[Group]) -> dict[str, Any]:
    """What the file has."""
    found: dict[str, Any] = {"enumeration": ENUMERATION_VERSION, "constructs": CONSTRUCTS}
    for word, n in (("pairs", 2), ("triples", 3)):
        found[word] = {"held": sum(len(group) == n for group in held), "of": comb(len(CONSTRUCTS), n)}
    missing = [", ".join(pair) for pair in in_order(CONSTRUCTS, 2) if pair not in held]
    return found | {"missing pairs": missing, "witnesses": witnesses}


def main() -> None:
    """Reads all members, and writes the file."""
    adding: list[tuple[str, int, set[Group]]] = []
    held: set[Group] = set()
    for name, family in ALL_FAMILIES.items():
        members = ShaderSequence([family], size_within(family, MOST))
        for number in range(members.count):
            groups = groups_of(members.case(number).resolution)
            if groups - held:
                held |= groups
                adding.append((name, number, groups))
    witnesses, covered = defaultdict[str, list[int]](list), set[Group]()
    for name, number, groups in reversed(adding):  # the later ones are larger
        if groups - covered:
            covered |= groups
            witnesses[name].append(number)
    FILE.write_bytes(orjson.dumps(catalogue(witnesses, held), option=orjson.OPT_INDENT_2) + b"\n")


if __name__ == "__main__":
    main()
