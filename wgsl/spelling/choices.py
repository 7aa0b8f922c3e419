"""What may be chosen when a shader is spelled, and the dice that choose.

A *feature* is a family of surface forms that can be allowed or not; a *form* is one departure from the canonical print.
"""

from dataclasses import dataclass, fields
from functools import lru_cache
from typing import Protocol, TypeVar

_T = TypeVar("_T")


class Choices(Protocol):
    """Where choices come from; the smallest is always the plainest."""

    def integer(self, lo: int, hi: int) -> int:
        """An integer of lo..hi, both included."""


@dataclass(frozen=True, slots=True)
class Features:
    """Which families of surface forms are allowed: swarm testing switches them on and off."""

    loops: bool = True
    """`for` and `while`."""
    jumps: bool = True
    """The last `continue` of a loop's body, or the last `return` of a function without a result, is left out."""
    continuings: bool = True
    """`continuing { }` and `continuing { ; }` where there is nothing to continue with."""
    empties: bool = True
    """Extra `;` between statements and between declarations."""
    branches: bool = True
    """`else if`, and `else { }`."""
    blocks: bool = True
    """`{ ... }` around statements."""
    updates: bool = True
    """`x += e`, `x++`, `x--` and their like."""
    declarations: bool = True
    """`var x = e`, and `var x: T` close to where `x` is needed."""
    lets: bool = True
    """`let x = e` for a local that is assigned once."""
    types: bool = True
    """Types that WGSL infers are left out."""
    phonies: bool = True
    """`_ = e;` and `const_assert true;` between statements."""
    calls: bool = True
    """Calls inside expressions."""
    discards: bool = True
    """`_ = f();`, `f();`, functions without a result, and `@must_use`."""
    parentheses: bool = True
    """More parentheses around expressions, and none around conditions."""
    precedence: bool = True
    """Parentheses are dropped where WGSL's precedence allows."""
    literals: bool = True
    """Hexadecimal literals, literals without a suffix, `u32(5)`, `bool()`."""
    constants: bool = True
    """`const`, of a module or a function, for literals."""
    barriers: bool = True
    """`storageBarrier` and `textureBarrier`."""
    names: bool = True
    """Other names, also beyond ASCII, also those of built-in functions."""
    shadowing: bool = True
    """One name for several variables, and variables with the names of functions and arrays."""
    layout: bool = True
    """Comments and white space."""
    entries: bool = True
    """`@workgroup_size` with up to three components or a constant; `local_invocation_id`; a `lid` nobody reads."""
    attributes: bool = True
    """The order of attributes, and the group of a storage variable."""
    commas: bool = True
    """Commas at the end of lists."""
    scalars: bool = True
    """`var<workgroup> x: u32` for an array of one element."""
    order: bool = True
    """Declarations of the module in any order."""
    aliases: bool = True
    """`alias` for types."""


FEATURES = tuple(field.name for field in fields(Features))

ALL = Features()
NONE = Features(**dict.fromkeys(FEATURES, False))

FORMS: dict[str, str] = {
    "for": "loops",
    "for with an initialiser": "loops",
    "for with a condition": "loops",
    "for with an update": "loops",
    "while": "loops",
    "negated condition": "loops",
    "implicit continue": "jumps",
    "implicit return": "jumps",
    "empty continuing": "continuings",
    "semicolon in a continuing": "continuings",
    "empty statement": "empties",
    "empty statement before break if": "empties",
    "empty declaration": "empties",
    "else if": "branches",
    "empty else": "branches",
    "block": "blocks",
    "compound assignment": "updates",
    "compound assignment of an element": "updates",
    "increment": "updates",
    "decrement": "updates",
    "late var": "declarations",
    "fused var": "declarations",
    "fused var in a for": "declarations",
    "zeroed var in a loop": "declarations",
    "let": "lets",
    "inferred type": "types",
    "phony assignment": "phonies",
    "const_assert": "phonies",
    "nested call": "calls",
    "nested call of a reused local": "calls",
    "phony call": "discards",
    "call statement": "discards",
    "discarded result of a reused local": "discards",
    "function without a result": "discards",
    "must_use": "discards",
    "parentheses": "parentheses",
    "bare condition": "parentheses",
    "dropped parentheses": "precedence",
    "dropped parentheses of an argument": "precedence",
    "dropped parentheses of an operand": "precedence",
    "hexadecimal literal": "literals",
    "literal without a suffix": "literals",
    "index without a suffix": "literals",
    "converted literal": "literals",
    "zero value": "literals",
    "module constant": "constants",
    "function constant": "constants",
    "constant without a suffix": "constants",
    "storageBarrier": "barriers",
    "textureBarrier": "barriers",
    "new name": "names",
    "name beyond ASCII": "names",
    "name of a built-in": "names",
    "shadowed variable": "shadowing",
    "shadowed declaration of the module": "shadowing",
    "line comment": "layout",
    "block comment": "layout",
    "nested comment": "layout",
    "blanks": "layout",
    "one line": "layout",
    "tight": "layout",
    "carriage returns": "layout",
    "workgroup size": "entries",
    "constant workgroup size": "entries",
    "local_invocation_id": "entries",
    "no lid": "entries",
    "order of attributes": "attributes",
    "other group": "attributes",
    "trailing comma": "commas",
    "scalar": "scalars",
    "order of declarations": "order",
    "alias": "aliases",
    "alias of an array": "aliases",
}
"""Every form, and the feature it belongs to."""

INEXACT = frozenset({"nested call of a reused local", "discarded result of a reused local"})
"""Forms that the parser reads as another shader: a local is split in two. Verdict and summaries are the same."""

_RATES = (4, 8, 12)
_RATES_OF_THE_RARE = (8, 12, 15)
_RATES_OF_THE_AWAITED = (12, 12, 15, 15)
_FREQUENT = frozenset(
    {"aliases", "blocks", "commas", "constants", "empties", "literals", "names", "parentheses", "phonies", "precedence"}
)
"""The features that can show almost everywhere; the others wait for a place where they fit."""
_OFF = 9
"""Of how many in 12 spellings a feature is absent if all are allowed: a few at a time show more than all at once."""
_AWAITED = frozenset({"loops", "calls"})
"""Features that are absent from a fifth only: what they need is rare enough."""
_FLIPS = 12
"""Flips that one choice is cut into: a choice for each would cost as much as the text."""


@lru_cache(maxsize=256)
def _rates_of(features: Features) -> list[tuple[str, tuple[int, ...]]]:
    """The features that are allowed, each with the rates that one is drawn from, all alike."""
    allowed = [name for name in FEATURES if getattr(features, name)]
    off = (0,) * max(1, len(allowed) * _OFF // len(FEATURES))
    rates: list[tuple[str, tuple[int, ...]]] = []
    for name in allowed:
        if name in _AWAITED:
            rates.append((name, (0, *_RATES_OF_THE_AWAITED)))
        else:
            rates.append((name, (*off, *(_RATES if name in _FREQUENT else _RATES_OF_THE_RARE))))
    return rates


class Dice:
    """Draws for one shader. A feature's rate is drawn once, and often is zero: then it costs no further choice."""

    __slots__ = ("forms", "integer", "pool", "rates")

    def __init__(self, choices: Choices, features: Features) -> None:
        self.integer = choices.integer
        self.rates = dict.fromkeys(FEATURES, 0)
        """How often a feature departs from the canonical print where it can, in sixteenths."""
        for name, rates in _rates_of(features):
            self.rates[name] = rates[choices.integer(0, len(rates) - 1)]
        self.forms: dict[str, int] = {}
        """How often each form was used."""
        self.pool = 1
        """What is left of the last choice, below a one."""

    def flip(self, rate: int) -> bool:
        """True in `rate` of 16 cases, 0 to 15; nothing is drawn for 0."""
        if not rate:
            return False
        pool = self.pool
        if pool == 1:
            pool = 1 << 4 * _FLIPS | self.integer(0, (1 << 4 * _FLIPS) - 1)
        self.pool = pool >> 4
        return pool & 15 >= 16 - rate

    def takes(self, rate: int, form: str) -> bool:
        """As `flip`; counts the form if it is True."""
        if not rate or not self.flip(rate):
            return False
        self.note(form)
        return True

    def pick(self, items: "tuple[_T, ...] | list[_T]") -> _T:
        """One of `items`, all alike; the first is the plainest."""
        return items[self.integer(0, len(items) - 1)]

    def note(self, form: str) -> None:
        """Counts a form that is used."""
        self.forms[form] = self.forms.get(form, 0) + 1
