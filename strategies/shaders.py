"""The generator: one function of a source of choices, offered for campaigns and for Hypothesis."""

from hypothesis.strategies import SearchStrategy

from strategies.expressions import ExpressionDrawer
from strategies.profile import DEFAULT, Profile
from strategies.source import DrawnBy, RandomSource, Source, Table
from strategies.statements import Place, StatementDrawer
from tinywgsl.ast import (
    Barrier,
    Function,
    Shader,
    SharedArray,
    Space,
    Type,
    Variable,
)

_FUNCTION = 31  # span label

_TYPES = Table([(Type.U32, 6), (Type.I32, 2), (Type.BOOL, 2)])
_ARRAY_TYPES = Table([(Type.U32, 6), (Type.I32, 2), (Type.BOOL, 1)])


def draw_shader(seed: int, profile: Profile = DEFAULT) -> Shader:
    """The well-formed shader of a seed: a pure function of (GENERATOR_VERSION, profile, seed)."""
    return draw(RandomSource(seed), profile)


def shaders(profile: Profile = DEFAULT) -> SearchStrategy[Shader]:
    """Hypothesis's strategy for well-formed shaders."""

    def draw_one(source: Source) -> Shader:
        return draw(source, profile)

    return DrawnBy(draw_one)


def draw(source: Source, profile: Profile) -> Shader:
    """Draws one well-formed shader from `source`; `wellformed.violations` of it is empty."""
    return _ShaderDrawer(source, profile).shader()


class _ShaderDrawer:
    def __init__(self, source: Source, profile: Profile) -> None:
        self.source = source
        self.profile = profile
        self.names = 0
        self.arrays = tuple([self.array(i) for i in range(source.integer(*profile.arrays))])
        dose = profile.doses[source.integer(0, len(profile.doses) - 1)]
        expressions = ExpressionDrawer(source, self.arrays, profile.leaves, dose, racy=profile.racy)
        self.statements = StatementDrawer(source, profile, expressions)

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
        source = self.source
        source.begin(_FUNCTION)
        params = tuple([self.fresh("p", source.weighted(_TYPES)) for _ in range(source.integer(0, 3))])
        locals_ = self.locals()
        result = source.weighted(_TYPES)
        self.statements.enter(params, locals_, result, budget)
        body = self.statements.block(Place(False, True, self.profile.nesting), budget - 1, budget - 1)
        body = (*body, self.statements.return_(Place(False, True, 0)))
        source.end()
        return Function(name, params, self.used(locals_), body, result)

    def main(self, budget: int) -> Function:
        """`main`: ends in a barrier (restriction 1), unless the shader is drawn with returns."""
        source, statements = self.source, self.statements
        source.begin(_FUNCTION)
        returns = source.percent(self.profile.main_returns)
        locals_ = self.locals()
        statements.enter((), locals_, None, budget)
        place = Place(False, returns, self.profile.nesting)
        body = statements.block(place, budget - 1, budget - 1)
        body = (*body, *[statements.call_of(f) for f in list(statements.uncalled)])
        if not returns or source.percent(50):
            body = (*body, Barrier(statements.fresh_id()))
        source.end()
        return Function("main", (), self.used(locals_), body, None)

    def locals(self) -> list[Variable]:
        """Two to four locals, one of them a u32; those never used are dropped in the end."""
        rest = [self.fresh("v", self.source.weighted(_TYPES)) for _ in range(self.source.integer(1, 3))]
        return [self.fresh("v", Type.U32), *rest]

    def used(self, locals_: list[Variable]) -> tuple[Variable, ...]:
        """The locals that occur in the function drawn last."""
        used = self.statements.expressions.used
        return tuple([v for v in locals_ if v.name in used])
