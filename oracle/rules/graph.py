"""The uniformity graph (V, E) of section 4.2, as lists of successors, with a label on each node for people.

Nodes are numbered from 0 in order of addition. Fig. 7 numbers them from 1, without those of `Role.SOURCE`.
"""

from collections.abc import Iterable
from enum import Enum
from typing import NamedTuple

from wgsl_fuzz.oracle.rules.digraph import Digraph
from wgsl_fuzz.oracle.rules.digraph import Node as Node
from wgsl_fuzz.tinywgsl.ast import Expr, Stmt

CF_START: Node = 0
MAY_BE_NON_UNIF: Node = 1
MUST_BE_UNIF: Node = 2
VALUE_RETURN: Node = 3


class Role(Enum):
    """What a node stands for."""

    SPECIAL = "special"
    INITIAL = "variable at the start"
    READ = "variable read"
    OPERATION = "operation"
    SOURCE = "source of non-uniformity"
    """An occurrence of `lid` or of a shared read. The paper returns MayBeNonUnif itself here; this is a node whose only
    successor is MayBeNonUnif, so that a path says which occurrence it came from. No path is gained or lost."""
    AFTER_IF = "variable after if"
    HEAD = "variable at the loop head"
    EXIT = "variable at the loop exit"
    CONT = "variable at the continuing"
    RESULT = "call result"
    CF_AFTER_IF = "control flow after if"
    CF_HEAD = "control flow at the loop head"


class Label(NamedTuple):
    """A node's role, the statement that it belongs to, and its variable's name or its expression."""

    role: Role
    statement: Stmt | None
    detail: Expr | str | None


_Told = tuple[Role, Stmt | None, Expr | str | None]
"""What becomes a label."""


class Graph(Digraph):
    """A uniformity graph that starts with the four special nodes."""

    __slots__ = ("_labels", "_told", "demands")

    def __init__(self) -> None:
        super().__init__(4)
        names = ("CfStart", "MayBeNonUnif", "MustBeUnif", "ValueReturn")
        self._told: list[_Told] = [(Role.SPECIAL, None, name) for name in names]
        self._labels: list[Label] = []
        self.demands: dict[Node, tuple[Stmt, int | None]] = {}
        """For each successor of MustBeUnif, the barrier or call that demands it first, and which argument it is."""

    def fresh(self, role: Role, statement: Stmt | None, detail: Expr | str | None, *successors: Node) -> Node:
        """A fresh node with edges to `successors`."""
        self._told.append((role, statement, detail))
        self.successors.append([*successors])
        return len(self.successors) - 1

    def fresh_map(self, role: Role, statement: Stmt, names: Iterable[str]) -> dict[str, Node]:
        """A fresh node without edges for each of `names`."""
        first = len(self.successors)
        for name in names:
            self._told.append((role, statement, name))
            self.successors.append([])
        return dict(zip(names, range(first, len(self.successors))))

    @property
    def labels(self) -> list[Label]:
        """The label of each node, made when someone asks: no verdict depends on them."""
        self._labels += [Label(*told) for told in self._told[len(self._labels) :]]
        return self._labels

    def demand(self, target: Node, statement: Stmt, argument: int | None = None) -> None:
        """The edge (MustBeUnif, target), demanded by `statement` of its control flow, or of an argument from 0 on."""
        self.successors[MUST_BE_UNIF].append(target)
        self.demands.setdefault(target, (statement, argument))
