"""A module that is about to be edited, and what edits ask about it and about its statements."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import takewhile
from typing import TypeVar

from wgsl_fuzz.strategies.choices.source import ChoiceSource
from wgsl_fuzz.strategies.edit.places import InsertionPoint, InsertionPoints, Part, PartRole, insertion_points, parts
from wgsl_fuzz.strategies.edit.tree import all_names, with_statements
from wgsl_fuzz.wgsl import syntax as w
from wgsl_fuzz.wgsl.behaviours import BehaviourAnalysis
from wgsl_fuzz.wgsl.problems import WgslError
from wgsl_fuzz.wgsl.resolution import Resolution
from wgsl_fuzz.wgsl.resolve import resolve
from wgsl_fuzz.wgsl.rewrite import Misfit, Nodes, fresh_name, rebuilt
from wgsl_fuzz.wgsl.types import ValueTypes
from wgsl_fuzz.wgsl.walk import descendants, free_jumps

COMPARISONS = ("==", "!=", "<", ">", "<=", ">=")
TRUTH = frozenset({"&&", "||", *COMPARISONS})
"""A literal among the operands of these makes no constant that a compiler refuses."""

T = TypeVar("T")
S = TypeVar("S", bound=w.Statement)


class Subject:
    """A module whose names are resolved, and the choices that an edit makes."""

    def __init__(self, resolution: Resolution, source: ChoiceSource) -> None:
        self.resolution = resolution
        self.source = source
        self.behaviours = BehaviourAnalysis()
        self.donor = self
        """Another module, whose statements may be grafted."""

    @property
    def module(self) -> w.Module:
        """The tree."""
        return self.resolution.module

    @property
    def places(self) -> InsertionPoints:
        """Where statements stand."""
        return insertion_points(self.resolution)

    @property
    def types(self) -> ValueTypes:
        """The types of expressions."""
        return self.places.types

    @cached_property
    def _taken(self) -> set[str]:
        return all_names(self.module)

    def fresh(self, wish: str) -> str:
        """A name that nothing in the module has."""
        return fresh_name(wish, self._taken)

    def reserve(self, other: w.Module) -> None:
        """From now on no fresh name is one of another module's."""
        self._taken.update(all_names(other))

    def functions(self) -> list[w.Function]:
        """The functions in the order of the text."""
        return [d for d in self.module.declarations if isinstance(d, w.Function)]

    def one_of(self, found: Sequence[T]) -> T:
        """A drawn one of what was found. It, and what draws by it, raises Misfit if there is none."""
        if not found:
            raise Misfit
        return self.source.pick(found)

    def some_of(self, found: Sequence[T]) -> Sequence[T]:
        """A drawn one of what was found, if there is any; all where every way is tried."""
        return found if self.source.tries_all or not found else [self.source.pick(found)]

    def pick(self, wanted: Callable[[InsertionPoint], bool]) -> InsertionPoint:
        """One of the places in front of statements that are wanted."""
        return self.one_of([place for place in self.places.statements if wanted(place)])

    def at(self, kind: type[S], wanted: Callable[[S], bool] = lambda _: True) -> tuple[InsertionPoint, S]:
        """One of the places in front of statements of a kind that are wanted, and the statement."""
        found = ((place, place.statement) for place in self.places.statements)
        return self.one_of([(place, s) for place, s in found if isinstance(s, kind) and wanted(s)])

    def statement(self, wanted: Callable[[w.Statement], bool]) -> tuple[InsertionPoint, w.Statement]:
        """One of the statements that are wanted, and the place in front of it."""
        place = self.pick(lambda place: wanted(place.statement))
        return place, place.statement

    def pick_part(self, wanted: Callable[[InsertionPoint, Part], bool]) -> tuple[InsertionPoint, Part]:
        """One of the parts of statements that are wanted; a declaration of a constant has none."""
        found = [
            (place, part)
            for place in self.places.statements
            if not isinstance(place.statement, w.Const)
            for part in parts(self.resolution, place.statement)
            if wanted(place, part)
        ]
        return self.one_of(found)

    def means_the_same(self, node: w.Node, place: InsertionPoint) -> bool:
        """Whether what a function or statement names, and does not declare, has the same name at a place."""
        inner = {id(n) for n in descendants(node)}
        for n in descendants(node):
            if isinstance(n, w.Identifier):
                declared = self.resolution.declaration(n)
                if declared is None:
                    if n.name in place.visible and n.name not in self.places.top:
                        return False
                elif id(declared) not in inner and place.visible.get(n.name) is not declared:
                    return False
        return True

    # ------------------------------------------------------------------------------------------------------- results

    def with_spliced(
        self, place: InsertionPoint, count: int, *new: w.Statement, above: tuple[w.Declaration, ...] = ()
    ) -> w.Module:
        """The module with other statements instead of some at a place, and declarations in front of all others."""
        return self.changed({id(place.block): with_statements(place.block, place.index, count, *new)}, *above)

    def changed(self, changes: dict[int, Nodes], *above: w.Declaration) -> w.Module:
        """The module with nodes replaced, and declarations in front of all others."""
        module = rebuilt(self.module, changes)
        return replace(module, declarations=(*above, *module.declarations)) if above else module


def is_declaration(s: w.Statement) -> bool:
    """Whether what follows a statement sees a name of it."""
    return isinstance(s, w.Variable | w.Let | w.Const)


def is_movable(s: w.Statement) -> bool:
    """Whether a statement may stand in another block: no declaration, and no end of a `continuing`."""
    return not is_declaration(s) and not isinstance(s, w.BreakIf)


def breaks_out(*roots: w.Node) -> bool:
    """Whether a `break` in some nodes leaves a loop or switch around them."""
    return any(isinstance(jump, w.Break) for jump in free_jumps(*roots))


def jumps_out(*roots: w.Node) -> bool:
    """Whether a `break` or `continue` in some nodes leaves them."""
    return any(True for _ in free_jumps(*roots))


def returns(*roots: w.Node) -> bool:
    """Whether there is a `return` in some nodes."""
    return any(isinstance(node, w.Return) for root in roots for node in descendants(root))


def neighbours(subject: Subject, place: InsertionPoint, most: int) -> tuple[w.Statement, ...]:
    """Statements from a place on, out of which nothing jumps but a `return`, and whose names nobody uses behind them.

    They can be put into a loop or a block.
    """
    rest = place.block.statements[place.index : place.index + most]
    ss = tuple(takewhile(lambda s: not isinstance(s, w.BreakIf) and not jumps_out(s), rest))
    return tuple(takewhile(lambda s: not is_declaration(s), ss)) if is_seen_outside(subject, place, ss) else ss


def is_seen_outside(subject: Subject, place: InsertionPoint, statements: tuple[w.Statement, ...]) -> bool:
    """Whether something else in the function uses what the statements declare."""
    declared = {id(s) for s in statements}
    inner = {id(node) for s in statements for node in descendants(s)}
    uses = (n for n in descendants(place.function.body) if isinstance(n, w.Identifier) and id(n) not in inner)
    return any(id(subject.resolution.declaration(use)) in declared for use in uses)


def calls_functions(resolution: Resolution, node: w.Node) -> bool:
    """Whether a user-defined function is called in an expression: it may change variables through pointers."""
    return any(isinstance(e, w.Call) and resolution.function(e) is not None for e in descendants(node))


def is_inert(resolution: Resolution, e: w.Node) -> bool:
    """Whether evaluating what is in an expression or statement requires no uniformity and changes no variable."""
    builtins = [resolution.builtin(node) for node in descendants(e) if isinstance(node, w.Call)]
    return not calls_functions(resolution, e) and all(b is None or b.rule is None for b in builtins)


def may_be_literal(resolution: Resolution, part: Part) -> bool:
    """Whether a literal of one in place of a part makes no constant that a compiler refuses."""
    parent = part.parent
    if isinstance(parent, w.Call):
        return resolution.function(parent) is not None
    return parent is None or (isinstance(parent, w.Binary) and parent.operator in TRUTH)


def can_come_first(resolution: Resolution, s: w.Statement, part: Part) -> bool:
    """Whether the value of a part of a statement is the same if it is computed just before the statement."""
    if not part.once or part.role is not PartRole.VALUE:
        return False
    named = s.left if isinstance(s, w.Assign) and s.operator == "=" and isinstance(s.left, w.Identifier) else None
    earlier = [p for p in part.among[: part.first] if p.expression is not named]  # no load: its turn does not matter
    if any(calls_functions(resolution, p.expression) for p in earlier):
        return False
    return not earlier or not calls_functions(resolution, part.expression)


def as_block(branch: w.Block | w.If | None) -> w.Block:
    """An `else` as a block."""
    if branch is None:
        return w.Block(())
    return branch if isinstance(branch, w.Block) else w.Block((branch,))


_SIMPLE = (w.Assign, w.Increment, w.Phony, w.CallStatement, w.Let, w.Variable)


def independent(resolution: Resolution, one: w.Statement, other: w.Statement) -> bool:
    """Whether two neighbours without blocks may change places.

    Neither may read or write a local variable that the other writes, nor declare what the other names. Memory outside
    of functions has no values in an analysis.
    """
    if not isinstance(one, _SIMPLE) or not isinstance(other, _SIMPLE):
        return False
    if _declared(one) & (_named(other) | _declared(other)) or _declared(other) & _named(one):
        return False
    written, also = _written(resolution, one), _written(resolution, other)
    return written.isdisjoint(also | _read(resolution, other)) and also.isdisjoint(_read(resolution, one))


def _declared(s: w.Statement) -> set[str]:
    return {s.name} if isinstance(s, w.Let | w.Variable) else set()


def _named(s: w.Statement) -> set[str]:
    return {node.name for node in descendants(s) if isinstance(node, w.Identifier)}


def _read(resolution: Resolution, s: w.Statement) -> set[int]:
    roots = (resolution.root(node) for node in descendants(s) if isinstance(node, w.Identifier))
    return {id(root) for root in roots if root is not None}


def _written(resolution: Resolution, s: w.Statement) -> set[int]:
    targets = [s.left] if isinstance(s, w.Assign | w.Increment) else []
    for node in descendants(s):
        if isinstance(node, w.Call):
            targets += [e for e in node.arguments if resolution.is_pointer(e)]
    roots = (resolution.root(target) for target in targets)
    return {id(root) for root in roots if root is not None}


def edited(parent: Resolution, edit: Callable[[], w.Module]) -> Resolution | None:
    """What an edit makes of a module, resolved; None if it does not apply, changes nothing or makes no valid module."""
    try:
        module = edit()
    except (Misfit, WgslError):
        return None
    return None if module == parent.module else valid(module)


def valid(module: w.Module) -> Resolution | None:
    """The resolution of a module; None if its names do not resolve or its behaviours are not valid."""
    try:
        resolution = resolve(module)
        behaviours = resolution.once(BehaviourAnalysis, BehaviourAnalysis)
        for f in resolution.functions:
            behaviours.check(f)
    except WgslError:
        return None
    return resolution


def touched(resolution: Resolution, *roots: w.Node, assigned: bool = True) -> set[int]:
    """The identities of what some nodes assign to, if `assigned`, and of what they take the address of."""
    found = set()
    for n in (n for root in roots for n in descendants(root)):
        target = n.left if assigned and isinstance(n, w.Assign | w.Increment) else None
        if isinstance(n, w.Unary) and n.operator == "&":
            target = n.operand
        found.add(id(None if target is None else resolution.root(target)))
    return found - {id(None)}
