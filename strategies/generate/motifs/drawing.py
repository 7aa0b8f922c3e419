"""What motifs are drawn with: the parts of a module, as text.

Motifs are written as WGSL, which is easier to read than the calls that would build its tree; `parse` makes the tree.
Whether a part is uniform is known by construction: `uniform` and `varying` say it, and `suspect` is what decides.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from typing import NamedTuple, TypeVar

from wgsl_fuzz.strategies.choices.source import ChoiceSource, Odds
from wgsl_fuzz.wgsl.builtins import BOTH_SCOPES, CONSTANT_SECOND, FUNCTIONS, INPUTS, Rule, Scope, Stage, family, words

T = TypeVar("T")
CALLS: Mapping[str, str] = {row.name: row.example for row in FUNCTIONS.values() if row.example}
"""A call of each built-in function with a row of its own, which gives a u32 if it gives anything."""

NEWEST_INPUTS = words("primitive_index global_invocation_index workgroup_index num_subgroups subgroup_id")
"""What only the newest compilers take."""
_INPUT_VALUES = {"vec3u": "NAME.x", "vec4f": "u32(NAME.x)", "bool": "u32(NAME)", "u32": "NAME"}


class Differing(NamedTuple):
    """An expression of type u32 whose row says that it differs. In it stand SELF, OTHER and MEMORY."""

    text: str
    in_subgroup: bool
    """Whether it differs in a subgroup, too."""


@cache
def differing(stage: Stage, subgroups: bool, newest: bool, inputs: bool) -> Odds[Differing]:
    """What differs in some scope by its row; functions may have all, entry points the `inputs` as well."""
    # Behind a constant `false &&` compilers take a second argument for no constant.
    rows = [FUNCTIONS[name] for name in CALLS if name not in CONSTANT_SECOND]
    rows = [row for row in rows if stage in row.stages and row.result and row.non_uniform_in]
    rows = [row for row in rows if (subgroups or row.rule is not Rule.SUBGROUP) and (newest or not row.since)]
    found = [
        (Differing(CALLS[row.name], Scope.SUBGROUP in row.non_uniform_in), 3 if row.rule is None else 2) for row in rows
    ]
    given = [row for (_, of), row in INPUTS.items() if of is stage and inputs and row.uniform_in != BOTH_SCOPES]
    given = [row for row in given if subgroups or row.extension != "subgroups"]
    given = [row for row in given if newest or row.name not in NEWEST_INPUTS]
    for row in given:
        value = _INPUT_VALUES[row.type].replace("NAME", row.name)
        often = row.name in NEWEST_INPUTS or row.uniform_in  # fewer modules may have them, or notice them
        found.append((Differing(value, Scope.SUBGROUP not in row.uniform_in), 6 if often else 3))
    return Odds(found)


_HIGHEST = 6
"""Small numbers meet each other often."""
_OF_F16, TYPES_OF_F16 = 12, 50
"""The rates of expressions, and of types of variables, that have `f16` in a module that has it."""


class ValueKind(NamedTuple):
    """A type of values that motifs pass on, with its texts: `SELF` stands for the value that goes in."""

    type: str
    made: str
    """A value that depends on a u32."""
    tested: str
    """A bool that depends on one."""
    part: str = ""
    """A part of it, as it stands behind a name."""
    part_type: str = "u32"

    def of(self, e: str) -> str:
        """A value that depends on a u32."""
        return self.made.replace("SELF", e)

    def test(self, e: str) -> str:
        """A bool that depends on a value."""
        return self.tested.replace("SELF", e)


_SIDES = ("left", "right", "result")
_COMPONENTS = ("f32", "f32", "f32", "u32", "i32", "i8", "u8")
_SCALARS = {"i8": "i32", "u8": "u32"}
"""What a component is in the shader, where that is another type."""
_MEMORY = {"f32": ("cells", "grid"), "u32": ("tiles", "tiles")}
"""What a matrix of these may be loaded from: workgroup memory, and a buffer."""


class MatrixKind(NamedTuple):
    """A type of subgroup matrices, all of 8 by 8."""

    side: str
    component: str

    @property
    def scalar(self) -> str:
        """The type of a component in the shader."""
        return _SCALARS.get(self.component, self.component)

    @property
    def type(self) -> str:
        """The text of the type."""
        return f"subgroup_matrix_{self.side}<{self.component}, 8, 8>"

    def of(self, side: str) -> "MatrixKind":
        """The other matrix of a product."""
        return MatrixKind(side, self.scalar if side == "result" else self.component)

    def value(self, e: str) -> str:
        """A matrix whose components are a u32."""
        return f"{self.type}({self.scalar}({e}))"


class Link(NamedTuple):
    """A local variable by which one motif hands on to the next what that depends on."""

    name: str
    declaration: str
    store: str
    """A statement that stores E."""
    value: str
    """The u32 that it holds."""


State = tuple[list[str], list[str], list[str], dict[str, str]]
"""What `MotifDrawer.state` keeps: declarations, directives, parameters and `taken`."""


@dataclass(slots=True)
class MotifDrawer:
    """Draws the parts of motifs: statements, and expressions that need no parentheses."""

    source: ChoiceSource
    stage: Stage
    subgroups: bool = False
    """Whether subgroup operations are among what requires uniformity."""
    proposals: bool = False
    """Whether the module may have what is only proposed; subgroup matrices then require uniformity, too."""
    core: bool = False
    """Whether the module is to have a core: its parts are of TinyWGSL, and what is not is drawn again."""
    culprit: bool = False
    """Whether the motif being drawn is the one that decides: then rows of the tables may be its source."""
    calm: bool = False
    """Whether what decides is uniform: the module is accepted."""
    newest: bool = True
    """Whether the module may have what only the newest compilers take."""
    f16: bool = False
    """Whether the module has `f16`."""
    declarations: list[str] = field(default_factory=list)
    """At module scope, besides resources."""
    directives: list[str] = field(default_factory=list)
    parameters: list[str] = field(default_factory=list)
    """Of the entry point, besides the built-in inputs and `varied`."""
    taken: dict[str, str] = field(default_factory=dict)
    """The built-in inputs that are members of such a parameter, and how they are read."""
    telling: Scope | None = None
    """The scope in which a requirement tells whether the row of the last suspect is right, if it matters."""
    types: dict[str, str] = field(default_factory=dict)
    """The types of some local variables and lets."""
    link: str = ""
    """What the motif before has handed on: a u32 of the entry point, which decides in place of a source."""
    hands_on: Link | None = None
    """Where the motif being drawn stores what decides, in place of each requirement."""
    in_helper: bool = False
    """Whether the parts stand in a function that is no entry point."""
    names: int = 0

    # ----------------------------------------------------------------------------------------------------- choices

    def pick(self, *items: str) -> str:
        """One of some texts; the first is the simplest."""
        return self.source.pick(items)

    def chance(self, percent: int) -> bool:
        """True in so many of 100 cases."""
        return self.source.percent(percent)

    def some(self, text: str, percent: int = 50) -> str:
        """A text, or nothing."""
        return text if self.source.percent(percent) else ""

    def either(self, table: Odds[T], with_f16: Odds[T], rate: int = _OF_F16) -> T:
        """One item of a table; where the module has `f16`, now and then one of the other table."""
        return self.source.weighted(with_f16 if self.f16 and self.source.percent(rate) else table)

    def name(self, word: str) -> str:
        """A name that nothing else has."""
        self.names += 1
        return f"{word}_{self.names}"

    def number(self) -> str:
        """A small literal."""
        return f"{self.source.integer(1, _HIGHEST)}u"

    def state(self) -> State:
        """What a motif that is drawn in vain may change, for `restore`."""
        return [*self.declarations], [*self.directives], [*self.parameters], {**self.taken}

    def restore(self, state: State) -> None:
        """Forgets what was drawn since; two entry points share the first two lists."""
        self.declarations[:], self.directives[:], self.parameters, self.taken = state

    def declare(self, text: str) -> None:
        """A declaration at module scope."""
        self.declarations.append(text)

    @contextmanager
    def helper(self) -> Iterator[None]:
        """The parts drawn within are those of a function that is no entry point."""
        before, self.in_helper = self.in_helper, True
        yield
        self.in_helper = before

    # ------------------------------------------------------------------------------------------------------ values

    def varying(self) -> str:
        """A u32 that is not uniform, behind some operation."""
        shared, own = (
            (_VARYING_IN_CORE_HELPERS, _VARYING_IN_CORE) if self.core else (_VARYING_IN_HELPERS, _VARYING[self.stage])
        )
        return self.wrapped(self._indexed(shared if self.in_helper else own, _VARYING_F16))

    def uniform(self) -> str:
        """A u32 that is uniform where control flow is."""
        if self.core:
            return self.source.weighted(_UNIFORM_IN_CORE)
        return self._indexed(_UNIFORM_IN_HELPERS if self.in_helper else _UNIFORM[self.stage], _UNIFORM_F16)

    def suspect(self) -> str:
        """A u32 that decides: it is not uniform, but in a calm module."""
        if self.culprit and self.link and not self.in_helper:
            return self.link if self.source.percent(70) else self.wrapped(self.link)
        if self.calm:
            return self.wrapped(self.uniform())
        if self.culprit and not self.core and self.source.percent(75 if self.subgroups else 35):
            return self.wrapped(self._by_row())
        return self.varying()

    def _by_row(self) -> str:
        """A u32 that is not uniform in some scope, by its row in the tables of 13.3.1.1 or 15.2.7."""
        text, in_subgroup = self.source.weighted(differing(self.stage, self.subgroups, self.newest, not self.in_helper))
        self.telling = Scope.SUBGROUP if in_subgroup else Scope.WORKGROUP
        if "MEMORY" in text:
            shared = self.stage is Stage.COMPUTE and not self.in_helper and self.source.percent(50)
            text = text.replace("MEMORY", "counter" if shared else "total")
        return text.replace("SELF", self.number()).replace("OTHER", self.number()) if "(" in text else text

    def _indexed(self, table: Odds[str], with_f16: Odds[str]) -> str:
        text = self.either(table, with_f16)
        if not self.newest:
            text = text.replace("push.", "limit.")
        return text.replace("INDEX", self.index()) if "INDEX" in text else text

    def index(self) -> str:
        """A uniform index below 4."""
        return str(self.source.integer(0, 3)) if self.core or self.source.percent(80) else "(limit.x & 3u)"

    def wrapped(self, e: str) -> str:
        """A value that depends on another, by one operation or by none."""
        operation = self.either(_OPERATIONS_IN_CORE if self.core else _OPERATIONS, _OPERATIONS_F16)
        if " OP " in operation:
            operator = self.pick(*_ARITHMETIC)
            operation = operation.replace("OP", operator)
            if operator in _BY_LITERALS:
                operation = operation.replace("OTHER", self.number())
        if (e in ("SIZE", "knob") or e[0].isdigit()) and any(sign in operation for sign in _CHANGING):
            operation = "(SELF ^ 1u)"  # of a constant it would be too large for a lane or a distance, or none
        return self._with_other(operation).replace("SELF", e) if operation != "SELF" else e

    def _with_other(self, text: str) -> str:
        """A text with some uniform value for its OTHER, if it has one."""
        if "OTHER" not in text:
            return text
        return text.replace("OTHER", self.number() if self.source.percent(60) else self.uniform())

    def test(self, e: str) -> str:
        """A bool that depends on a u32."""
        return self._with_other(self.either(_TESTS, _TESTS_F16)).replace("SELF", e)

    def guess(self) -> str:
        """A uniform condition."""
        return self.test(self.uniform())

    def likely(self, holds: bool) -> str:
        """A uniform condition that mostly holds in an execution, or mostly does not: what stands behind it is met."""
        if self.source.percent(40):
            return self.guess()
        table = _LIKELY_IN_CORE if self.core else _LIKELY
        return self.source.weighted(table)[not holds]

    def doubt(self) -> str:
        """A condition that decides: it is not uniform, but in a calm module."""
        return self.test(self.suspect())

    def kind(self, *, parts: bool = False) -> "ValueKind":
        """A type of values; with `parts`, one of which a part can be assigned."""
        usual = _COMPOSED if parts else _KINDS_IN_CORE if self.core else _KINDS
        return self.either(usual, _COMPOSED_F16 if parts else _KINDS_F16, TYPES_OF_F16)

    def matrix(self) -> MatrixKind:
        """A type of matrices."""
        m = MatrixKind(self.pick(*_SIDES), self.pick(*_COMPONENTS))
        return m.of("result") if m.side == "result" else m

    def made(self, m: MatrixKind) -> str:
        """A matrix that is uniform where control flow is."""
        if m.component in _MEMORY and self.chance(25):
            order = self.pick("row_major", "col_major")
            of = f"&{self.pick(*_MEMORY[m.component])}, {self.pick('0u', self.uniform())}, {self.pick('8u', '16u')}"
            return f"subgroupMatrixLoad<{m.type}, {order}>({of})"
        return self.pick(f"{m.type}()", m.value(self.uniform()))

    # -------------------------------------------------------------------------------------------------- statements

    def require(self) -> str:
        """A statement that requires uniform control flow, at severity error; or the store to a link in its place."""
        if self.hands_on is not None and not self.in_helper:
            return self.hands_on.store.replace("E", self.pick("1u", "1u", "1u", self.number()))
        if self.proposals and self.chance(60):
            return self.require_matrix()
        often = 52 if self.telling is None else 70 if self.telling is Scope.SUBGROUP else 15
        return self.require_in_subgroup() if self.subgroups and self.chance(often) else self.require_in_workgroup()

    def require_in_workgroup(self) -> str:
        """A statement that requires control flow to be uniform in a workgroup or a draw."""
        if self.core:
            return self.source.weighted(_BARRIERS_IN_CORE)
        if self.stage is Stage.FRAGMENT:
            return self.source.weighted(_DERIVATIVES)
        return self.either(_BARRIERS, _BARRIERS_F16)

    def require_in_subgroup(self) -> str:
        """A statement that requires control flow to be uniform in a subgroup."""
        return self.either(_SUBGROUP_OPERATIONS, _SUBGROUP_OPERATIONS_F16)

    def require_matrix(self) -> str:
        """A statement with subgroup matrices that requires control flow to be uniform."""
        text = self.source.weighted(_MATRIX_OPERATIONS)
        return text.replace("NAME", self.name("z")) if "NAME" in text else text

    def require_of_matrix(self, m: MatrixKind, e: str) -> str:
        """A statement that needs a matrix to be uniform, as each of its operands."""
        left, right, result = (e if side == m.side else f"{m.of(side).type}()" for side in _SIDES)
        ways = [f"_ = subgroupMatrixScalar{self.pick('Add', 'Subtract', 'Multiply')}({e}, {m.scalar}(2));"]
        if m.component in _MEMORY:
            memory = f"&{self.pick(*_MEMORY[m.component])}"
            ways.append(f"subgroupMatrixStore<{self.pick('row_major', 'col_major')}>({memory}, 0u, {e}, 8u);")
            ways.append(f"subgroupMatrixStore({memory}, 0u, {e}, {self.pick('true', 'false')}, 8u);")
        if m.side != "result":
            ways.append(f"_ = subgroupMatrixMultiply<{m.scalar}>({left}, {right});")
        return self.pick(*ways, f"_ = subgroupMatrixMultiplyAccumulate({left}, {right}, {result});")

    def guarded(self, condition: str) -> str:
        """A requirement in a branch."""
        if not self.source.percent(40):
            return f"if {condition} {{ {self.padding()} {self.require()} }}"
        require = self.require()
        if self.core or not self.source.percent(60):
            return self.pick(
                f"if {condition} {{}} else {{ {require} }}",
                f"while {condition} {{ {require} break; }}",
                f"for (; {condition};) {{ {require} {self.some('break;')} }}",
                f"loop {{ {require} continuing {{ break if {condition}; }} }}",
                f"loop {{ if {condition} {{ break; }} {require} }}",
            )
        name = self.name("b")
        return self.pick(
            f"switch u32({condition}) {{ case 1 {{ {require} }} default {{}} }}",
            f"switch u32({condition}) {{ case 2u, default {{ {require} }} case 1u {{ }} }}",
            f"if {self.guess()} && {condition} {{ {require} }}",
            f"if {condition} || {self.guess()} {{ {require} }}",
            f"let {name} = {condition}; if {name} {{ {require} }}",
            f"var {name}: bool; {name} = {condition}; if {name} {{ {require} }}",
            f"if {self.guess()} {{ }} else if {condition} {{ {require} }}",
            f"for (var {name} = 0u; {name} < 2u && {condition}; {name}++) {{ {require} }}",
            f"if {self._given(name)}({condition}) {{ {require} }}",
            f"{self._asking(name)}({condition});",
            f"if array<bool, 2>(false, true)[u32({condition})] {{ {require} }}",
        )

    def _given(self, name: str) -> str:
        """The name of a function that gives back the bool that it is handed."""
        body = self.pick(
            "return c;", "var k = c; return k;", "if c { return true; } return false;", "return c && true;"
        )
        self.declare(f"fn give_{name}(c: bool) -> bool {{ {body} }}")
        return f"give_{name}"

    def _asking(self, name: str) -> str:
        """The name of a function that needs its bool to be uniform."""
        with self.helper():
            self.declare(f"fn ask_{name}(c: bool) {{ if c {{ {self.require()} }} }}")
        return f"ask_{name}"

    def padding(self) -> str:
        """A statement with which nothing changes, or none."""
        match self.source.weighted(_PADDING_IN_CORE if self.core else _PADDING):
            case "let":
                return f"let {self.name('k')} = {self.wrapped(self.uniform())};"
            case "block":
                return f"{{ var {self.name('k')} = {self.number()}; {self.some(';')} }}"
            case "if":
                return f"if {self.guess()} {{ state = {self.number()}; }}"
            case "store":
                operator = self.pick("", "", "", "+", "-", "*", "&", "|", "^")  # by a constant zero nothing is divided
                return f"{self.pick('data', 'words')}[{self.index()}] {operator}= {self.suspect()};"
            case "const":
                return f"const {self.name('K')} = {self.number()};"
            case "phony":
                return f"_ = {self.wrapped(self.uniform())};"
            case other:
                return other


_SHARED_VARYING = (("state", 6), ("flags[INDEX]", 2), ("data[INDEX]", 4), ("u32(signs[INDEX])", 1))
_VARYING = {
    Stage.COMPUTE: Odds(
        [
            ("local_invocation_index", 10),
            ("local_invocation_id.x", 2),
            ("global_invocation_id.y", 2),
            *_SHARED_VARYING,
            ("words[INDEX]", 3),
            ("u32(bits[INDEX])", 1),
            ("atomicLoad(&counter)", 1),
            ("atomicAdd(&total, 1u)", 1),
            ("textureLoad(texels, vec2u()).x", 1),
        ]
    ),
    Stage.FRAGMENT: Odds(
        [
            ("u32(position.x)", 8),
            ("u32(front_facing)", 4),
            ("sample_index", 2),
            ("u32(varied)", 4),
            *_SHARED_VARYING,
            ("atomicAdd(&total, 1u)", 1),
        ]
    ),
}
_VARYING_IN_HELPERS = Odds([*_SHARED_VARYING, ("atomicLoad(&total)", 1)])
_SHARED_UNIFORM = (
    ("1u", 6),
    ("2u", 3),
    ("limit.x", 5),
    ("table[INDEX]", 2),
    ("knob", 2),
    ("SIZE", 2),
    ("push.y", 1),
    ("arrayLength(&table)", 1),
    ("textureDimensions(image).x", 1),
)
_UNIFORM = {
    Stage.COMPUTE: Odds([*_SHARED_UNIFORM, ("workgroup_id.x", 4), ("num_workgroups.x", 2)]),
    Stage.FRAGMENT: Odds([*_SHARED_UNIFORM]),
}
_UNIFORM_IN_HELPERS = Odds([*_SHARED_UNIFORM])
_SHARED_IN_CORE = (
    ("state", 2),
    ("words[INDEX]", 2),
    ("data[INDEX]", 3),
    ("u32(signs[INDEX])", 1),
    ("u32(bits[INDEX])", 1),
)
_VARYING_IN_CORE = Odds([("local_invocation_index", 9), ("local_invocation_id.x", 1), *_SHARED_IN_CORE])
_VARYING_IN_CORE_HELPERS = Odds([*_SHARED_IN_CORE])
_UNIFORM_IN_CORE = Odds([("1u", 3), ("2u", 2), ("SIZE", 1)])
_LIKELY_IN_CORE = Odds([(("(1u < 2u)", "(2u == 1u)"), 2), (("(SIZE == 2u)", "(SIZE > 2u)"), 1)])
_LIKELY = Odds(
    [
        *((pair, 1) for pair in _LIKELY_IN_CORE.slots),
        (("(limit.x < 9u)", "(limit.x > 9u)"), 3),
        (("(table[0] <= 8u)", "(table[1] >= 9u)"), 1),
        (("(knob == 3u)", "(knob != 3u)"), 1),
    ]
)
"""Conditions that hold, and others that do not, for the inputs of an execution."""
_ARITHMETIC = ("+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>")
_BY_LITERALS = ("/", "%", "<<", ">>")
"""With another constant on the right than a literal a compiler may refuse them (`edit.constancy`)."""
_CHANGING = ("~", "-", "*", "<<")
"""With these a constant may become too large, or negative."""
_OPERATIONS = Odds(
    [
        ("SELF", 10),
        ("(SELF + OTHER)", 1),
        ("(OTHER ^ SELF)", 1),
        ("max(SELF, OTHER)", 1),
        ("min(OTHER, SELF)", 1),
        ("vec2u(OTHER, SELF).y", 1),
        ("vec2(SELF, OTHER)[0]", 1),
        ("(~SELF)", 1),
        ("(SELF OP OTHER)", 2),
        ("u32(i32(SELF))", 1),
        ("u32(-i32(SELF))", 1),
        ("array<u32, 4>(1u, 2u, 3u, 5u)[SELF & 3u]", 1),
        ("select(OTHER, SELF, limit.z > 1u)", 1),
        ("select(3u, OTHER, SELF > 1u)", 1),
    ]
)
_OPERATIONS_IN_CORE = Odds(
    [
        ("SELF", 10),
        ("(OTHER ^ SELF)", 1),
        ("(~SELF)", 1),
        ("(SELF OP OTHER)", 4),
        ("u32(i32(SELF))", 1),
        ("u32(-i32(SELF))", 1),
    ]
)
_TESTS = Odds(
    [
        ("(SELF == 1u)", 6),
        ("(SELF < OTHER)", 3),
        ("(OTHER != SELF)", 2),
        ("(!(SELF > 2u))", 1),
        ("(OTHER <= SELF)", 1),
        ("(SELF >= OTHER)", 1),
        ("((SELF & 1u) == 0u)", 1),
        ("bool(SELF)", 1),
    ]
)
_COMPOSED = Odds(
    [
        (ValueKind("vec2u", "vec2u(SELF, 1u)", "(SELF.x == 1u)", ".x"), 3),
        (ValueKind("array<u32, 2>", "array<u32, 2>(SELF, 1u)", "(SELF[0] == 1u)", "[0]"), 3),
        (ValueKind("Pair", "Pair(SELF, 1u)", "(SELF.a == 1u)", ".a"), 3),
        (ValueKind("vec3f", "vec3f(f32(SELF))", "(SELF.z > 0.5)", ".z", "f32"), 1),
        (ValueKind("Nest", "Nest(Pair(1u, SELF), 1u)", "(SELF.p.b == 1u)", ".p.b"), 1),
        (ValueKind("mat2x2f", "mat2x2f(1.0, f32(SELF), 2.0, 3.0)", "(SELF[0].y > 0.5)", "[0].y", "f32"), 1),
    ]
)
_KINDS = Odds(
    [
        (ValueKind("u32", "SELF", "(SELF == 1u)"), 12),
        (ValueKind("i32", "i32(SELF)", "(SELF < 3i)"), 4),
        (ValueKind("bool", "(SELF == 2u)", "SELF"), 4),
        (ValueKind("f32", "f32(SELF)", "(SELF > 0.5)"), 2),
        *((kind, 1) for kind in dict.fromkeys(_COMPOSED.slots)),
    ]
)
_KINDS_IN_CORE = Odds([*((kind, 3 if kind.type == "u32" else 1) for kind in dict.fromkeys(_KINDS.slots[:20]))])
_COMPOSED_F16 = Odds(
    [
        (ValueKind("vec2h", "vec2h(f16(SELF), 1h)", "(SELF.x == 1h)", ".x", "f16"), 2),
        (ValueKind("array<f16, 2>", "array<f16, 2>(f16(SELF), 2.5h)", "(SELF[0] < 3h)", "[0]", "f16"), 2),
        (ValueKind("Half", "Half(f16(SELF), 1u)", "(SELF.h > 0.5h)", ".h", "f16"), 2),
        (ValueKind("vec3<f16>", "vec3<f16>(f16(SELF))", "(SELF.z != 1.0h)", ".z", "f16"), 1),
        (ValueKind("mat2x2h", "mat2x2h(1h, f16(SELF), 2h, 3h)", "(SELF[0].y > 0.5h)", "[0].y", "f16"), 1),
    ]
)
_KINDS_F16 = Odds([(ValueKind("f16", "f16(SELF)", "(SELF > 0.5h)"), 8), *((kind, 1) for kind in _COMPOSED_F16.slots)])
_VARYING_F16 = Odds([("u32(halves[INDEX])", 2), ("u32(fractions[INDEX])", 1)])
_UNIFORM_F16 = Odds([("u32(ratios.y)", 1)])
_OPERATIONS_F16 = Odds(
    [
        ("u32(f16(SELF))", 3),
        ("u32(f16(SELF) + 1h)", 2),
        ("u32(0.5h + f16(f32(SELF)))", 1),
        ("u32(max(1.0h, f16(SELF)))", 1),
        ("u32(vec2h(f16(OTHER), f16(SELF)).y)", 1),
        ("select(1u, OTHER, f16(SELF) >= 2h)", 1),
    ]
)
_TESTS_F16 = Odds(
    [
        ("(f16(SELF) == 1h)", 3),
        ("(f16(SELF) < f16(OTHER))", 2),
        ("(f16(SELF) / 2h > 0.5h)", 1),
        ("all(vec2h(f16(SELF)) <= vec2h(1.0h))", 1),
        ("bool(f16(SELF))", 1),
    ]
)
_BARRIERS_F16 = Odds([("_ = workgroupUniformLoad(&portions)[0];", 1)])
_SUBGROUP_OPERATIONS_F16 = Odds([("_ = subgroupAdd(1h);", 2), ("_ = subgroupBroadcastFirst(vec2h(1h)).x;", 1)])
_BARRIERS_IN_CORE = Odds([("workgroupBarrier();", 10), ("storageBarrier();", 4), ("textureBarrier();", 1)])
_BARRIERS = Odds(
    [
        ("workgroupBarrier();", 10),
        ("storageBarrier();", 4),
        ("textureBarrier();", 3),
        ("_ = workgroupUniformLoad(&words)[0];", 2),
    ]
)
_DERIVATIVES = Odds(
    [
        ("_ = dpdx(1.0);", 8),
        ("_ = fwidth(2.0);", 3),
        ("_ = textureSample(image, linear_sampler, vec2f()).x;", 3),
        ("_ = textureSampleBias(image, linear_sampler, vec2f(), 1.0);", 1),
        ("_ = textureSampleCompare(depth, comparing, vec2f(), 0.5);", 1),
        *((f"_ = {name}(1.0);", 1) for name in family("dpdx").split() if name not in ("dpdx", "fwidth")),
    ]
)
_SUBGROUP_OPERATIONS = Odds(
    [
        ("_ = subgroupAdd(1u);", 6),
        ("_ = subgroupElect();", 2),
        ("_ = subgroupBallot(true);", 2),
        *(
            (f"_ = {name}({'2u, 1u' if ', ' in call else '1u'});", 1)
            for name, call in CALLS.items()
            if FUNCTIONS[name].rule is Rule.SUBGROUP and call.startswith((f"{name}(SELF)", f"{name}(SELF, "))
            if name != "subgroupAdd"
        ),
        *((f"_ = {name}(true);", 1) for name in family("subgroupAll").split()),
    ]
)
"""The first are what people read most easily; each of the others is a row of its own in the tables of 15.2.7."""
_LEFT, _RIGHT, _RESULT = (f"subgroup_matrix_{side}<f32, 8, 8>" for side in ("left", "right", "result"))
_MATRIX_OPERATIONS = Odds(
    [
        (f"_ = {_LEFT}();", 4),
        (f"_ = {_RESULT}(1.0);", 2),
        (f"var NAME: {_RIGHT};", 1),
        (f"var NAME: array<{_RESULT}, 2>;", 1),
        (f"_ = array<{_LEFT}, 2>();", 1),
        (f"_ = subgroupMatrixLoad<{_LEFT}, row_major>(&cells, 0u, 8u);", 2),
        (f"subgroupMatrixStore<col_major>(&grid, 0u, {_RESULT}(), 8u);", 2),
        (f"_ = subgroupMatrixMultiply<f32>({_LEFT}(), {_RIGHT}());", 1),
        (f"_ = subgroupMatrixMultiplyAccumulate({_LEFT}(), {_RIGHT}(), {_RESULT}());", 1),
        *((f"_ = subgroupMatrixScalar{name}({_RIGHT}(), 2.0);", 1) for name in ("Add", "Subtract", "Multiply")),
    ]
)
_PADDING = Odds(
    [("", 14), ("let", 1), ("block", 1), ("if", 1), (";", 1), ("phony", 1), ("const", 1), ("const_assert true;", 1)]
)
_PADDING_IN_CORE = Odds([("", 10), *[(text, 1) for text in dict.fromkeys(_PADDING.slots) if text], ("store", 4)])
