"""Names in the text: other ones, ones beyond ASCII, and one name for several things where WGSL's scopes allow."""

from wgsl_fuzz.tinywgsl.ast import (
    ASSIGNED,
    Function,
    Shader,
    names_in_block,
)
from wgsl_fuzz.wgsl.spelling.choices import Dice
from wgsl_fuzz.wgsl.spelling.locals import LID, Placement, is_inside
from wgsl_fuzz.wgsl.spelling.tree import Scope

_PLAIN = ("a", "b", "i", "x", "y", "tmp", "value", "_v", "X9_", "main_", "result_of_a_very_long_computation_0123456789")
_BEYOND_ASCII = ("Δέλτα", "réflexion", "Кызыл", "朝焼け", "سلام", "검정", "שָׁלוֹם", "गुलाबी", "փիրուզ", "𐰓𐰏𐰇", "n٣")
_BUILT_IN = ("abs", "max", "select", "workgroupUniformLoad", "position", "compute", "read", "rgba8unorm", "linear")
_BUILT_IN_TYPES = ("f32", "vec4", "mat2x2f", "atomic", "storage", "workgroup", "vec2u")
"""As names of locals only: declarations of the module that hide types or address spaces are outside TinyWGSL."""

_KINDS = (("new name", _PLAIN), ("name beyond ASCII", _BEYOND_ASCII), ("name of a built-in", _BUILT_IN))
_LOCAL_KINDS = (*_KINDS[:2], ("name of a built-in", _BUILT_IN + _BUILT_IN_TYPES))


class Names:
    """The names of one shader's text; `texts` holds those that are in scope in the function at hand, by core name."""

    def __init__(self, dice: Dice, shader: Shader) -> None:
        self.dice = dice
        self.renames, self.shadows = dice.rates["names"], dice.rates["shadowing"]
        variables = {v.name for f in shader.all_functions for v in (*f.params, *f.locals)}
        declared = {a.name for a in shader.arrays} | {f.name for f in shader.functions}
        self.core = variables | declared | {LID, "main"}
        self.copies = variables | declared
        """Names that a copy of a parameter cannot take: as in `printer`."""
        self.module: dict[str, str] = {name: name for name in (*[a.name for a in shader.arrays], *_names(shader))}
        self.taken = set(self.core)
        self.entry, self.lid = "main", LID
        if self.renames:
            for name in self.module:
                self.module[name] = self.drawn(name, self.taken, _KINDS)
            self.entry = self.drawn("main", self.taken, _KINDS)
            self.lid = self.drawn(LID, self.taken, _LOCAL_KINDS)
        self.texts: dict[str, str] = self.module
        self.parameters: dict[str, str] = {}
        """The text names of parameters that are copied."""

    def drawn(self, name: str, taken: set[str], kinds: tuple[tuple[str, tuple[str, ...]], ...]) -> str:
        """Another name, or the same."""
        if not self.dice.flip(self.renames):
            return name
        form, names = self.dice.pick(kinds)
        self.dice.note(form)
        return fresh_name(self.dice.pick(names), taken)

    def invented(self, stem: str) -> str:
        """A name for something that is not in the core, unlike all others in the whole text."""
        return fresh_name(stem, self.taken)

    def enter(self, f: Function, placement: Placement | None) -> None:
        """Draws the names of a function's variables."""
        locals_ = [v.name for v in (*f.params, *f.locals)]
        self.parameters = {}
        self.texts = self.module
        if f.params:
            names = {v.name for v in f.params}
            assigned = names.intersection(names_in_block(f.body, ASSIGNED))
            self.parameters = {v.name: fresh_name(f"{v.name}_in", self.copies) for v in f.params if v.name in assigned}
        if not self.renames and not self.shadows:
            return
        own = dict.fromkeys((*self.module, *locals_))
        texts = {**self.module, **{name: name for name in locals_}}
        if f.result is None:
            texts[LID] = self.lid
        if self.renames:
            # What other functions call their variables does not matter here.
            taken = self.taken | set(self.module.values()) | set(self.parameters.values()) | set(own)
            for name in locals_:
                texts[name] = self.drawn(name, taken, _LOCAL_KINDS)
        if self.shadows and placement is not None:
            _Shadows(self.dice, texts, placement, locals_, self.module).draw()
        self.texts = texts


class _Shadows:
    """Gives variables the names of others."""

    def __init__(
        self, dice: Dice, texts: dict[str, str], placement: Placement, locals_: list[str], module: dict[str, str]
    ) -> None:
        self.dice, self.texts, self.placement, self.locals, self.module = dice, texts, placement, locals_, module
        self.numbers = placement.accesses.numbers

    def draw(self) -> None:
        """Up to two tries for a variable."""
        rate = self.dice.rates["shadowing"]
        for name in self.locals:
            if not self.dice.flip(rate):
                continue
            others = [n for n in self.texts if n != name]
            for _ in range(2):
                other = self.dice.pick(others)
                sharing = [n for n in others if self.texts[n] == self.texts[other]]
                if all(self.fits(name, n) for n in sharing):
                    self.texts[name] = self.texts[other]
                    kind = "declaration of the module" if other in self.module else "variable"
                    self.dice.note(f"shadowed {kind}")
                    break

    def fits(self, name: str, other: str) -> bool:
        """Whether two can have one name: neither is needed where the other one hides it."""
        scope, other_scope = self.scope(name), self.scope(other)
        if scope is other_scope:
            return False
        if other_scope is None or (scope is not None and is_inside(scope, other_scope)):
            return not self.needed(other, name)
        if scope is None or is_inside(other_scope, scope):
            return not self.needed(name, other)
        return True

    def scope(self, name: str) -> Scope | None:
        """The scope of a name; None for the module."""
        if name in self.module:
            return None
        placed = self.placement.scopes.get(name)
        return self.placement.top if placed is None else placed[0]

    def needed(self, outer: str, inner: str) -> bool:
        """Whether the outer one of two is accessed where the inner one hides it."""
        placed = self.placement.scopes.get(inner)
        if placed is None:
            return outer in self.numbers
        return any(placed[1] <= n <= placed[0].end for n in self.numbers.get(outer, ()))


def _names(shader: Shader) -> list[str]:
    return [f.name for f in shader.functions]


def fresh_name(wish: str, taken: set[str]) -> str:
    """`wish`, or `wish_1`, `wish_2`, ... : the first that is not in `taken`, to which it is added."""
    name, count = wish, 0
    while name in taken:
        count += 1
        name = f"{wish}_{count}"
    taken.add(name)
    return name
