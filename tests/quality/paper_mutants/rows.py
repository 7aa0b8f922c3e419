"""What the rows of the table of variants are made with."""

from collections.abc import Callable
from typing import Any

from wgsl_fuzz.oracle.rules.analysis import UniformityAnalysis, VariableMap
from wgsl_fuzz.oracle.rules.graph import Node
from wgsl_fuzz.oracle.rules.rule_set import Direction, Variant
from wgsl_fuzz.oracle.rules.uniformity.variants.rows import edited, replacing
from wgsl_fuzz.tinywgsl.behaviour import CoreBehaviourAnalysis

LAXER, STRICTER, EITHER = Direction.LAXER, Direction.STRICTER, Direction.EITHER

U, B = UniformityAnalysis, CoreBehaviourAnalysis

Rule = Callable[..., Any]
"""It names what it is handed: `self`, arguments of the piece, the `piece` itself, or its `result`."""


def instead(
    piece: Rule, rule: Rule | None = None, *, of: type = object, where: Rule | None = None, **given: Any
) -> type:
    """A class with another piece: `rule` stands in its place, or it is asked with other arguments, `given`.

    Where the first argument is none `of` a type, or `where` does not hold, the piece stays.
    """
    base: type = next(cls for cls in (U, B) if getattr(cls, piece.__name__, None) is piece)
    return replacing(piece, edited(piece, rule, of, where, given)[0], base)


def flowed(self: UniformityAnalysis, to: VariableMap, M: VariableMap) -> VariableMap:
    """The map with edges to another one added."""
    self.flow(to, M)
    return to


def with_edge(self: UniformityAnalysis, node: Node, to: Node) -> Node:
    """The node with an edge added."""
    self.graph.add_edge(node, to)
    return node


def row(name: str, branch: str, way: Direction, *replacements: type, place: str = "", **more: Any) -> Variant:
    """A variant; its place is in its name unless given."""
    return Variant(name, place or name.rpartition("/")[0], branch, way, replacements, **more)


def changed(
    name: str,
    branch: str,
    way: Direction,
    piece: Rule,
    rule: Rule | None = None,
    *,
    of: type = object,
    where: Rule | None = None,
    place: str = "",
    issue: int | None = None,
    equivalent: str = "",
    **given: Any,
) -> Variant:
    """A variant of one piece, which another one stands `instead` of."""
    cls = instead(piece, rule, of=of, where=where, **given)
    return row(name, branch, way, cls, place=place, issue=issue, equivalent=equivalent)


def at(place: str, piece: Rule, **always: Any) -> Callable[..., Variant]:
    """What makes the variants `place/WHAT` of one piece, from WHAT, the branch, the direction and the rule."""

    def variant(what: str, branch: str, way: Direction, rule: Rule | None = None, **more: Any) -> Variant:
        return changed(f"{place}/{what}", branch, way, piece, rule, **always, **more)

    return variant


def figure(name: str, place: str, branch: str, way: Direction, issue: int, cls: type) -> Variant:
    """One of the four changes of section 5 taken back, by the paper's figure."""
    return row(name, f"{branch} (the change of Fig. {name})", way, cls, place=place, issue=issue)
