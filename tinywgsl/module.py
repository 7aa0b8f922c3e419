"""The module scope of a shader: attributes, shared variables, constants, aliases, the signatures of functions."""

from dataclasses import dataclass
from math import prod

from wgsl_fuzz.tinywgsl.ast import Literal, SharedArray, Space, Type
from wgsl_fuzz.tinywgsl.desugar import StatementParser
from wgsl_fuzz.tinywgsl.operators import BOOL, U32
from wgsl_fuzz.tinywgsl.surface import (
    ArrayEntity,
    ArrayTypeEntity,
    Entity,
    FunctionEntity,
    PendingEntity,
    RefusedEntity,
)
from wgsl_fuzz.tinywgsl.values import U32_MAX
from wgsl_fuzz.tinywgsl.words import HIDING_IN_MODULE, PREDECLARED

_OUTSIDE = frozenset({"struct", "override", "enable", "requires", "diagnostic", "import"})
_DECLARATIONS = frozenset({"fn", "var", "const", "alias", "const_assert"})
_ATTRIBUTES = frozenset({"compute", "workgroup_size", "must_use", "group", "binding", "builtin"})
_NEVER_WRITTEN = "is uniform, not a shared variable of TinyWGSL"


Parameter = Type | bool
"""A parameter's type; for the entry point, whether it is the vector `local_invocation_id`."""


@dataclass(slots=True)
class FunctionText:
    """A function whose body has not been read: the tokens of its body, the cursor of each parameter's name."""

    name: str
    params: list[tuple[str, Parameter, int]]
    entity: FunctionEntity | None
    """None for the entry point."""
    start: int
    end: int


class ModuleParser(StatementParser):
    """The module scope: finds what is declared, and reads each declaration when it is needed."""

    def __init__(self, text: str, *, marks: bool) -> None:
        super().__init__(text)
        self.scope = self.scopes = 1  # 0 is the scope of WGSL's own names
        self.arrays: list[SharedArray] = []
        self.functions: list[FunctionText] = []
        self.entry: FunctionText | None = None
        self.workgroup_size = 0
        self.marks = [] if marks else None

    # ------------------------------------------------------------------------------------------- module scope

    def find_declarations(self) -> list[tuple[str, int]]:
        """Gives each name of the module scope its place in the text; returns the names with their tokens."""
        names: list[tuple[str, int]] = []
        asserts: list[int] = []
        while (token := self.tokens[self.pos]) != "":
            if token == ";":
                self.pos += 1
                continue
            attributes = self.attributes() if token == "@" else {}
            start, keyword = self.pos, self.tokens[self.pos]
            if keyword not in _DECLARATIONS:
                if keyword in _OUTSIDE:
                    self.fail(f"{keyword} is outside TinyWGSL")
                self.unexpected("a declaration")
            if keyword == "const_assert":
                asserts.append(start)
            else:
                self.pos = self.after(">", start) if keyword == "var" and self.tokens[start + 1] == "<" else start + 1
                index = self.pos
                names.append((self.name(), index))
                self.bind(names[-1][0], PendingEntity(start, attributes, self.scope), index)
            if keyword == "fn":
                self.skip_body()
            else:
                self.pos = self.after(";", self.pos)
        for start in asserts:
            self.pos = start
            self.const_assert()
        return names

    def after(self, token: str, start: int) -> int:
        """The index behind the next such token."""
        try:
            return self.tokens.index(token, start) + 1
        except ValueError:
            self.pos = len(self.tokens) - 1
            self.unexpected(f"'{token}'")

    def skip_body(self) -> None:
        start = self.after("{", self.pos)
        nesting = 1
        while nesting:
            end = self.after("}", start)
            nesting += self.tokens[start:end].count("{") - 1
            start = end
        self.pos = start

    def attributes(self) -> dict[str, int]:
        """`@name(...) ...`: the names, and the index of the first token of their arguments (0: none)."""
        found: dict[str, int] = {}
        while self.accept("@"):
            name = self.tokens[self.pos]
            if not name.isidentifier():
                self.unexpected("an attribute")
            if name not in _ATTRIBUTES:
                self.fail(f"@{name} is outside TinyWGSL")
            if name in found:
                self.fail(f"@{name} is given twice")
            self.pos += 1
            found[name] = 0
            if self.accept("("):
                found[name] = self.pos
                self.skip_to_parenthesis()
        return found

    def resolve(self, name: str, index: int) -> Entity:
        pending = self.env[name]
        if not isinstance(pending, PendingEntity):
            return pending
        self.env[name] = RefusedEntity(f"{name} depends on itself")
        self.deeper(index)
        after, self.pos = self.pos, pending.index + 1
        match self.tokens[pending.index]:
            case "fn":
                entity = self.signature(name, pending.attributes)
            case "var":
                entity = self.shared(name, pending.attributes, pending.index)
            case "const":
                self.only(pending.attributes)
                self.pos += 1
                entity = self.const_value()
            case _:
                self.only(pending.attributes)
                self.pos += 1
                self.expect("=")
                entity = self.any_type()
                self.expect(";")
        self.env[name] = entity
        self.pos = after
        self.depth -= 1
        return entity

    def only(self, attributes: dict[str, int], *allowed: str) -> None:
        """Refuses attributes in the wrong place."""
        for name in attributes:
            if name not in allowed:
                self.fail(f"@{name} cannot stand here")

    def attribute_values(self, attributes: dict[str, int], name: str) -> list[int]:
        """The integers in parentheses behind an attribute."""
        after, self.pos = self.pos, attributes[name]
        if not self.pos:
            self.pos = after
            self.fail(f"@{name} needs a value")
        values: list[int] = []
        while self.tokens[self.pos] != ")":
            start = self.pos
            value = self.constant()
            if isinstance(value, Literal):
                if value.type is BOOL:
                    self.fail("expected an integer", start)
                value = value.value
            if not 0 <= value <= U32_MAX:
                self.fail(f"{value} does not fit u32", start)
            values.append(value)
            if not self.accept(","):
                break
        self.expect(")")
        self.pos = after
        return values

    # -------------------------------------------------------------------------------- types and shared variables

    def shared(self, name: str, attributes: dict[str, int], start: int) -> ArrayEntity:
        """`var<...> x: T;` at module scope, behind the `var`."""
        space = self.address_space()
        index = self.pos
        self.pos += 1
        self.expect(":")
        entity = self.any_type()
        if isinstance(entity, ArrayTypeEntity):
            size, scalar = entity.size, False
        else:
            size, scalar = 1, True
        if self.tokens[self.pos] == "=":
            self.fail("a shared variable has no initialiser")
        self.expect(";")
        self.pos = start
        if space is Space.STORAGE:
            self.only(attributes, "group", "binding")
            if len(attributes) < 2 or any(len(self.attribute_values(attributes, a)) != 1 for a in attributes):
                self.fail("a storage variable needs @group and @binding")
            if entity.type is BOOL:
                self.fail("bool cannot be in storage", index)
        else:
            self.only(attributes)
            if size == 0:
                self.fail("only a storage array is sized at run time", index)
        array = SharedArray(self.core_name(name, HIDING_IN_MODULE), entity.type, size, space)
        self.arrays.append(array)
        return ArrayEntity(array.name, array.type, scalar)

    def address_space(self) -> Space:
        """`<workgroup>` or `<storage, read_write>`."""
        if not self.accept("<"):
            kind = self.tokens[self.pos + 2]
            if kind in PREDECLARED and kind not in self.env and kind != "array":
                self.unknown(kind, self.pos + 2)
            self.fail("a variable outside functions needs an address space")
        end = self.after(">", self.pos)
        spelled = " ".join(self.tokens[self.pos : end - 1]).replace(" ,", ",").removesuffix(",")
        match spelled.split(" "):
            case words if hidden := self.env.keys() & {w.removesuffix(",") for w in words}:
                self.fail(f"{min(hidden)} is declared in this shader and hides the address space")
            case ["workgroup"]:
                space = Space.WORKGROUP
            case ["storage,", "read_write"]:
                space = Space.STORAGE
            case ["uniform"] | ["storage"] | ["storage,", "read"]:
                self.fail(f"var<{spelled}> {_NEVER_WRITTEN}")
            case ["private"]:
                self.fail("var<private> is outside TinyWGSL")
            case _:
                self.unexpected("an address space")
        self.pos = end
        return space

    # ------------------------------------------------------------------------------------------------ functions

    def signature(self, name: str, attributes: dict[str, int]) -> Entity:
        """`name(params) -> result`, at the name."""
        index = self.pos
        self.only(attributes, "compute", "workgroup_size", "must_use")
        entry = "compute" in attributes
        if entry and self.entry is not None:
            self.fail("more than one @compute entry point")
        if entry != ("workgroup_size" in attributes):
            self.fail("@compute and @workgroup_size go together")
        sizes = self.attribute_values(attributes, "workgroup_size") if entry else [1]
        if not 1 <= len(sizes) <= 3 or 0 in sizes:
            self.fail("@workgroup_size takes one to three positive integers")
        self.pos += 1
        params = self.parameters(entry=entry, linear=sizes[0] == prod(sizes))
        result = None
        if self.tokens[self.pos] == "->":
            if entry:
                self.fail("an entry point has no result in TinyWGSL")
            self.pos += 1
            result = self.scalar_type()
        if self.tokens[self.pos] != "{":
            self.unexpected("'{'")
        start = self.pos
        self.skip_body()
        if entry:
            self.workgroup_size = prod(sizes)
            self.entry = FunctionText("main", params, None, start, self.pos)
            return RefusedEntity(f"{name} is the entry point and cannot be called")
        types = [(param, type) for param, type, _ in params if isinstance(type, Type)]
        must_use = "must_use" in attributes
        if must_use and result is None:
            self.fail("@must_use needs a result", index)
        entity = FunctionEntity(self.core_name(name, HIDING_IN_MODULE), types, result or U32, result is None, must_use)
        self.functions.append(FunctionText(name, params, entity, start, self.pos))
        return entity

    def parameters(self, *, entry: bool, linear: bool) -> list[tuple[str, Parameter, int]]:
        """`(x: T, ...)`: names, types (for the entry point what holds the thread's ID) and the tokens of the names."""
        self.expect("(")
        found: list[tuple[str, Parameter, int]] = []
        while self.tokens[self.pos] != ")":
            attributes = self.attributes()
            self.only(attributes, *(("builtin",) if entry else ()))
            index = self.pos
            name = self.name()
            self.expect(":")
            if entry:
                found.append((name, self.built_in(name, attributes, linear=linear, index=index), index))
            else:
                found.append((name, self.scalar_type(), index))
            if not self.accept(","):
                break
        self.expect(")")
        return found

    def built_in(self, name: str, attributes: dict[str, int], *, linear: bool, index: int) -> bool:
        """The type of a parameter of the entry point: whether it is the vector `local_invocation_id`."""
        if not attributes:
            self.fail(f"the parameter {name} of the entry point has no @builtin", index)
        value = self.tokens[attributes["builtin"]]
        after, self.pos = self.pos, attributes["builtin"] + 1
        self.accept(",")
        self.expect(")")
        self.pos = after
        if value not in ("local_invocation_index", "local_invocation_id"):
            self.fail(f"@builtin({value}) is outside TinyWGSL", index)
        if value == "local_invocation_index":
            if self.scalar_type() is not U32:
                self.fail(f"{name} must be u32", index)
            return False
        if not linear:
            self.fail("local_invocation_id of a workgroup that is not (N, 1, 1) is outside TinyWGSL", index)
        if not self.accept("vec3u"):
            for token in ("vec3", "<", "u32"):
                self.expect(token)
            self.accept(",")
            self.expect(">")
        return True
