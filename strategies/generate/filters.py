"""`@diagnostic` at every place that takes one, and the directives of a module (WGSL 2.3, 4.1).

They are put into a module that is drawn already. A place has each rule once: two severities would contradict.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from wgsl_fuzz.strategies.choices.source import ChoiceSource, Odds
from wgsl_fuzz.strategies.edit.tree import diagnostic
from wgsl_fuzz.wgsl import syntax as w

_RULES = Odds(
    [
        ("derivative_uniformity", 8),
        ("subgroup_uniformity", 8),
        ("foo.bar", 1),
        ("chromium.unknown", 1),
        ("unknown_rule", 1),
    ]
)
"""The last is no rule of WGSL: compilers warn."""
_SEVERITIES = Odds([("error", 5), ("warning", 3), ("info", 3), ("off", 4)])


def with_filters(source: ChoiceSource, module: w.Module, rate: int, directives: int = 0) -> w.Module:
    """The module with filters added: at `rate` percent of the places, and a directive or two in `directives` percent.

    The module that is given must not be used any more, since the new one has most of its nodes.
    """
    if source.percent(directives):
        found = tuple([w.Diagnostic(severity, rule) for rule, severity in _drawn(source)])
        module = replace(module, directives=(*module.directives, *found))
    if rate <= 0:
        return module
    placer = _Placer(source, rate)
    declarations = tuple([placer.function(d) if isinstance(d, w.Function) else d for d in module.declarations])
    return replace(module, declarations=declarations)


def _drawn(source: ChoiceSource) -> list[tuple[str, str]]:
    """One or two rules, each with a severity."""
    found: dict[str, str] = {}
    for _ in range(2 if source.percent(20) else 1):
        rule = source.weighted(_RULES)
        found.setdefault(rule, source.weighted(_SEVERITIES))
    return list(found.items())


class _Placer:
    """Puts filters at statements, from outside to inside."""

    def __init__(self, source: ChoiceSource, rate: int) -> None:
        self._source = source
        self._rate = rate

    def _filters(self) -> w.Attributes:
        if not self._source.percent(self._rate):
            return ()
        return tuple([diagnostic(severity, rule) for rule, severity in _drawn(self._source)])

    def function(self, f: w.Function) -> w.Function:
        """A function, its body and what is in it."""
        return replace(f, attributes=(*f.attributes, *self._filters()), body=self.block(f.body))

    def block(self, block: w.Block) -> w.Block:
        """A block and what is in it."""
        return w.Block(self.statements(block.statements), (*block.attributes, *self._filters()))

    def statements(self, statements: tuple[w.Statement, ...]) -> tuple[w.Statement, ...]:
        """Statements one behind the other."""
        return tuple([self.statement(s) for s in statements])

    def statement(self, s: w.Statement) -> w.Statement:
        """A statement and what is in it."""
        rule = _STATEMENTS.get(type(s))
        return s if rule is None else rule(self, s)

    def _if(self, s: w.If) -> w.If:
        attributes = (*s.attributes, *self._filters())
        return replace(s, attributes=attributes, then=self.block(s.then), orelse=self._else(s.orelse))

    def _else(self, orelse: w.Block | w.If | None) -> w.Block | w.If | None:
        """What stands behind `else`; an `if` there takes no attributes of its own."""
        if isinstance(orelse, w.If):
            return replace(orelse, then=self.block(orelse.then), orelse=self._else(orelse.orelse))
        return None if orelse is None else self.block(orelse)

    def _switch(self, s: w.Switch) -> w.Switch:
        attributes = (*s.attributes, *self._filters())
        body_attributes = (*s.body_attributes, *self._filters())
        clauses = tuple([w.Clause(c.selectors, self.block(c.body)) for c in s.clauses])
        return w.Switch(s.selector, clauses, attributes, body_attributes)

    def _loop(self, s: w.Loop) -> w.Loop:
        attributes = (*s.attributes, *self._filters())
        continuing = None if s.continuing is None else self.block(s.continuing)
        return w.Loop(self.block(s.body), continuing, attributes)

    def _while(self, s: w.While) -> w.While:
        return w.While(s.condition, self.block(s.body), (*s.attributes, *self._filters()))

    def _for(self, s: w.For) -> w.For:
        return replace(s, attributes=(*s.attributes, *self._filters()), body=self.block(s.body))


_STATEMENTS: Mapping[type, Callable[[_Placer, Any], w.Statement]] = {
    w.Block: _Placer.block,
    w.If: _Placer._if,
    w.Switch: _Placer._switch,
    w.Loop: _Placer._loop,
    w.While: _Placer._while,
    w.For: _Placer._for,
}
