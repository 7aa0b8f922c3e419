"""Where locals are declared: at the top of their function, or close to where they are used.

The home of a local is the innermost scope that holds all its accesses. If the first of them is an assignment that
stands directly there, it can be the declaration; and if the home is in no loop, a `var` without a value can come
right before. In a loop it would set the local to zero in each iteration.
"""

from collections import defaultdict
from collections.abc import Callable
from typing import Any, get_args

from wgsl_fuzz.tinywgsl.ast import (
    ASSIGNED,
    NODES,
    OPERANDS,
    Assign,
    Call,
    Continue,
    Expr,
    Function,
    Lid,
    Literal,
    Local,
    Variable,
)
from wgsl_fuzz.tinywgsl.traversal import ByClass, Getter, Holds
from wgsl_fuzz.wgsl.spelling.choices import Dice
from wgsl_fuzz.wgsl.spelling.tree import (
    BareBlock,
    Branch,
    BreakIf,
    DiscardedCall,
    For,
    Leaf,
    Node,
    PhonyAssignment,
    Repeat,
    Scope,
    While,
)

LID = "lid"
"""The name under which reads of the thread's ID are counted; restriction (2) keeps it free."""


_LEAVES = frozenset({*get_args(Leaf), DiscardedCall})
_TOUCHED = NODES.parts(Holds.CALLED, Holds.ARRAY_READ, Holds.ARRAY_WRITTEN)


class Accesses:
    """Every access to a name in a function's tree, numbered in the order of the text; parents and homes of scopes."""

    def __init__(self, top: Scope) -> None:
        self.count = 0
        self.numbers: defaultdict[str, list[int]] = defaultdict(list)
        """The accesses of a local, a shared array, a function, or `lid`."""
        self.home: dict[str, Scope] = {}
        self.first: dict[str, tuple[Scope, int]] = {}
        """The scope and the index in it of a local's first access."""
        self.written_first: set[str] = set()
        self.writes: dict[str, int] = {}
        self.in_continuing: dict[str, Scope] = {}
        """The loop's body in which a local lives that the `continuing` needs too."""
        self.bodies: list[Scope] = []
        """The bodies of the loops that are open."""
        self.scopes: list[Scope] = []
        """All of them."""
        self.scope = top
        self.visit(top, None, in_loop=False)

    def visit(self, scope: Scope, parent: Scope | None, *, in_loop: bool, continuing: Scope | None = None) -> None:
        """Numbers what is in a scope, and in the `continuing` inside it."""
        self.scopes.append(scope)
        scope.parent, scope.in_loop = parent, in_loop
        scope.place = parent.at if parent else 0
        scope.start = self.count + 1
        scope.open = True
        self.scope = scope
        for i, node in enumerate(scope.nodes):
            scope.at = i
            self.node(node, scope)
        if continuing is not None:
            scope.at = len(scope.nodes)
            scope.continuing = True
            self.visit(continuing, scope, in_loop=True)
            scope.continuing = False
        scope.open = False
        scope.end = self.count
        if parent is not None:
            self.scope = parent

    def node(self, node: Node, scope: Scope) -> None:
        if type(node) in _LEAVES:
            self.leaf(node)  # type: ignore[arg-type]
            return
        match node:
            case Branch():
                self.read(node.condition)
                self.visit(node.then, scope, in_loop=scope.in_loop)
                if node.orelse is not None:
                    self.visit(node.orelse, scope, in_loop=scope.in_loop)
            case Repeat():
                self.body(node.body, scope, node.continuing)
            case While():
                self.read(node.condition)
                self.body(node.body, scope, None)
            case For():
                self.for_(node, scope)
            case BareBlock():
                self.visit(node.body, scope, in_loop=scope.in_loop)
            case BreakIf():
                self.read(node.condition)
            case PhonyAssignment():
                self.read(node.value)
            case _:
                pass

    def body(self, body: Scope, parent: Scope, continuing: Scope | None) -> None:
        self.bodies.append(body)
        self.visit(body, parent, in_loop=True, continuing=continuing)
        self.bodies.pop()

    def for_(self, node: For, scope: Scope) -> None:
        """The header is a scope around the body; the update comes before the body in the text."""
        header = node.header
        self.scopes.append(header)
        header.parent, header.place, header.in_loop = scope, scope.at, scope.in_loop
        header.start, header.open, header.at = self.count + 1, True, 0
        self.scope = header
        for init in header.nodes:
            self.leaf(init)  # type: ignore[arg-type]
        header.at = 1
        if node.condition is not None:
            self.read(node.condition)
        if node.update is not None:
            self.leaf(node.update)
        self.body(node.body, header, None)
        header.open, header.end = False, self.count
        self.scope = scope

    def leaf(self, s: Leaf | DiscardedCall) -> None:
        """Numbers the accesses in a statement without blocks; what it assigns comes last."""
        if isinstance(s, DiscardedCall):
            self.touch(s.call.function)
            for argument in s.call.arguments:
                self.read(argument)
            return
        for number, parts in _STEPS[type(s)]:
            for part in parts(s):
                number(self, part)
        if isinstance(s, Continue) and self.bodies[-1].first_continue is None:
            self.bodies[-1].first_continue = self.bodies[-1].at

    def read(self, e: Expr) -> None:
        """Numbers the accesses in an expression."""
        if type(e) is Local:
            self.access(e.name)
        elif type(e) is Lid:
            self.touch(LID)
        else:
            for number, parts in _STEPS[type(e)]:
                for part in parts(e):
                    number(self, part)

    def touch(self, name: str) -> None:
        """Numbers an access."""
        self.count += 1
        self.numbers[name].append(self.count)

    def access(self, name: str) -> None:
        """Numbers an access to a local, and moves its home outwards until it holds this access too."""
        self.count += 1
        self.numbers[name].append(self.count)
        home = self.home.get(name)
        if home is None:
            self.home[name] = self.scope
            self.first[name] = (self.scope, self.scope.at)
            return
        if not home.open:
            while not home.open:
                assert home.parent is not None
                home = home.parent
            self.home[name] = home
        if home.continuing:
            self.in_continuing[name] = home

    def write(self, name: str) -> None:
        """As `access`, for an assignment."""
        if name not in self.home:
            self.written_first.add(name)
        self.access(name)
        self.writes[name] = self.writes.get(name, 0) + 1


def _steps(cls: type) -> list[tuple[Callable[[Accesses, Any], None], Getter]]:
    """How the accesses in a node of a class are numbered, and in what of it."""
    steps = ((Accesses.touch, _TOUCHED), (Accesses.read, OPERANDS), (Accesses.write, ASSIGNED))
    return [(number, get) for number, parts in steps if (get := parts.get[cls]) is not None]


_STEPS = ByClass(_steps)


class Placement:
    """Draws the places of a function's declarations, and writes them into its tree."""

    def __init__(self, dice: Dice, f: Function, top: Scope) -> None:
        self.dice = dice
        self.declarations, self.lets = dice.rates["declarations"], dice.rates["lets"]
        self.accesses = Accesses(top)
        self.params = {v.name for v in f.params}
        self.top = top
        self.at_top: list[Variable] = []
        """The locals that stay at the top."""
        self.scopes: dict[str, tuple[Scope, int]] = {}
        """For the others: the scope of the declaration, and the first access that sees it."""
        for v in f.locals:
            if not self.placed(v):
                self.at_top.append(v)

    def forget(self) -> None:
        """Ends the circles of parents and children: nobody asks any more, and the tree goes without a collection."""
        for scope in self.accesses.scopes:
            scope.parent = None

    def placed(self, v: Variable) -> bool:
        """Draws a place for a local; False: it stays at the top."""
        accesses, dice = self.accesses, self.dice
        home = accesses.home.get(v.name)
        if home is None or not (self.declarations or self.lets):
            return False
        scope, index = accesses.first[v.name]
        declares = v.name in accesses.written_first and scope is home and index < len(home.nodes)
        declares = declares and isinstance(home.nodes[index], Assign | Call)
        if declares and not self.is_bypassed(v.name, home, index):
            kind = self.fused(v, home, index)
            if kind is not None:
                home.fused = {**(home.fused or {}), index: kind}
                self.scopes[v.name] = (home, accesses.numbers[v.name][0])
                return True
        if not dice.flip(self.declarations):
            return False
        while scope is not home or home.closed or home.in_loop:
            if scope is home:
                assert home.parent is not None
                home = home.parent
            assert scope.parent is not None
            scope, index = scope.parent, scope.place
        home.late = home.late or {}
        home.late.setdefault(index, []).append(v)
        self.scopes[v.name] = (home, home.start)
        dice.note("late var")
        return True

    def is_bypassed(self, name: str, home: Scope, index: int) -> bool:
        """WGSL: a `continue` must not pass by a declaration that the `continuing` uses."""
        passes = home.first_continue is not None and home.first_continue < index
        return passes and self.accesses.in_continuing.get(name) is home

    def fused(self, v: Variable, home: Scope, index: int) -> str | None:
        """How the assignment of this index declares its local; None if it does not."""
        s = home.nodes[index]
        if self.lets and self.accesses.writes[v.name] == 1 and self.dice.flip(self.lets):
            self.dice.note("let")
            return "let"
        if not self.dice.flip(self.declarations):
            return None
        value = s.value if isinstance(s, Assign) else None
        if home is self.top and type(value) is Local and value.name in self.params:
            return None  # the parser would take `var x = p` for the copy of an assigned parameter
        # The initialiser of a `for` runs once more than its scope is entered, or as often.
        if home.in_loop and not home.closed and isinstance(value, Literal) and not value.value and self.dice.flip(8):
            self.dice.note("zeroed var in a loop")
            return "zero"
        self.dice.note("fused var in a for" if home.closed else "fused var")
        return "var"


def is_inside(inner: Scope, outer: Scope) -> bool:
    """Whether a scope is within another, or is it."""
    scope: Scope | None = inner
    while scope is not None and scope is not outer:
        scope = scope.parent
    return scope is outer
