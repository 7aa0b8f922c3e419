"""The module scope: shared arrays, functions and the entry point -> declarations of the tree."""

from wgsl_fuzz.tinywgsl import ast as core
from wgsl_fuzz.tinywgsl.ast import Shader, Space, Type, expressions_in, walk
from wgsl_fuzz.wgsl.spelling.choices import Dice
from wgsl_fuzz.wgsl.spelling.locals import Placement
from wgsl_fuzz.wgsl.spelling.names import Names
from wgsl_fuzz.wgsl.spelling.shapes import Shaper
from wgsl_fuzz.wgsl.spelling.statements import StatementBuilder
from wgsl_fuzz.wgsl.syntax import (
    Alias,
    Attribute,
    Attributes,
    Block,
    Const,
    Declaration,
    Expression,
    Function,
    Identifier,
    Literal,
    Module,
    Parameter,
    Statement,
    Variable,
)


class ModuleBuilder(StatementBuilder):
    """Builds the tree of one shader."""

    def __init__(self, dice: Dice, shader: Shader) -> None:
        super().__init__(dice, Names(dice, shader))
        self.shaper = Shaper(dice, shader)
        self.core = shader
        rates = dice.rates
        self.entries, self.attributes = rates["entries"], rates["attributes"]
        self.order, self.scalar_rate = rates["order"], rates["scalars"]
        self.places = rates["declarations"] or rates["lets"] or rates["shadowing"]

    def module(self) -> Module:
        shader = self.core
        if self.scalar_rate:
            self.draw_scalars()
        parts: list[Declaration] = []
        bindings = 0
        for array in shader.arrays:
            parts.append(self.array(array, bindings))
            bindings += array.space is Space.STORAGE
        parts += [self.function(f) for f in shader.functions]
        parts.append(self.main(shader.main))
        parts = [*self.declarations, *parts]
        if self.takes(self.order, "order of declarations"):
            for i in range(len(parts) - 1):
                j = self.dice.integer(i, len(parts) - 1)
                parts[i], parts[j] = parts[j], parts[i]
        return Module((), tuple(parts))

    # --------------------------------------------------------------------------------------------------- arrays

    def draw_scalars(self) -> None:
        """Arrays of one element, of which nothing but `[0]` is ever asked, become plain variables."""
        one = {a.name for a in self.core.arrays if a.size == 1}
        for f in self.core.all_functions if one else ():
            for node in (*walk(f.body), *expressions_in(f.body)):
                if isinstance(node, core.SharedAssign | core.SharedRead) and not _is_first(node.index):
                    one.discard(node.array)
        for a in self.core.arrays:
            if a.name in one and self.takes(self.scalar_rate, "scalar"):
                self.scalars.add(a.name)

    def array(self, a: core.SharedArray, binding: int) -> Variable:
        """The declaration of a shared array."""
        type_ = self.type_name(a.type)
        if a.name not in self.scalars:
            type_ = Identifier("array", (type_, Literal(str(a.size))) if a.size else (type_,))
            if self.takes(self.aliases, "alias of an array"):
                name = self.names.invented("T")
                self.declarations.append(Alias(name, type_))
                type_ = Identifier(name)
        name = self.names.module[a.name]
        if a.space is Space.WORKGROUP:
            return Variable(name, type_, template=(Identifier("workgroup"),))
        group = self.dice.integer(1, 3) if self.takes(self.attributes, "other group") else 0
        numbered = [Attribute(word, (Literal(str(n)),)) for word, n in (("group", group), ("binding", binding))]
        space = (Identifier("storage"), Identifier("read_write"))
        return Variable(name, type_, template=space, attributes=self.ordered(*numbered))

    def ordered(self, first: Attribute, second: Attribute) -> Attributes:
        """Two attributes in one order or the other."""
        return (second, first) if self.takes(self.attributes, "order of attributes") else (first, second)

    # ------------------------------------------------------------------------------------------------ functions

    def function(self, f: core.Function) -> Function:
        """A function with a result in the core."""
        body = self.body(f)
        texts, copies = self.texts, self.names.parameters
        copied: list[Statement] = []
        parameters: list[Parameter] = []
        for v in f.params:
            name = texts.get(v.name, v.name)
            parameters.append(Parameter(copies.get(v.name, name), self.type_name(v.type)))
            if v.name in copies:
                annotation = None if self.takes(self.types, "inferred type") else self.type_name(v.type)
                copied.append(Variable(name, annotation, Identifier(copies[v.name])))
        result = self.type_name(f.result) if f.result and not self.void else None
        attributes = (Attribute("must_use"),) if f.name in self.shaper.must_use else ()
        block = Block((*copied, *body))
        return Function(self.names.module[f.name], tuple(parameters), block, result, attributes)

    def body(self, f: core.Function) -> list[Statement]:
        """The statements of a body behind the copies of parameters."""
        top = self.shaper.function(f)
        placement = Placement(self.dice, f, top) if self.places else None
        self.names.enter(f, placement)
        if placement is not None:
            placement.forget()
        self.texts = self.names.texts
        self.void = f.name in self.shaper.void
        self.variables = {v.name: v.type for v in f.locals}
        self.function_constants, self.function_declarations = {}, []
        self.lid_is_read = False
        statements = self.statements(top)
        locals_ = f.locals if placement is None else placement.at_top
        return [*self.function_declarations, *[self.declaration(v) for v in locals_], *statements]

    def main(self, f: core.Function) -> Function:
        """The entry point."""
        size: tuple[Expression, ...] = (Literal(str(self.core.workgroup_size)),)
        vector = None
        if self.entries and self.flip(self.entries):
            size, linear = self.size()
            if linear and self.dice.integer(0, 1):
                self.dice.note("local_invocation_id")
                vector = self.dice.pick((Identifier("vec3", (Identifier("u32"),)), Identifier("vec3u")))
                self.lid_is_vector = True
        body = Block(tuple(self.body(f)))
        parameters: tuple[Parameter, ...] = ()
        if self.lid_is_read or not self.takes(self.entries, "no lid"):
            builtin = Attribute("builtin", (Identifier(f"local_invocation_{'id' if vector else 'index'}"),))
            parameters = (Parameter(self.names.lid, vector or self.type_name(Type.U32), (builtin,)),)
        attributes = self.ordered(Attribute("compute"), Attribute("workgroup_size", size))
        return Function(self.names.entry, parameters, body, attributes=attributes)

    def size(self) -> tuple[tuple[Expression, ...], bool]:
        """The workgroup size in other words, and whether all threads are in the first dimension."""
        n = self.core.workgroup_size
        spellings = [(f"{n} 1", True), (f"{n}u", True), (f"{n:#x}", True), (f"{n}i 1i 1i", True), ("", True)]
        spellings += [(f"1 {n}", n == 1), (f"1 1 {n}", n == 1)]
        spellings += [(f"{d} {n // d}", False) for d in range(2, n) if n % d == 0]
        text, linear = self.dice.pick(spellings)
        self.dice.note("workgroup size" if text else "constant workgroup size")
        if text:
            return tuple([Literal(number) for number in text.split()]), linear
        name = self.names.invented("C")
        self.declarations.append(Const(name, None, Literal(str(n))))
        return (Identifier(name),), linear


def _is_first(index: core.Expr) -> bool:
    return isinstance(index, core.Literal) and index.value == 0
