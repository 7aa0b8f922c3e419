"""Modules put together from bricks: an environment is drawn once, and makes many modules that differ.

An environment is a module scope, functions, and for each entry point a head, locals and blocks of statements. A module
takes some blocks in any order, a trigger behind one of them, and the functions that these call. Modules share nodes;
no module has one twice, and whatever is said of a node by its identity is said within one module.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from wgsl_fuzz.strategies.choices.source import Source
from wgsl_fuzz.strategies.modules.drawer import Drawer
from wgsl_fuzz.strategies.modules.entry_points import Head
from wgsl_fuzz.strategies.modules.modules import ROWS, ModuleDrawer
from wgsl_fuzz.strategies.modules.motifs.modules import draw_motifs
from wgsl_fuzz.strategies.modules.profile import ModuleProfile
from wgsl_fuzz.strategies.modules.rows import Place, Rows
from wgsl_fuzz.strategies.modules.statements import call_of
from wgsl_fuzz.strategies.modules.swarm import draw_module_swarm
from wgsl_fuzz.wgsl.builtins import Stage
from wgsl_fuzz.wgsl.syntax import Call, Declaration, Function, Module, Node, Statement
from wgsl_fuzz.wgsl.walk import descendants

_BLOCKS, _RETURNING, _MOTIFS = 14, 5, 3
"""How many blocks an entry point has: that fall through, that may return, and that are a motif."""
_BLOCK_SIZE = (2, 6)
"""The statements of a block."""
_FUNCTIONS = 2
"""So many more functions are drawn than a module has at most."""


@dataclass(frozen=True, slots=True)
class Brick:
    """Statements that may stand anywhere in an entry point, or a function; with what they need of the module."""

    nodes: tuple[Statement, ...] | tuple[Function]
    calls: frozenset[str]
    """The functions that are called."""
    extensions: tuple[str, ...]
    size: int
    triggers: bool
    """Whether something in it needs uniform control flow."""


@dataclass(frozen=True, slots=True)
class EntryBricks:
    """What entry points of one name are put together from."""

    name: str
    head: Head
    extensions: tuple[str, ...]
    locals: Brick
    blocks: tuple[tuple[Brick, Brick], ...]
    """Each with a trigger that may stand behind it."""
    returning: tuple[tuple[Brick, Brick], ...]
    motifs: tuple[Brick, ...]
    closing: dict[str, Brick]
    """By function: a call of it."""
    result: Brick
    owing: bool
    """Whether no later entry point can have a trigger."""


class Bricks:
    """One environment."""

    def __init__(self, source: Source, profile: ModuleProfile, rows: Rows[Drawer] = ROWS) -> None:
        self._base = profile
        self._profile = draw_module_swarm(source, profile, rows) if profile.swarm else profile
        self._drawing = ModuleDrawer(source, self._profile, rows)
        self._drawer = self._drawing.drawer
        self._drawing.scope.draw()
        self._drawing.handles()
        stages = self._drawing.stages()
        self._functions: dict[str, Brick] = {}
        most = self._profile.functions[1] + _FUNCTIONS
        for _ in range(source.integer(0, most) if self._profile.functions[1] else 0):
            self._function(stages, source.integer(2, max(2, self._profile.statements[1] // 4)))
        self._scope = tuple(self._drawing.scope.declarations)
        names = ["main" if not i else f"main{i}" for i in range(len(stages))]
        self._entries = [self._entry(name, stages, i) for i, name in enumerate(names)]

    # ---------------------------------------------------------------------------------------------------- the bricks

    def _noted(self, draw: Callable[[], Iterable[Node]]) -> Brick:
        """What a drawing of nodes gives, and what it needs."""
        drawer = self._drawer
        before, triggers, left = drawer.extensions, drawer.triggers, drawer.left
        known = len(drawer.new_functions)
        drawer.extensions = {}
        nodes = tuple(draw())
        found, drawer.extensions = tuple(drawer.extensions), before
        for f in drawer.new_functions[known:]:
            self._functions[f.name] = Brick((f,), _called(f), found, 2, triggers=False)
        calls = frozenset[str]().union(*map(_called, nodes))
        size = max(len(nodes), left - drawer.left)
        return Brick(nodes, calls, found, size, triggers=drawer.triggers > triggers)  # type: ignore[arg-type]

    def _function(self, stages: list[Stage], budget: int) -> None:
        drawing = self._drawing

        def draw() -> Iterable[Node]:
            drawing.function(drawing.reached_from(stages), budget)
            return drawing.functions[-1:]

        brick = self._noted(draw)
        self._functions[drawing.functions[-1].name] = replace(brick, size=budget)

    def _entry(self, name: str, stages: list[Stage], i: int) -> EntryBricks:
        drawing, drawer, source = self._drawing, self._drawer, self._drawing.source
        before, drawer.extensions = drawer.extensions, {}
        head = drawing.begin_entry_point(name, stages[i], 0)
        extensions, drawer.extensions = tuple(drawer.extensions), before
        place = Place(self._profile.nesting)
        returning = place._replace(may_return=drawing.returns)
        first = self._noted(drawing.locals)
        blocks = tuple([self._block(place, source.integer(*_BLOCK_SIZE)) for _ in range(_BLOCKS)])
        more = [self._block(returning, source.integer(*_BLOCK_SIZE)) for _ in range(_RETURNING)]
        motifs = [self._noted(self._in_scope(partial(self._motif, returning))) for _ in range(_MOTIFS)]
        later = stages[i + 1 :]
        closing = {
            f.name: self._noted(self._in_scope(partial(call_of, drawer, f)))
            for f in drawer.callees(None)
            if f.name in self._functions and f.stages.isdisjoint(later)
        }
        result = self._noted(lambda: () if head.result is None else (drawer.return_(),))
        owing = not any(drawer.triggers_of(frozenset({other})) for other in later)
        drawer.env.leave()
        found = tuple([m for m in motifs if m.nodes])
        return EntryBricks(name, head, extensions, first, blocks, tuple(more), found, closing, result, owing)

    def _motif(self, place: Place) -> Iterable[Statement]:
        self._drawer.left = _BLOCK_SIZE[1]
        return self._drawer.motif(self._drawer.rows.motifs, 100, place)

    def _in_scope(self, draw: Callable[[], Iterable[Statement]]) -> Callable[[], Iterable[Statement]]:
        def drawn() -> Iterable[Statement]:
            self._drawer.env.enter()
            found = draw()
            self._drawer.env.leave()
            return found

        return drawn

    def _block(self, place: Place, size: int) -> tuple[Brick, Brick]:
        """A block, and a trigger that may ask what the block assigned last."""
        drawer = self._drawer
        drawer.env.enter()
        drawer.left = size
        block = self._noted(lambda: drawer.statements(place, size, size, dead_code=100))
        trigger = self._noted(lambda: drawer.guarded_trigger(place))
        drawer.env.leave()
        return block, trigger

    # ---------------------------------------------------------------------------------------------------- the modules

    def module(self, source: Source) -> Module:
        """One module of this environment."""
        if source.percent(self._base.motif_modules):
            return draw_motifs(source, self._base.motif_kinds, self._base.newest)
        self._drawing.source = self._drawer.source = source
        names = [name for entry in self._entries for name in entry.closing]
        count = min(len(names), source.integer(*self._profile.functions))
        wanted = dict.fromkeys(source.pick(names) for _ in range(count))
        found = _Assembly(source, self._profile, self._functions)
        parts: list[tuple[EntryBricks, list[Brick]]] = []
        for i, entry in enumerate(self._entries):
            parts.append((entry, found.entry_point(entry, wanted, len(self._entries) - i)))
        return self._together(found, parts)

    def _together(self, found: "_Assembly", parts: list[tuple[EntryBricks, list[Brick]]]) -> Module:
        drawing = self._drawing
        functions = [brick for name, brick in self._functions.items() if name in found.functions]
        declarations: list[Declaration] = list(self._scope)
        declarations += [f.nodes[0] for f in functions]  # type: ignore[misc]
        extensions = dict.fromkeys(self._drawer.extensions)
        extensions |= dict.fromkeys(e for brick in (*found.bricks, *functions) for e in brick.extensions)
        for entry, bricks in parts:
            statements: list[Statement] = [s for brick in bricks for s in brick.nodes]  # type: ignore[misc]
            declarations += (*entry.head.declarations, drawing.with_head(entry.name, entry.head, statements))
            extensions |= dict.fromkeys(entry.extensions)
        return drawing.finished(drawing.shuffled(declarations), extensions)


class _Assembly:
    """One module while it is put together; `left` counts down the statements that it is to have."""

    def __init__(self, source: Source, profile: ModuleProfile, known: Mapping[str, Brick]) -> None:
        self.bricks: list[Brick] = []
        self.functions: dict[str, Brick] = {}
        """Those that the bricks call, and those that these call."""
        self._source, self._profile, self._known = source, profile, known
        self._left = source.integer(*profile.statements)

    def take(self, brick: Brick) -> Brick:
        """One more brick, with the functions that it needs."""
        self.bricks.append(brick)
        self._left -= brick.size
        waiting = [*brick.calls]
        while waiting:
            name = waiting.pop()
            if name in self._known and name not in self.functions:
                self.functions[name] = self._known[name]
                self._left -= self._known[name].size
                waiting += self._known[name].calls
        return brick

    def entry_point(self, entry: EntryBricks, wanted: Iterable[str], parts: int) -> list[Brick]:
        """The bricks of an entry point in order: blocks, a motif, blocks that may return, calls, the result.

        It may use the first of so many equal `parts` of what is left.
        """
        source = self._source
        found = [self.take(entry.locals)]
        rest = self._left - self._left // parts
        behind = rest + source.integer(0, max(0, 3 * (self._left - rest) // 4))
        pairs = list(self._some(entry.blocks, behind))
        found += [block for block, _ in pairs]
        if entry.motifs and source.percent(self._profile.motifs):
            found.append(self.take(source.pick(entry.motifs)))
        if self._left > rest:
            found += [block for block, _ in self._some(entry.returning, rest)]
        missing = (name for name in wanted if name in entry.closing)
        found += [self.take(entry.closing[name]) for name in missing if name not in self.functions]
        if entry.owing and not any(brick.triggers for brick in (*self.bricks, *self.functions.values())):
            least, most = self._profile.due
            due = len(pairs) * (100 - source.integer(least, most)) // 100
            i = min(due, len(pairs) - 1)
            found.insert(i + 2, self.take(pairs[i][1]))
        return [*found, self.take(entry.result)]

    def _some(self, items: Sequence[tuple[Brick, Brick]], rest: int) -> Iterator[tuple[Brick, Brick]]:
        """Some of the bricks in any order, each once, until only so many statements are left; at least one."""
        waiting = list(items)
        while waiting:
            item = waiting.pop(self._source.integer(0, len(waiting) - 1))
            self.take(item[0])
            yield item
            if self._left <= rest:
                return


def _called(n: Node) -> frozenset[str]:
    """The names that are called in a node."""
    return frozenset([inner.callee.name for inner in descendants(n) if isinstance(inner, Call)])
