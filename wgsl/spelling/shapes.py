"""Statements -> surface statements: which loop is a `for`, which `else` an `else if`, and what stands in between."""

from collections.abc import Sequence

from wgsl_fuzz.tinywgsl.ast import (
    Block,
    Call,
    Continue,
    Expr,
    Function,
    If,
    Lid,
    Literal,
    Local,
    Loop,
    Return,
    Shader,
    SharedRead,
    Simple,
    Stmt,
    Type,
    Unary,
    is_break_if,
    walk,
)
from wgsl_fuzz.wgsl.spelling.calls import Results, with_call
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
from wgsl_fuzz.wgsl.syntax import ConstAssert, Empty
from wgsl_fuzz.wgsl.syntax import Literal as LiteralText

MAX_BARE = 30
"""Blocks within blocks beyond which none is added."""


class Shaper:
    """Draws the shapes of one shader's statements."""

    def __init__(self, dice: Dice, shader: Shader) -> None:
        self.dice = dice
        rates = dice.rates
        self.loops, self.jumps, self.continuings = rates["loops"], rates["jumps"], rates["continuings"]
        self.branches, self.calls, self.discards = rates["branches"], rates["calls"], rates["discards"]
        self.sprinkles = [
            (rates[feature], draw)
            for feature, draw in (("empties", Shaper.empties), ("phonies", Shaper.phonies), ("blocks", Shaper.bare))
            if rates[feature]
        ]
        self.arrays = shader.arrays
        self.results: dict[str, Results] = {}
        self.current: Results | None = None
        self.depth = 0
        self.readable: list[Expr] = []
        """What `_ = e` may read anywhere in the function."""
        self.void: set[str] = set()
        """The functions that are spelled without a result."""
        self.must_use: set[str] = set()
        if self.calls or self.discards:
            # The first function has nothing to call.
            results = {f.name: Results(f) for f in shader.all_functions[1:]}
            self.results = {name: r for name, r in results.items() if r.found}
        if self.discards:
            self.draw_results(shader)

    def draw_results(self, shader: Shader) -> None:
        """Which functions have no result in the text, and which results must be used."""
        for f in shader.functions:
            if not self.dice.flip(self.discards):
                continue
            if _returns_nothing(f):
                calls = [s for g in shader.all_functions for s in walk(g.body) if isinstance(s, Call)]
                dead = set().union(*[r.dead for r in self.results.values()])
                if all(s.id in dead for s in calls if s.function == f.name):
                    self.void.add(f.name)
                    self.dice.note("function without a result")
            else:
                self.must_use.add(f.name)
                self.dice.note("must_use")

    # ------------------------------------------------------------------------------------------------ functions

    def function(self, f: Function) -> Scope:
        """The tree of a function's body."""
        self.current = self.results.get(f.name)
        self.readable = [Literal(0, Type.U32), *[Local(v.name, v.type) for v in f.params]]
        self.readable += [SharedRead(a.name, Literal(0, Type.U32), a.type) for a in self.arrays]
        if f.result is None:
            self.readable.append(Lid())
        nodes = self.block(f.body)
        if (
            f.name in self.void
            and not (len(f.body) > 1 and isinstance(f.body[-2], Return))
            and self.dice.takes(self.jumps, "implicit return")
        ):
            nodes.pop()
        return Scope(nodes)

    def block(self, ss: Block) -> list[Node]:
        """The nodes of a block."""
        return self.nodes(self.folded(ss) if self.calls else ss)

    def nodes(self, items: Sequence[Stmt], *, continuing: bool = False) -> list[Node]:
        """The nodes of statements; the last one may be a `break if` if they are those of a `continuing`."""
        nodes: list[Node] = []
        self.depth += 1
        for s in items:
            if isinstance(s, If):
                is_last = continuing and s is items[-1]
                nodes.append(BreakIf(s.condition) if is_last and is_break_if(s) else self.conditional(s))
            elif isinstance(s, Loop):
                self.loop(s, nodes)
            else:
                nodes.append(self.call(s) if isinstance(s, Call) else s)
        if self.sprinkles:
            self.sprinkle(nodes)
        self.depth -= 1
        return nodes

    def folded(self, ss: Sequence[Stmt]) -> Sequence[Stmt]:
        """The statements, with calls moved into the statements behind them."""
        if self.current is None:
            return ss
        items = list(ss)
        for i in range(len(items) - 2, -1, -1):
            call = items[i]
            if isinstance(call, Call) and call.id in self.current.single and self.dice.flip(self.calls):
                after = with_call(items[i + 1], call)
                if after is not None:
                    items[i : i + 2] = [after]
                    reused = call.id in self.current.reused
                    self.dice.note("nested call of a reused local" if reused else "nested call")
        return items

    def call(self, s: Call) -> Call | DiscardedCall:
        """A call, whose result may be dropped."""
        current = self.current
        if current is None or not self.discards or s.id not in current.dead:
            return s
        void = s.function in self.void
        if not void and not self.dice.flip(self.discards):
            return s
        if s.id in current.reused:
            self.dice.note("discarded result of a reused local")
        phony = not void and (s.function in self.must_use or self.dice.integer(0, 1) == 0)
        self.dice.note("phony call" if phony else "call statement")
        return DiscardedCall(s, phony)

    def conditional(self, s: If) -> Branch:
        """`if`."""
        then = Scope(self.block(s.then))
        if not s.orelse:
            empty = self.dice.takes(self.branches, "empty else")
            return Branch(s.condition, then, Scope([]) if empty else None, False)
        if self.branches and self.dice.flip(self.branches):
            orelse = self.folded(s.orelse) if self.calls else s.orelse
            if len(orelse) == 1 and isinstance(orelse[0], If):
                self.dice.note("else if")
                return Branch(s.condition, then, Scope([self.conditional(orelse[0])], closed=True), True)
        return Branch(s.condition, then, Scope(self.block(s.orelse)), False)

    # --------------------------------------------------------------------------------------------------- loops

    def loop(self, s: Loop, nodes: list[Node]) -> None:
        """Appends `loop`, `while` or `for`, which may take its initialiser from `nodes`."""
        body: Sequence[Stmt] = self.without_continue(s.body)
        continuing: Sequence[Stmt] = s.continuing
        if self.calls:
            body, continuing = self.folded(body), self.folded(continuing)
        if not self.loops or len(continuing) > 1 or not self.dice.flip(self.loops):
            nodes.append(Repeat(Scope(self.nodes(body)), self.continuing(continuing)))
            return
        update: Leaf | DiscardedCall | None = None
        if continuing:
            only = continuing[0]
            if not isinstance(only, Simple):
                nodes.append(Repeat(Scope(self.nodes(body)), self.continuing(continuing)))
                return
            update = self.call(only) if isinstance(only, Call) else only
        condition = self.condition(body)
        if condition is not None:
            body = body[1:]
        self.headed(condition, update, Scope(self.nodes(body)), nodes)

    def headed(
        self, condition: Expr | None, update: Leaf | DiscardedCall | None, body: Scope, nodes: list[Node]
    ) -> None:
        """Appends `while` or `for`."""
        dice = self.dice
        if condition is not None and update is None and dice.integer(0, 3) < 3:
            dice.note("while")
            nodes.append(While(condition, body))
            return
        header = Scope([], closed=True)
        dice.note("for")
        if nodes and isinstance(nodes[-1], Simple | DiscardedCall) and dice.flip(12):
            header.nodes.append(nodes.pop())
            dice.note("for with an initialiser")
        if condition is not None:
            dice.note("for with a condition")
        if update is not None:
            dice.note("for with an update")
        nodes.append(For(header, condition, update, body))

    def condition(self, body: Sequence[Stmt]) -> Expr | None:
        """What `if (e) { break; }` at the start of a body says, as the condition to go on."""
        first = body[0] if body else None
        if not isinstance(first, If) or not is_break_if(first) or not self.dice.flip(12):
            return None
        e = first.condition
        # The parser drops a negation: `while (!e)` leaves if `e`, also where `e` is itself negated.
        if isinstance(e, Unary) and e.op == "!" and not _negated(e.operand) and not self.dice.flip(4):
            return e.operand
        self.dice.note("negated condition")
        return Unary("!", e)

    def without_continue(self, ss: Block) -> Block:
        """A loop's body, its last `continue` left out or not."""
        # Restriction (3) is restored by the parser only if no `continue` is last.
        if len(ss) > 1 and isinstance(ss[-2], Continue):
            return ss
        return ss[:-1] if self.dice.takes(self.jumps, "implicit continue") else ss

    def continuing(self, ss: Sequence[Stmt]) -> Scope | None:
        """The `continuing` of a `loop`."""
        if not ss:
            if not self.dice.flip(self.continuings):
                return None
            semicolon = self.dice.integer(0, 1) == 1
            self.dice.note("semicolon in a continuing" if semicolon else "empty continuing")
            return Scope([Empty()] if semicolon else [])
        nodes = self.nodes(ss, continuing=True)
        if len(nodes) > 1 and isinstance(nodes[-1], BreakIf) and isinstance(nodes[-2], Empty):
            self.dice.note("empty statement before break if")
        return Scope(nodes)

    # --------------------------------------------------------------------------------------- what is not needed

    def sprinkle(self, nodes: list[Node]) -> None:
        """Puts things that mean nothing into a block, but not behind its last statement: that may be a `break if`."""
        for rate, draw in self.sprinkles:
            if self.dice.flip(rate):
                draw(self, nodes)

    def empties(self, nodes: list[Node]) -> None:
        """`;`."""
        for _ in range(self.dice.integer(1, 2)):
            nodes.insert(self.dice.integer(0, max(0, len(nodes) - 1)), Empty())
            self.dice.note("empty statement")

    def phonies(self, nodes: list[Node]) -> None:
        """`_ = e;` or `const_assert true;`."""
        place = self.dice.integer(0, max(0, len(nodes) - 1))
        kind = self.dice.integer(0, 2 * len(self.readable))
        asserts = kind == 2 * len(self.readable)
        self.dice.note("const_assert" if asserts else "phony assignment")
        nodes.insert(place, ConstAssert(LiteralText("true")) if asserts else PhonyAssignment(self.readable[kind // 2]))

    def bare(self, nodes: list[Node]) -> None:
        """`{ ... }`."""
        if self.depth > MAX_BARE:
            return
        last = max(0, len(nodes) - 1)
        start = self.dice.integer(0, last)
        end = self.dice.integer(start, last)
        nodes[start:end] = [BareBlock(Scope(nodes[start:end]))]
        self.dice.note("block")


def _negated(e: Expr) -> bool:
    return isinstance(e, Unary) and e.op == "!"


def _returns_nothing(f: Function) -> bool:
    """Whether the parser would read a function without a result as this one."""
    if f.result is not Type.U32 or not isinstance(f.body[-1], Return):
        return False
    nothing = Literal(0, Type.U32)
    return all(s.value == nothing for s in walk(f.body) if isinstance(s, Return))
