"""Repairs of control flow: all invocations reach what all must reach, and guards stand around everything else.

A barrier in a branch, behind an early `return` or in a loop that some invocations leave early is brought to where all
invocations come to it. The condition is kept in a `let`; what is not collective is done by those that it holds for.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import itemgetter

from wgsl_fuzz.fuzz.repair.edit import Cost, Edit, Patch, unwrapped
from wgsl_fuzz.fuzz.repair.shader import JUMPS, LOOPS, Broken, has
from wgsl_fuzz.wgsl import syntax as w
from wgsl_fuzz.wgsl.builtins import Rule
from wgsl_fuzz.wgsl.walk import descendants

_TO_AN_END = w.Return | w.Continue
_JUMPS = w.Return | w.Break | w.Continue
_DECLARATION = w.Let | w.Variable | w.Const
_SAME = "Each invocation does what it did before; all of them come to these calls."


class Unsuitable(Exception):
    """Statements cannot be rewritten in this way."""


def guarded(shader: Broken, call: w.Call) -> Iterator[Edit]:
    """The statements around a collective call, rewritten, in each block around it; the smallest block first."""
    for block, statement in shader.statements_around(call):
        ss = block.statements
        first = next(i for i, s in enumerate(ss) if s is statement or (isinstance(s, w.If) and has(s, _TO_AN_END)))
        where = shader.context.parent(block)
        skips = w.Return if isinstance(where, w.Function) else w.Continue if isinstance(where, LOOPS) else None
        try:
            patches = _Rewriting(shader).patches(ss[first:], skips)
        except Unsuitable:
            continue
        what = shader.context.named(where if where is not None else statement)
        what = f"let all invocations reach `{call.callee.name}` in {what}"
        yield Edit(patches, what, Cost.SAME, _SAME, is_proven=shader.only_samples(ss[first:]))


_Statements = Sequence[w.Statement]
_Jump = type[w.Return] | type[w.Continue] | None
"""The jump that leads to the end of some statements, if one does: a `return` in a loop ends more than an iteration."""


class _Rewriting:
    """Writes statements anew; a guard is the name of a `let`, or None as long as all invocations are there."""

    def __init__(self, shader: Broken) -> None:
        self.shader = shader
        self.taken: set[str] = set()
        self.flag = shader.fresh("inside")
        """The name of the guard in functions that are handed one."""
        self.flagged: dict[int, tuple[w.Function, list[str]]] = {}
        """By `id`, the functions that are handed a guard, and their bodies."""

    def patches(self, ss: _Statements, skips: _Jump) -> tuple[Patch, ...]:
        """What writes some statements anew, the functions that are handed a guard, and all calls of these."""
        lines = _without_unused(self.block(ss, None, skips))
        if self.flagged:  # also what is called in front of the guard
            self.taken.clear()
            lines = _without_unused(self.block(ss, None, skips))
        parts = [(ss, lines), *((f.body.statements, body) for f, body in self.flagged.values())]
        patches = [
            Patch(
                self.shader.start(part[0]),
                self.shader.end(part[-1]),
                self.shader.indented(body, part[0]),
            )
            for part, body in parts
        ]
        inside = [(part[0].start, part[-1].end) for part, _ in parts]
        flagged = [f for f, _ in self.flagged.values()]
        patches += self.shader.handed(
            flagged, f"{self.flag}: bool", lambda call: "" if any(a <= call.start < b for a, b in inside) else "true"
        )
        return tuple(patches)

    def block(self, ss: Sequence[w.Statement], guard: str | None, skips: _Jump) -> list[str]:
        """The lines of some statements; a jump `skips` the rest of them, which a guard does too."""
        pieces: list[tuple[str | None, list[str]]] = []
        meets = [self.shader.collective(s) for s in ss]
        for i, s in enumerate(ss):
            ahead, jump = any(meets[i:]), _jump_at_end(s)
            if not ahead and skips is w.Return and isinstance(s, w.Return) and s.value is not None:
                if not self.shader.is_pure(s.value):
                    raise Unsuitable
                pieces.append((None, self.lines(s)))
            elif ahead and meets[i]:
                pieces.append((None, self.collective(s, guard)))
            elif ahead and isinstance(s, w.If) and jump is not None:
                if skips is None or not isinstance(jump, skips):
                    raise Unsuitable
                lines, guard = self.leaving(s, guard)
                pieces.append((None, lines))
            elif ahead and has(s, JUMPS):
                raise Unsuitable
            elif ahead and guard is not None and isinstance(s, _DECLARATION):
                pieces.append((None, self.declaration(s, guard)))
            else:
                pieces.append((guard, self.lines(s)))
            if i and self.shader.is_apart(s):
                pieces[-1][1].insert(0, "")
        groups = [
            (under, [line for _, lines in group for line in lines]) for under, group in groupby(pieces, itemgetter(0))
        ]
        return [line for under, lines in groups for line in self.shader.branch(under, lines)]

    def lines(self, s: w.Statement) -> list[str]:
        """A statement as it is written."""
        if any(id(self.shader.resolution.function(call)) in self.flagged for call in self.shader.collective(s)):
            raise Unsuitable
        return self.shader.lines(s)

    def condition(
        self, e: w.Expression, guard: str | None, *, holds: bool = True, wish: str = "inside"
    ) -> tuple[str, str]:
        """A `let` of a condition or its opposite for those that a guard lets in: the line, and its name."""
        if not self.shader.is_plain(e):
            raise Unsuitable
        text = unwrapped(self.shader.written(e).strip()) if holds else self.shader.opposite(e)
        if guard is not None and (isinstance(e, w.Binary) if holds else "||" in text):
            text = f"({text})"
        name = self.fresh(wish)
        return f"let {name} = {text if guard is None else f'{guard} && {text}'};", name

    def fresh(self, wish: str) -> str:
        """A name that the shader does not have, and that no other guard has got."""
        name = self.shader.fresh(wish, self.taken)
        self.taken.add(name)
        return name

    def leaving(self, s: w.If, guard: str | None) -> tuple[list[str], str]:
        """An `if` whose branch ends by leaving: what it does before that, and the guard of what follows."""
        *before, jump = s.then.statements
        inside = any(has(b, _JUMPS) for b in before)
        if s.orelse is not None or inside or (isinstance(jump, w.Return) and jump.value is not None):
            raise Unsuitable
        line, name = self.condition(s.condition, guard, holds=bool(before), wish="leaves" if before else "inside")
        lines = [*self.shader.comments_above(s), line + self.shader.text[s.end : self.shader.end(s)]]
        if before:
            lines += self.shader.branch(name, self.block(before, None, None))
            left, name = name, self.fresh("inside")
            lines.append(f"let {name} = {f'{guard} && ' if guard else ''}!{left};")
        return lines, name

    def declaration(self, s: w.Let | w.Variable | w.Const, guard: str) -> list[str]:
        """A declaration between collective calls: its value is taken by all unless that races or changes anything."""
        if s.value is None or (self.shader.is_pure(s.value) and not self.shader.shares(s.value)):
            return self.lines(s)
        type = self.shader.type(s.value)
        if type is None:
            raise Unsuitable
        written = self.shader.written(s.type) if s.type is not None else self.shader.type_name(type)
        value = f"{s.name} = {self.shader.written(s.value)};"
        declared = [*self.shader.comments_above(s), f"var {s.name}: {written};"]
        return [*declared, *self.shader.branch(guard, [value])]

    def collective(self, s: w.Statement, guard: str | None) -> list[str]:
        """A statement that has a collective call in it."""
        match s:
            case w.CallStatement() if self.is_reached_by_all(s):
                return self.lines(s)
            case w.Let() | w.Variable() if s.value is not None and self.is_reached_by_all(s.value):
                return self.lines(s)
            case w.CallStatement(call=call) | w.Let(value=w.Call() as call) if self.shader.resolution.function(call):
                return self.calling(s, call, guard)
            case w.If():
                return self.branches(s, guard)
            case w.Block(attributes=()):
                return [*self.shader.comments_above(s), *self.shader.braced("", self.block(s.statements, guard, None))]
            case w.For() | w.While() | w.Loop():
                return self.iterated(s, guard)
        return self.lines(s) if guard is None else self.evaluated(s, guard)

    def evaluated(self, s: w.Statement, guard: str) -> list[str]:
        """A statement with derivatives, which all invocations take in front of the guard."""
        calls = self.shader.collective(s)
        rules = {rule for call in calls for rule in self.shader.rules(call)}
        simple = isinstance(s, w.Assign | w.Let | w.Variable) and rules <= {Rule.DERIVATIVE}
        if not simple or not self.shader.is_pure(s) or any(map(self.shader.shares, calls)):
            raise Unsuitable
        outer = [n for n in calls if not any(n is not m and self.shader.context.contains(m, n) for m in calls)]
        names = [self.fresh(self.shader.wish(call)) for call in outer]
        lines = [f"let {name} = {self.shader.written(call)};" for name, call in zip(names, outer, strict=True)]
        patches = [Patch(n.start, n.end, name) for name, n in zip(names, outer, strict=True)]
        rest = self.shader.lines(s, *patches)
        return [*lines, *(self.shader.branch(guard, rest) if isinstance(s, w.Assign) else rest)]

    def calling(self, s: w.Statement, call: w.Call, guard: str | None) -> list[str]:
        """A call of a function that is handed the guard."""
        function = self.shader.resolution.function(call)
        if guard is None and id(function) not in self.flagged:
            return self.lines(s)
        if function is None or not all(map(self.shader.is_pure, call.arguments)):
            raise Unsuitable
        if id(function) not in self.flagged:
            self.flagged[id(function)] = function, []
            taken, self.taken = self.taken, {self.flag}
            self.flagged[id(function)] = function, self.block(function.body.statements, self.flag, w.Return)
            self.taken = taken
        return self.shader.lines(s, self.shader.one_more(call, guard or "true"))

    def is_reached_by_all(self, s: w.Node) -> bool:
        """Whether more invocations may evaluate what is collective in a statement: barriers and uniform loads."""
        effects = map(self.shader.effects, self.shader.collective(s))
        return self.shader.is_pure(s) and all(e.rules <= {Rule.SYNCHRONIZATION} and not e.loops for e in effects)

    def branches(self, s: w.If, guard: str | None) -> list[str]:
        """An `if` with something collective in a branch: both branches, each with a guard."""
        orelse = s.orelse
        other = () if orelse is None else orelse.statements if isinstance(orelse, w.Block) else (orelse,)
        declared = [d for d in (*s.then.statements, *other) if isinstance(d, _DECLARATION)]
        if s.attributes or has(s, _JUMPS) or any(self.shader.count(d.name) > 1 for d in declared):
            raise Unsuitable
        line, name = self.condition(s.condition, guard)
        lines = [*self.shader.comments_above(s), line]
        negated = self.fresh("outside") if other else ""
        outside = [f"let {negated} = {f'{guard} && ' if guard else ''}!{name};"] if other else []
        if any(map(self.shader.collective, s.then.statements)) and any(map(self.shader.collective, other)):
            return [*lines, *outside, *self.merged((s.then.statements, other), (name, negated))]
        then = self.block(s.then.statements, name, None)
        return [*lines, *then, *outside, *self.block(other, negated, None)]

    def merged(self, arms: Sequence[_Statements], guards: Sequence[str]) -> list[str]:
        """Two branches with the same barriers, which all invocations then reach together."""
        places = [next((i for i, s in enumerate(ss) if self.shader.collective(s)), len(ss)) for ss in arms]
        parts = zip(arms, guards, places, strict=True)
        lines = [line for ss, guard, i in parts for line in self.block(ss[:i], guard, None)]
        first, second = (ss[i : i + 1] for ss, i in zip(arms, places, strict=True))
        if not first and not second:
            return lines
        match first, second:
            case (w.CallStatement(call=one),), (w.CallStatement(call=other),) if self.is_reached_by_all(one):
                if not one.arguments and self.shader.written(one) == self.shader.written(other):
                    rest = [ss[i + 1 :] for ss, i in zip(arms, places, strict=True)]
                    return [*lines, f"{self.shader.written(one)};", *self.merged(rest, guards)]
        raise Unsuitable

    def iterated(self, s: w.For | w.While | w.Loop, guard: str | None) -> list[str]:
        """A loop that all invocations run: the guard is inside it."""
        header = self.shader.text[s.start : s.body.start].rstrip()
        steady = isinstance(s, w.For) and _is_steady(self.shader, s)  # those that stay outside run it as often
        sampled = any(Rule.DERIVATIVE in self.shader.rules(n) for n in self.shader.collective(s))  # never in vain
        is_plain = not s.body.attributes and not (isinstance(s, w.Loop) and s.continuing is not None)
        if not is_plain or (guard is not None and (sampled or not steady)):
            raise Unsuitable
        body = self.block(s.body.statements, guard, w.Continue)
        return [*self.shader.comments_above(s), *self.shader.braced(f"{header} ", body)]


def _without_unused(lines: Sequence[str]) -> list[str]:
    """Lines without guards that nothing asks for."""
    text = "\n".join(lines)
    lets = ((line, re.match(r"\s*let ((?:inside|outside|leaves)\d*) =", line)) for line in lines)
    return [line for line, let in lets if let is None or len(re.findall(rf"\b{let[1]}\b", text)) > 1]


def _jump_at_end(s: w.Statement) -> w.Return | w.Continue | None:
    """The `return` or `continue` with which the branch of an `if` ends."""
    match s:
        case w.If(then=w.Block(statements=(*_, (w.Return() | w.Continue()) as jump))):
            return jump
    return None


def evened(shader: Broken, call: w.Call) -> Iterator[Edit]:
    """A `for` loop whose bounds differ between invocations is run to a bound that is the same for all."""
    for s in (outer for outer in shader.context.around(call) if isinstance(outer, w.For)):
        for header, first, guard in _even_loops(shader, s):
            try:
                body = _Rewriting(shader).block(s.body.statements, guard, w.Continue)
            except Unsuitable:
                continue
            text = shader.indented(shader.braced(header, [*first, *body]), s)
            what = f"run {shader.context.named(s)} equally often in all invocations, with a guard inside"
            yield Edit((Patch(s.start, s.end, text),), what, Cost.SAME, _SAME)


def _is_steady(shader: Broken, s: w.For) -> bool:
    """Whether the body of a loop has no influence on how often it runs, and the header changes only its counter."""
    parts = [part for part in (s.initial, s.condition, s.update) if part is not None]
    changed = [n.left for part in parts for n in descendants(part) if isinstance(n, w.Assign | w.Increment)]
    reads = [d for part in parts for d in shader.reads(part)]
    return (
        all(map(shader.is_pure, parts))
        and all(shader.resolution.root(left) is s.initial for left in changed)
        and not any(shader.may_change(d, s.body) for d in reads)
    )


def _even_loops(shader: Broken, s: w.For) -> Iterator[tuple[str, Sequence[str], str]]:
    """`for (var i = a; i < b; i += c)`, from 0 or to one of the bounds in `b`: header, first lines, guard."""
    match s:
        case w.For(
            initial=w.Variable(name=name, value=w.Node() as start),
            condition=w.Binary(operator="<" | "<=" as sign, left=w.Identifier(name=left), right=bound) as condition,
            update=w.Assign(operator="+=") | w.Increment(operator="++") as update,
        ) if isinstance(update.left, w.Identifier) and name == left == update.left.name and _is_steady(shader, s):
            size = shader.written(update.right) if isinstance(update, w.Assign) else "1"
        case _:
            return
    guard = shader.fresh("within")
    check = f"let {guard} = {shader.written(condition)};"
    type = shader.type(start)
    if type is not None and str(type) == "u32" and not isinstance(start, w.Literal):
        base = shader.fresh("base")
        header = f"for (var {base} = 0u; {base} {sign} {shader.written(bound)}; {base} += {size}) "
        again = f"let {name} = {base} + {shader.written(start)};"
        wraps = f"{check[:-1]} && {name} >= {base};"
        yield header, (again, wraps), guard
    header_end = shader.text[condition.end : s.body.start].rstrip()
    for common in _bounds(shader, bound):
        header = f"{shader.text[s.start : bound.start]}{shader.written(common)}{header_end} "
        yield header, (check,), guard


def _bounds(shader: Broken, bound: w.Expression) -> Iterator[w.Expression]:
    """What a bound is at most: an argument of `min`, also behind the name of a `let`."""
    declared = shader.resolution.declaration(bound) if isinstance(bound, w.Identifier) else None
    if isinstance(declared, w.Let):
        bound = declared.value
    if isinstance(bound, w.Call) and bound.callee.name == "min" and shader.resolution.builtin(bound) is not None:
        yield from bound.arguments
