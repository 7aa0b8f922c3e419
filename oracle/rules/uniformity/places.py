"""Where in a module something stands: the contexts in which a fault may act while all others are right.

By the group before the colon; all are taken from the tree:

    block     the two innermost blocks around the place: `block:then in loop`
    nest      the two innermost loops and `switch`es around it, whatever stands between: `nest:for in switch`
    holds     what stands below the statement: `holds:continue`
    variable  the variable that is read, written or merged, by where it is declared, how, and by its type
    place     where in a statement, and in which operator or call, the expression stands: `place:If.condition`
    form      how the variable is named: whole, member, component, element, through a pointer, `+=`
    argument  which parameter it is, and how many there are
    function  an entry point, a function, one that a function calls, one that is called twice
"""

from collections.abc import Iterator, Mapping
from dataclasses import fields
from typing import get_args

from wgsl_fuzz.wgsl import syntax as w
from wgsl_fuzz.wgsl.resolution import Resolution, is_swizzle
from wgsl_fuzz.wgsl.types import ValueTypes, pointee
from wgsl_fuzz.wgsl.walk import children, descendants

Contexts = frozenset[str]
Declaration = w.Variable | w.Let | w.Parameter
_IN = " @ "
_JUMPS: Mapping[type, str] = {w.Break: "break", w.Continue: "continue", w.Return: "return", w.BreakIf: "break if"}
_NESTED = {"loop": "loop", "for": "for", "while": "while", "clause": "switch", "default": "switch"}


class Places:
    """Where each node of a module stands. The module shares no node between two places: parse it for this."""

    def __init__(self, resolution: Resolution) -> None:
        self.resolution = resolution
        self.types = ValueTypes(resolution)
        self.parent: dict[int, w.Node] = {}
        self.owner: dict[int, w.Function] = {}
        self._known: dict[tuple[int, int, int], Contexts] = {}
        for f in resolution.functions:
            for node in descendants(f):
                self.owner[id(node)] = f
                self.parent.update((id(child), node) for child in children(node))

    def above(self, node: w.Node) -> Iterator[tuple[w.Node, w.Node]]:
        """A node and its parent, then the parent and its own, up to the function."""
        while (parent := self.parent.get(id(node))) is not None:
            yield node, parent
            node = parent

    def of(self, node: w.Node | None, variable: Declaration | None, i: int | None) -> Contexts:
        """The contexts of a rule that is applied to a node, and concerns a variable or an argument."""
        key = id(node), id(variable), -1 if i is None else i
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = frozenset(self._contexts(node, variable, i))
        return known

    def _contexts(self, node: w.Node | None, variable: Declaration | None, i: int | None) -> Iterator[str]:
        if node is not None:
            blocks = [kind for pair in self.above(node) if (kind := block_kind(*pair)) is not None]
            if blocks:
                yield f"block:{' in '.join(blocks[:2])}"
            nested = [_NESTED[kind] for kind in blocks if kind in _NESTED]
            yield f"nest:{' in '.join(nested[:2]) or 'none'}"
            if isinstance(node, (w.If, w.Switch, w.Loop, w.For, w.While, w.Block)):
                yield from (f"holds:{kind}" for kind in {held(n) for n in descendants(node) if n is not node} if kind)
            elif isinstance(node, (*get_args(w.Expression), w.Assign, w.Increment)):
                yield from (f"place:{kind}" for pair in self.above(node) for kind in slots(*pair, self.resolution))
                yield f"form:{self.form(node)}"
            yield from self._of_function(self.owner.get(id(node)))
        if i is None and isinstance(variable, w.Parameter):
            i = self._index(variable)
        if i is not None:
            yield f"argument:{min(i, 3)}"
            call = node if isinstance(node, w.Call) else None
            f = self.resolution.function(call) if call is not None else self.owner.get(id(variable or node))
            yield f"argument:of {min(len(f.parameters), 4)}" if f is not None else "argument:of a built-in"
        if variable is not None:
            yield from self.kinds(variable)

    def _of_function(self, f: w.Function | None) -> Iterator[str]:
        if f is None:
            return
        if self.resolution.entry_stage(f) is not None:
            yield "function:entry"
            return
        callers = [g for g in self.resolution.functions if f in self.resolution.callees(g)]
        deep = any(self.resolution.entry_stage(g) is None for g in callers)
        yield "function:called by a function" if deep else "function:called"
        yield f"function:{'one caller' if len(callers) == 1 else 'callers'}"

    def _index(self, p: w.Parameter) -> int | None:
        f = self.owner.get(id(p))
        return None if f is None else next((i for i, q in enumerate(f.parameters) if q is p), None)

    def kinds(self, x: Declaration) -> Iterator[str]:
        """What kind of variable a declaration is: alone, by its type, and both."""
        place = self._declared(x)
        found = self.types.declared(x)
        found = pointee(found) or found
        kind = "unknown" if found is None else type(found).__name__.lower()
        if kind == "scalar":
            kind = str(found)
        yield f"variable:{place}"
        yield f"variable:{kind}"
        yield f"variable:{place} {kind}"

    def _declared(self, x: Declaration) -> str:
        if isinstance(x, w.Parameter):
            return "pointer parameter" if self.resolution.pointer(x) is not None else "parameter"
        if isinstance(x, w.Let):
            return "let of a pointer" if self.resolution.is_pointer(x.value) else "let"
        if not self.resolution.is_function_scope(x):
            return str(self.resolution.space(x))
        blocks = [kind for pair in self.above(x) if (kind := block_kind(*pair)) is not None]
        where = {"function": "top", "entry": "top"}.get(blocks[0], blocks[0])
        return f"{where}{'' if x.value is not None else ' uninitialised'}"

    def form(self, node: w.Node) -> str:
        """How a statement or an expression names what it stores to or reads."""
        if isinstance(node, w.Increment):
            return f"++ {self._reference(node.left)}"
        if isinstance(node, w.Assign):
            return f"{'=' if node.operator == '=' else 'op='} {self._reference(node.left)}"
        for below, parent in self.above(node):
            if not (isinstance(parent, (w.Member, w.Unary)) or (isinstance(parent, w.Index) and parent.base is below)):
                return self._reference(below)
        return "whole"

    def _reference(self, e: w.Node) -> str:
        """A reference or a value, by its outermost step and its base."""
        step, inner = "whole", e
        while isinstance(inner, (w.Member, w.Index)) or (isinstance(inner, w.Unary) and inner.operator in "*&"):
            if step == "whole" and isinstance(inner, w.Member):
                struct = self.types.of(inner.base)
                name = type(struct).__name__.lower()
                step = "swizzle" if name == "vector" and len(inner.name) > 1 and is_swizzle(inner.name) else name
            elif step == "whole" and isinstance(inner, w.Index):
                step = "constant index" if isinstance(inner.index, w.Literal) else "index"
            inner = inner.operand if isinstance(inner, w.Unary) else inner.base
        if not isinstance(inner, w.Identifier):
            return "value"
        declared = self.resolution.declaration(inner)
        through = isinstance(declared, (w.Let, w.Parameter)) and self.resolution.is_pointer(inner)
        return f"{step} through {type(declared).__name__.lower()}" if through else step


def block_kind(node: w.Node, parent: w.Node) -> str | None:
    """The kind of block that `node` is of `parent`; None where it is none."""
    match parent:
        case w.If():
            return "then" if node is parent.then else "else" if node is parent.orelse else None
        case w.Clause():
            has_default = any(isinstance(s, w.DefaultSelector) for s in parent.selectors)
            return None if node is not parent.body else "default" if has_default or not parent.selectors else "clause"
        case w.Loop():
            return "continuing" if node is parent.continuing else "loop"
        case w.While() | w.For():
            name = type(parent).__name__.lower()
            if node is parent.body:
                return name
            return "head" if isinstance(parent, w.For) and node is not parent.condition else None
        case w.Block():
            return "bare" if isinstance(node, w.Block) else None
        case w.Function():
            entry = any(a.name in ("compute", "fragment", "vertex") for a in parent.attributes)
            return None if node is not parent.body else "entry" if entry else "function"
    return None


def slots(node: w.Node, parent: w.Node, resolution: Resolution) -> Iterator[str]:
    """The place of an expression in its parent: of a statement's, or where it may matter of an expression's."""
    if isinstance(parent, w.Block | w.Function | w.Clause):
        return
    if isinstance(parent, w.Call):
        if node is not parent.callee:
            yield "argument" if resolution.function(parent) is not None else "argument of a built-in"
    elif isinstance(parent, w.Binary):
        if parent.operator in ("&&", "||"):
            yield f"{'left' if node is parent.left else 'right'} of {parent.operator}"
    elif isinstance(parent, w.Index):
        if node is parent.index:
            yield "index"
    elif not isinstance(parent, (w.Member, w.Unary)) and not isinstance(node, w.Block):
        name = next((f.name for f in fields(parent) if getattr(parent, f.name) is node), None)
        if name is not None:
            yield f"{type(parent).__name__}.{name}"


def held(node: w.Node) -> str | None:
    """A jump, or a statement with blocks, by its name."""
    if isinstance(node, (w.If, w.Switch, w.Loop, w.For, w.While)):
        return type(node).__name__.lower()
    return _JUMPS.get(type(node))


def name_of(arm: str, context: str) -> str:
    """The name of a variant in a context."""
    return f"{arm}{_IN}{context}"


def arm_of(name: str) -> str:
    """The name of the variant that is meant, whether in a context or not."""
    return name.partition(_IN)[0]


def context_of(name: str) -> str:
    """The context in which alone a variant acts; empty if it acts everywhere."""
    return name.partition(_IN)[2]
