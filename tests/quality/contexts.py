"""Broken variants that act in one context only: the measure of how many faults a generator finds that nobody knows yet.

An arm is a broken variant of the rules. `ARM @ CONTEXT` is that variant where its rule is applied in this context, and
the rule everywhere else: what a programmer gets wrong for one kind of statement in one kind of block. It is alive if a
text of `small_texts` shows it. `python -m tests.quality.contexts` looks for those and writes `contexts.json`.

Half of the names, by a hash, are hidden: they are counted, and never listed. Who improves the generator looks at the
open half alone.

Contexts, by the group before the colon; all are taken from the tree:

    block     the two innermost blocks around the place: `block:then in loop`
    nest      the two innermost loops and `switch`es around it, whatever stands between: `nest:for in switch`
    holds     what stands below the statement: `holds:continue`
    variable  the variable that is read, written or merged, by where it is declared, how, and by its type
    place     where in a statement, and in which operator or call, the expression stands: `place:If.condition`
    form      how the variable is named: whole, member, component, element, through a pointer, `+=`
    argument  which parameter it is, and how many there are
    function  an entry point, a function, one that a function calls, one that is called twice
"""

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from functools import cache, partial
from inspect import isfunction
from multiprocessing import Pool
from pathlib import Path
from typing import Any, get_args

from tests.quality.module_mutants import pairs
from wgsl_fuzz.oracle.rules.rule_set import UNCHANGED, Rules, Variant
from wgsl_fuzz.oracle.rules.uniformity.analysis import ScopeAnalysis
from wgsl_fuzz.oracle.rules.uniformity.coverage import Arm, JudgedModule, arms, deciding_arms, readied
from wgsl_fuzz.oracle.rules.uniformity.revisions import analysis_under, judge_wgsl
from wgsl_fuzz.oracle.rules.uniformity.sets import on_sets
from wgsl_fuzz.oracle.rules.uniformity.variants.broken import BROKEN
from wgsl_fuzz.strategies.enumerate import nested
from wgsl_fuzz.wgsl import syntax as w
from wgsl_fuzz.wgsl.behaviours import BehaviourAnalysis
from wgsl_fuzz.wgsl.parser import parse
from wgsl_fuzz.wgsl.problems import WgslError
from wgsl_fuzz.wgsl.resolution import Resolution, is_swizzle
from wgsl_fuzz.wgsl.resolve import resolve
from wgsl_fuzz.wgsl.types import ValueTypes, pointee
from wgsl_fuzz.wgsl.walk import children, descendants

ALIVE = Path(__file__).with_name("contexts.json")
BUILTIN_ROWS, INPUT_ROWS = "function_row", "input_row"
"""The pieces that have a variant for each row of a table: one in so many of their names is kept."""
SHARE = {BUILTIN_ROWS: 16, INPUT_ROWS: 4}
OTHERS_SHARE = 2

Contexts = frozenset[str]
Declaration = w.Variable | w.Let | w.Parameter
_JUMPS: Mapping[type, str] = {w.Break: "break", w.Continue: "continue", w.Return: "return", w.BreakIf: "break if"}
_NESTED = {"loop": "loop", "for": "for", "while": "while", "clause": "switch", "default": "switch"}


# ------------------------------------------------------------------------------------------------- places in a module


class Places:
    """Where each node of a module stands. The module shares no node between two places: parse it for this."""

    def __init__(self, resolution: Resolution) -> None:
        self.resolution = resolution
        self.types = ValueTypes(resolution)
        self.parent: dict[int, w.Node] = {}
        self.owner: dict[int, w.Function] = {}
        self._known: dict[tuple[int, int, int], Contexts] = {}
        for f in resolution.functions:
            for node in descendants(f):
                self.owner[id(node)] = f
                self.parent.update((id(child), node) for child in children(node))

    def above(self, node: w.Node) -> Iterator[tuple[w.Node, w.Node]]:
        """A node and its parent, then the parent and its own, up to the function."""
        while (parent := self.parent.get(id(node))) is not None:
            yield node, parent
            node = parent

    def of(self, node: w.Node | None, variable: Declaration | None, i: int | None) -> Contexts:
        """The contexts of a rule that is applied to a node, and concerns a variable or an argument."""
        key = id(node), id(variable), -1 if i is None else i
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = frozenset(self._contexts(node, variable, i))
        return known

    def _contexts(self, node: w.Node | None, variable: Declaration | None, i: int | None) -> Iterator[str]:
        if node is not None:
            blocks = [kind for pair in self.above(node) if (kind := block_kind(*pair)) is not None]
            if blocks:
                yield f"block:{' in '.join(blocks[:2])}"
            nested = [_NESTED[kind] for kind in blocks if kind in _NESTED]
            yield f"nest:{' in '.join(nested[:2]) or 'none'}"
            if isinstance(node, (w.If, w.Switch, w.Loop, w.For, w.While, w.Block)):
                yield from (f"holds:{kind}" for kind in {held(n) for n in descendants(node) if n is not node} if kind)
            elif isinstance(node, (*get_args(w.Expression), w.Assign, w.Increment)):
                yield from (f"place:{kind}" for pair in self.above(node) for kind in slots(*pair, self.resolution))
                yield f"form:{self.form(node)}"
            yield from self._of_function(self.owner.get(id(node)))
        if i is None and isinstance(variable, w.Parameter):
            i = self._index(variable)
        if i is not None:
            yield f"argument:{min(i, 3)}"
            call = node if isinstance(node, w.Call) else None
            f = self.resolution.function(call) if call is not None else self.owner.get(id(variable or node))
            yield f"argument:of {min(len(f.parameters), 4)}" if f is not None else "argument:of a built-in"
        if variable is not None:
            yield from self.kinds(variable)

    def _of_function(self, f: w.Function | None) -> Iterator[str]:
        if f is None:
            return
        if self.resolution.entry_stage(f) is not None:
            yield "function:entry"
            return
        callers = [g for g in self.resolution.functions if f in self.resolution.callees(g)]
        deep = any(self.resolution.entry_stage(g) is None for g in callers)
        yield "function:called by a function" if deep else "function:called"
        yield f"function:{'one caller' if len(callers) == 1 else 'callers'}"

    def _index(self, p: w.Parameter) -> int | None:
        f = self.owner.get(id(p))
        return None if f is None else next((i for i, q in enumerate(f.parameters) if q is p), None)

    def kinds(self, x: Declaration) -> Iterator[str]:
        """What kind of variable a declaration is: alone, by its type, and both."""
        place = self._declared(x)
        found = self.types.declared(x)
        found = pointee(found) or found
        kind = "unknown" if found is None else type(found).__name__.lower()
        if kind == "scalar":
            kind = str(found)
        yield f"variable:{place}"
        yield f"variable:{kind}"
        yield f"variable:{place} {kind}"

    def _declared(self, x: Declaration) -> str:
        if isinstance(x, w.Parameter):
            return "pointer parameter" if self.resolution.pointer(x) is not None else "parameter"
        if isinstance(x, w.Let):
            return "let of a pointer" if self.resolution.is_pointer(x.value) else "let"
        if not self.resolution.is_function_scope(x):
            return str(self.resolution.space(x))
        blocks = [kind for pair in self.above(x) if (kind := block_kind(*pair)) is not None]
        where = {"function": "top", "entry": "top"}.get(blocks[0], blocks[0])
        return f"{where}{'' if x.value is not None else ' uninitialised'}"

    def form(self, node: w.Node) -> str:
        """How a statement or an expression names what it stores to or reads."""
        if isinstance(node, w.Increment):
            return f"++ {self._reference(node.left)}"
        if isinstance(node, w.Assign):
            return f"{'=' if node.operator == '=' else 'op='} {self._reference(node.left)}"
        for below, parent in self.above(node):
            if not (isinstance(parent, (w.Member, w.Unary)) or (isinstance(parent, w.Index) and parent.base is below)):
                return self._reference(below)
        return "whole"

    def _reference(self, e: w.Node) -> str:
        """A reference or a value, by its outermost step and its base."""
        step, inner = "whole", e
        while isinstance(inner, (w.Member, w.Index)) or (isinstance(inner, w.Unary) and inner.operator in "*&"):
            if step == "whole" and isinstance(inner, w.Member):
                struct = self.types.of(inner.base)
                name = type(struct).__name__.lower()
                step = "swizzle" if name == "vector" and len(inner.name) > 1 and is_swizzle(inner.name) else name
            elif step == "whole" and isinstance(inner, w.Index):
                step = "constant index" if isinstance(inner.index, w.Literal) else "index"
            inner = inner.operand if isinstance(inner, w.Unary) else inner.base
        if not isinstance(inner, w.Identifier):
            return "value"
        declared = self.resolution.declaration(inner)
        through = isinstance(declared, (w.Let, w.Parameter)) and self.resolution.is_pointer(inner)
        return f"{step} through {type(declared).__name__.lower()}" if through else step


def block_kind(node: w.Node, parent: w.Node) -> str | None:
    """The kind of block that `node` is of `parent`; None where it is none."""
    match parent:
        case w.If():
            return "then" if node is parent.then else "else" if node is parent.orelse else None
        case w.Clause():
            has_default = any(isinstance(s, w.DefaultSelector) for s in parent.selectors)
            return None if node is not parent.body else "default" if has_default or not parent.selectors else "clause"
        case w.Loop():
            return "continuing" if node is parent.continuing else "loop"
        case w.While() | w.For():
            name = type(parent).__name__.lower()
            if node is parent.body:
                return name
            return "head" if isinstance(parent, w.For) and node is not parent.condition else None
        case w.Block():
            return "bare" if isinstance(node, w.Block) else None
        case w.Function():
            entry = any(a.name in ("compute", "fragment", "vertex") for a in parent.attributes)
            return None if node is not parent.body else "entry" if entry else "function"
    return None


def slots(node: w.Node, parent: w.Node, resolution: Resolution) -> Iterator[str]:
    """The place of an expression in its parent: of a statement's, or where it may matter of an expression's."""
    if isinstance(parent, w.Block | w.Function | w.Clause):
        return
    if isinstance(parent, w.Call):
        if node is not parent.callee:
            yield "argument" if resolution.function(parent) is not None else "argument of a built-in"
    elif isinstance(parent, w.Binary):
        if parent.operator in ("&&", "||"):
            yield f"{'left' if node is parent.left else 'right'} of {parent.operator}"
    elif isinstance(parent, w.Index):
        if node is parent.index:
            yield "index"
    elif not isinstance(parent, (w.Member, w.Unary)) and not isinstance(node, w.Block):
        name = next((f.name for f in fields(parent) if getattr(parent, f.name) is node), None)
        if name is not None:
            yield f"{type(parent).__name__}.{name}"


def held(node: w.Node) -> str | None:
    """A jump, or a statement with blocks, by its name."""
    if isinstance(node, (w.If, w.Switch, w.Loop, w.For, w.While)):
        return type(node).__name__.lower()
    return _JUMPS.get(type(node))


# ------------------------------------------------------------------------------------------------ variants in contexts


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


_ANALYSIS = ("filter/", "module/", "tag/severity/")
"""Variants of filters and of whole modules: they have no context of this kind."""


def confinable() -> tuple[Variant, ...]:
    """The broken variants that can be confined to a context."""
    shown = {v.name for v in arms()}
    return tuple(v for v in BROKEN if v.name in shown and not v.name.startswith(_ANALYSIS))


def _pieces(cls: type) -> list[tuple[type, str, Callable[[Any], bool]]]:
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
    around = replace(variant, place="")  # one without a place stands around the others
    analysis = analysis_under(Rules((*rules, around)))
    (cls,) = variant.replacements
    methods: dict[str, Any] = {name: _follow(getattr(analysis, name), where) for name in _FOLLOWED}
    followed: Any = type("Followed", (analysis,), methods)
    own: dict[str, Any] = {}
    for base, name, applies in _pieces(cls):
        if base is BehaviourAnalysis:
            behaviours = followed.behaviour_analysis
            confining = {name: _confine(cls, name, applies, where)}
            named: Any = type("Confined", (behaviours,), confining)
            own["behaviour_analysis"] = type("Followed", (named,), {"behaviour": _follow(named.behaviour, where)})
        elif base is Resolution:
            own["__init__"] = _with_names(followed, name, applies, where)
        else:
            confined_rule = _confine(cls, name, applies, where)
            own[name] = _follow(confined_rule, where) if name in _FOLLOWED else confined_rule
    return on_sets(type("Confined", (followed,), own))


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
    """A variant, and its analyses in the contexts that were asked about."""

    def __init__(self, variant: Variant) -> None:
        self.variant = variant
        self.collecting = self._of(None)

    def _of(self, context: str | None) -> tuple[Where, Arm]:
        where = Where(context)
        return where, readied(self.variant.rules)._replace(analysis=confined(self.variant, where))

    @cache  # noqa: B019 - as many as there are variants in contexts
    def in_context(self, context: str) -> tuple[Where, Arm]:
        """The analysis in a context."""
        return self._of(context)

    def anywhere(self, resolution: Resolution) -> Arm:
        """The analysis in which it acts everywhere, made ready for a module."""
        where, arm = self.collecting
        where.places, where.here = Places(resolution), None
        return arm

    def met(self, resolution: Resolution, places: Places) -> list[Contexts]:
        """The contexts of each application of the rule in a module."""
        where, arm = self.collecting
        where.places, where.met, where.here = places, [], None
        try:
            for scope in arm.analysis.scopes(resolution):
                arm.analysis(resolution, scope).module()
        except WgslError:
            pass
        return where.met

    def deciding(self, module: JudgedModule, places: Places, wanted: Callable[[str], bool]) -> Iterator[str]:
        """The contexts in which the variant decides the verdict on a module that it decides everywhere."""
        met = self.met(module.resolution, places)
        for context in sorted({context for contexts in met for context in contexts if wanted(context)}):
            where, arm = self.in_context(context)
            where.places, where.here = places, None
            if all(context in contexts for contexts in met) or module.verdict_under(arm) is not module.verdict:
                yield context


@cache
def confinable_arms() -> Mapping[str, ArmInContexts]:
    """By the variant's name."""
    return {v.name: ArmInContexts(v) for v in confinable()}


def name_of(arm: str, context: str) -> str:
    """The name of a variant in a context."""
    return f"{arm} @ {context}"


@cache
def digest(name: str) -> str:
    """What a name is known by in `contexts.json`."""
    return hashlib.sha256(name.encode()).hexdigest()[:10]


def is_hidden(digest: str) -> bool:
    """Whether the name with this digest is of the half that nobody looks at."""
    return int(digest[0], 16) % 2 == 1


@cache
def share_of(arm: str) -> int:
    """One in so many contexts of a variant is in the sample: tables have a variant for each row."""
    (cls,) = confinable_arms()[arm].variant.replacements
    return SHARE.get(_pieces(cls)[0][1], OTHERS_SHARE)


def is_kept(arm: str, context: str) -> bool:
    """Whether it is in the sample."""
    return int(digest(name_of(arm, context))[1:], 16) % share_of(arm) == 0


@cache
def alive() -> frozenset[str]:
    """The digests of those that some small text shows."""
    return frozenset(json.loads(ALIVE.read_text(encoding="utf-8")))


def deciding_in_contexts(text: str, wanted: Callable[[str, str], bool]) -> Iterator[tuple[str, str]]:
    """The variants and the contexts in which they decide the verdict on a text; of those `wanted` only.

    A variant is asked in contexts only if it decides the verdict everywhere: for those that only reject more, or only
    accept more, that is no loss. Raises WgslError.
    """
    resolution = resolve(parse(text))
    reference = judge_wgsl(resolution)
    known = confinable_arms()
    deciding = [name for name in deciding_arms(resolution, reference) if name in known]
    if deciding:
        module, places = JudgedModule(resolution, reference), Places(resolution)
        for name in deciding:
            contexts = known[name].deciding(module, places, partial(wanted, name))
            yield from ((name, context) for context in contexts)


# -------------------------------------------------------------------------------------------------------------- alive


_EVERY = {1: 1, 2: 10, 3: 5, 4: 10}
"""Of the family of blocks in each other, one text in so many is read, by its size."""


def small_texts() -> Iterator[str]:
    """Texts that nobody drew: the pairs, and the family of blocks in each other."""
    for pair in pairs().values():
        yield from (pair.accepted, pair.rejected)
    for size, every in _EVERY.items():
        texts = nested.of_size(size)
        yield from (texts.nth(i) for i in range(0, texts.count, every))


def _shown(found: set[str], text: str) -> set[str]:
    """The digests of what a text shows that is not found yet."""

    def is_wanted(arm: str, context: str) -> bool:
        return is_kept(arm, context) and digest(name_of(arm, context)) not in found

    try:
        return {digest(name_of(*name)) for name in deciding_in_contexts(text, is_wanted)}
    except WgslError:
        return set()


def _shown_by(texts: Sequence[str]) -> set[str]:
    found: set[str] = set()
    for text in texts:
        found |= _shown(found, text)
    return found


def main() -> None:
    """Writes the digests of what small texts show."""
    texts = [*small_texts()]
    with Pool() as pool:
        found = set().union(*pool.imap_unordered(_shown_by, (texts[i::64] for i in range(64))))
    ALIVE.write_text(json.dumps(sorted(found), indent=0) + "\n", encoding="utf-8")
    print(f"{len(texts)} texts show {len(found)}, {sum(map(is_hidden, found))} of them hidden")


if __name__ == "__main__":
    main()
