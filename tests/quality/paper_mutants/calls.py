"""Variants of section 4.2's rules for calls, functions and shaders."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

from tests.quality.paper_mutants.rows import EITHER, LAXER, STRICTER, U, at, changed, row
from wgsl_fuzz.oracle.rules.analysis import Reached, Summary, UniformityAnalysis, VariableMap
from wgsl_fuzz.oracle.rules.graph import CF_START, MAY_BE_NON_UNIF, VALUE_RETURN, Node
from wgsl_fuzz.oracle.rules.rule_set import Direction, Variant
from wgsl_fuzz.tinywgsl.ast import Call, Function, Shader

Facts = Callable[..., Summary]


def _every(members: Sequence[object]) -> frozenset[int]:
    return frozenset(range(len(members)))


def _but(**facts: Any) -> Facts:
    """The summary with other facts."""
    return lambda summary: replace(summary, **facts)


def _with_every(fact: str) -> Facts:
    """The summary in which a fact holds of every argument."""
    return lambda v, summary: replace(summary, **{fact: _every(v)})


_line_4, _line_5 = at("call/line-4", U.demands), at("call/line-5", U.result)
_NONE = frozenset[int]()
_DEMANDED, _AFFECTING = "i ∈ paramsReqToBeUnif", "i ∈ paramAffectsReturnUnif"
CALL_VARIANTS: tuple[Variant, ...] = (
    changed(
        "call/line-1/arguments-under-CfStart",
        "UG_expr(..., cf, e_i)",
        LAXER,
        U.arguments,
        cf=CF_START,
        equivalent="v_res has its own edge to cf (line 6). A path from MustBeUnif to a parameter passes a read of it, "
        "which has an edge to its control flow, so a callee that has it and is free of error is callSiteUnif, and line "
        "4 demands cf.",
    ),
    _line_4("no-demand-on-call-site", "(MustBeUnif, cf) | callSiteUnif", LAXER, summary=_but(callSiteUnif=False)),
    _line_4("demand-on-every-call-site", "callSiteUnif", STRICTER, summary=_but(callSiteUnif=True)),
    _line_4("call-site-at-CfStart", "(MustBeUnif, cf)", LAXER, cf=CF_START),
    _line_4("no-demand-on-arguments", f"(MustBeUnif, v_i) | {_DEMANDED}", LAXER, summary=_but(paramsReqToBeUnif=_NONE)),
    _line_4("demand-on-every-argument", _DEMANDED, STRICTER, summary=_with_every("paramsReqToBeUnif")),
    _line_4("demand-on-wrong-argument", "(MustBeUnif, v_i)", EITHER, v=lambda v: v[::-1]),
    _line_4(
        "demand-on-affecting-arguments",
        _DEMANDED,
        EITHER,
        summary=lambda summary: replace(summary, paramsReqToBeUnif=summary.paramAffectsReturnUnif),
    ),
    _line_5("no-edges-to-arguments", f"(v_res, v_i) | {_AFFECTING}", LAXER, summary=_but(paramAffectsReturnUnif=_NONE)),
    _line_5("edges-to-every-argument", _AFFECTING, STRICTER, summary=_with_every("paramAffectsReturnUnif")),
    _line_5("edge-to-wrong-argument", "(v_res, v_i)", EITHER, v=lambda v: v[::-1]),
    _line_5(
        "no-edge-to-MayBeNonUnif", "(v_res, MayBeNonUnif) | returnNonUnif", LAXER, summary=_but(returnNonUnif=False)
    ),
    _line_5("always-to-MayBeNonUnif", "returnNonUnif", STRICTER, summary=_but(returnNonUnif=True)),
    changed("call/line-6/no-edge-to-cf", "(v_res, cf)", LAXER, U.result, cf=lambda self: self.graph.fresh()),
    changed("call/line-7/map-not-updated", "M[x ↦ v_res]", EITHER, U.call, lambda M, result: (M, result[1])),
    changed(
        "call/line-7/control-flow-is-result", "cf", STRICTER, U.call, lambda s, result: (result[0], result[0][s.name])
    ),
)


def _line_3(name: str, branch: str, way: Direction, of: str, successors: list[Node], equivalent: str = "") -> Variant:
    """Other edges from the nodes of `params` or of `locals`."""

    class Initial(UniformityAnalysis):
        def initial(self, f: Function) -> VariableMap:
            M_init = super().initial(f)
            for v in f.params if of == "params" else f.locals:
                self.graph.successors[M_init[v.name]] = [*successors]
            return M_init

    return row(name, branch, way, Initial, equivalent=equivalent)


def _fact(name: str, branch: str, way: Direction, fact: str, other: Callable[[Function], object]) -> Variant:
    """Another fact of the summary."""
    return changed(name, branch, way, U.summary, lambda f, result: replace(result, **{fact: other(f)}))


def _swapped(name: str, branch: str, fact: str) -> Variant:
    """A fact of the summary that is read from the other row of E*."""

    def rule(
        piece: Callable[..., Summary], f: Function, M_init: VariableMap, required: Reached, returned: Reached
    ) -> Summary:
        other = piece(f, M_init, returned, required)
        return replace(piece(f, M_init, required, returned), **{fact: getattr(other, fact)})

    return changed(name, branch, EITHER, U.summary, rule)


_REQUIRED, _VIOLATED = "(MustBeUnif, CfStart) ∈ E*", "(MustBeUnif, MayBeNonUnif) ∈ E*"
_line_11 = at("func/line-11", U.function)
FUNCTION_VARIANTS: tuple[Variant, ...] = (
    _line_3(
        "func/line-3/no-edges-from-locals",
        "(v_i, CfStart) | y_i ∉ {x_1, ..., x_n}",
        LAXER,
        "locals",
        [],
        "every path to v_i passes a read of the variable, whose edge to its control flow leads on to CfStart or to "
        "MayBeNonUnif.",
    ),
    _line_3(
        "func/line-3/edges-from-parameters",
        "y_i ∉ {x_1, ..., x_n}",
        STRICTER,
        "params",
        [CF_START],
        "as for locals: the read that leads to v_i has an edge to its control flow.",
    ),
    _line_3("func/line-3/locals-non-uniform", "(v_i, CfStart)", STRICTER, "locals", [MAY_BE_NON_UNIF]),
    _line_3("func/line-3/parameters-non-uniform", "parameters have no edge", STRICTER, "params", [MAY_BE_NON_UNIF]),
    changed(
        "func/line-5/body-under-fresh-control-flow",  # on which nothing depends
        "UG_stmt(..., CfStart, ss)",
        LAXER,
        U.function_body,
        lambda self, M_init, f: self.stmts(M_init, {}, {}, self.graph.fresh(), f.body),
    ),
    _fact("func/line-6/never", f"callSiteUnif = {_REQUIRED}", LAXER, "callSiteUnif", lambda f: False),
    _fact("func/line-6/always", f"callSiteUnif = {_REQUIRED}", STRICTER, "callSiteUnif", lambda f: True),
    _swapped("func/line-6/of-value-returned", _REQUIRED, "callSiteUnif"),
    _fact("func/line-7/none", "paramsReqToBeUnif", LAXER, "paramsReqToBeUnif", lambda f: frozenset()),
    _fact("func/line-7/all", "paramsReqToBeUnif", STRICTER, "paramsReqToBeUnif", lambda f: _every(f.params)),
    _swapped("func/line-7/of-value-returned", "(MustBeUnif, M_init(x_i)) ∈ E*", "paramsReqToBeUnif"),
    _fact("func/line-8/none", "paramAffectsReturnUnif", LAXER, "paramAffectsReturnUnif", lambda f: frozenset()),
    _fact("func/line-8/all", "paramAffectsReturnUnif", STRICTER, "paramAffectsReturnUnif", lambda f: _every(f.params)),
    _swapped("func/line-8/of-demands", "(ValueReturn, M_init(x_i)) ∈ E*", "paramAffectsReturnUnif"),
    _fact("func/line-9/never", "returnNonUnif", LAXER, "returnNonUnif", lambda f: False),
    _fact("func/line-9/always", "returnNonUnif", STRICTER, "returnNonUnif", lambda f: True),
    _line_11("never", f"if {_VIOLATED}", LAXER, lambda result: replace(result, violates=False)),
    _line_11(
        "of-value-returned",
        _VIOLATED,
        EITHER,
        lambda result: replace(result, violates=bool(result.graph.reachable(VALUE_RETURN)[MAY_BE_NON_UNIF])),
    ),
)


class UnknownCallees(UniformityAnalysis):
    """A callee without a summary demands nothing and returns what is uniform."""

    def callee(self, s: Call) -> Summary:
        return self.F.get(s.function, Summary(False, _NONE, _NONE, False))


class CallersFirst(UnknownCallees):
    """The functions of P, callers before their callees."""

    def functions(self, shader: Shader) -> Iterable[Function]:
        return reversed([*super().functions(shader)])


class LastSummaryOnly(UnknownCallees):
    """F' has the last function alone."""

    def remember(self, f: Function, summary: Summary) -> None:
        self.F.clear()
        super().remember(f, summary)


SHADER_VARIANTS: tuple[Variant, ...] = (
    changed(
        "shader/functions/errors-of-main-only",
        "an error of any function",
        LAXER,
        U.function,
        lambda f, result: replace(result, violates=result.violates and f.result is None),
    ),
    changed(
        "shader/functions/main-not-analysed", "the functions of P", LAXER, U.functions, lambda shader: shader.functions
    ),
    row("shader/order/callers-first", "the functions of P, in order", LAXER, CallersFirst),
    row("shader/order/last-summary-only", "F' = F[f ↦ ...] (UG_func, line 10)", LAXER, LastSummaryOnly),
)
