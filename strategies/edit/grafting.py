"""Grafting: statements of one module made to fit at a place of another, with the declarations that they need."""

from dataclasses import replace

from wgsl_fuzz.strategies.edit.atoms import values
from wgsl_fuzz.strategies.edit.places import InsertionPoint
from wgsl_fuzz.strategies.edit.subject import Subject, is_declaration, returns, touched
from wgsl_fuzz.wgsl import syntax as w
from wgsl_fuzz.wgsl.resolution import Declared, Space
from wgsl_fuzz.wgsl.rewrite import Misfit, Nodes, fresh, rebuilt
from wgsl_fuzz.wgsl.types import Array, Matrix, Scalar, Type, Vector, is_constructible, written
from wgsl_fuzz.wgsl.walk import descendants

_MOST = 3
"""So many statements at once."""
_BROUGHT = 12
"""So many declarations may come along."""


def grafted(subject: Subject) -> w.Module:
    """The parent with one to three statements of the donor, which may be the parent itself.

    A local becomes a value of the same type, or a new variable. Functions, structures, constants and variables in
    private and workgroup memory come along under fresh names. It does not apply where what the
    statements use cannot be had.
    """
    donor = subject.donor
    spots = [p for p in donor.places.statements if not is_declaration(p.statement)]
    there, here = subject.one_of(spots), subject.one_of(subject.places.all)
    siblings = there.block.statements[there.index : there.index + subject.source.integer(1, _MOST)]
    # A `return` has a value or none, so there must be none.
    ss = tuple(s for s in siblings if not isinstance(s, w.BreakIf) and not returns(s) and here.takes_jumps_of(s))
    if not ss:
        raise Misfit
    return _Graft(subject, here).module_with(ss)


class _Graft:
    """What the donor's names become in the parent."""

    def __init__(self, subject: Subject, here: InsertionPoint) -> None:
        donor = subject.donor
        subject.reserve(donor.module)
        self._subject = subject
        self._donor = donor
        self._here = here
        self._itself = subject.module is donor.module
        self._names: dict[int, str] = {}
        """By the identity of a declaration that comes along: its new name."""
        self._values: dict[int, w.Expression] = {}
        """By the identity of a local of the donor: what stands for it."""
        self._pointed = touched(donor.resolution, donor.module, assigned=False)
        """By the identity of a variable whose address is taken somewhere."""
        self._brought: list[w.Declaration] = []
        self._locals: list[w.Variable] = []

    def module_with(self, ss: tuple[w.Statement, ...]) -> w.Module:
        """The parent with the statements, fitted."""
        inside = {id(node) for s in ss for node in descendants(s)}
        own = [n for s in ss for n in descendants(s) if isinstance(n, w.Variable | w.Let | w.Const)]
        renamed = {id(d): self._subject.fresh(d.name) for d in own}  # lest they hide what stands for other names
        declarations: dict[int, Nodes] = {id(d): replace(d, name=renamed[id(d)]) for d in own}
        changes: dict[int, Nodes] = {}
        for s in ss:
            changes |= self._changes(s, inside, brought=False)
        for name in [n for s in ss for n in descendants(s) if isinstance(n, w.Identifier)]:
            declared = self._donor.resolution.declaration(name)
            if id(declared) in renamed:
                changes[id(name)] = w.Identifier(renamed[id(declared)])
        new = [fresh(rebuilt(rebuilt(s, declarations), changes)) for s in ss]
        return self._subject.with_spliced(self._here, 0, *self._locals, *new, above=tuple(self._brought))

    def _changes(self, root: w.Node, inside: set[int], *, brought: bool) -> dict[int, Nodes]:
        """The identifiers in a tree that mean something of the donor, and what they become."""
        changes: dict[int, Nodes] = {}
        own = {id(node) for node in descendants(root)}
        for node in descendants(root):
            declared = self._donor.resolution.declaration(node) if isinstance(node, w.Identifier) else None
            if declared is None or id(declared) in inside or id(declared) in own:
                continue
            assert isinstance(node, w.Identifier), "only identifiers have declarations"
            changes[id(node)] = self._counterpart(declared, node, brought)
        return changes

    def _counterpart(self, declared: Declared, use: w.Identifier, brought: bool) -> w.Expression:
        top = self._donor.places.top.get(declared.name) is declared
        if self._itself and self._here.visible.get(declared.name) is declared:
            return w.Identifier(use.name, use.template)
        if top and self._comes_along(declared):
            return w.Identifier(self._brought_name(declared), use.template)
        if brought:  # at module scope there are no values of the place
            raise Misfit
        return fresh(self._value(declared))

    def _comes_along(self, declared: Declared) -> bool:
        if isinstance(declared, w.Function):
            return self._donor.resolution.entry_stage(declared) is None
        if isinstance(declared, w.Variable):
            return self._donor.resolution.space(declared) in (Space.PRIVATE, Space.WORKGROUP)
        return isinstance(declared, w.Struct | w.Alias | w.Const)

    def _brought_name(self, declared: Declared) -> str:
        """The fresh name of a declaration that comes along, with all that it needs."""
        name = self._names.get(id(declared))
        if name is None:
            if len(self._names) == _BROUGHT:
                raise Misfit
            assert isinstance(declared, w.Function | w.Variable | w.Struct | w.Alias | w.Const), "it is at module scope"
            name = self._names[id(declared)] = self._subject.fresh(declared.name)
            changes = self._changes(declared, set(), brought=True)
            self._brought.append(fresh(rebuilt(replace(declared, name=name), changes)))
        return name

    def _value(self, declared: Declared) -> w.Expression:
        """A value of the place for a local, a parameter, an override or a resource of the donor."""
        found = self._values.get(id(declared))
        if found is None:
            found = self._values[id(declared)] = self._new_value(declared)
        return found

    def _new_value(self, declared: Declared) -> w.Expression:
        type = self._donor.types.declared(declared)
        if type is None or not _is_plain(type) or not is_constructible(type):
            raise Misfit
        if declared is self._donor.places.top.get(declared.name) and id(declared) in self._pointed:
            raise Misfit  # a pointer into a resource has its address space and access mode in its type
        fitting = [a for a in values(self._subject.places, self._here, type) if a.writable]
        if fitting and id(declared) not in self._pointed and self._subject.source.percent(75):
            return self._subject.source.pick(fitting).new()
        variable = w.Variable(self._subject.fresh("v"), written(type))
        self._locals.append(variable)
        return w.Identifier(variable.name)


def _is_plain(type: Type) -> bool:
    """Whether there is no structure in a type: those have names of their own in each module."""
    if isinstance(type, Array):
        return _is_plain(type.element)
    return isinstance(type, Scalar | Vector | Matrix)
