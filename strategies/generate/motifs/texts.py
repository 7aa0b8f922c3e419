"""Motifs as texts with holes: how a row of a table becomes the statements of a motif.

A text is WGSL. `[[a ~ b]]` is one of two texts, the first of them the simplest; what stands before a `#` is declared at
module scope, and its last function may be called through another one. A lower-case letter is a name. The holes:

    V D        a u32 that decides, and a condition that does
    U G        a uniform u32, and a uniform condition
    W B        a u32 that is not uniform, and a condition that is not
    X Y        two u32s, of which one decides and the other is uniform
    S A        what a variable starts with, and what replaces it: A decides, or where all is settled S is not uniform
    N INDEX    a literal, and a uniform index below 4
    R          a statement that requires uniform control flow
    E          a u32 that requires it
    P          a statement that changes nothing, or none
    GUARD c;   a requirement under a condition
    ASK e;     a requirement under a condition that depends on a u32
    JUMP       `break;`, `continue;` or `return;`
    DISCARD    `discard;` in a fragment shader, elsewhere a statement that changes nothing
    KIND       a type, the same all over the motif; `OF u` is a value of it that depends on a u32, `IS x` a condition
               that depends on such a value, and `CHECK e;` a requirement under one
    PART       a part of such a value, as it stands behind a name; PARTKIND is its type, `PARTOF u` a value of that
    PUT CURE   a function of a pointer to a u32: it stores what decides, or what is uniform, and gives a uniform value
    EFFECT     CURE if X decides, else PUT
    SPACE      workgroup memory, or private memory in other stages
    RULE T     a trigger rule with severities, and a u32 whose computation triggers it
    OFF        a filter that takes the edge off RULE; FILTER takes it off another rule now and then
    DIRECTIVE  nothing here, and such a filter for the whole module
    MATRIX     a type of subgroup matrices, the same all over the motif; MADE is a uniform one, `MATRIXOF u` one that
               depends on a u32, `USE e;` a statement that needs one to be uniform
    MATRICES   any statement with matrices: it needs uniform control flow

A text may begin with words that say where it can be drawn: FRAGMENT, COMPUTE, SUBGROUPS, WORKGROUPS (without these),
RULED (where some rule has severities), UNRULED, NEWEST (what only the newest compilers take), LIVELY (where all is not
calm), INPUTS (with a structure of uniform inputs).
"""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from types import MappingProxyType
from typing import NamedTuple

from wgsl_fuzz.strategies.generate.motifs.drawing import MatrixKind, MotifDrawer, ValueKind
from wgsl_fuzz.strategies.generate.motifs.hosting import carried, carried_letters
from wgsl_fuzz.wgsl.builtins import Stage

Texts = tuple[str, ...]
Motif = Callable[[MotifDrawer], str]

_RULES = ("derivative_uniformity", "subgroup_uniformity")
_HOLE = re.compile(
    r"(?:ASK|GUARD|CHECK|USE) (?P<asked>[^;]+);"
    r"|(?:OF|IS|PARTOF|MATRIXOF) (?P<of>\w+|\(\*\w\))|\b[A-Z]+\b|(?<![.\w])[a-z]\b"
)
_INITIALISED = re.compile(r"(?<!\()\bvar ([a-z]) = (OF \w+);")
_OF_KIND = re.compile(r"(?:var|let) ([a-z])(?:: KIND; [a-z])? = OF \w+;")
_ASKED = re.compile(r"\b(CHECK|ASK) ([a-z]);$")
_STORED = 50
"""The rate of links that store what would be asked, where they can, and not under what it decides."""
_MARK = re.compile(r"(\[\[| ~ |\]\](?=(?:\]\])*(?!\])))")
_FUNCTION = re.compile(r"fn (\w+)\(([^()]*)\)( -> [^{@]+)?")


class _Choice(NamedTuple):
    """Texts of which one is taken, each of words and further choices."""

    ways: "tuple[tuple[str | _Choice, ...], ...]"


class _Row(NamedTuple):
    """A text in its parts."""

    needs: frozenset[str]
    """The words that say where it can be drawn."""
    declared: _Choice | None
    body: _Choice


_NEEDS: Mapping[str, Callable[[MotifDrawer], bool]] = {
    "COMPUTE": lambda d: d.stage is Stage.COMPUTE,
    "FRAGMENT": lambda d: d.stage is Stage.FRAGMENT,
    "SUBGROUPS": lambda d: d.subgroups,
    "WORKGROUPS": lambda d: not d.subgroups,
    "RULED": lambda d: d.subgroups or d.stage is Stage.FRAGMENT,
    "UNRULED": lambda d: not d.subgroups and d.stage is not Stage.FRAGMENT,
    "NEWEST": lambda d: d.newest,
    "LIVELY": lambda d: not d.calm,
    "INPUTS": lambda d: d.stage is Stage.COMPUTE and not d.taken,
}


def _row(text: str) -> _Row:
    declared, _, body = text.rpartition("# ")
    needs = []
    while (word := declared.partition(" ")[0]) in _NEEDS:
        needs.append(word)
        declared = declared.removeprefix(word).lstrip()
    outside = _choice(iter(_MARK.split(declared))) if declared else None
    return _Row(frozenset(needs), outside, _choice(iter(_MARK.split(body))))


def _choice(tokens: Iterator[str]) -> _Choice:
    ways: list[list[str | _Choice]] = [[]]
    for token in tokens:
        match token:
            case "[[":
                ways[-1].append(_choice(tokens))
            case " ~ ":
                ways.append([])
            case "]]":
                break
            case _:
                ways[-1].append(token)
    return _Choice(tuple(map(tuple, ways)))


def _chosen(d: MotifDrawer, choice: _Choice) -> str:
    way = choice.ways[0] if len(choice.ways) == 1 else d.source.pick(choice.ways)
    return "".join([part if isinstance(part, str) else _chosen(d, part) for part in way])


class _Holes:
    """What stands in the holes of one motif."""

    def __init__(self, d: MotifDrawer, settled: bool) -> None:
        self.d = d
        self.number = d.name("")
        self.settled = settled
        self._kind: ValueKind | None = None

    @property
    def kind(self) -> ValueKind:
        """The type of KIND, drawn when it is first needed."""
        self._kind = self._kind or self.d.kind()
        return self._kind

    @cached_property
    def matrix(self) -> MatrixKind:
        """The type of MATRIX."""
        return self.d.matrix()

    @cached_property
    def first(self) -> bool:
        """Whether X decides, and not Y."""
        return self.d.chance(55)

    @cached_property
    def rule(self) -> str:
        """The text of RULE."""
        return _RULES[self.d.stage is not Stage.FRAGMENT or (self.d.subgroups and self.d.chance(50))]

    def filled(self, choice: _Choice) -> str:
        """A text with its choices made and its holes filled."""
        text = _chosen(self.d, choice)
        if self.d.chance(25):
            text = _INITIALISED.sub(r"var \1: KIND; \1 = \2;", text)
        if "PART" in text and self._kind is None:  # a function and its caller have one kind
            self._kind = self.d.kind(parts=True)
        link = self.d.hands_on
        if link is not None and not self.d.in_helper and (asked := _ASKED.search(text)) and self.d.chance(_STORED):
            value = f"u32(IS {asked[2]})" if asked[1] == "CHECK" else asked[2]
            text = f"{text[: asked.start()]}{link.store.replace('E', value)}"
        drawn = self._text(text)
        for letter in _OF_KIND.findall(text):
            self.d.types[letter + self.number] = self.kind.type
        if not self.d.core:
            for letter in carried_letters(text):
                drawn = carried(self.d, drawn, letter + self.number, whole=self.settled)
        return drawn

    def _text(self, text: str) -> str:
        return _HOLE.sub(self._fill, text)

    def _fill(self, hole: re.Match[str]) -> str:
        word, _, more = hole[0].partition(" ")
        if not more:
            return word + self.number if word.islower() else _DRAWN[word](self) if word in _DRAWN else word
        match word:
            case "GUARD":
                return self.d.guarded(self._text(hole["asked"]))
            case "ASK":
                return self.d.guarded(self.d.test(self._text(hole["asked"])))
            case "CHECK":
                return self.d.guarded(self.kind.test(self._text(hole["asked"])))
            case "USE":
                return self.d.require_of_matrix(self.matrix, self._text(hole["asked"]))
            case "MATRIXOF":
                return self.matrix.value(self._text(hole["of"]))
            case "OF":
                return self.kind.of(self._text(hole["of"]))
            case "IS":
                return self.kind.test(self._text(hole["of"]))
            case _:  # PARTOF
                e = self._text(hole["of"])
                return e if self.kind.part_type == "u32" else f"{self.kind.part_type}({e})"

    def filter(self, rule: str) -> str:
        """A filter that takes the edge off a rule."""
        return f"@diagnostic({self.d.pick('off', 'warning', 'info')}, {rule})"

    def directive(self) -> str:
        """Nothing, and such a filter for the module, unless it has one."""
        if not self.d.directives:
            self.d.directives.append(f"{self.filter(self.rule)[1:]};")
        return ""


_DRAWN: Mapping[str, Callable[[_Holes], str]] = {
    "V": lambda h: h.d.suspect(),
    "D": lambda h: h.d.doubt(),
    "U": lambda h: h.d.uniform(),
    "G": lambda h: h.d.guess(),
    "W": lambda h: h.d.varying(),
    "B": lambda h: f"({h.d.varying()} == 1u)",
    "X": lambda h: h.d.suspect() if h.first else h.d.uniform(),
    "Y": lambda h: h.d.uniform() if h.first else h.d.suspect(),
    "S": lambda h: h.d.varying() if h.settled else h.d.uniform(),
    "A": lambda h: h.d.uniform() if h.settled else h.d.suspect(),
    "N": lambda h: h.d.number(),
    "INDEX": lambda h: h.d.index(),
    "R": lambda h: f"{requiring_function(h.d)}();" if h.d.chance(10) else h.d.require(),
    "E": lambda h: _requiring_value(h.d),
    "P": lambda h: h.d.padding(),
    "JUMP": lambda h: h.d.pick("break;", "continue;", "return;"),
    "DISCARD": lambda h: "discard;" if h.d.stage is Stage.FRAGMENT else f"state = {h.d.number()};",
    "KIND": lambda h: h.kind.type,
    "PART": lambda h: h.kind.part,
    "PARTKIND": lambda h: h.kind.part_type,
    "PUT": lambda h: _storing_function(h.d, decides=True),
    "CURE": lambda h: _storing_function(h.d, decides=False),
    "EFFECT": lambda h: _storing_function(h.d, decides=not h.first),
    "SPACE": lambda h: "workgroup" if h.d.stage is Stage.COMPUTE else "private",
    "RULE": lambda h: h.rule,
    "T": lambda h: "u32(dpdx(1.0))" if h.rule == _RULES[0] else "subgroupAdd(1u)",
    "OFF": lambda h: h.filter(h.rule),
    "FILTER": lambda h: h.filter(_RULES[h.rule == _RULES[0]] if h.d.chance(15) else h.rule),
    "DIRECTIVE": lambda h: h.directive(),
    "MATRIX": lambda h: h.matrix.type,
    "MADE": lambda h: h.d.made(h.matrix),
    "MATRICES": lambda h: h.d.require_matrix(),
}
"""What stands in the holes that are one word."""


def requiring_function(d: MotifDrawer, result: str = "") -> str:
    """The name of a function that requires uniform control flow, perhaps with a u32 as its result."""
    f = d.name("sync")
    with d.helper():
        returns = f"return {d.number()};" if result else ""
        d.declare(f"fn {f}() {result and f'-> {result} '}{{ {d.require()} {returns} }}")
    return f


def _requiring_value(d: MotifDrawer) -> str:
    """A u32 that requires uniform control flow: a call of a built-in function, or of one that requires it."""
    if d.chance(35):
        return f"{requiring_function(d, 'u32')}()"
    if d.subgroups and d.chance(60):
        return d.pick("subgroupAdd(1u)", "subgroupMax(2u)", "subgroupBroadcastFirst(1u)", "u32(subgroupElect())")
    if d.stage is Stage.COMPUTE:
        return "workgroupUniformLoad(&words)[0]"
    return d.pick("u32(dpdx(1.0))", "u32(fwidth(1.0))", "u32(textureSample(image, linear_sampler, vec2f()).x)")


def _storing_function(d: MotifDrawer, *, decides: bool) -> str:
    """The name of a function that stores what decides where a pointer leads, or else what is uniform."""
    f = d.name("put")
    with d.helper():
        if decides:
            body = d.pick(f"*p = {d.suspect()};", f"*p += {d.suspect()};", f"if {d.guess()} {{ *p = {d.suspect()}; }}")
        else:
            body = f"*p = {d.uniform()};"
        d.declare(f"fn {f}(p: ptr<function, u32>) -> u32 {{ {body} return {d.number()}; }}")
    return f


def _called_through_another(d: MotifDrawer, text: str) -> str:
    """Some functions, of which the last is called by another one that has its name."""
    found = list(_FUNCTION.finditer(text))
    if not found:
        return text
    name, parameters, result = found[-1].groups(default="")
    inner, arguments = d.name("inner"), ", ".join(re.findall(r"(\w+):", parameters))
    text = re.sub(rf"\b{name}\b", inner, text)
    return f"{text} fn {name}({parameters}){result} {{ {result and 'return '}{inner}({arguments}); }}"


def _take_inputs(d: MotifDrawer) -> None:
    """Gives the entry point a structure of inputs that are all uniform."""
    struct, p, names = d.name("Inputs"), d.name("inputs"), ("workgroup_id", "num_workgroups")
    d.taken.update({name: f"{p}.{name}" for name in names})
    d.declare(f"struct {struct} {{ {', '.join(f'@builtin({name}) {name}: vec3u' for name in names)} }}")
    d.parameters.append(f"{p}: {struct}")


def _motif(name: str, texts: Texts, *, settled: bool) -> Motif:
    """The motif of some texts: it draws one of those that can be drawn there."""
    rows = [_row(text) for text in texts]

    def drawn(d: MotifDrawer) -> str:
        met = {word for word, holds in _NEEDS.items() if holds(d)}
        possible = [row for row in rows if row.needs <= met]
        if not possible:
            return d.guarded(d.doubt())
        row = d.source.pick(possible)
        if "INPUTS" in row.needs:
            _take_inputs(d)
        holes = _Holes(d, settled)
        if row.declared is not None:
            with d.helper():
                declared = holes.filled(row.declared)
                d.declare(_called_through_another(d, declared) if d.chance(20) else declared)
        return holes.filled(row.body)

    drawn.__name__ = f"{name}_settled" if settled else name
    return drawn


def where(word: str, *texts: str) -> Texts:
    """Texts that can be drawn only where a word says so."""
    return tuple(f"{word} {'' if '# ' in text else '# '}{text}" for text in texts)


def motifs(
    table: Mapping[str, Texts], *, times: Mapping[str, int] = MappingProxyType({}), settled: bool = False
) -> tuple[Motif, ...]:
    """A motif for each row of a table, some of them several times."""
    rows = [(_motif(name, texts, settled=settled), times.get(name, 1)) for name, texts in table.items()]
    return tuple([motif for motif, count in rows for _ in range(count)])
