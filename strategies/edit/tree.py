"""Helpers of edits: queries on syntax trees, and constructors of nodes."""

from dataclasses import replace

from wgsl_fuzz.wgsl.syntax import Attribute, Attributes, Block, Identifier, Member, Module, Node, Statement
from wgsl_fuzz.wgsl.walk import descendants


def with_statements(block: Block, index: int, count: int, *new: Statement) -> Block:
    """A block with other statements instead of some from an index on."""
    ss = block.statements
    return replace(block, statements=(*ss[:index], *new, *ss[index + count :]))


def all_names(module: Module) -> set[str]:
    """Every word that a module uses as a name, members of structures included."""
    found: set[str] = set()
    for node in descendants(module):
        name = getattr(node, "name", None)
        if isinstance(name, str):
            found.add(name)
    return found


def diagnostic(severity: str, rule: str) -> Attribute:
    """`@diagnostic(severity, rule)`; a rule may be `a.b`."""
    first, dot, second = rule.partition(".")
    named: Identifier | Member = Member(Identifier(first), second) if dot else Identifier(first)
    return Attribute("diagnostic", (Identifier(severity), named))


def has_filter(attributes: Attributes) -> bool:
    """Whether a diagnostic filter is among some attributes."""
    return any(a.name == "diagnostic" for a in attributes)


def contains(node: Node, wanted: Node) -> bool:
    """Whether a node is the other, or above it."""
    return any(inner is wanted for inner in descendants(node))
