"""A directed graph as lists of successors: what the uniformity graphs of both analyses are made of."""

from collections.abc import Iterable

Node = int


class Digraph:
    """Nodes numbered from 0 in order of addition, and which edges leave them."""

    __slots__ = ("successors",)

    def __init__(self, nodes: int) -> None:
        """A graph that starts with this many nodes and no edges."""
        self.successors: list[list[Node]] = [[] for _ in range(nodes)]

    def add_edge(self, source: Node, target: Node) -> None:
        """The edge (source, target): the uniformity of `source` depends on that of `target`."""
        self.successors[source].append(target)

    def reachable(self, source: Node) -> bytearray:
        """Row `source` of E*: the byte at `v` is 1 if and only if (source, v) ∈ E*."""
        return self.reachable_from([source])

    def reachable_from(self, sources: Iterable[Node], closed: Node | None = None) -> bytearray:
        """The byte at `v` is 1 if and only if one of the sources has a path to v, or is it, not through `closed`."""
        successors = self.successors
        seen = bytearray(len(successors))
        stack = [source for source in sources if source != closed]
        if closed is not None:
            seen[closed] = 1
        for source in stack:
            seen[source] = 1
        while stack:
            for v in successors[stack.pop()]:
                if not seen[v]:
                    seen[v] = 1
                    stack.append(v)
        return seen

    def shortest_path(self, source: Node, target: Node) -> list[Node]:
        """The nodes of a shortest path from `source` to `target`, both included; empty if there is none."""
        parent = {source: source}
        queue = [source]
        for u in queue:
            if u == target:
                break
            for v in self.successors[u]:
                if v not in parent:
                    parent[v] = u
                    queue.append(v)
        if target not in parent:
            return []
        path = [target]
        while path[-1] != source:
            path.append(parent[path[-1]])
        return path[::-1]
