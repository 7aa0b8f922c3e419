"""Shapes in which compilers had bugs: where a module has one, and whether it decides it; for tests of motifs.

An occurrence names the parts of a module that make the shape: a loop and what it does through a pointer parameter, a
call and what it stores. The shape *decides* a module if the verdict changes whenever one of the parts is taken away:
a statement is left out, an expression replaced by a zero. A compiler with a mistake there would then answer otherwise.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property

from wgsl_fuzz.fuzz.reduction.context import Context, Mode
from wgsl_fuzz.oracle.rules.uniformity.revisions import judge_wgsl
from wgsl_fuzz.strategies.edit.subject import valid
from wgsl_fuzz.wgsl import syntax as w
from wgsl_fuzz.wgsl.builtins import words
from wgsl_fuzz.wgsl.problems import WgslError
from wgsl_fuzz.wgsl.resolution import Resolution, Space
from wgsl_fuzz.wgsl.rewrite import Misfit, Nodes, Place, rebuilt
from wgsl_fuzz.wgsl.walk import descendants

Cut = Mapping[int, Nodes]
"""A part of a module that is taken away: what stands for nodes, by their identity."""
Occurrences = Iterator[Sequence[Cut]]
LOOPS = (w.Loop, w.While, w.For)
CHANGES = (w.Assign, w.Increment)
JUMPS = (w.Return, w.Break, w.Continue)
UNIFORM = words("workgroup_id num_workgroups subgroup_size num_subgroups workgroup_index subgroup_id")


def _label(n: w.Node) -> str:
    more = getattr(n, "operator", "") or (f"({n.name})" if isinstance(n, w.Member) else "")
    return f"{type(n).__name__}{f'({n.callee.name})' if isinstance(n, w.Call) else more}"


class Seen(Context):
    """A module, with what shapes ask of it."""

    def __init__(self, resolution: Resolution) -> None:
        super().__init__(resolution)
        self.verdict = judge_wgsl(resolution).verdict

    @cached_property
    def routes(self) -> list[tuple[Place, str]]:
        """Each place with the way to it: `... If.condition Binary&&.right Call(f)`; arguments have their numbers."""
        ways: dict[int, str] = {}
        for p in self.places:  # parents first
            number = p.index if p.field == "arguments" else ""
            above = f"{ways[id(p.parent)]}.{p.field}{number} " if p.parent is not None else ""
            ways[id(p.node)] = above + _label(p.node)
        return [(p, ways[id(p.node)]) for p in self.places]

    def decides(self, cuts: Sequence[Cut]) -> bool:
        """Whether the verdict changes with each part that is taken away."""
        return all(cut and self.changes(cut) for cut in cuts)

    def changes(self, cut: Cut) -> bool:
        """Whether the verdict is another without a part; False if that leaves no valid module."""
        try:
            other = valid(rebuilt(self.module, cut))
            return other is not None and judge_wgsl(other).verdict is not self.verdict
        except (Misfit, WgslError):
            return False

    def zeroed(self, e: w.Node) -> Cut:
        """A value becomes a zero; nothing if it is none."""
        if not isinstance(e, w.Expression) or self.modes.get(id(e)) is not Mode.VALUE:
            return {}
        try:
            return {id(e): self.zero(self.types.of(e))}
        except Misfit:
            return {}

    def is_of_parameter(self, e: w.Node) -> bool:
        """Whether a reference or a pointer leads through a pointer parameter."""
        return isinstance(e, w.Expression) and isinstance(self.resolution.root(e), w.Parameter)

    def stored(self, root: w.Node) -> Cut:
        """The statements that store through pointer parameters are gone."""
        changes = (n for n in descendants(root) if isinstance(n, CHANGES))
        return {id(n): () for n in changes if self.is_of_parameter(n.left)}

    def called(self, root: w.Node) -> list[w.Function]:
        """The functions that something calls, and that those call."""
        found = [f for n in descendants(root) if isinstance(n, w.Call) and (f := self.resolution.function(n))]
        for f in found:
            found += [g for g in self.resolution.callees(f) if g not in found]
        return found


Shape = Callable[[Seen], Occurrences]
Part = Callable[[Seen, Place], Cut]
Stands = Callable[[Seen, Place], bool]


def at(pattern: str, *parts: Part, where: Stands = lambda _s, _p: True) -> Shape:
    """A shape that occurs at each node with such a route to it; without its last part it is none."""
    route = re.compile(f"(?:^| )(?:{pattern})$")

    def occurrences(s: Seen) -> Occurrences:
        for place, way in s.routes:
            if route.search(way) and where(s, place):
                cuts = [part(s, place) for part in parts]
                if cuts[-1]:
                    yield cuts

    return occurrences


# ------------------------------------------------------------------------------------------------------ parts of shapes


def gone(_: Seen, p: Place) -> Cut:
    return {id(p.node): ()}


def emptied(_: Seen, p: Place) -> Cut:
    return {id(p.node.body): w.Block(())} if isinstance(p.node, w.Clause) else {}


def value(s: Seen, p: Place) -> Cut:
    return s.zeroed(p.node)


def whole_value(s: Seen, p: Place) -> Cut:
    """The smallest value around something, or what is stored there."""
    cuts = [s.zeroed(o.node) or ({id(o.node): ()} if isinstance(o.node, CHANGES) else {}) for o in p.outwards()]
    return next(filter(None, cuts), {})


def contents(s: Seen, p: Place) -> Cut:
    """What a statement, or the one that a jump leaves, stores and reads through pointer parameters."""
    left = (o.node for o in p.outwards() if isinstance(o.node, (*LOOPS, w.Switch)))
    root = next(left) if isinstance(p.node, JUMPS) else p.node
    reads = (n for n in descendants(root) if isinstance(n, w.Unary) and n.operator == "*" and s.is_of_parameter(n))
    return {**s.stored(root), **{k: v for n in reads for k, v in s.zeroed(n).items()}}


def effects(s: Seen, p: Place) -> Cut:
    """What the functions store through pointer parameters that a call leads to."""
    return {k: v for f in s.called(p.node) for k, v in s.stored(f.body).items()}


def requirements(s: Seen, p: Place) -> Cut:
    """The calls of built-in functions that require uniform control flow, there or in what is called there."""
    cut: dict[int, Nodes] = {}
    for root in (p.node, *[f.body for f in s.called(p.node)]):
        for n in descendants(root):
            row = s.resolution.builtin(n) if isinstance(n, w.Call) else None
            if row is not None and row.rule is not None:
                parent = s.place_of[id(n)].parent
                cut.update({id(parent): ()} if isinstance(parent, w.CallStatement) else s.zeroed(n))
    return cut


# ---------------------------------------------------------------------------------------------------- where they stand


def continues(_: Seen, p: Place) -> bool:
    """Whether a `for` around something has a `continue` in its body."""
    loops = (o.parent for o in p.outwards() if isinstance(o.parent, w.For))
    return any(isinstance(n, w.Continue) for loop in loops for n in descendants(loop.body))


def is_of_parameter(s: Seen, p: Place) -> bool:
    """Whether a pointer parameter is changed, or handed on."""
    n = p.node
    return any(map(s.is_of_parameter, n.arguments if isinstance(n, w.Call) else [getattr(n, "left", n)]))


def in_call_of(kind: Callable[[Resolution, w.Call], object]) -> Stands:
    """Whether something is an argument of a function of the module, or of a built-in one."""
    return lambda s, p: isinstance(p.parent, w.Call) and kind(s.resolution, p.parent) is not None


def is_inner(p: Place) -> bool:
    return isinstance(p.parent, w.Switch) and 0 < p.index < len(p.parent.clauses) - 1 > 2


def is_empty(p: Place) -> bool:
    last = not isinstance(p.parent, w.Switch) or p.index == len(p.parent.clauses) - 1
    return not last and isinstance(p.node, w.Clause) and not p.node.body.statements


def assigns(s: Seen, block: w.Node | None) -> dict[int, w.Assign]:
    """The full assignments at the top of a block, by the variable."""
    found = [n for n in block.statements if isinstance(n, w.Assign)] if isinstance(block, w.Block) else []
    return {id(s.resolution.root(n.left)): n for n in found if n.operator == "=" and s.resolution.is_full(n.left)}


def blocks(n: w.Node | None) -> list[w.Block]:
    """What an `if` or a `switch` chooses from."""
    found = (
        [c.body for c in n.clauses] if isinstance(n, w.Switch) else [n.then, n.orelse] if isinstance(n, w.If) else []
    )
    return [block for block in found if isinstance(block, w.Block)]


def overwritten(s: Seen) -> Occurrences:
    """Each path that falls through assigns a variable, and another path leaves: both are why a module is accepted."""
    for place in s.places:
        for block in blocks(place.node):
            for assign in assigns(s, block).values():
                ends = [b.statements[-1] for b in blocks(place.node) if b.statements and b is not block]
                yield from (({id(assign): ()}, {id(jump): ()}) for jump in ends if isinstance(jump, JUMPS))


def only_in_else(s: Seen, p: Place) -> bool:
    n = p.above.parent if p.above is not None else None
    changed = [assigns(s, block) for block in blocks(n)] if isinstance(n, w.If) else []
    return len(changed) == 2 and any(a is p.node and root not in changed[0] for root, a in changed[1].items())


def is_uniform_input(s: Seen, p: Place) -> bool:
    """Whether a member of a structure of inputs that are all uniform is assigned."""
    root = s.base(p.node.right) if isinstance(p.node, w.Assign) else None
    struct = s.resolution.struct(root.type) if isinstance(root, w.Parameter) else None
    names = [s.resolution.builtin_input(m) for m in struct.members] if struct else []
    return bool(names) and {*names} <= UNIFORM


def shared(kind: type[w.Let] | type[w.Parameter]) -> Stands:
    """Whether a name is a let or a parameter of a pointer to workgroup memory."""

    def stands(s: Seen, p: Place) -> bool:
        if not isinstance(p.node, w.Identifier) or not isinstance(s.declared(p.node), kind):
            return False
        root = s.resolution.root(p.node)
        pointer = s.resolution.pointer(root) if isinstance(root, w.Parameter) else None
        space = s.resolution.space(root) if isinstance(root, w.Variable) else pointer and pointer.space
        return space is Space.WORKGROUP

    return stands


def copies_forward(s: Seen, p: Place) -> bool:
    """`*q = *p`, where p is a parameter before q."""
    function, n = s.declaration_around(p), p.node
    if not isinstance(n, w.Assign) or not isinstance(function, w.Function):
        return False
    read = [s.resolution.root(e) for e in descendants(n.right) if isinstance(e, w.Unary) and e.operator == "*"]
    order = [id(parameter) for parameter in function.parameters]
    target = id(s.resolution.root(n.left))
    return target in order and any(id(r) in order[: order.index(target)] for r in read)


def chains(s: Seen) -> Occurrences:
    """A function returns what a second gives, which returns what a third gives."""

    def returned(f: w.Function) -> Iterator[w.Call]:
        returns = (n for n in descendants(f.body) if isinstance(n, w.Return))
        return (n for r in returns for n in descendants(r) if isinstance(n, w.Call) and s.resolution.function(n))

    for f in s.resolution.functions:
        for call in returned(f):
            g = s.resolution.function(call)
            yield from ((s.zeroed(call), s.zeroed(inner)) for inner in (returned(g) if g else ()))


def shadowing(s: Seen) -> Occurrences:
    """An inner declaration, were it one more assignment of the outer variable, or none; that one is used behind it."""
    order = {id(place.node): i for i, place in enumerate(s.places)}
    for place in s.places:
        n, block = place.node, place.above
        if not isinstance(n, w.Variable | w.Let) or block is None or isinstance(block.node, w.Module):
            continue
        end, function = max(order[id(inner)] for inner in descendants(block.node)), s.declaration_around(place)
        for outer in s.named:
            uses = [use for use in s.uses.get(id(outer), ()) if s.declaration_around(use) is function]
            if outer is not n and outer.name == n.name and any(order[id(use.node)] > end for use in uses):
                yield ({id(n): ()},)
                if n.value is not None:
                    yield ({id(n): w.Assign("=", w.Identifier(n.name), n.value)},)


LOOP, CALL, EITHER = "(?:Loop|While|For)", r"(?:\S+ )*Call\(\w+\)", r"Binary(?:&&|\|\|)"
CHANGE, SWIZZLE = r"(?:Assign|Increment)\S+", r"Member\([xyzwrgba]+\)"
SHAPES: Mapping[str, Shape] = {
    "contents-in-loop": at(LOOP, gone, contents),
    "contents-in-switch": at("Switch", gone, contents),
    "contents-in-else": at(r"If\.orelse Block", gone, contents),
    "contents-around-continue": at("Continue", gone, contents),
    "contents-around-break": at("Break", gone, contents),
    "stores-in-for": at(rf"For\.condition {CALL}", value, effects),
    "stores-in-while": at(rf"While\.condition {CALL}", value, effects),
    "stores-in-break-if": at(rf"BreakIf\.condition {CALL}", value, effects),
    "stores-in-else-if": at(rf"If\.orelse If\.condition {CALL}", value, effects),
    "stores-in-selector": at(rf"Switch\.selector {CALL}", value, effects),
    "stores-in-return": at(rf"Return\.value {CALL}", value, effects),
    "stores-in-var": at(rf"Variable\.value {CALL}", value, effects),
    "stores-in-for-initial": at(rf"For\.initial {CALL}", value, effects),
    "stores-in-builtin": at(r"\S+arguments\d Call\(\w+\)", value, effects, where=in_call_of(Resolution.builtin)),
    "stores-in-compound": at(rf"Assign[^=]\S*=\.right {CALL}", value, effects),
    "stores-handed-on": at(rf"{EITHER}\.right {CALL}", value, effects, where=is_of_parameter),
    "overwritten": overwritten,
    "assigned-in-else": at("Assign=", gone, where=only_in_else),
    "four-clauses": at("Clause", emptied, where=lambda _, p: is_inner(p)),
    "empty-clause": at("Clause", gone, where=lambda _, p: is_empty(p)),
    "loop-in-clause": at(rf"Clause\.body (?:(?!{LOOP}\.)\S+ )*{LOOP}", gone),
    "required-in-index": at(rf"{CHANGE}\.left (?:\S+ )*Index\.index {CALL}", requirements),
    "required-left-of-and": at(rf"{EITHER}\.left {CALL}", requirements),
    "required-in-initial": at(rf"For\.initial {CALL}", requirements),
    "required-in-update": at(rf"For\.update {CALL}", requirements, where=continues),
    "inputs-in-structure": at(r"Assign\S+", gone, where=is_uniform_input),
    "let-of-shared": at("Identifier", whole_value, where=shared(w.Let)),
    "parameter-of-shared": at("Identifier", whole_value, where=shared(w.Parameter)),
    "source-first": at(r"Assign\S+", gone, where=copies_forward),
    "chained-swizzles": at(rf"{SWIZZLE}\.base {SWIZZLE}", whole_value),
    "bitcasts": at(r"Call\(bitcast\)", value),
    "counted-in-callee": at(rf"(?:If|Switch|{LOOP})\.(?:\S+ )*Increment\S+", gone, where=is_of_parameter),
    "third-parameter": at(r"\S+arguments2 \S+", value, where=in_call_of(Resolution.function)),
    "returned-through-three": chains,
    "shadowing": shadowing,
}
"""By the name of the motif that draws it."""
