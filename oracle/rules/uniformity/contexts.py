"""Variants of the rules that act in one context only: there they are the variant, elsewhere the rule.

That is what a compiler gets wrong that nobody knows yet: one kind of statement in one kind of block.
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import suppress
from functools import cache, partial
from inspect import isfunction
from itertools import takewhile
from typing import Any

from wgsl_fuzz.oracle.rules.rule_set import UNCHANGED, Direction, Rules, Variant
from wgsl_fuzz.oracle.rules.uniformity.analysis import ScopeAnalysis
from wgsl_fuzz.oracle.rules.uniformity.coverage import JudgedModule, arms, around, readied
from wgsl_fuzz.oracle.rules.uniformity.places import Contexts, Declaration, Places
from wgsl_fuzz.oracle.rules.uniformity.revisions import DEPARTURES, analysis_under, judge_wgsl
from wgsl_fuzz.oracle.rules.uniformity.sets import on_sets
from wgsl_fuzz.oracle.verdict import Verdict
from wgsl_fuzz.wgsl import syntax as w
from wgsl_fuzz.wgsl.behaviours import BehaviourAnalysis
from wgsl_fuzz.wgsl.parser import parse
from wgsl_fuzz.wgsl.problems import WgslError
from wgsl_fuzz.wgsl.resolution import Resolution
from wgsl_fuzz.wgsl.resolve import resolve
from wgsl_fuzz.wgsl.walk import with_more_stack


class Where:
    """What all rules of one analysis share: the places of the module, and what is being analysed."""

    places: Places
    met: list[Contexts] | None = None
    """Filled with the contexts of each application of the rule, if somebody looks for them."""

    def __init__(self, context: str | None) -> None:
        self.context = context
        self.here: w.Node | None = None

    def holds(self, name: str, handed: tuple[Any, ...]) -> bool:
        """Whether the variant acts, by the name of its rule and what that is handed."""
        contexts = self.contexts(name, handed)
        if self.met is not None:
            self.met.append(contexts)
        return self.context is None or self.context in contexts

    def contexts(self, name: str, handed: tuple[Any, ...]) -> Contexts:
        """The contexts of one application."""
        node: w.Node | None = None
        variable: Declaration | None = None
        i: int | None = handed[1] if name in _OF_ARGUMENTS else None
        for x in handed:
            if isinstance(x, list) and x and isinstance(x[0], w.Node):
                x = self.places.parent.get(id(x[0]))
            if isinstance(x, w.Node) and id(x) in self.places.owner and node is None:
                node = x
            elif isinstance(x, w.Variable | w.Let | w.Parameter):
                variable = x
        if isinstance(node, w.Assign | w.Increment):
            variable = _declared(self.places.resolution.root(node.left))
        elif variable is None and isinstance(node, w.Identifier):
            variable = _declared(self.places.resolution.declaration(node))
        elif variable is None and isinstance(node, w.Variable | w.Let | w.Parameter):
            variable = node
        return self.places.of(node or self.here, variable, i)


def _declared(x: object) -> Declaration | None:
    return x if isinstance(x, w.Variable | w.Let | w.Parameter) else None


_FOLLOWED = ("stmt", "call", "entry_input")
"""The rules that say what is being analysed, for those that are handed no node."""
_OF_ARGUMENTS = ("argument", "contents")
"""The rules that are handed a call and the number of an argument."""
_OF_MODULES = ("filter/", "module/", "tag/severity/")
_MEETING = ("join", "meet", "heads", "at_continuing", "behind_loop", "after_short_circuit")
"""The rules that give a map of variables: a variant may be right for some and wrong for others."""


def _follow(piece: Callable[..., Any], where: Where) -> Callable[..., Any]:
    """A method that notes what is being analysed, which is the first that it is handed."""

    def method(self: Any, *handed: Any) -> Any:
        before, where.here = where.here, handed[0]
        result = piece(self, *handed)
        where.here = before
        return result

    return method


def _confine(broken: type, name: str, applies: Callable[[Any], bool], where: Where) -> Callable[..., Any]:
    """A method that is the variant's in the context, and the rule's elsewhere."""
    piece = getattr(broken, name)

    def method(self: Any, *handed: Any) -> Any:
        rule = getattr(super(broken, self), name)
        if not applies((rule, self, *handed)):
            return piece(self, *handed)
        if name in _MEETING and self.M:
            return _for_some(self, where, handed, piece, rule)
        return piece(self, *handed) if where.holds(name, handed) else rule(*handed)

    return method


def _for_some(self: Any, where: Where, handed: tuple[Any, ...], piece: Any, rule: Any) -> Any:
    """The map of variables: the variant's for those in the context, the rule's for the others."""
    subjects = {x: self.subjects[x] for x in self.M if x in self.subjects}
    contexts = {x: where.contexts("", (*handed, subject)) for x, subject in subjects.items()}
    if where.met is not None:
        where.met += contexts.values()
    chosen = {x for x, c in contexts.items() if where.context is None or where.context in c}
    if len(chosen) == len(contexts):
        return piece(self, *handed)
    if not chosen:
        return rule(*handed)
    breaks, continues, M = [[*b] for b in self.breaks], [[*c] for c in self.continues], self.M.copy()
    right = rule(*handed)
    self.breaks, self.continues, self.M = breaks, continues, M
    wrong = piece(self, *handed)
    mixed = type(right)(right)
    for x in chosen:
        mixed.pop(x, None)
        if x in wrong:
            mixed[x] = wrong[x]
    return mixed


def pieces(cls: type) -> list[tuple[type, str, Callable[[Any], bool]]]:
    """The pieces that a variant's class replaces: their class, their name, and what says whether it replaces them."""
    row = vars(cls).get("replaced")
    if row is not None:
        return [(row[0] if issubclass(row[0], ScopeAnalysis) else _base_of(row[0], cls), row[1], row[3])]
    own = (n for n, f in vars(cls).items() if isfunction(f) and n != "start_function" and not n.startswith("__"))
    return [(ScopeAnalysis, name, bool) for name in own]


def _base_of(base: type, cls: type) -> type:
    return next((b for b in (BehaviourAnalysis, Resolution) if issubclass(base, b) or issubclass(cls, b)), base)


def confined(variant: Variant, where: Where, rules: Rules = UNCHANGED) -> type[ScopeAnalysis]:
    """The analysis of a rule set in which a variant acts besides, in a context only."""
    analysis = analysis_under(around(variant.rules, rules))
    (cls,) = variant.replacements
    methods: dict[str, Any] = {name: _follow(getattr(analysis, name), where) for name in _FOLLOWED}
    followed: Any = type("Followed", (analysis,), methods)
    own: dict[str, Any] = {}
    for base, name, applies in pieces(cls):
        if base is BehaviourAnalysis:
            confining = {name: _confine(cls, name, applies, where)}
            named: Any = type("Confined", (followed.behaviour_analysis,), confining)
            own["behaviour_analysis"] = type("Followed", (named,), {"behaviour": _follow(named.behaviour, where)})
            own["__init__"] = _with_own_behaviours(followed)
        elif base is Resolution:
            own["__init__"] = _with_names(followed, name, applies, where)
        else:
            rule = _confine(cls, name, applies, where)
            own[name] = _follow(rule, where) if name in _FOLLOWED else rule
    return on_sets(type("Confined", (followed,), own))


def _with_own_behaviours(base: type) -> Callable[..., Any]:
    """A constructor that remembers no behaviours of another context."""

    def construct(self: Any, resolution: Resolution, scope: Any) -> None:
        base.__init__(self, resolution, scope)  # type: ignore[misc]
        self.behaviours = self.behaviour_analysis()

    return construct


def _with_names(base: type, name: str, applies: Callable[[Any], bool], where: Where) -> Callable[..., Any]:
    """A constructor whose names have another meaning in the context only."""

    def construct(self: Any, resolution: Resolution, scope: Any) -> None:
        base.__init__(self, resolution, scope)  # type: ignore[misc]
        meaning = type(self.resolution)
        confining = {name: _confine(meaning, name, applies, where)}
        self.resolution = self.resolution.copied_as(type("Confined", (meaning,), confining))

    return construct


# ------------------------------------------------------------------------------------------------------------- asking


class ArmInContexts:
    """A variant on top of a rule set, in one context at a time; in all without one."""

    def __init__(self, variant: Variant, base: Rules) -> None:
        self.variant, self.where = variant, Where(None)
        self.everywhere = readied(variant.rules, base)
        self.arm = self.everywhere._replace(analysis=confined(variant, self.where, base))

    def may_decide(self, module: JudgedModule) -> bool:
        """Whether the variant may decide the verdict on a module in some context."""
        way = self.variant.direction
        if way is Direction.EITHER or not way.can_change(module.verdict):
            return way is Direction.EITHER
        return module.verdict_under(self.everywhere) is not module.verdict

    def deciding(
        self, module: JudgedModule, places: Places, wanted: Callable[[str], bool], verdict: Verdict | None
    ) -> Iterator[str]:
        """The contexts in which the variant decides the verdict on a module, or gives this `verdict` in its place."""
        for context in sorted(filter(wanted, self._met(module, places))):
            self.where.context, self.where.here = context, None
            said = module.verdict_under(self.arm)
            if said is not module.verdict and verdict in (None, said):
                yield context

    def _met(self, module: JudgedModule, places: Places) -> frozenset[str]:
        """The contexts in which the rule is applied in a module, if the variant can make a difference there."""
        where, where.places = self.where, places
        where.context, where.here, where.met = None, None, []
        with suppress(WgslError):
            for scope in self.arm.analysis.scopes(module.resolution) if module.touched(self.arm) else ():
                self.arm.analysis(module.resolution, scope).module()
        met, where.met = frozenset[str]().union(*where.met), None
        return met


@cache
def confinable_arms(base: Rules = UNCHANGED) -> Mapping[str, ArmInContexts]:
    """The broken variants that can be confined to a context, by name: not those of filters and of whole modules."""
    broken = (v for v in arms() if v.name not in DEPARTURES and not v.name.startswith(_OF_MODULES))
    own = takewhile(lambda cls: cls is not ScopeAnalysis, analysis_under(base).__mro__)
    names_differ = any("__init__" in vars(cls) for cls in own)  # then a variant of the names would undo that
    replaced = ((v, [kind for cls in v.replacements for kind, *_ in pieces(cls)]) for v in broken)
    return {v.name: ArmInContexts(v, base) for v, kinds in replaced if not (names_differ and Resolution in kinds)}


def deciding_in_contexts(
    text: str,
    wanted: Callable[[str, str], bool],
    names: Collection[str] | None = None,
    *,
    verdict: Verdict | None = None,
    base: Rules = UNCHANGED,
) -> list[tuple[str, str]]:
    """The variants on top of a rule set, and the contexts, in which they decide the verdict on a text; of those
    `wanted`, and of the variants of these `names`, only. With a `verdict` only those count that give it.

    A variant that only rejects more, or only accepts more, is asked in contexts if it decides the verdict everywhere:
    else no context of it does. Raises WgslError.
    """
    resolution = resolve(parse(text))

    def deciding() -> Iterator[tuple[str, str]]:
        reference = judge_wgsl(resolution, base)
        known = confinable_arms(base)
        module, places = JudgedModule(resolution, reference, base), Places(resolution)
        for name in sorted(known.keys() if names is None else known.keys() & {*names}):
            if known[name].may_decide(module):
                contexts = known[name].deciding(module, places, partial(wanted, name), verdict)
                yield from ((name, context) for context in contexts)

    return with_more_stack(lambda: [*deciding()])
