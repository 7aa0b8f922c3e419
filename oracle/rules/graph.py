"""The uniformity graph (V, E) of section 4.2, as lists of successors. Nodes are numbered from 0, in Fig. 7 from 1."""

from collections.abc import Iterable

from wgsl_fuzz.oracle.rules.digraph import Digraph
from wgsl_fuzz.oracle.rules.digraph import Node as Node

CF_START: Node = 0
MAY_BE_NON_UNIF: Node = 1
MUST_BE_UNIF: Node = 2
VALUE_RETURN: Node = 3


class Graph(Digraph):
    """A uniformity graph that starts with the four special nodes."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__(4)

    def fresh(self, *successors: Node) -> Node:
        """A fresh node with edges to `successors`."""
        self.successors.append([*successors])
        return len(self.successors) - 1

    def fresh_map(self, names: Iterable[str]) -> dict[str, Node]:
        """A fresh node without edges for each of `names`."""
        return {name: self.fresh() for name in names}

    def demand(self, target: Node) -> None:
        """The edge (MustBeUnif, target)."""
        self.add_edge(MUST_BE_UNIF, target)
