"""The generator: one function of a source of choices, offered for campaigns and for Hypothesis."""

from collections.abc import Iterator
from functools import lru_cache

from hypothesis.strategies import SearchStrategy

from wgsl_fuzz.strategies.choices.places import Slot
from wgsl_fuzz.strategies.choices.profile import DEFAULT, Profile, Weights
from wgsl_fuzz.strategies.choices.source import DrawnBy, RandomSource, Source, Table
from wgsl_fuzz.strategies.choices.swarm import draw_swarm
from wgsl_fuzz.strategies.generate.expressions import ExpressionDrawer
from wgsl_fuzz.strategies.generate.motifs import motif
from wgsl_fuzz.strategies.generate.simple import NOTHING_OWED
from wgsl_fuzz.strategies.generate.statements import StatementDrawer
from wgsl_fuzz.tinywgsl.ast import (
    Barrier,
    Block,
    Function,
    Shader,
    SharedArray,
    Space,
    Type,
    Variable,
)

_FUNCTION = 31  # span label

_ARRAY_TYPES = Table([(Type.U32, 6), (Type.I32, 2), (Type.BOOL, 1)])


@lru_cache(maxsize=256)
def _table_of(types: Weights) -> Table[Type]:
    return Table([(Type(name), weight) for name, weight in types])


def draw_shader(seed: int, profile: Profile = DEFAULT) -> Shader:
    """The well-formed shader of a seed: a pure function of (GENERATOR_VERSION, profile, seed)."""
    return draw(RandomSource(seed), profile)


def shaders(profile: Profile = DEFAULT) -> SearchStrategy[Shader]:
    """Hypothesis's strategy for well-formed shaders."""

    def draw_one(source: Source) -> Shader:
        return draw(source, profile)

    return DrawnBy(draw_one)


def draw(source: Source, profile: Profile) -> Shader:
    """Draws one well-formed shader from `source`; `wellformed.violations` of it is empty.

    A profile that swarms is first narrowed by a swarm of its own, from the same source.
    """
    if profile.swarm:
        profile = draw_swarm(source, profile).profile
    return ShaderDrawer(source, profile).shader()


class ShaderDrawer:
    """Draws the declarations of one shader and its functions."""

    def __init__(self, source: Source, profile: Profile) -> None:
        self.source = source
        self.profile = profile
        self.names = 0
        self.arrays = tuple([self.array(i) for i in range(source.integer(*profile.arrays))])
        dose = profile.doses[source.integer(0, len(profile.doses) - 1)]
        self.types = _table_of(profile.types)
        expressions = ExpressionDrawer(source, self.arrays, profile, dose)
        self.statements = StatementDrawer(source, profile, expressions, carriers=dose > 0)

    def shader(self) -> Shader:
        """Functions first, each seeing those before it; then `main`, which calls those that nothing called."""
        source, profile = self.source, self.profile
        threads = source.integer(*profile.threads)
        budget = source.integer(*profile.statements)
        functions: list[Function] = []
        for i in range(min(source.integer(*profile.functions), budget // 4)):
            share = source.integer(1, max(1, budget // 3))
            f = self.function(f"f{i}", share)
            functions.append(f)
            self.statements.callees.append(f)
            self.statements.uncalled.append(f)
            budget -= share
        main = self.main(max(1, budget))
        used = self.statements.expressions.used
        return Shader(tuple([a for a in self.arrays if a.name in used]), tuple(functions), main, threads)

    def array(self, i: int) -> SharedArray:
        """A shared array; its size is a power of two, so that a mask keeps an index in bounds."""
        type = self.source.weighted(_ARRAY_TYPES)
        space = Space.WORKGROUP if type is Type.BOOL or self.source.percent(50) else Space.STORAGE
        size = 1 << self.source.integer(0, 3)
        if not self.profile.racy:  # every thread has a cell
            size = max(size, 1 << (self.profile.threads[1] - 1).bit_length())
        return SharedArray(f"A{i}", type, size, space)

    def fresh(self, prefix: str, type: Type) -> Variable:
        """A variable whose name no other variable of the shader has (restriction 2)."""
        self.names += 1
        return Variable(f"{prefix}{self.names}", type)

    def function(self, name: str, budget: int) -> Function:
        """A function of about `budget` statements that ends with a `return`."""
        source, statements, profile = self.source, self.statements, self.profile
        source.begin(_FUNCTION)
        params = tuple([self.fresh("p", source.weighted(self.types)) for _ in range(source.integer(*profile.params))])
        locals_ = self.locals()
        statements.silent = source.percent(profile.without_result)
        result = Type.U32 if statements.silent else source.weighted(self.types)
        if statements.silent:
            statements.without_result.add(name)
        statements.enter(params, locals_, result, budget)
        if source.percent(profile.callee_barriers):
            statements.owed = source.integer(1, max(1, budget - 1))
        body = statements.body(Slot(False, True, profile.nesting), budget - 1)
        statements.owed = NOTHING_OWED
        body = (*body, *motif(statements, profile.callee_motifs, Slot(False, True, profile.nesting)))
        body = (*body, statements.return_(Slot(False, True, 0)))
        statements.silent = False
        source.end()
        return Function(name, params, self.used(locals_), body, result)

    def main(self, budget: int) -> Function:
        """`main`: ends in a barrier (restriction 1), unless the shader is drawn with returns."""
        source, statements = self.source, self.statements
        source.begin(_FUNCTION)
        returns = source.percent(self.profile.main_returns)
        locals_ = self.locals()
        statements.enter((), locals_, None, budget)
        if self.profile.owes_barrier:
            least, most = self.profile.barrier_due
            statements.owed = source.integer(budget * least // 100, budget * most // 100)
        pieces = self.main_pieces(Slot(False, returns, self.profile.nesting), budget - 1)
        body = tuple([s for piece in pieces for s in piece])
        for f in list(statements.uncalled):
            body = (*body, statements.call_of(f, apart=f.name in statements.without_result))
        if self.profile.owes_barrier and not statements.barriers:
            body = (*body, statements.guarded_barrier())
        ends = not returns or source.percent(self.profile.last_barrier)
        alone = statements.barriers == 1 and bool(body) and isinstance(body[-1], Barrier)
        if ends or (self.profile.owes_barrier and alone):
            body = (*body, Barrier(statements.fresh_id()))
        source.end()
        return Function("main", (), self.used(locals_), body, None)

    def main_pieces(self, place: Slot, budget: int) -> Iterator[Block]:
        """The statements of `main` but the last ones, piece by piece; a motif that it has must be reached."""
        source, statements, motifs = self.source, self.statements, self.profile.motifs
        if not motifs:
            yield from statements.pieces(place, budget)
            return
        before = source.integer(0, max(0, budget - 8))
        yield from statements.pieces(place._replace(may_return=False), before)
        yield motif(statements, motifs, place)
        yield from statements.pieces(place, source.integer(0, max(0, statements.left)))

    def locals(self) -> list[Variable]:
        """Two to four locals, one of them a u32; those never used are dropped in the end."""
        rest = [
            self.fresh("v", self.source.weighted(self.types)) for _ in range(self.source.integer(*self.profile.locals))
        ]
        return [self.fresh("v", Type.U32), *rest]

    def used(self, locals_: list[Variable]) -> tuple[Variable, ...]:
        """The locals that occur in the function drawn last."""
        used = self.statements.expressions.used
        return tuple([v for v in locals_ if v.name in used])
