"""How often shapes are drawn in which compilers had bugs: in how many modules each occurs, and decides.

    python benchmarks/shapes.py [--modules 5000] [--language mixed] [--language subgroups] [--least 1]

An occurrence names the parts of a module that make the shape: a loop and what it does through a pointer parameter, a
call and what it stores. The shape *decides* a module if the verdict changes whenever one of the parts is taken away:
a statement is left out, an expression replaced by a zero. A compiler with a mistake there would then answer otherwise.
A few shapes are rules of their own: they decide where a broken variant of that rule has another verdict.
The modules are those of a campaign; no result depends on the workers.
"""

import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from multiprocessing import Pool
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.module_power import modules_of
from wgsl_fuzz.fuzz.cases.plan import LANGUAGES, MIXED, Plan
from wgsl_fuzz.fuzz.reduction.context import Context, Mode
from wgsl_fuzz.fuzz.reduction.search import valid
from wgsl_fuzz.oracle.rules.uniformity.coverage import arms, deciding_arms
from wgsl_fuzz.oracle.rules.uniformity.revisions import judge_wgsl
from wgsl_fuzz.wgsl import syntax as w
from wgsl_fuzz.wgsl.builtins import FUNCTIONS, Rule, words
from wgsl_fuzz.wgsl.problems import WgslError
from wgsl_fuzz.wgsl.resolution import Pointer, Resolution, Root, Space, is_swizzle
from wgsl_fuzz.wgsl.rewrite import Misfit, Nodes, Place, rebuilt
from wgsl_fuzz.wgsl.walk import descendants

Cut = Mapping[int, Nodes]
"""A part of a module that is taken away: what stands for nodes, by their identity."""
Occurrences = Iterator[Sequence[Cut]]
LOOPS = (w.Loop, w.While, w.For)
CHANGES = (w.Assign, w.Increment)
JUMPS = (w.Return, w.Break, w.Continue)
NONE: Nodes = ()
LETTERS = {*"xyzwrgba"}


class Seen(Context):
    """A module, with what shapes ask of it."""

    def __init__(self, resolution: Resolution) -> None:
        super().__init__(resolution)
        self.verdict = judge_wgsl(resolution).verdict

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

    def places_in(self, root: w.Node) -> Iterator[Place]:
        """The places of a node and of all below it."""
        return (self.place_of(n) for n in descendants(root))

    @cached_property
    def pointed(self) -> list[tuple[w.Function, w.Parameter, Pointer]]:
        """The pointer parameters of all functions."""
        pairs = [(f, p, self.resolution.pointer(p)) for f in self.resolution.functions for p in f.parameters]
        return [(f, p, pointer) for f, p, pointer in pairs if pointer is not None]

    def zeroed(self, e: w.Node) -> Cut:
        """A value becomes a zero; nothing if it is none."""
        if not isinstance(e, w.Expression) or self.modes.get(id(e)) is not Mode.VALUE:
            return {}
        try:
            return {id(e): self.zero(self.types.of(e))}
        except Misfit:
            return {}

    def without_contents(self, root: w.Node, parameter: Root) -> Cut:
        """What a part of a function stores and reads through a pointer parameter is gone."""
        cut: dict[int, Nodes] = {}
        for n in descendants(root):
            if isinstance(n, CHANGES) and self.resolution.root(n.left) is parameter:
                cut[id(n)] = NONE
            elif isinstance(n, w.Unary) and n.operator == "*" and self.resolution.root(n) is parameter:
                cut.update(self.zeroed(n))
        return cut

    def without_stores(self, call: w.Call) -> Cut:
        """The function that is called, and those that it calls, store nothing through pointer parameters."""
        function = self.resolution.function(call)
        todo = [] if function is None else [function]
        cut: dict[int, Nodes] = {}
        for f in todo:
            changed = [n for n in descendants(f.body) if isinstance(n, CHANGES)]
            cut.update({id(n): NONE for n in changed if isinstance(self.resolution.root(n.left), w.Parameter)})
            todo += [g for g in self.resolution.callees(f) if g not in todo]
        return cut

    def without_requirements(self, root: w.Node) -> Cut:
        """No built-in function called below a node, or by what is called there, requires uniform control flow."""
        cut: dict[int, Nodes] = {}
        todo: list[w.Node] = [root]
        for part in todo:
            for call in (n for n in descendants(part) if isinstance(n, w.Call)):
                row, function = self.resolution.builtin(call), self.resolution.function(call)
                if row is not None and row.rule is not None:
                    place = self.place_of(call)
                    of_none = {id(place.parent): NONE} if isinstance(place.parent, w.CallStatement) else {}
                    cut.update(of_none or self.zeroed(call))
                elif function is not None and all(function is not known for known in todo):
                    todo.append(function)
        return cut

    def arms(self, *beginnings: str) -> Occurrences:
        """One occurrence without parts, which decides if a broken variant with such a name differs."""
        names = {v.name for v in arms() if v.name.startswith(beginnings)}
        yield () if deciding_arms(self.resolution, only=names) else ({},)


def contents(s: Seen, kind: tuple[type[w.Node], ...] = (), *, orelse: bool = False) -> Occurrences:
    """A construct in a function, around what is stored or read through a pointer parameter."""
    for f, parameter, _ in s.pointed:
        for place in s.places_in(f.body):
            n = place.node
            if not (isinstance(n, w.Block) and place.field == "orelse" if orelse else isinstance(n, kind)):
                continue
            around: w.Node | None = n
            if isinstance(n, w.Break | w.Continue):
                around = next((p.node for p in place.outwards() if isinstance(p.node, (*LOOPS, w.Switch))), None)
            inner = s.without_contents(around, parameter) if isinstance(around, (*LOOPS, w.Switch, w.Block)) else {}
            if inner:
                yield {id(n): NONE}, inner


def storing(s: Seen, stands: Callable[[Seen, w.Call, Place], bool]) -> Occurrences:
    """A call that stores through a pointer, at a place of an expression."""
    for places in s.calls.values():
        for place in places:
            call = place.node
            assert isinstance(call, w.Call)
            stores = s.without_stores(call)
            if stores and stands(s, call, place):
                yield s.zeroed(call), stores


def top(place: Place) -> Place:
    """The whole expression that something is part of."""
    while isinstance(place.parent, w.Expression):
        assert place.above is not None
        place = place.above
    return place


def in_field(kind: type[w.Node] | tuple[type[w.Node], ...], field: str) -> Callable[[Seen, w.Call, Place], bool]:
    """Whether a call is part of a field of such a statement; a `for` counts as what stands in its head."""

    def stands(_s: Seen, _call: w.Call, place: Place) -> bool:
        outer = top(place)
        if field == "initial":
            return outer.above is not None and outer.above.field == "initial"
        return isinstance(outer.parent, kind) and outer.field == field and outer.above is not None

    return stands


def in_else_if(_s: Seen, _call: w.Call, place: Place) -> bool:
    outer = top(place)
    return isinstance(outer.parent, w.If) and outer.above is not None and outer.above.field == "orelse"


def in_variable(s: Seen, call: w.Call, place: Place) -> bool:
    return in_field(w.Variable, "value")(s, call, place) and not in_field(w.For, "initial")(s, call, place)


def in_builtin(s: Seen, _call: w.Call, place: Place) -> bool:
    return isinstance(place.parent, w.Call) and s.resolution.builtin(place.parent) is not None


def in_compound(s: Seen, call: w.Call, place: Place) -> bool:
    parent = top(place).parent
    return in_field(w.Assign, "right")(s, call, place) and isinstance(parent, w.Assign) and parent.operator != "="


def passed_on(s: Seen, call: w.Call, place: Place) -> bool:
    """Whether a call on the right of `&&` or `||` hands a pointer parameter on."""
    right = any(
        p.field == "right" and isinstance(p.parent, w.Binary) and p.parent.operator in ("&&", "||")
        for p in place.outwards()
    )
    return right and any(isinstance(s.resolution.root(e), w.Parameter) for e in call.arguments)


def branches(n: w.Node) -> list[w.Block]:
    """What an `if` or a `switch` chooses from."""
    if isinstance(n, w.Switch):
        return [clause.body for clause in n.clauses]
    return [n.then, *([n.orelse] if isinstance(n.orelse, w.Block) else [])] if isinstance(n, w.If) else []


def assigns_in(s: Seen, block: w.Block) -> Iterator[tuple[w.Node, Root]]:
    """The full assignments to variables at the top of a block."""
    for n in block.statements:
        root = s.resolution.root(n.left) if isinstance(n, w.Assign) and n.operator == "=" else None
        if root is not None and isinstance(n, w.Assign) and s.resolution.is_full(n.left):
            yield n, root


def overwritten(s: Seen) -> Occurrences:
    """Each path that falls through assigns a variable, and another path leaves: both are why a module is accepted."""
    for place in s.places:
        for block in branches(place.node):
            for assign, _ in assigns_in(s, block):
                for other in branches(place.node):
                    jump = other.statements[-1] if other.statements and other is not block else None
                    if isinstance(jump, JUMPS):
                        yield {id(assign): NONE}, {id(jump): NONE}


def only_in_else(s: Seen) -> Occurrences:
    for place in s.places:
        both = branches(place.node) if isinstance(place.node, w.If) else []
        if len(both) == 2:
            then = {id(root) for _, root in assigns_in(s, both[0])}
            for assign, root in assigns_in(s, both[1]):
                if id(root) not in then:
                    yield ({id(assign): NONE},)


def clauses(s: Seen, kept: Callable[[w.Switch, int], bool], *, gone: bool = False) -> Occurrences:
    """A clause of a `switch`, emptied or left out."""
    for place in s.places:
        n = place.node
        for i, clause in enumerate(n.clauses if isinstance(n, w.Switch) else ()):
            assert isinstance(n, w.Switch)
            if kept(n, i):
                yield ({id(clause): NONE} if gone else {id(clause.body): w.Block(())},)


def loop_in_clause(s: Seen) -> Occurrences:
    for place in s.places:
        if isinstance(place.node, LOOPS):
            around = [p.node for p in place.outwards() if isinstance(p.node, (*LOOPS, w.Clause))]
            if len(around) > 1 and isinstance(around[1], w.Clause):
                yield ({id(place.node): NONE},)


def requiring(s: Seen, stands: Callable[[Place], bool]) -> Occurrences:
    """A call that requires uniform control flow, or calls what does."""
    for place in s.places:
        if isinstance(place.node, w.Call) and any(stands(p) for p in place.outwards()):
            cut = s.without_requirements(place.node)
            if cut:
                yield (cut,)


def in_stored_index(p: Place) -> bool:
    return p.field == "index" and any(o.field == "left" and isinstance(o.parent, CHANGES) for o in p.outwards())


def left_of_and(p: Place) -> bool:
    return p.field == "left" and isinstance(p.parent, w.Binary) and p.parent.operator in ("&&", "||")


def in_update(p: Place) -> bool:
    if p.field != "update" or not isinstance(p.parent, w.For):
        return False
    return any(isinstance(n, w.Continue) for n in descendants(p.parent.body))


def subgroup(s: Seen, name: str) -> Occurrences:
    """A subgroup function decides by its requirement, or by a result that differs in a subgroup."""
    if any(isinstance(n.node, w.Call) and n.node.callee.name == name for n in s.places):
        yield from s.arms(f"table/{name}/no-requirement", f"table/{name}/uniform-in-subgroup")


def uniform_inputs(s: Seen) -> Occurrences:
    """A variable that some assign, of which the value is a member of a structure of inputs that are all uniform."""
    for f in s.resolution.entry_points:
        for parameter in f.parameters:
            struct = s.resolution.struct(parameter.type)
            names = [s.resolution.builtin_input(m) for m in struct.members] if struct else []
            if names and {*names} <= UNIFORM:
                for place in s.places_in(f.body):
                    n = place.node
                    if isinstance(n, w.Assign) and s.base(n.right) is parameter:
                        yield ({id(n): NONE},)


def workgroup_views(s: Seen, kind: type[w.Let] | type[w.Parameter]) -> Occurrences:
    """What a let or a parameter of a pointer to workgroup memory leads to."""
    for place in s.places:
        name, declared = place.node, s.declared(place.node) if isinstance(place.node, w.Identifier) else None
        if not isinstance(name, w.Identifier) or not isinstance(declared, kind):
            continue
        root = s.resolution.root(name)
        pointer = s.resolution.pointer(root) if isinstance(root, w.Parameter) else None
        shared = isinstance(root, w.Variable) and s.resolution.space(root) is Space.WORKGROUP
        if shared or (pointer is not None and pointer.space is Space.WORKGROUP):
            values = [p.node for p in place.outwards() if isinstance(p.node, w.Expression) and s.zeroed(p.node)]
            if values:
                yield (s.zeroed(values[0]),)


def copied(s: Seen) -> Occurrences:
    """`*q = *p`, where p is the parameter before q."""
    for f, source, _ in s.pointed:
        for n in descendants(f.body):
            target = s.resolution.root(n.left) if isinstance(n, w.Assign) else None
            behind = target in f.parameters[f.parameters.index(source) + 1 :]
            if behind and isinstance(n, w.Assign) and s.without_contents(n.right, source):
                yield ({id(n): NONE},)


def swizzles(s: Seen) -> Occurrences:
    for place in s.places:
        n = place.node
        if (
            isinstance(n, w.Member)
            and isinstance(n.base, w.Member)
            and {*n.name} <= LETTERS
            and is_swizzle(n.base.name)
        ):
            stored = [{id(p.node): NONE} for p in place.outwards() if isinstance(p.node, CHANGES)]
            yield (s.zeroed(n) or (stored or [{}])[0],)


def bitcasts(s: Seen) -> Occurrences:
    for place in s.places:
        if isinstance(place.node, w.Call) and place.node.callee.name == "bitcast":
            yield (s.zeroed(place.node),)


def counted_by_some(s: Seen) -> Occurrences:
    """`(*p)++` under a condition."""
    for f, parameter, _ in s.pointed:
        for place in s.places_in(f.body):
            n = place.node
            under = any(isinstance(p.node, (w.If, w.Switch, *LOOPS)) for p in place.outwards())
            if isinstance(n, w.Increment) and s.resolution.root(n.left) is parameter and under:
                yield ({id(n): NONE},)


def returned_calls(s: Seen, f: w.Function) -> Iterator[tuple[w.Call, w.Function]]:
    for n in descendants(f.body):
        for call in descendants(n) if isinstance(n, w.Return) else ():
            g = s.resolution.function(call) if isinstance(call, w.Call) else None
            if g is not None and isinstance(call, w.Call):
                yield call, g


def chains(s: Seen) -> Occurrences:
    """A function returns what a second gives, which returns what a third gives."""
    for f in s.resolution.functions:
        for call, g in returned_calls(s, f):
            for inner, _ in returned_calls(s, g):
                yield s.zeroed(call), s.zeroed(inner)


def third_arguments(s: Seen) -> Occurrences:
    for places in s.calls.values():
        for place in places:
            if isinstance(place.node, w.Call) and len(place.node.arguments) > 2:
                yield (s.zeroed(place.node.arguments[2]),)


def shadowing(s: Seen) -> Occurrences:
    """An inner declaration, were it one more assignment of the outer variable, or none; that one is used behind it."""
    order = {id(place.node): i for i, place in enumerate(s.places)}
    for f in s.resolution.functions:
        for place in s.places_in(f.body):
            n = place.node
            if not isinstance(n, w.Variable | w.Let) or place.above is None:
                continue
            end = max(order[id(inner)] for inner in descendants(place.above.node))
            for outer in s.named:
                if outer is not n and outer.name == n.name and _is_used_behind(s, f, outer, order, end):
                    yield ({id(n): NONE},)
                    if n.value is not None:
                        yield ({id(n): w.Assign("=", w.Identifier(n.name), n.value)},)


def _is_used_behind(s: Seen, f: w.Function, outer: w.Node, order: Mapping[int, int], end: int) -> bool:
    """Whether a function uses a declaration behind a place in the order of nodes."""
    return any(order[id(use.node)] > end and s.declaration_around(use) is f for use in s.uses.get(id(outer), ()))


def severities(s: Seen) -> Occurrences:
    """Filters of severity info and warning in a module, some of which requires uniformity at severity error."""
    filters = [p.node for p in s.places if isinstance(p.node, w.Attribute) and p.node.name == "diagnostic"]
    found = {n.arguments[0].name for n in filters if isinstance(n.arguments[0], w.Identifier)}
    found |= {d.severity for d in s.module.directives if isinstance(d, w.Diagnostic)}
    if {"info", "warning"} <= found:
        yield from s.arms("tag/severity/", "builtin/severity/")


UNIFORM = words("workgroup_id num_workgroups subgroup_size num_subgroups workgroup_index subgroup_id")
SUBGROUP = [name for name, row in FUNCTIONS.items() if row.rule is Rule.SUBGROUP]
SHAPES: Mapping[str, Callable[[Seen], Occurrences]] = {
    "contents-in-loop": partial(contents, kind=LOOPS),
    "contents-in-switch": partial(contents, kind=(w.Switch,)),
    "contents-in-else": partial(contents, orelse=True),
    "contents-around-continue": partial(contents, kind=(w.Continue,)),
    "contents-around-break": partial(contents, kind=(w.Break,)),
    "stores-in-for": partial(storing, stands=in_field(w.For, "condition")),
    "stores-in-while": partial(storing, stands=in_field(w.While, "condition")),
    "stores-in-break-if": partial(storing, stands=in_field(w.BreakIf, "condition")),
    "stores-in-else-if": partial(storing, stands=in_else_if),
    "stores-in-selector": partial(storing, stands=in_field(w.Switch, "selector")),
    "stores-in-return": partial(storing, stands=in_field(w.Return, "value")),
    "stores-in-var": partial(storing, stands=in_variable),
    "stores-in-for-initial": partial(storing, stands=in_field(w.For, "initial")),
    "stores-in-builtin": partial(storing, stands=in_builtin),
    "stores-in-compound": partial(storing, stands=in_compound),
    "stores-handed-on": partial(storing, stands=passed_on),
    "overwritten": overwritten,
    "assigned-in-else": only_in_else,
    "four-clauses": partial(clauses, kept=lambda n, i: 0 < i < len(n.clauses) - 1 and len(n.clauses) > 3),
    "empty-clause": partial(
        clauses, kept=lambda n, i: i < len(n.clauses) - 1 and not n.clauses[i].body.statements, gone=True
    ),
    "loop-in-clause": loop_in_clause,
    "required-in-index": partial(requiring, stands=in_stored_index),
    "required-left-of-and": partial(requiring, stands=left_of_and),
    "required-in-initial": partial(requiring, stands=lambda p: p.field == "initial"),
    "required-in-update": partial(requiring, stands=in_update),
    "inputs-in-structure": uniform_inputs,
    "let-of-shared": partial(workgroup_views, kind=w.Let),
    "parameter-of-shared": partial(workgroup_views, kind=w.Parameter),
    "source-first": copied,
    "chained-swizzles": swizzles,
    "bitcasts": bitcasts,
    "counted-in-callee": counted_by_some,
    "returned-through-three": chains,
    "third-parameter": third_arguments,
    "shadowing": shadowing,
    "severities": severities,
    **{name: partial(subgroup, name=name) for name in SUBGROUP},
}
"""By name: that of the motif that draws it, or of the built-in function that decides in a subgroup."""


def found_in(module: Resolution) -> tuple[list[str], list[str]]:
    """The shapes that occur in a module, and those that decide it."""
    seen = Seen(module)
    occurs, decides = [], []
    for name, shape in SHAPES.items():
        occurrences = list(shape(seen))
        occurs += [name] if occurrences else []
        decides += [name] if any(map(seen.decides, occurrences)) else []
    return occurs, decides


def counted(plan: Plan, places: range) -> tuple[Counter[str], Counter[str]]:
    """In how many modules at these places each shape occurs, and decides."""
    occurs, decides = Counter[str](), Counter[str]()
    for module in modules_of(plan, places):
        for counts, names in zip((occurs, decides), found_in(module), strict=True):
            counts.update(names)
    return occurs, decides


@click.command()
@click.option("--modules", "count", type=click.IntRange(min=1), default=5_000, show_default=True)
@click.option(
    "--language", "languages", type=click.Choice(LANGUAGES), multiple=True, default=(MIXED,), show_default=True
)
@click.option(
    "--least", type=float, default=1.0, show_default=True, help="Of 1,000 modules that a shape should decide."
)
@click.option("--seed", type=int, default=0, show_default=True, help="Of the campaign.")
@click.option("--workers", type=click.IntRange(min=1), default=2, show_default=True)
def main(count: int, languages: Iterable[str], least: float, seed: int, workers: int) -> None:
    """Print for each language how many of 1,000 modules have each shape, and are decided by it."""
    languages = list(languages)
    counts = {}
    for language in languages:
        parts = [range(part, count, workers) for part in range(workers)]
        with Pool(workers) as pool:
            found = pool.map(partial(counted, Plan(seed, language=language)), parts, chunksize=1)
        counts[language] = [sum((part[i] for part in found), Counter[str]()) for i in range(2)]
    table = Table("shape", *[f"{of}: {what}" for of in languages for what in ("occurs", "decides")])
    rare = 0
    for name in SHAPES:
        cells = [1_000 * part[name] / count for language in languages for part in counts[language]]
        rare += max(cells[1::2]) < least
        table.add_row(name, *[f"{cell:.1f}" for cell in cells])
    console = Console(width=200)
    console.print(table)
    console.print(f"of {count} modules a language: {rare} of {len(SHAPES)} shapes decide fewer than {least} of 1,000")


if __name__ == "__main__":
    main()
