"""Size measures: the order in which reduction decreases a shader, and its number of statements."""

from collections.abc import Mapping
from dataclasses import fields
from typing import get_args

from wgsl_fuzz.wgsl import syntax
from wgsl_fuzz.wgsl import syntax as w
from wgsl_fuzz.wgsl.builtins import FUNCTIONS, SHORT_TYPES
from wgsl_fuzz.wgsl.walk import descendants, with_more_stack

Size = tuple[int, int]

_WEIGHTS: dict[type, int] = {
    w.Identifier: 3,
    w.Unary: 2,
    w.Call: 4,
    w.Attribute: 2,
    w.Block: 1,
    w.If: 2,
    w.Loop: 3,
    w.While: 5,
    w.For: 8,
    w.Switch: 8,
    w.Let: 4,
    w.Variable: 6,
}
_LIGHT = frozenset({"0", "1", "0u", "0i", "0f", "0h", "0.0", "true", "false"})
LIGHTEST = {name: row.family for name, row in FUNCTIONS.items() if row.family not in ("", name)}
"""By built-in function another that takes and gives the same types, the lightest of its family."""
COMPARISONS = ("==", "!=", "<", ">", "<=", ">=")
SUMS = ("+", "-", "*", "/", "%", "&", "|", "^")
_NAMES: Mapping[str, int] = {
    **{name: 8 if name.startswith("mat") else 6 - (name[-1] == "u") for name in SHORT_TYPES},
    **dict.fromkeys(("f32", "f16", "i32"), 4),
    **dict.fromkeys(LIGHTEST, 4),
    **dict.fromkeys(("local_invocation_index", "front_facing"), 2),
}
"""The weights of names that are not 3: `u32` is as good where it will do, and an input that needs no extension."""
_COMPOUND = 12
_SHORT_CIRCUIT = 8
_CONTROL = ("&&", "||")


def size(module: w.Module) -> Size:
    """The constructs, then the weight of everything.

    A short circuit counts as a construct, since it is control flow, and a headed loop as two: it has a break in it.
    """
    return SharedSizes().of(module)[1]


Measure = tuple[int, Size]
"""A number that equal trees share, and what is counted of them."""


class SharedSizes:
    """The sizes of modules that share nodes: what is in those that are kept is counted once.

    Equal trees are found by hash-consing: a node is known by its class, its words and the numbers of what is in it.
    """

    def __init__(self) -> None:
        self._kept: dict[int, Measure] = {}
        self._nodes: list[w.Node] = []
        """So that no other node gets an identity that is known."""
        self._keeps = False
        """Whether what is counted now is kept."""
        self._trees: dict[tuple[object, ...], Measure] = {}

    def of(self, module: w.Module) -> Measure:
        """The size and the number of a module."""
        return with_more_stack(lambda: self._of(module))

    def keep(self, module: w.Module) -> None:
        """Counts what is in a module from now on no more."""
        self._nodes.append(module)
        self._keeps = True
        self.of(module)
        self._keeps = False

    def _of(self, n: w.Node) -> Measure:
        kept, cls = self._kept, n.__class__
        tree: list[object] = [cls]
        inside: list[Measure] = []
        for name in _FIELDS[cls]:
            value = getattr(n, name)
            if value.__class__ is tuple and name != "names":
                tree.append(len(value))
                for inner in value:
                    inside.append(measure := kept.get(id(inner)) or self._of(inner))
                    tree.append(measure[0])
            elif value is None or value.__class__ is str or value.__class__ is tuple:
                tree.append(value)
            else:
                inside.append(measure := kept.get(id(value)) or self._of(value))
                tree.append(measure[0])
        key = tuple(tree)
        whole = self._trees.get(key)
        if whole is None:
            constructs, weight = _own(n)
            for _, (more, heavier) in inside:
                constructs += more
                weight += heavier
            whole = self._trees[key] = len(self._trees), (constructs, weight)
        if self._keeps:
            kept[id(n)] = whole
        return whole


_FIELDS: Mapping[type, tuple[str, ...]] = {
    cls: tuple(f.name for f in fields(cls) if f.compare)
    for cls in vars(syntax).values()
    if isinstance(cls, type) and issubclass(cls, w.Node)
}
"""By class, the fields that count."""


def weight_of(n: w.Node) -> int:
    """The weight of a node and of all in it."""
    return sum(_own(inner)[1] for inner in descendants(n))


def _own(n: w.Node) -> Size:
    """Constructs and weight of a node without what is in it."""
    match n:
        case w.Identifier():
            return 0, _NAMES.get(n.name, 3)
        case w.Literal():
            return 0, 1 if n.text in _LIGHT else 2
        case w.Binary() if n.operator in _CONTROL:
            return 1, _SHORT_CIRCUIT
        case w.Binary():
            return 0, 2 if n.operator in (COMPARISONS[0], SUMS[0]) else 3
        case w.Block():
            return sum(isinstance(s, w.Block) for s in n.statements), _WEIGHTS[w.Block]
        case w.Assign():
            return 1, 2 if n.operator == "=" else _COMPOUND + (n.operator != f"{SUMS[0]}=")
        case w.Increment():
            return 1, _COMPOUND - 2 - (n.operator == "++")
        case w.Loop() if n.continuing is not None:
            return 1, _WEIGHTS[w.Loop] + 2 * len(n.continuing.statements)
        case w.Enable() | w.Requires():
            return len(n.names), 2
    cls = n.__class__
    return 2 if cls in (w.While, w.For) else int(cls in _COUNTED), _WEIGHTS.get(cls, 2)


_COUNTED = frozenset(get_args(w.Statement | w.Declaration | w.Directive)) | {w.Parameter, w.StructMember, w.Clause}
