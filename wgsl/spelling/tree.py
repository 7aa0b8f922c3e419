"""The surface statements that a spelling chooses between, and the scopes they stand in.

The leaves of the tree are the core's own statements; what has blocks gets a node of its own. Nodes live for one
spelling of one function. `wgsl.syntax` has the statements that hold nothing of the core.
"""

from dataclasses import dataclass

from wgsl_fuzz.tinywgsl.ast import Call, Expr, Jump, Lid, Simple, Variable, node
from wgsl_fuzz.tinywgsl.traversal import CalledFunction
from wgsl_fuzz.wgsl.syntax import ConstAssert, Empty

Leaf = Simple | Jump


@node
class NestedCall(Lid):
    """A call in place of the only read of its result: no expression of the core, whose `Lid` merely has no parts."""

    function: CalledFunction
    arguments: tuple[Expr, ...]


@dataclass(slots=True, eq=False)
class Scope:
    """The statements between two braces, or the header of a `for`."""

    nodes: "list[Node]"
    closed: bool = False
    """No declaration of its own can stand here: the header of a `for`, the block that an `else if` spares."""
    parent: "Scope | None" = None
    place: int = 0
    """The node of the parent that this scope is in."""
    at: int = 0
    """The node that is being looked at, or was last."""
    open: bool = False
    in_loop: bool = False
    """What is declared here is initialised again and again."""
    continuing: bool = False
    """The `continuing` of the loop whose body this is is being looked at."""
    first_continue: int | None = None
    """The first node with a `continue` of the loop whose body this is."""
    start: int = 0
    end: int = 0
    """The first and the last access in this scope; see `spelling.locals`."""
    late: dict[int, list[Variable]] | None = None
    """`var x: T;` before the node of this index."""
    fused: dict[int, str] | None = None
    """The assignment of this index declares: `var`, `let`, or `zero` for a `var` without a value."""


@dataclass(slots=True, eq=False)
class Branch:
    """`if`; `else_if`: the `else` holds nothing but another one."""

    condition: Expr
    then: Scope
    orelse: Scope | None
    else_if: bool


@dataclass(slots=True, eq=False)
class Repeat:
    """`loop`; no `continuing` is None."""

    body: Scope
    continuing: Scope | None


@dataclass(slots=True, eq=False)
class For:
    """`for`; the header holds the initialiser, or nothing."""

    header: Scope
    condition: Expr | None
    update: "Leaf | DiscardedCall | None"
    body: Scope


@dataclass(slots=True, eq=False)
class While:
    """`while`."""

    condition: Expr
    body: Scope


@dataclass(slots=True, eq=False)
class BareBlock:
    """A block that is there for no reason."""

    body: Scope


@dataclass(slots=True, eq=False)
class BreakIf:
    """`break if`."""

    condition: Expr


@dataclass(slots=True, eq=False)
class DiscardedCall:
    """A call whose result is dropped; `phony`: by `_ =`."""

    call: Call
    phony: bool


@dataclass(slots=True, eq=False)
class PhonyAssignment:
    """`_ = e`, which is not in the core."""

    value: Expr


Node = (
    Leaf | Branch | Repeat | For | While | BareBlock | BreakIf | DiscardedCall | PhonyAssignment | Empty | ConstAssert
)
