"""How often the surface forms of WGSL occur in the modules of a campaign, and how often they decide.

    python benchmarks/module_forms.py [--modules 5000] [--language mixed] [--seed 1] [--workers 2]
    python benchmarks/module_forms.py --enough 10  # most of the time goes to forms that decide often

A form decides a module if the reference's verdict is another without it: a statement is taken away, of `for` the
update, of `&&` the right side; a call is replaced by a zero. Of each form at most four in a module are tried. With
`--enough`, a form that has decided so many modules is no longer tried, and the table says that there may be more.
"""

import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import islice
from multiprocessing import Pool
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from wgsl_fuzz.fuzz.cases.generator import CampaignGenerator
from wgsl_fuzz.fuzz.cases.module_case import ModuleCase
from wgsl_fuzz.fuzz.cases.plan import LANGUAGES, MIXED, Plan
from wgsl_fuzz.oracle.rules.uniformity.analysis import analyse_module
from wgsl_fuzz.oracle.verdict import Verdict
from wgsl_fuzz.wgsl.behaviours import BehaviourAnalysis
from wgsl_fuzz.wgsl.parser import parse
from wgsl_fuzz.wgsl.printer import print_module
from wgsl_fuzz.wgsl.problems import WgslError
from wgsl_fuzz.wgsl.resolution import Resolution
from wgsl_fuzz.wgsl.resolve import resolve
from wgsl_fuzz.wgsl.rewrite import Misfit, rewritten
from wgsl_fuzz.wgsl.syntax import (
    Assign,
    Binary,
    Block,
    BreakIf,
    Call,
    CallStatement,
    Continue,
    Empty,
    For,
    Identifier,
    If,
    Increment,
    Let,
    Literal,
    Loop,
    Member,
    Module,
    Node,
    Switch,
    Unary,
    Variable,
    While,
)
from wgsl_fuzz.wgsl.value_types import ValueTypes, spelled
from wgsl_fuzz.wgsl.walk import descendants

Without = tuple[Node, Node]
"""A node, and what stands in its place when the form is gone."""
Form = Callable[[Resolution], Iterator[Without]]
MOST = 4
LOOPS = (Loop, While, For)
HEADED = (While, For)


def nodes(resolution: Resolution) -> Iterator[Node]:
    """All nodes in functions."""
    for f in resolution.functions:
        yield from descendants(f.body)


def statements(*classes: type[Node]) -> Form:
    """Statements of some classes, taken away."""

    def found(resolution: Resolution) -> Iterator[Without]:
        for n in nodes(resolution):
            if isinstance(n, classes):
                yield n, Empty()

    return found


def updates(resolution: Resolution) -> Iterator[Without]:
    """`for` without its update."""
    for n in nodes(resolution):
        if isinstance(n, For) and n.update is not None:
            yield n, replace(n, update=None)


def decided_by_update(resolution: Resolution) -> Iterator[Without]:
    """The same where the update changes or reads what the condition reads."""
    for loop, without in updates(resolution):
        assert isinstance(loop, For)
        if loop.condition is not None and loop.update is not None:
            asked = set(names_in(resolution, loop.condition))
            if not asked.isdisjoint(names_in(resolution, loop.update)):
                yield loop, without


def names_in(resolution: Resolution, n: Node) -> Iterator[int]:
    """The variables that are named below a node, by identity."""
    for inner in descendants(n):
        if isinstance(inner, Identifier):
            declared = resolution.declaration(inner)
            if isinstance(declared, Variable):
                yield id(declared)


def continues_in_for(resolution: Resolution) -> Iterator[Without]:
    """A `continue` in a `for` with an update."""
    for loop, _ in updates(resolution):
        assert isinstance(loop, For)
        for n in descendants(loop.body):
            if isinstance(n, Continue):
                yield n, Empty()


def conditions(resolution: Resolution) -> Iterator[Without]:
    """The condition of `while` or `for`: its control flow, and its value."""
    for n in nodes(resolution):
        if isinstance(n, HEADED) and n.condition is not None:
            yield n.condition, Binary("==", Literal("1u"), Literal("1u"))


def changed_in_inner_loops(resolution: Resolution) -> Iterator[Without]:
    """An assignment, in an inner loop, to a local of an outer loop's body."""
    for outer in nodes(resolution):
        if isinstance(outer, LOOPS):
            locals_ = {id(n) for n in descendants(outer.body) if isinstance(n, Variable)}
            inner = [n for n in descendants(outer.body) if isinstance(n, LOOPS)]
            for loop in inner:
                own = {id(n) for n in descendants(loop) if isinstance(n, Variable)}
                for n in descendants(loop.body):
                    if isinstance(n, Assign | Increment) and id(resolution.root(n.left)) in locals_ - own:
                        yield n, Empty()


def right_sides(resolution: Resolution) -> Iterator[Without]:
    """`a && f()`: without its right side."""
    for n in nodes(resolution):
        if isinstance(n, Binary) and n.operator in ("&&", "||") and any(calls_in(resolution, n.right)):
            yield n, n.left


def short_circuits(resolution: Resolution) -> Iterator[Without]:
    """`a && b` and `a || b`: without the right side."""
    for n in nodes(resolution):
        if isinstance(n, Binary) and n.operator in ("&&", "||"):
            yield n, n.left


def calls_in(resolution: Resolution, n: Node) -> Iterator[Call]:
    """The calls of functions of the module below a node."""
    return (c for c in descendants(n) if isinstance(c, Call) and resolution.function(c) is not None)


def nested_calls(resolution: Resolution) -> Iterator[Without]:
    """A call in an argument of another call, replaced by a zero."""
    types = ValueTypes(resolution)
    for n in nodes(resolution):
        if isinstance(n, Call) and resolution.function(n) is not None:
            for argument in n.arguments:
                for inner in calls_in(resolution, argument):
                    type = types.of(inner)
                    if type is not None and types.is_constructible(type):
                        yield inner, Call(spelled(type), ())


def assignments(condition: Callable[[Resolution, Assign], bool]) -> Form:
    """Assignments of some sort, taken away."""

    def found(resolution: Resolution) -> Iterator[Without]:
        for n in nodes(resolution):
            if isinstance(n, Assign) and condition(resolution, n):
                yield n, Empty()

    return found


def else_ifs(resolution: Resolution) -> Iterator[Without]:
    """`else if` and what follows it."""
    for n in nodes(resolution):
        if isinstance(n, If) and isinstance(n.orelse, If):
            yield n, replace(n, orelse=None)


def filters(resolution: Resolution) -> Iterator[Without]:
    """A statement without its `@diagnostic`."""
    for n in nodes(resolution):
        if isinstance(n, Block | If | Switch | Loop | While | For) and n.attributes:
            yield n, replace(n, attributes=())


def pointer_arguments(resolution: Resolution) -> Iterator[Without]:
    """A call statement with a pointer among its arguments."""
    for n in nodes(resolution):
        if isinstance(n, CallStatement) and any(resolution.is_pointer(a) for a in n.call.arguments):
            yield n, Empty()


def through_lets(resolution: Resolution, s: Assign) -> bool:
    """Whether an assignment goes through a let of a pointer."""
    return any(
        isinstance(n, Identifier) and isinstance(resolution.declaration(n), Let) and resolution.is_pointer(n)
        for n in descendants(s.left)
    )


FORMS: dict[str, Form] = {
    "`while`": statements(While),
    "`for`": statements(For),
    "`for` with an update": updates,
    "`for` whose update changes or reads what its condition asks": decided_by_update,
    "`continue` in a `for` with an update": continues_in_for,
    "condition of `while` or `for`": conditions,
    "local of an outer loop's body, assigned in an inner loop": changed_in_inner_loops,
    "`break if`": statements(BreakIf),
    "`switch`": statements(Switch),
    "`else if`": else_ifs,
    "`&&`, `||`": short_circuits,
    "call on the right of `&&` or `||`": right_sides,
    "call in an argument of another call": nested_calls,
    "call with a pointer": pointer_arguments,
    "`op=`": assignments(lambda _, s: s.operator != "="),
    "`++`, `--`": statements(Increment),
    "assignment to a part": assignments(lambda r, s: not r.is_full(s.left)),
    "assignment to a swizzle": assignments(lambda r, s: isinstance(s.left, Member) and r.is_swizzle(s.left)),
    "assignment through a pointer": assignments(
        lambda _, s: any(isinstance(n, Unary) and n.operator == "*" for n in descendants(s.left))
    ),
    "assignment through a let of a pointer": assignments(through_lets),
    "`@diagnostic` at a statement": filters,
}
"""By what they are called in the documents."""


def counted(plan: Plan, enough: int, places: range) -> Counter[tuple[str, bool]]:
    """In how many modules each form occurs, and in how many it decides: `enough` are counted, 0: all."""
    drawer, found = CampaignGenerator(plan), Counter[tuple[str, bool]]()
    for place in places:
        case = drawer.case(place)
        module = case.resolution if isinstance(case, ModuleCase) else resolve(parse(case.text))
        verdict = analyse_module(module).verdict
        for name, form in FORMS.items():
            forms = [*islice(form(module), MOST)]
            found[name, False] += bool(forms)
            if not enough or found[name, True] < enough:
                found[name, True] += any(decides(module, verdict, *without) for without in forms)
    return found


def decides(resolution: Resolution, verdict: Verdict, node: Node, instead: Node) -> bool:
    """Whether the module has another verdict with something else for a node, and is still a module."""
    try:
        module = rewritten(resolution.module, lambda n: instead if n is node else None)
        assert isinstance(module, Module)
        other = resolve(parse_again(module))
        for f in other.functions:
            BehaviourAnalysis().check(f)
        return analyse_module(other).verdict is not verdict
    except (WgslError, Misfit):
        return False


def parse_again(module: Module) -> Module:
    """The module with nodes of its own."""
    return parse(print_module(module))


@click.command()
@click.option("--modules", type=click.IntRange(min=1), default=5_000, show_default=True)
@click.option("--language", type=click.Choice(LANGUAGES), default=MIXED, show_default=True)
@click.option("--seed", type=int, default=1, show_default=True)
@click.option("--workers", type=click.IntRange(min=1), default=2, show_default=True)
@click.option("--enough", type=click.IntRange(min=0), default=0, help="Count no more modules that a form decides.")
def main(modules: int, language: str, seed: int, workers: int, enough: int) -> None:
    """Print the table."""
    parts = [range(part, modules, workers) for part in range(workers)]
    work = partial(counted, Plan(seed, language=language), enough)
    found: Counter[tuple[str, bool]] = Counter()
    if workers == 1:
        found = work(parts[0])
    else:
        with Pool(workers) as pool:
            found = sum(pool.map(work, parts), found)
    table = Table(
        "form", "in % of the modules", "decides", title=f"language {language}, seed {seed}, {modules} modules"
    )
    for name in FORMS:
        decided = found[name, True]
        shown = f"{enough} or more" if enough and decided >= enough else str(decided)
        table.add_row(name, f"{100 * found[name, False] / modules:.1f}", shown)
    Console(width=120).print(table)


if __name__ == "__main__":
    main()
