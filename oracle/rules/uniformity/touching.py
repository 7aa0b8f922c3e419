"""Finds the functions on which a variant can differ: those whose analysis calls a method that it replaces.

The rules run once more on sets, and each method notes the variants that replace it here: most variants need no run.
`tests/oracle/rules/uniformity/test_arm_coverage.py` holds what is ruled out against runs of every variant.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator
from inspect import isfunction
from itertools import takewhile
from typing import Any

from wgsl_fuzz.oracle.rules.rule_set import UNCHANGED, Rules, Variant
from wgsl_fuzz.oracle.rules.uniformity.analysis import ScopeAnalysis
from wgsl_fuzz.oracle.rules.uniformity.revisions import analysis_under
from wgsl_fuzz.oracle.rules.uniformity.sets import on_sets
from wgsl_fuzz.oracle.rules.uniformity.variants.rows import Handed, Replaced, asked_by_analysis
from wgsl_fuzz.wgsl import syntax as w
from wgsl_fuzz.wgsl.diagnostics import Filters
from wgsl_fuzz.wgsl.resolution import Resolution
from wgsl_fuzz.wgsl.walk import descendants

_Waiting = dict[object, list[tuple[str, Callable[[Handed], bool]]]]
"""By the text that the first argument must be, or None: variants, and what says whether they replace a piece."""


class Watch:
    """The rules, or those of a `base`, with each piece watched that some `variants` replace on top of them."""

    def __init__(self, variants: Collection[Variant], base: Rules = UNCHANGED) -> None:
        waiting: dict[type, dict[str, _Waiting]] = {kind: {} for kind in (Resolution, Filters, ScopeAnalysis)}
        self.of_filters = {v.name for v in variants if v.name.startswith("filter/") and v.place != "filter/default"}
        """The variants that change nothing where no filter is."""
        self.always: set[str] = set()
        """The variants that change what cannot be watched."""
        for variant in variants:
            for kind, name, of, applies in (piece for cls in variant.replacements for piece in _replaced(cls)):
                if kind in waiting and isfunction(getattr(kind, name)) and name != "__init__":
                    of = of if isinstance(of, str) else None
                    waiting[kind].setdefault(name, defaultdict(list))[of].append((variant.name, applies))
                elif name != "tells_nodes_apart":
                    self.always.add(variant.name)
        rules: Any = analysis_under(base)
        for kind, names in waiting.items():
            of = rules if kind is ScopeAnalysis else kind
            pieces = {name: _watched(of, name, names[name]) for name in names}
            watched = type("Watched", (of,), {"met": None, **pieces})
            rules = type("Watching", (asked_by_analysis(watched), rules), {})
        self.analysis: type[ScopeAnalysis] = on_sets(rules)

    def touched_by(self, resolution: Resolution) -> dict[int, set[str]]:
        """By `id` of each function: the variants that may differ on it with the same tags of callees, by name."""
        found = {id(f): self.always.copy() for f in resolution.functions}
        for scope in self.analysis.scopes(resolution):
            analysis = self.analysis(resolution, scope)
            for f in resolution.functions:
                asked: tuple[Any, ...] = analysis, analysis.resolution, analysis.filters
                for watched in asked:
                    watched.met = found[id(f)]
                analysis.F[id(f)] = analysis.analyse_function(f).tags
        nodes = (*resolution.module.directives, *(node for f in resolution.functions for node in descendants(f)))
        filters = any(
            isinstance(n, w.Diagnostic) or (isinstance(n, w.Attribute) and n.name == "diagnostic") for n in nodes
        )
        return found if filters else {f: names - self.of_filters for f, names in found.items()}


def _watched(base: type, name: str, waiting: _Waiting) -> Callable[..., Any]:
    piece = getattr(base, name)

    def method(self: Any, *handed: Any) -> Any:
        met: set[str] | None = self.met
        if met is not None:
            named = waiting.get(handed[0], ()) if handed and isinstance(handed[0], str) else ()
            for variant, applies in (*waiting.get(None, ()), *named):
                if variant not in met and applies((piece, self, *handed)):
                    met.add(variant)
        return piece(self, *handed)

    return method


def _replaced(cls: type) -> Iterator[Replaced]:
    """The pieces that a class has in place of those of the analysis: of a row, or all rules of a class."""
    for part in takewhile(lambda part: part is not ScopeAnalysis, cls.__mro__):
        row: Replaced | None = vars(part).get("replaced")
        names = [name for name in vars(part) if name == "__init__" or name[0] != "_"]
        own = [(ScopeAnalysis, name, None, bool) for name in names if name != "start_function"]
        yield from (piece for piece in ([row] if row else own) if hasattr(*piece[:2]))
