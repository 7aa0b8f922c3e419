"""Declarations in functions: `var`, `let`, `const`, and parameters that are copied."""

from collections.abc import Callable

from wgsl_fuzz.tinywgsl.ast import Assign, Literal, Type
from wgsl_fuzz.tinywgsl.ast import Variable as CoreVariable
from wgsl_fuzz.wgsl.lower_declarations import DeclarationLowering
from wgsl_fuzz.wgsl.lower_operators import BOOL, I32, as_type
from wgsl_fuzz.wgsl.problems import LoweringProblem
from wgsl_fuzz.wgsl.syntax import Const, ConstAssert, Expression, Identifier, Let, Node, Variable

MAX_BLOCKS = 100
"""Blocks within blocks; as in `tinywgsl.wellformed`."""


class LocalLowering:
    """Declares the names of one function, its parameters first. `mentions` counts a name in the function's body."""

    def __init__(self, declarations: DeclarationLowering, mentions: Callable[[str], int]) -> None:
        self._declarations = declarations
        self.expressions = declarations.expressions
        self.names = self.expressions.names
        self.output = self.expressions.output
        self.parameters: list[CoreVariable] = []
        self.depth = 0
        """The blocks that are open."""
        self._mentions = mentions
        self._places: dict[str, int] = {}
        """The places of the parameters, by their names in the text."""

    def parameter(self, name: str, type: Type, at: Node) -> None:
        """Declares a parameter."""
        self._places[name] = len(self.parameters)
        node = self.names.declare(name, type, mutable=False, at=at)
        self.parameters.append(CoreVariable(node.name, type))

    def deeper(self, at: Node) -> None:
        """Opens a block; `depth` is counted down where it ends."""
        self.depth += 1
        if self.depth > MAX_BLOCKS:
            raise LoweringProblem(f"more than {MAX_BLOCKS} nested blocks", at.start)

    def declare(self, s: Variable | Let | Const | ConstAssert) -> None:
        """A declaration among the statements."""
        match s:
            case Variable():
                self._variable(s)
            case Let():
                self._initialised(s, s.value, None if s.type is None else self._declarations.scalar_type(s.type))
            case Const():
                self.names.bind(s.name, self._declarations.const_value(s, self.names.scope), s)
            case ConstAssert():
                self._declarations.const_assert(s)

    def _variable(self, s: Variable) -> None:
        """`var x: T = e;`."""
        if s.template and not (len(s.template) == 1 and s.template[0] == Identifier("function")):
            space = s.template[0].name if isinstance(s.template[0], Identifier) else "..."
            raise LoweringProblem(f"var<{space}> cannot stand in a function", s.start)
        type = None if s.type is None else self._declarations.scalar_type(s.type)
        if s.value is not None:
            if self.depth == 1 and isinstance(s.value, Identifier) and self._is_copied(s.value, type):
                self._copy(s, s.value.name)
            else:
                self._initialised(s, s.value, type)
        elif type is None:
            raise LoweringProblem(f"{s.name} needs a type or a value", s.start)
        else:
            name = self._local(s, type)
            if self.names.loop is not None:  # WGSL initialises it again in each iteration
                self.output.statements.append(Assign(name, Literal(False if type is BOOL else 0, type)))

    def _is_copied(self, value: Identifier, type: Type | None) -> bool:
        """Whether an initialiser is a parameter that stands nowhere else."""
        place = self._places.get(value.name)
        if place is None or value.template or (type is not None and type is not self.parameters[place].type):
            return False
        return self._mentions(value.name) == 1

    def _copy(self, s: Variable, parameter: str) -> None:
        """`var x = x_in;`: TinyWGSL's parameter is `x`, which can be assigned, and there is no `x_in`."""
        place = self._places[parameter]
        old = self.parameters[place]
        self.names.taken.discard(old.name)
        node = self.names.declare(s.name, old.type, mutable=True, at=s)
        self.parameters[place] = CoreVariable(node.name, old.type)

    def _initialised(self, s: Variable | Let, value: Expression, type: Type | None) -> None:
        """The initialiser, which does not see the name yet, and then the declaration."""
        found = self.expressions.whole(value)
        type = type or found[1] or I32
        expression = as_type(found, type, value)
        call = self.output.take_call(expression)
        self.output.put(self._local(s, type), expression, call)

    def _local(self, s: Variable | Let, type: Type) -> str:
        """Declares a local variable; returns its name in TinyWGSL."""
        node = self.names.declare(s.name, type, mutable=isinstance(s, Variable), at=s)
        self.output.locals.append(CoreVariable(node.name, type))
        return node.name
