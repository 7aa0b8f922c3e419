"""Repairs of calls that give a value: taken earlier, chosen by `select`, or replaced by a call without derivatives."""

from collections.abc import Iterator, Sequence
from itertools import takewhile

from wgsl_fuzz.fuzz.repair.edit import Cost, Edit, Patch
from wgsl_fuzz.fuzz.repair.shader import JUMPS, LOOPS, Broken, Region
from wgsl_fuzz.strategies.edit.tree import has_filter
from wgsl_fuzz.wgsl import syntax as w
from wgsl_fuzz.wgsl.builtins import Rule
from wgsl_fuzz.wgsl.types import I32, U32, Scalar, Vector, component
from wgsl_fuzz.wgsl.walk import descendants

_IDENTITIES = {"Add": "0", "Or": "0", "Xor": "0", "Mul": "1", "Any": "false", "Ballot": "false", "All": "true"}
_OF_INTEGERS = {"Min": ("2147483647", "0xffffffffu"), "Max": ("-2147483648", "0u"), "And": ("-1", "0xffffffffu")}
_SUFFIXES = {"i32": "", "u32": "u", "f32": ".0", "f16": ".0h", "bool": ""}
_GRADIENTS = "textureSampleGrad"
_CHOICES = ("&&", "||")
_OF_LEVEL = {
    "textureSample": "textureSampleLevel",
    "textureSampleBias": "textureSampleLevel",
    "textureSampleCompare": "textureSampleCompareLevel",
}
"""For the built-in functions that choose a mip level by derivatives, those that take one."""


class Slice:
    """The statements that have to move with an expression, so that it can stand before a region."""

    def __init__(self, shader: Broken, region: Region, e: w.Node) -> None:
        self.shader, self.region = shader, region
        self.moved: list[w.Statement] = []
        self.renames: list[Patch] = []
        """New names for what is declared in an inner block, where the region's has such a name already."""
        self.fits = self._fits(e)
        """Whether the expression has the same value before the region, if they move along."""
        for s in self.moved:
            self._rename(s)

    def _fits(self, e: w.Node) -> bool:
        if not self.shader.is_pure(e):
            return False
        needed = list(self.shader.reads(e))
        for block, statement in self.shader.statements_around(e):
            outermost = self.shader.context.contains(block, self.region[0])
            first = self.region[0].start if outermost else block.start
            for s in reversed([s for s in block.statements if first <= s.start < statement.start]):
                if any(s is d or (self.shader.is_local(d) and self.shader.may_change(d, s)) for d in needed):
                    if not self._may_move(s):
                        return False
                    self.moved.insert(0, s)
                    needed += self.shader.reads(s)
            if outermost:
                break
        return all(self._is_there(d, e) for d in needed) and self._keeps_order()

    def _may_move(self, s: w.Statement) -> bool:
        """Whether nothing notices that a statement runs earlier, and perhaps in vain."""
        if isinstance(s, w.Let):
            return self.shader.is_pure(s.value) and not self.shader.resolution.is_pointer(s.value)
        if isinstance(s, w.Assign | w.Increment):
            root = self.shader.resolution.root(s.left)
            block = self.shader.context.parent(s)
            return root is not None and self.shader.is_pure(s) and self.shader.context.parent(root) is block
        return isinstance(s, w.Variable | w.Const) and self.shader.is_pure(s)

    def _is_there(self, declared: w.Node, e: w.Node) -> bool:
        """Whether a declaration stands before the region, or moves, and holds the same there."""
        if self._is_in(self.region, declared) and all(declared is not s for s in self.moved):
            return False
        if not self.shader.may_change(declared, *self.region):
            return True
        around = list(self.shader.context.around(e))
        loops = any(isinstance(outer, LOOPS) and self._is_in(self.region, outer) for outer in around)
        stored = [outer for outer in around if isinstance(outer, w.Assign)]  # after the expression is evaluated
        nodes = (n for s in self.region for n in descendants(s) if not self._is_in(self.moved, n))
        earlier = (n for n in nodes if loops or (n.start < e.start and all(n is not s for s in stored)))
        return not any(self.shader.may_write(n, declared) for n in earlier)

    def _is_in(self, ss: Sequence[w.Statement], node: w.Node) -> bool:
        return any(self.shader.context.contains(s, node) for s in ss)

    def _keeps_order(self) -> bool:
        """Whether no statement that stays reads a variable before it is changed."""
        return all(
            use.start > s.start or self._is_in(self.moved, use)
            for s in self.moved
            if isinstance(s, w.Assign | w.Increment) and (root := self.shader.resolution.root(s.left)) is not None
            for use in self.shader.uses(root)
        )

    def _rename(self, s: w.Statement) -> None:
        """Finds another name for a declaration that leaves its block, if the shader has the name elsewhere."""
        leaves = self.shader.context.parent(s) is not self.shader.context.parent(self.region[0])
        if leaves and isinstance(s, w.Let | w.Variable | w.Const) and self.shader.count(s.name) > 1:
            place = self.shader.text.index(s.name, s.start + len("let "))
            name = self.shader.fresh(s.name, {patch.text for patch in self.renames})
            spans = [(place, place + len(s.name)), *((use.start, use.end) for use in self.shader.uses(s))]
            self.renames += [Patch(start, end, name) for start, end in spans]

    def written(self, node: w.Node) -> str:
        """A node with the new names."""
        return self.shader.written(node, *self._renames_in(node))

    def _renames_in(self, node: w.Node) -> list[Patch]:
        return [p for p in self.renames if node.start <= p.start < node.end]

    def before(self, lines: Sequence[str], *replaced: w.Node) -> list[Patch]:
        """The statements that move, and some lines, stand before the region; other uses of what moves follow."""
        gone = [*self.moved, *replaced]
        renamed = [p for p in self.renames if not any(n.start <= p.start < n.end for n in gone)]
        moved = [line for s in self.moved for line in self.shader.lines(s, *self._renames_in(s))]
        return [self.shader.before(self.region[0], *moved, *lines), *renamed, *map(self.shader.without, self.moved)]

    def is_proven(self, *values: w.Node) -> bool:
        """Whether taking pure values early changes nothing: nobody meets in them, they end, and they cannot race."""
        nodes = [*values, *self.moved]
        return self.shader.only_samples(nodes) and not any(map(self.shader.shares, nodes))


def slices(shader: Broken, e: w.Node) -> Iterator[Slice]:
    """What moves with an expression to each place before which it has the same value, the nearest first."""
    return takewhile(lambda along: along.fits, (Slice(shader, region, e) for region in shader.regions(e)))


def hoisted(shader: Broken, call: w.Call) -> Iterator[Edit]:
    """The call's value is taken in a `let` in front of a statement around it."""
    if isinstance(shader.context.parent(call), w.CallStatement) or not shader.rules(call):
        return
    for along in takewhile(lambda along: not _separates(along, call), slices(shader, call)):
        cost, effect = _in_vain(shader, call)
        name = shader.context.quote(call.callee)
        yield Edit(
            tuple(_taken_before(along, call, along.written(call))),
            f"evaluate `{name}` before {shader.context.named(along.region[0])}",
            cost,
            effect,
            is_proven=cost is Cost.SAME and along.is_proven(call),
        )


def _separates(along: Slice, call: w.Call) -> bool:
    """Whether a call makes invocations wait for each other, and the region may access shared memory before it."""
    shader = along.shader
    nodes = [node for s in along.region for node in descendants(s) if not shader.context.contains(call, node)]
    loops = any(isinstance(node, LOOPS) for node in nodes)
    before = (n for n in nodes if isinstance(n, w.Identifier | w.Call) and (loops or n.start < call.start))
    return Rule.SYNCHRONIZATION in shader.rules(call) and any(map(shader.shares, before))


def with_identity(shader: Broken, call: w.Call) -> Iterator[Edit]:
    """A subgroup operation is taken before an `if`, of a value without effect where that keeps invocations away."""
    identity = _identity(shader, call)
    for along in slices(shader, call) if identity is not None else ():
        outer, (value,) = along.region[0], call.arguments
        if not isinstance(outer, w.If) or (condition := _way(shader, outer, along.region, call)) is None:
            continue
        text = f"{shader.text[call.start : value.start]}select({identity}, {along.written(value)}, {condition})"
        yield Edit(
            tuple(_taken_before(along, call, f"{text}{shader.text[value.end : call.end]}")),
            f"evaluate `{shader.context.quote(call.callee)}` before {shader.context.named(outer)}, or of `{identity}`",
            Cost.SAME,
            f"All invocations of the subgroup take part now; `{identity}` changes no result.",
            along.is_proven(value, outer.condition),
        )


def _way(shader: Broken, outer: w.If, region: Region, call: w.Call) -> str | None:
    """The condition of the `if` with which a region begins, under which a call behind or in it is evaluated: once."""
    block, statement = next(shader.statements_around(call))
    parts = list(takewhile(lambda node: node is not block, shader.context.around(call)))
    chooses = any(  # parts of which are not evaluated once
        n is not statement if isinstance(n, w.If) else isinstance(n, LOOPS) or getattr(n, "operator", "") in _CHOICES
        for n in parts
    )
    if chooses or not shader.is_plain(outer.condition):
        return None
    earlier = [n for s in region for n in descendants(s) if isinstance(n, JUMPS) and n.start < call.start]
    jumps = [n for n in earlier if n is not statement]
    if statement is region[-1] and statement is not outer:
        fits, holds = outer.orelse is None and jumps == [outer.then.statements[-1]], False
    else:
        fits, holds = not jumps and shader.context.parent(block) is outer, block is outer.then
    return (shader.written if holds else shader.opposite)(outer.condition) if fits else None


def _identity(shader: Broken, call: w.Call) -> str | None:
    """The value with which an invocation takes part in a subgroup operation without effect, if there is one."""
    type = shader.type(call.arguments[0]) if len(call.arguments) == 1 else None
    operation = call.callee.name.removeprefix("subgroup").removeprefix("Exclusive").removeprefix("Inclusive")
    if shader.resolution.builtin(call) is None or not isinstance(type, Scalar | Vector):
        return None
    scalar = component(type)
    if operation in _OF_INTEGERS and scalar in (I32, U32):
        number = _OF_INTEGERS[operation][scalar == U32]
    elif operation in _IDENTITIES:
        number = _IDENTITIES[operation] + _SUFFIXES[str(scalar)]
    else:
        return None
    return f"{shader.type_name(type)}({number})" if isinstance(type, Vector) else number


def _taken_before(along: Slice, call: w.Call, written: str) -> list[Patch]:
    """A `let` of a call in front of a region, and its name in place of the call."""
    shader, parent = along.shader, along.shader.context.parent(call)
    if isinstance(parent, w.Let) and parent is not along.region[0] and shader.count(parent.name) == 1:
        taken = shader.lines(parent, Patch(call.start, call.end, written))
        return [*along.before(taken, parent), shader.without(parent)]
    name = shader.fresh(shader.wish(call))
    return [*along.before([f"let {name} = {written};"], call), Patch(call.start, call.end, name)]


def _in_vain(shader: Broken, call: w.Call) -> tuple[Cost, str]:
    """What it means that all invocations evaluate a call."""
    rules = shader.rules(call)
    if Rule.SUBGROUP in rules:
        return Cost.RESULT, "All invocations of the subgroup take part now, also where the condition is false."
    if Rule.SYNCHRONIZATION in rules:
        return Cost.WAITS, "All invocations wait for each other there now."
    return Cost.SAME, "All invocations evaluate it now, even where it is not needed; its value is the same."


def with_gradients(shader: Broken, call: w.Call) -> Iterator[Edit]:
    """`textureSample` becomes `textureSampleGrad`, with derivatives that are taken before a statement around it.

    They are those of the coordinates, or of a part of them.
    """
    if call.callee.name != "textureSample" or shader.resolution.builtin(call) is None or _texture(shader, call)[0]:
        return
    names = [shader.fresh("dx"), shader.fresh("dy")]
    for part in _summands(call.arguments[2]):
        is_whole = part is call.arguments[2]
        for along in slices(shader, part):
            pairs = zip(names, ("dpdx", "dpdy"), strict=True)
            yield Edit(
                (
                    *along.before([f"let {name} = {f}({along.written(part)});" for name, f in pairs]),
                    Patch(call.callee.start, call.callee.end, _GRADIENTS),
                    shader.behind(call, _texture(shader, call)[1], ", ".join(names)),
                ),
                f"take the derivatives before {shader.context.named(along.region[0])}, and sample by `{_GRADIENTS}`",
                Cost.SAME if is_whole else Cost.ASSUMED,
                "The mip level is the same; only the derivatives are computed by all invocations."
                if is_whole
                else f"The mip level is the same if neighbours add the same to `{shader.written(part)}`.",
                is_proven=along.is_proven(part),
            )


def _summands(coordinates: w.Expression) -> Iterator[w.Expression]:
    """Coordinates, then what they are a sum of: an offset that neighbours share does not change a derivative."""
    yield coordinates
    if isinstance(coordinates, w.Binary) and coordinates.operator in "+-":
        yield from _summands(coordinates.left)
        if coordinates.operator == "+":
            yield from _summands(coordinates.right)


def with_level(shader: Broken, call: w.Call) -> Iterator[Edit]:
    """A sampling call becomes the one that takes the mip level 0."""
    name = _OF_LEVEL.get(call.callee.name)
    if name is None or shader.resolution.builtin(call) is None:
        return
    patches = [Patch(call.callee.start, call.callee.end, name)]
    is_depth, last = _texture(shader, call)
    if call.callee.name == "textureSampleBias":
        patches.append(Patch(call.arguments[last + 1].start, call.arguments[last + 1].end, "0.0"))
    elif call.callee.name == "textureSample":
        patches.append(shader.behind(call, last, "0" if is_depth else "0.0"))
    yield Edit(
        tuple(patches),
        f"sample mip level 0 by `{name}`",
        Cost.RESULT,
        "It always samples the largest mip level; a texture that is shown smaller may flicker.",
    )


def _texture(shader: Broken, call: w.Call) -> tuple[bool, int]:
    """Whether a built-in function samples a depth texture, and the number of the argument that says where."""
    found = shader.resolution.type(call.arguments[0])
    name = "" if found is None else found.name
    return name.startswith("texture_depth"), 2 + name.endswith("_array")


def silenced(shader: Broken, function: w.Function, call: w.Call) -> Iterator[Edit]:
    """`@diagnostic(off, ...)` on the function of a built-in call; synchronization cannot be switched off."""
    rules = shader.rules(call) & {Rule.DERIVATIVE, Rule.SUBGROUP}
    if len(rules) != 1 or shader.resolution.builtin(call) is None or has_filter(function.attributes):
        return
    (rule,) = rules
    undefined = "derivatives" if rule is Rule.DERIVATIVE else "results of the subgroup"
    yield Edit(
        (Patch(function.start, function.start, f"@diagnostic(off, {rule})\n"),),
        f"switch `{rule}` off in `{function.name}`",
        Cost.SILENT,
        f"Nothing is mended: where invocations have parted, {undefined} are undefined, and differ between devices.",
    )
