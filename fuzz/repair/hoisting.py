"""Repairs of calls that give a value: taken earlier, chosen by `select`, or replaced by a call without derivatives."""

from collections.abc import Iterator

from wgsl_fuzz.fuzz.repair.edit import Cost, Edit, Patch
from wgsl_fuzz.fuzz.repair.shader import Broken, Region
from wgsl_fuzz.wgsl import syntax as w
from wgsl_fuzz.wgsl.builtins import Rule
from wgsl_fuzz.wgsl.types import Scalar, Vector
from wgsl_fuzz.wgsl.walk import descendants

_EVERYWHERE = "All invocations evaluate it now, even where it is not needed; its value is the same."
_NAMES = (("textureSample", "sampled"), ("dpd", "derivative"), ("fwidth", "width"), ("workgroup", "loaded"))
_IDENTITIES = {"Add": "0", "Or": "0", "Xor": "0", "Mul": "1", "Any": "false", "Ballot": "false", "All": "true"}
_SUFFIXES = {"i32": "", "u32": "u", "f32": ".0", "f16": ".0h", "bool": ""}
_CHOICES = ("&&", "||")
_JUMPS = w.Return | w.Break | w.Continue | w.Discard
_SAMPLED = frozenset({"textureSample", "textureSampleBias", "textureSampleCompare"})
"""The built-in functions that choose a mip level by derivatives."""


class _Lets:
    """The `let` declarations that have to move with an expression, so that it can stand before a region."""

    def __init__(self, shader: Broken, region: Region) -> None:
        self.shader, self.region = shader, region
        self.moved: list[w.Let] = []

    def fits(self, e: w.Node) -> bool:
        """Whether an expression has the same value before the region, if the declarations in `moved` move along."""
        if not self.shader.is_pure(e):
            return False
        return all(self._is_there(declared) for declared in self.shader.reads(e))

    def _is_there(self, declared: w.Node) -> bool:
        inside = any(self.shader.context.contains(s, declared) for s in self.region)
        if not inside:
            return not self.shader.may_change(declared, *self.region)
        if not isinstance(declared, w.Let) or not self.shader.is_unique(declared.name):
            return False
        if all(declared is not one for one in self.moved):
            if self.shader.resolution.is_pointer(declared.value) or not self.fits(declared.value):
                return False
            self.moved.append(declared)
        return True

    def lines(self) -> list[str]:
        """The moved declarations as they are written, in the order in which they depend on each other."""
        return [self.shader.written(let) for let in self.moved]

    def removals(self) -> list[Patch]:
        """Patches that delete them where they stand."""
        return [_without_line(self.shader.text, let) for let in self.moved]


def _without_line(text: str, statement: w.Statement) -> Patch:
    """Deletes a statement, and its line if nothing else is on it."""
    start, end = statement.start, statement.end
    while start and text[start - 1] in " \t":
        start -= 1
    if text[end : end + 1] == ";":
        end += 1
    alone = (not start or text[start - 1] in "\r\n") and (end == len(text) or text[end] in "\r\n")
    return Patch(start, end + 1, "") if alone else Patch(statement.start, end, "")


def hoisted(shader: Broken, call: w.Call) -> Iterator[Edit]:
    """The call's value is taken in a `let` in front of a statement around it."""
    if isinstance(shader.context.parent(call), w.CallStatement) or not shader.needs_all(call):
        return
    for region in shader.regions(call):
        lets = _Lets(shader, region)
        if not lets.fits(call) or _separates(shader, region, call):
            return
        cost, effect = _in_vain(shader, call)
        name = shader.context.quote(call.callee)
        yield Edit(
            (*_taken_before(shader, region, lets, call), *lets.removals()),
            f"evaluate `{name}` before {shader.context.named(region[0])}",
            cost,
            effect,
            is_proven=_is_proven(shader, cost, call, *lets.moved),
        )


def _is_proven(shader: Broken, cost: Cost, *values: w.Node) -> bool:
    """Whether taking pure values early changes nothing: nobody meets in them, they end, and they cannot race."""
    if cost is not Cost.SAME or any(map(shader.shares, values)):
        return False
    calls = [shader.effects(call) for value in values for call in descendants(value) if isinstance(call, w.Call)]
    return all(call.rules <= {None, Rule.DERIVATIVE} and not call.loops for call in calls)


def _separates(shader: Broken, region: Region, call: w.Call) -> bool:
    """Whether a call makes invocations wait for each other, and the region may access shared memory before it."""
    nodes = [node for s in region for node in descendants(s) if not shader.context.contains(call, node)]
    loops = any(isinstance(node, w.For | w.While | w.Loop) for node in nodes)
    before = (n for n in nodes if isinstance(n, w.Identifier | w.Call) and (loops or n.start < call.start))
    return Rule.SYNCHRONIZATION in shader.rules(call) and any(map(shader.shares, before))


def with_identity(shader: Broken, call: w.Call) -> Iterator[Edit]:
    """A subgroup operation is taken before an `if`, of a value without effect where it is not entered."""
    identity = _identity(shader, call)
    if identity is None:
        return
    block, statement = next(shader.statements_around(call))
    outer = shader.context.parent(block)
    if not isinstance(outer, w.If) or not isinstance(shader.context.parent(outer), w.Block):
        return
    lets, (value,) = _Lets(shader, (outer,)), call.arguments
    chooses = any(
        isinstance(n, w.Block) or (isinstance(n, w.Binary) and n.operator in _CHOICES) for n in descendants(statement)
    )
    leaves = any(isinstance(n, _JUMPS) and n is not statement and n.start < call.start for n in descendants(outer))
    if chooses or leaves:
        return
    if shader.is_collective(outer.condition) or not lets.fits(call) or not lets.fits(outer.condition):
        return
    condition = shader.written(outer.condition) if block is outer.then else f"!({shader.written(outer.condition)})"
    text = f"{shader.text[call.start : value.start]}select({identity}, {shader.written(value)}, {condition})"
    yield Edit(
        (*_taken_before(shader, (outer,), lets, call, f"{text}{shader.text[value.end : call.end]}"), *lets.removals()),
        f"evaluate `{shader.context.quote(call.callee)}` before {shader.context.named(outer)}, or of `{identity}`",
        Cost.SAME,
        f"All invocations of the subgroup take part now; `{identity}` changes no result.",
        _is_proven(shader, Cost.SAME, value, outer.condition, *lets.moved),
    )


def _identity(shader: Broken, call: w.Call) -> str | None:
    """The value with which an invocation takes part in a subgroup operation without effect, if there is one."""
    type = shader.type(call.arguments[0]) if len(call.arguments) == 1 else None
    operation = call.callee.name.removeprefix("subgroup").removeprefix("Exclusive").removeprefix("Inclusive")
    number = _IDENTITIES.get(operation)
    if number is None or shader.resolution.builtin(call) is None or not isinstance(type, Scalar | Vector):
        return None
    return f"{type}({number})" if isinstance(type, Vector) else number + _SUFFIXES[type.name]


def _taken_before(shader: Broken, region: Region, lets: _Lets, call: w.Call, written: str = "") -> Iterator[Patch]:
    """A `let` of a call in front of a region, and its name in place of the call."""
    parent = shader.context.parent(call)
    if not written and isinstance(parent, w.Let) and parent is not region[0] and shader.is_unique(parent.name):
        yield shader.before(region[0], *lets.lines(), shader.written(parent))
        yield _without_line(shader.text, parent)
        return
    name = shader.fresh(next((n for start, n in _NAMES if call.callee.name.startswith(start)), "result"))
    yield shader.before(region[0], *lets.lines(), f"let {name} = {written or shader.written(call)};")
    yield Patch(call.start, call.end, name)


def _in_vain(shader: Broken, call: w.Call) -> tuple[Cost, str]:
    """What it means that all invocations evaluate a call."""
    rules = shader.rules(call)
    if Rule.SUBGROUP in rules:
        return (
            Cost.RESULT,
            "All invocations of the subgroup take part now, also those for which the condition is false.",
        )
    if Rule.SYNCHRONIZATION in rules:
        return Cost.WAITS, "All invocations wait for each other there now."
    return Cost.SAME, _EVERYWHERE


# -------------------------------------------------------------------------------------------------- mip levels


def with_gradients(shader: Broken, call: w.Call) -> Iterator[Edit]:
    """`textureSample` becomes `textureSampleGrad`, with derivatives that are taken before a statement around it."""
    if call.callee.name != "textureSample" or shader.resolution.builtin(call) is None or _is_depth(shader, call):
        return
    for part in _summands(call.arguments[2]):
        for region in shader.regions(call):
            lets = _Lets(shader, region)
            if not lets.fits(part):
                break
            yield _gradient_edit(shader, call, part, region, lets)


def _gradient_edit(shader: Broken, call: w.Call, part: w.Expression, region: Region, lets: _Lets) -> Edit:
    """`textureSampleGrad` with the derivatives of the coordinates, or of a part of them, taken before a region."""
    names = [shader.fresh("dx"), shader.fresh("dy")]
    lines = [f"let {name} = {f}({shader.written(part)});" for name, f in zip(names, ("dpdx", "dpdy"), strict=True)]
    end = call.arguments[2 + _is_array(shader, call)].end
    is_whole = part is call.arguments[2]
    same = "The mip level is the same; only the derivatives are computed by all invocations."
    assumed = f"The mip level is the same if neighbours add the same to `{shader.written(part)}`."
    return Edit(
        (
            shader.before(region[0], *lets.lines(), *lines),
            Patch(call.callee.start, call.callee.end, "textureSampleGrad"),
            Patch(end, end, f", {', '.join(names)}"),
            *lets.removals(),
        ),
        f"take the derivatives before {shader.context.named(region[0])}, and sample by `textureSampleGrad`",
        Cost.SAME if is_whole else Cost.ASSUMED,
        same if is_whole else assumed,
        is_proven=_is_proven(shader, Cost.SAME, part, *lets.moved),
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
    if call.callee.name not in _SAMPLED or shader.resolution.builtin(call) is None:
        return
    patches = [Patch(call.callee.start, call.callee.end, "textureSampleLevel")]
    end = call.arguments[2 + _is_array(shader, call)].end
    if call.callee.name == "textureSampleCompare":
        patches = [Patch(call.callee.start, call.callee.end, "textureSampleCompareLevel")]
    elif call.callee.name == "textureSampleBias":
        bias = call.arguments[3 + _is_array(shader, call)]
        patches.append(Patch(bias.start, bias.end, "0.0"))
    else:
        patches.append(Patch(end, end, ", 0" if _is_depth(shader, call) else ", 0.0"))
    yield Edit(
        tuple(patches),
        f"sample mip level 0 by `{patches[0].text}`",
        Cost.RESULT,
        "It always samples the largest mip level; a texture that is shown smaller may flicker.",
    )


def _texture(shader: Broken, call: w.Call) -> str:
    """The type of the texture that a built-in function samples, without its template."""
    found = shader.resolution.type(call.arguments[0])
    return "" if found is None else found.name


def _is_array(shader: Broken, call: w.Call) -> bool:
    return _texture(shader, call).endswith("_array")


def _is_depth(shader: Broken, call: w.Call) -> bool:
    return _texture(shader, call).startswith("texture_depth")


# ------------------------------------------------------------------------------------------------------ filters


def silenced(shader: Broken, function: w.Function, call: w.Call) -> Iterator[Edit]:
    """`@diagnostic(off, ...)` on the function; synchronization cannot be switched off."""
    rules = shader.rules(call) & {Rule.DERIVATIVE, Rule.SUBGROUP}
    if len(rules) != 1 or any(a.name == "diagnostic" for a in function.attributes):
        return
    (rule,) = rules
    undefined = "derivatives" if rule is Rule.DERIVATIVE else "results of the subgroup"
    yield Edit(
        (shader.before(function, f"@diagnostic(off, {rule})"),),
        f"switch `{rule}` off in `{function.name}`",
        Cost.SILENT,
        f"Nothing is mended: where invocations have parted, {undefined} are undefined, and differ between devices.",
    )
