"""One core construct, all its surface forms: AST -> any WGSL text that `parser.parse` maps back to it.

`spell` draws the text; with the smallest choice everywhere it is the canonical one of `printer`. What comes back from
the parser differs in names, the order of declarations, the type of literal indices, temporaries and double negations
at most, but for the two forms in `INEXACT`. The tables of `parser` and of `spelling.choices.FORMS` say which forms
there are.
"""

from dataclasses import dataclass

from wgsl_fuzz.tinywgsl.ast import (
    Function,
    Literal,
    Shader,
    SharedArray,
    SharedAssign,
    SharedRead,
    Space,
    Type,
    expressions_in,
    walk,
)
from wgsl_fuzz.tinywgsl.spelling.choices import ALL, FEATURES, FORMS, INEXACT, NONE, Choices, Dice, Features
from wgsl_fuzz.tinywgsl.spelling.layout import laid_out
from wgsl_fuzz.tinywgsl.spelling.locals import Placement
from wgsl_fuzz.tinywgsl.spelling.names import Names
from wgsl_fuzz.tinywgsl.spelling.shapes import Shaper
from wgsl_fuzz.tinywgsl.spelling.statements import StatementWriter

__all__ = ["ALL", "FEATURES", "FORMS", "INEXACT", "NONE", "Choices", "Features", "Spelling", "draw_spelling", "spell"]


@dataclass(frozen=True, slots=True)
class Spelling:
    """WGSL text, and how often it uses each of the `FORMS` that the canonical print does not."""

    text: str
    forms: dict[str, int]


def spell(shader: Shader, choices: Choices, features: Features = ALL) -> str:
    """A WGSL text of a well-formed shader, drawn from the allowed features."""
    return draw_spelling(shader, choices, features).text


def draw_spelling(shader: Shader, choices: Choices, features: Features = ALL) -> Spelling:
    """As `spell`, with the forms that were used."""
    dice = Dice(choices, features)
    text = laid_out(dice, _Speller(dice, shader).shader())
    return Spelling(text, dice.forms)


class _Speller(StatementWriter):
    """The module scope."""

    def __init__(self, dice: Dice, shader: Shader) -> None:
        super().__init__(dice, Names(dice, shader))
        self.shaper = Shaper(dice, shader)
        self.core = shader
        rates = dice.rates
        self.entries, self.attributes, self.empties = rates["entries"], rates["attributes"], rates["empties"]
        self.order, self.scalar_rate = rates["order"], rates["scalars"]
        self.places = rates["declarations"] or rates["lets"] or rates["shadowing"]

    def shader(self) -> str:
        """The text before it is laid out."""
        shader = self.core
        if self.scalar_rate:
            self.draw_scalars()
        arrays: list[str] = []
        bindings = 0
        for array in shader.arrays:
            arrays.append(self.array(array, bindings))
            bindings += array.space is Space.STORAGE
        functions = [self.function(f) for f in shader.functions]
        functions.append(self.main(shader.main))
        if self.order and self.flip(self.order):
            return self.shuffled([*self.declarations, *arrays, *functions])
        if self.empties and self.flip(self.empties):
            self.dice.note("empty declaration")
            functions.insert(self.dice.integer(0, len(functions)), ";")
        head = [*self.declarations, *arrays]
        return "\n\n".join(["\n".join(head), *functions] if head else functions) + "\n"

    def shuffled(self, parts: list[str]) -> str:
        """Declarations in any order."""
        self.dice.note("order of declarations")
        for i in range(len(parts) - 1):
            j = self.dice.integer(i, len(parts) - 1)
            parts[i], parts[j] = parts[j], parts[i]
        return "\n\n".join(parts) + "\n"

    # --------------------------------------------------------------------------------------------------- arrays

    def draw_scalars(self) -> None:
        """Arrays of one element, of which nothing but `[0]` is ever asked, become plain variables."""
        one = {a.name for a in self.core.arrays if a.size == 1}
        for f in self.core.all_functions if one else ():
            for s in walk(f.body):
                if isinstance(s, SharedAssign) and not _is_zero(s):
                    one.discard(s.array)
            for e in expressions_in(f.body):
                if isinstance(e, SharedRead) and not _is_zero(e):
                    one.discard(e.array)
        for a in self.core.arrays:
            if a.name in one and self.flip(self.scalar_rate):
                self.scalars.add(a.name)
                self.dice.note("scalar")

    def array(self, a: SharedArray, binding: int) -> str:
        """The declaration of a shared array."""
        element = self.type_name(a.type)
        if a.name not in self.scalars:
            size = f", {a.size}{self.comma()}" if a.size else self.comma()
            element = f"array<{element}{size}>"
            if self.aliases and self.flip(self.aliases):
                self.dice.note("alias of an array")
                name = self.names.invented("T")
                self.declarations.append(f"alias {name} = {element};")
                element = name
        name = self.names.module[a.name]
        if a.space is Space.WORKGROUP:
            return f"var<workgroup> {name}: {element};"
        group = 0
        if self.attributes and self.flip(self.attributes):
            group = self.dice.integer(1, 3)
            self.dice.note("other group")
        attributes = self.ordered([f"@group({group}{self.comma()})", f"@binding({binding}{self.comma()})"])
        return f"{attributes} var<storage, read_write{self.comma()}> {name}: {element};"

    def ordered(self, attributes: list[str]) -> str:
        """Two attributes in one order or the other."""
        if self.attributes and self.flip(self.attributes):
            self.dice.note("order of attributes")
            attributes.reverse()
        return " ".join(attributes)

    # ------------------------------------------------------------------------------------------------ functions

    def function(self, f: Function) -> str:
        """A function with a result in the core."""
        body = self.body(f)
        texts, copies = self.texts, self.names.parameters
        copied: list[str] = []
        params: list[str] = []
        for v in f.params:
            name = texts.get(v.name, v.name)
            type_ = self.type_name(v.type)
            if v.name in copies:
                annotation = f": {type_}"
                if self.types and self.flip(self.types):
                    self.dice.note("inferred type")
                    annotation = ""
                copied.append(f"  var {name}{annotation} = {copies[v.name]};")
                name = copies[v.name]
            params.append(f"{name}: {type_}")
        result = f" -> {self.type_name(f.result)}" if f.result and not self.void else ""
        attribute = "@must_use " if f.name in self.shaper.must_use else ""
        comma = self.comma() if params else ""
        head = f"{attribute}fn {self.names.module[f.name]}({', '.join(params)}{comma}){result} {{"
        return "\n".join([head, *copied, *body])

    def body(self, f: Function) -> list[str]:
        """The lines of a body behind the copies of parameters."""
        top = self.shaper.function(f)
        placement = Placement(self.dice, f, top) if self.places else None
        self.names.enter(f, placement)
        self.texts = self.names.texts
        self.void = f.name in self.shaper.void
        self.variables = {v.name: v.type for v in f.locals}
        self.function_constants, self.function_declarations = {}, []
        self.lines, self.lid_is_read = [], False
        self.scope(top, "  ")
        locals_ = f.locals if placement is None else placement.at_top
        head = [f"  {line}" for line in self.function_declarations]
        return [*head, *["  " + self.declaration(v) for v in locals_], *self.lines, "}"]

    def main(self, f: Function) -> str:
        """The entry point."""
        size, builtin, type_ = str(self.core.workgroup_size), "local_invocation_index", ""
        self.lid = self.names.lid
        if self.entries and self.flip(self.entries):
            size, linear = self.size()
            if linear and self.dice.integer(0, 1):
                self.dice.note("local_invocation_id")
                builtin, type_ = "local_invocation_id", self.dice.pick(("vec3<u32>", "vec3u"))
                self.lid += ".x"
        body = self.body(f)
        if not self.lid_is_read and self.flip(self.entries):
            self.dice.note("no lid")
            parameter = ""
        else:
            type_ = type_ or self.type_name(Type.U32)
            parameter = f"@builtin({builtin}{self.comma()}) {self.names.lid}: {type_}{self.comma()}"
        attributes = self.ordered(["@compute", f"@workgroup_size({size}{self.comma()})"])
        return "\n".join([attributes, f"fn {self.names.entry}({parameter}) {{", *body])

    def size(self) -> tuple[str, bool]:
        """The workgroup size in other words, and whether all threads are in the first dimension."""
        n = self.core.workgroup_size
        name = self.names.invented("C")
        spellings = [(f"{n}, 1", True), (f"{n}u", True), (f"{n:#x}", True), (f"{n}i, 1i, 1i", True), (name, True)]
        spellings += [(f"1, {n}", n == 1), (f"1, 1, {n}", n == 1)]
        spellings += [(f"{d}, {n // d}", False) for d in range(2, n) if n % d == 0]
        spelling = self.dice.pick(spellings)
        if spelling[0] == name:
            self.declarations.append(f"const {name} = {n};")
        self.dice.note("constant workgroup size" if spelling[0] == name else "workgroup size")
        return spelling


def _is_zero(access: SharedRead | SharedAssign) -> bool:
    """Whether an element is the first one, in so many words."""
    return isinstance(access.index, Literal) and access.index.value == 0
