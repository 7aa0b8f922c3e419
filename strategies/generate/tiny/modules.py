"""Modules of TinyWGSL: functions first, each seeing those before it; then `main`, which calls what nothing called."""

from wgsl_fuzz.strategies.choices.source import ChoiceSource, Odds
from wgsl_fuzz.strategies.generate.profile import ModuleProfile
from wgsl_fuzz.strategies.generate.tiny.drawer import Constructs, Drawer, Site
from wgsl_fuzz.strategies.generate.tiny.environment import ID, Callee, Group, Name
from wgsl_fuzz.strategies.generate.tiny.expressions import EXPRESSIONS
from wgsl_fuzz.strategies.generate.tiny.loops import LOOPS
from wgsl_fuzz.strategies.generate.tiny.statements import STATEMENTS, call_of, constant_truth, declare_variable
from wgsl_fuzz.wgsl import syntax as w
from wgsl_fuzz.wgsl.types import BOOL, I32, U32, Array, Scalar

ROWS = Constructs(EXPRESSIONS, (*STATEMENTS, *LOOPS))
"""All rows. A new row changes what every seed draws: raise GENERATOR_VERSION."""
_SCALARS = Odds([(U32, 6), (I32, 2), (BOOL, 2)])
_FUNCTION = 44  # span label
_SHARE = 40
"""The most of the statements that one function gets, in percent of those that are left."""
_HIDDEN = 8
"""The rate of names of the module that a function does not see, and may have for its own."""


class ModuleDrawer:
    """Draws the parts of one module, in the order of `module`."""

    def __init__(self, source: ChoiceSource, profile: ModuleProfile, rows: Constructs = ROWS) -> None:
        self.source = source
        self.profile = profile
        self.drawer = Drawer(source, profile, rows)
        self.names: list[Name] = []
        self.declarations: list[w.Declaration] = []
        self.functions: list[w.Function] = []
        self.own: Name | None = None
        """An array that only the entry point sees: its cells belong to one invocation each."""
        self.returns = False
        self._bindings = 0

    def module(self) -> w.Module:
        """Draws the whole module: declarations, then functions, then `main`; their order is drawn last."""
        source, profile = self.source, self.profile
        self._scope()
        if not profile.racy:
            self._rule_out_races()
        budget = source.integer(*profile.statements)
        for _ in range(min(source.integer(*profile.functions), budget // 4)):
            share = source.integer(1, max(1, budget * _SHARE // 100))
            self._function(share)
            budget -= share
        self._main(max(1, budget))
        return w.Module((), tuple(self._shuffled([*self.declarations, *self.functions])))

    # ---------------------------------------------------------------------------------------------- declarations

    def _scope(self) -> None:
        source, drawer, profile = self.source, self.drawer, self.profile
        self.returns = source.percent(profile.returns)
        for _ in range(source.integer(*profile.pool)):
            type = source.weighted(_SCALARS)
            if type not in drawer.pool:
                drawer.pool.append(type)
        for _ in range(source.integer(0, 1)):
            self._alias()
        for _ in range(source.pick((0, 0, 1, 2))):
            self._constant()
        if source.percent(10):
            self.declarations.append(w.ConstAssert(constant_truth(drawer)))
        for space, most in profile.memory:
            for _ in range(source.integer(0, most)):
                self._variable(space)

    def _alias(self) -> None:
        type, name = self.drawer.type(), self.drawer.fresh("T")
        self.declarations.append(w.Alias(name, w.Identifier(type.name)))
        self.drawer.type_names.setdefault(type, []).append(name)

    def _constant(self) -> None:
        type = self.drawer.type()
        value = self.drawer.literal(type)
        name = Name(self.drawer.fresh("k"), type, Group.CONSTANT)
        written = self.drawer.type_name(type) if self.source.percent(50) else None
        self.declarations.append(w.Const(name.name, written, value))
        self.names.append(name)
        self.drawer.env.constants.add(name.name)

    def _variable(self, space: str) -> None:
        """A scalar, or an array whose size is a power of two: a mask keeps an index in bounds."""
        source, profile, drawer = self.source, self.profile, self.drawer
        of: Scalar = source.pick([t for t in drawer.pool if space == "workgroup" or t is not BOOL])
        least = 0 if profile.racy else (profile.threads[1] - 1).bit_length()
        type = of if source.percent(20) else Array(of, 1 << source.integer(least, max(least, 3)))
        name = Name(drawer.fresh("g"), type, Group.SHARED, is_written=True)
        template: tuple[w.Expression, ...] = (w.Identifier(space),)
        attributes: w.Attributes = ()
        if space == "storage":
            template = (*template, w.Identifier("read_write"))
            places = {"group": "0", "binding": f"{self._bindings}"}
            attributes = tuple([w.Attribute(key, (w.Literal(place),)) for key, place in places.items()])
            self._bindings += 1
        self.declarations.append(w.Variable(name.name, drawer.type_name(type), None, template, attributes))
        self.names.append(name)

    def _rule_out_races(self) -> None:
        """Each invocation has a cell of its own in one array, and all other shared memory is only read."""
        for name in self.names:
            if self.own is None and isinstance(name.type, Array):
                self.own, self.drawer.own_array = name, name.name
            elif name.group is Group.SHARED:
                name.is_written = False

    def _shuffled(self, declarations: list[w.Declaration]) -> list[w.Declaration]:
        """Some declarations stand elsewhere than before their uses."""
        if not self.source.percent(40):
            return declarations
        for i in range(len(declarations) - 1):
            j = self.source.integer(i, len(declarations) - 1)
            declarations[i], declarations[j] = declarations[j], declarations[i]
        return declarations

    # ------------------------------------------------------------------------------------------------- functions

    def _enter(self, callee: Callee, budget: int, *, entry_point: bool) -> None:
        """Begins a function, with what it may see of the module."""
        drawer = self.drawer
        drawer.current = callee
        drawer.begin(budget)
        drawer.env.enter()
        seen = [name for name in self.names if not self.source.percent(_HIDDEN)]
        hidden = [name.name for name in self.names if name not in seen]
        callees = [f for f in drawer.functions if f.called]
        drawer.hide([*hidden, *[f.name for f in callees if self.source.percent(_HIDDEN)]])
        for name in (*seen, *callee.parameters):
            if name is not self.own or entry_point:
                drawer.env.declare(name)

    def _function(self, budget: int) -> None:
        """A function of about `budget` statements."""
        source, drawer = self.source, self.drawer
        source.begin(_FUNCTION)
        drawer.start_function()
        parameters = [Name(drawer.local("a"), drawer.type()) for _ in range(source.integer(0, 3))]
        result = drawer.type() if source.percent(75) else None
        must_use = result is not None and source.percent(8)
        callee = Callee(drawer.fresh("f"), tuple(parameters), result, must_use=must_use)
        self._enter(callee, budget, entry_point=False)
        place = Site(self.profile.nesting, may_return=True)
        statements = self._locals()
        statements += drawer.statements(place, budget - 1, budget - 1, dead_code=100)
        if result is not None:
            statements.append(drawer.return_())
        drawer.env.leave()
        nodes = tuple([w.Parameter(p.name, drawer.type_name(p.scalar)) for p in parameters])
        written = None if result is None else drawer.type_name(result)
        attributes = (w.Attribute("must_use"),) if must_use else ()
        self.functions.append(w.Function(callee.name, nodes, w.Block(tuple(statements)), written, attributes))
        drawer.functions.append(callee)
        source.end()

    def _main(self, budget: int) -> None:
        """The entry point, with `local_invocation_index` and sometimes `local_invocation_id` as well."""
        source, drawer, profile = self.source, self.drawer, self.profile
        source.begin(_FUNCTION)
        drawer.start_function()
        drawer.lid = drawer.local("in")
        inputs = [Name(drawer.lid, U32, Group.VARYING)]
        if source.percent(15):
            inputs.append(Name(drawer.local("in"), ID, Group.VARYING))
        parameters = tuple([self._input(name) for name in inputs])
        size = [f"{source.integer(*profile.threads)}"]
        if source.percent(15):
            size += ["1" for _ in range(source.integer(1, 2))]
        self._enter(Callee("main", tuple(inputs)), budget, entry_point=True)
        place = Site(profile.nesting, may_return=self.returns)
        statements = self._locals()
        statements += drawer.statements(place, budget, budget, dead_code=100)
        statements += self._closing()
        drawer.env.leave()
        attributes = (w.Attribute("compute"), w.Attribute("workgroup_size", tuple(map(w.Literal, size))))
        self.functions.append(w.Function("main", parameters, w.Block(tuple(statements)), None, attributes))
        source.end()

    def _input(self, name: Name) -> w.Parameter:
        of_id = name.type is ID
        type = w.Identifier("vec3u") if of_id else self.drawer.type_name(U32)
        builtin = w.Identifier("local_invocation_id" if of_id else "local_invocation_index")
        return w.Parameter(name.name, type, (w.Attribute("builtin", (builtin,)),))

    def _locals(self) -> list[w.Statement]:
        """The variables that a function begins with."""
        return [declare_variable(self.drawer, self.drawer.type()) for _ in range(self.source.integer(1, 3))]

    def _closing(self) -> list[w.Statement]:
        """Calls of what nothing has called, and a barrier if there is none.

        The paper's restriction (1): `main` ends in a barrier, if it has no return.
        """
        drawer = self.drawer
        found: list[w.Statement] = []
        for callee in drawer.callees():
            if not callee.called:
                found += call_of(drawer, callee)
        if not drawer.barriers:
            found.append(drawer.barrier())
        if not self.returns or self.source.percent(50):
            found.append(drawer.barrier())
        return found
