"""Variants of section 4.2's rules for calls, functions and shaders."""

from collections.abc import Callable, Iterable
from dataclasses import replace

from tests.quality.paper_mutants.rows import EITHER, LAXER, STRICTER, U, changed, row
from wgsl_fuzz.oracle.rules.analysis import Reached, Summary, UniformityAnalysis, VariableMap
from wgsl_fuzz.oracle.rules.graph import CF_START, MAY_BE_NON_UNIF, VALUE_RETURN, Node
from wgsl_fuzz.oracle.rules.rule_set import Effect, Variant
from wgsl_fuzz.tinywgsl.ast import Call, Function, Shader

_Facts = Callable[[list[Node], Summary], tuple[list[Node], Summary]]
"""What lines 4 or 5 take the nodes of the arguments and the summary of the callee to be."""


def _line_4(name: str, branch: str, effect: Effect, facts: _Facts) -> Variant:
    """A call with other demands."""
    return changed(
        name, branch, effect, U.demands, lambda demands, self, cf, v, summary, s: demands(cf, *facts(v, summary), s)
    )


def _line_5(name: str, branch: str, effect: Effect, facts: _Facts) -> Variant:
    """A call whose result has other edges."""
    return changed(
        name, branch, effect, U.result, lambda result, self, cf, v, summary, s: result(cf, *facts(v, summary), s)
    )


def _every(v: list[Node]) -> frozenset[int]:
    return frozenset(range(len(v)))


CALL_VARIANTS: tuple[Variant, ...] = (
    changed(
        "call/line-1/arguments-under-CfStart",
        "UG_expr(..., cf, e_i)",
        LAXER,
        U.arguments,
        lambda arguments, self, M, cf, s: arguments(M, CF_START, s),
        equivalent="v_res has its own edge to cf (line 6). A path from MustBeUnif to a parameter passes a read of it, "
        "which has an edge to its control flow, so a callee that has it and is free of error is callSiteUnif, and line "
        "4 demands cf.",
    ),
    _line_4(
        "call/line-4/no-demand-on-call-site",
        "(MustBeUnif, cf) | callSiteUnif",
        LAXER,
        lambda v, summary: (v, replace(summary, callSiteUnif=False)),
    ),
    _line_4(
        "call/line-4/demand-on-every-call-site",
        "callSiteUnif",
        STRICTER,
        lambda v, summary: (v, replace(summary, callSiteUnif=True)),
    ),
    changed(
        "call/line-4/call-site-at-CfStart",
        "(MustBeUnif, cf)",
        LAXER,
        U.demands,
        lambda demands, self, cf, v, summary, s: demands(CF_START, v, summary, s),
    ),
    _line_4(
        "call/line-4/no-demand-on-arguments",
        "(MustBeUnif, v_i) | i ∈ paramsReqToBeUnif",
        LAXER,
        lambda v, summary: (v, replace(summary, paramsReqToBeUnif=frozenset())),
    ),
    _line_4(
        "call/line-4/demand-on-every-argument",
        "i ∈ paramsReqToBeUnif",
        STRICTER,
        lambda v, summary: (v, replace(summary, paramsReqToBeUnif=_every(v))),
    ),
    _line_4("call/line-4/demand-on-wrong-argument", "(MustBeUnif, v_i)", EITHER, lambda v, summary: (v[::-1], summary)),
    _line_4(
        "call/line-4/demand-on-affecting-arguments",
        "i ∈ paramsReqToBeUnif",
        EITHER,
        lambda v, summary: (v, replace(summary, paramsReqToBeUnif=summary.paramAffectsReturnUnif)),
    ),
    _line_5(
        "call/line-5/no-edges-to-arguments",
        "(v_res, v_i) | i ∈ paramAffectsReturnUnif",
        LAXER,
        lambda v, summary: (v, replace(summary, paramAffectsReturnUnif=frozenset())),
    ),
    _line_5(
        "call/line-5/edges-to-every-argument",
        "i ∈ paramAffectsReturnUnif",
        STRICTER,
        lambda v, summary: (v, replace(summary, paramAffectsReturnUnif=_every(v))),
    ),
    _line_5("call/line-5/edge-to-wrong-argument", "(v_res, v_i)", EITHER, lambda v, summary: (v[::-1], summary)),
    _line_5(
        "call/line-5/no-edge-to-MayBeNonUnif",
        "(v_res, MayBeNonUnif) | returnNonUnif",
        LAXER,
        lambda v, summary: (v, replace(summary, returnNonUnif=False)),
    ),
    _line_5(
        "call/line-5/always-to-MayBeNonUnif",
        "returnNonUnif",
        STRICTER,
        lambda v, summary: (v, replace(summary, returnNonUnif=True)),
    ),
    changed(
        "call/line-6/no-edge-to-cf",
        "(v_res, cf)",
        LAXER,
        U.result,
        lambda result, self, cf, v, summary, s: result(self.graph.fresh(), v, summary, s),
    ),
    changed(
        "call/line-7/map-not-updated",
        "M[x ↦ v_res]",
        EITHER,
        U.call,
        lambda call, self, M, cf, s: (M, call(M, cf, s)[1]),
    ),
    changed(
        "call/line-7/control-flow-is-result",
        "cf",
        STRICTER,
        U.call,
        lambda call, self, M, cf, s: (after := call(M, cf, s)[0], after[s.name]),
    ),
)


def _line_3(name: str, branch: str, effect: Effect, of: str, successors: list[Node], equivalent: str = "") -> Variant:
    """Other edges from the nodes of `params` or of `locals`."""

    class Initial(UniformityAnalysis):
        def initial(self, f: Function) -> VariableMap:
            M_init = super().initial(f)
            for v in f.params if of == "params" else f.locals:
                self.graph.successors[M_init[v.name]] = [*successors]
            return M_init

    return row(name, branch, effect, Initial, equivalent=equivalent)


class FreshControlFlow(UniformityAnalysis):
    """Line 5 under a node of its own, on which nothing depends."""

    def function_body(self, M_init: VariableMap, f: Function) -> None:
        self.stmts(M_init, {}, {}, self.graph.fresh(), f.body)


def _fact(name: str, branch: str, effect: Effect, other: Callable[[Function, Summary, Summary], Summary]) -> Variant:
    """Another summary: of the function, the summary and one with the rows of E* swapped."""

    class Fact(UniformityAnalysis):
        def summary(self, f: Function, M_init: VariableMap, required: Reached, returned: Reached) -> Summary:
            swapped = super().summary(f, M_init, returned, required)
            return other(f, super().summary(f, M_init, required, returned), swapped)

    return row(name, branch, effect, Fact)


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
    row("func/line-5/body-under-fresh-control-flow", "UG_stmt(..., CfStart, ss)", LAXER, FreshControlFlow),
    _fact(
        "func/line-6/never",
        "callSiteUnif = (MustBeUnif, CfStart) ∈ E*",
        LAXER,
        lambda f, summary, swapped: replace(summary, callSiteUnif=False),
    ),
    _fact(
        "func/line-6/always",
        "callSiteUnif = (MustBeUnif, CfStart) ∈ E*",
        STRICTER,
        lambda f, summary, swapped: replace(summary, callSiteUnif=True),
    ),
    _fact(
        "func/line-6/of-value-returned",
        "(MustBeUnif, CfStart) ∈ E*",
        EITHER,
        lambda f, summary, swapped: replace(summary, callSiteUnif=swapped.callSiteUnif),
    ),
    _fact(
        "func/line-7/none",
        "paramsReqToBeUnif",
        LAXER,
        lambda f, summary, swapped: replace(summary, paramsReqToBeUnif=frozenset()),
    ),
    _fact(
        "func/line-7/all",
        "paramsReqToBeUnif",
        STRICTER,
        lambda f, summary, swapped: replace(summary, paramsReqToBeUnif=frozenset(range(len(f.params)))),
    ),
    _fact(
        "func/line-7/of-value-returned",
        "(MustBeUnif, M_init(x_i)) ∈ E*",
        EITHER,
        lambda f, summary, swapped: replace(summary, paramsReqToBeUnif=swapped.paramsReqToBeUnif),
    ),
    _fact(
        "func/line-8/none",
        "paramAffectsReturnUnif",
        LAXER,
        lambda f, summary, swapped: replace(summary, paramAffectsReturnUnif=frozenset()),
    ),
    _fact(
        "func/line-8/all",
        "paramAffectsReturnUnif",
        STRICTER,
        lambda f, summary, swapped: replace(summary, paramAffectsReturnUnif=frozenset(range(len(f.params)))),
    ),
    _fact(
        "func/line-8/of-demands",
        "(ValueReturn, M_init(x_i)) ∈ E*",
        EITHER,
        lambda f, summary, swapped: replace(summary, paramAffectsReturnUnif=swapped.paramAffectsReturnUnif),
    ),
    _fact(
        "func/line-9/never", "returnNonUnif", LAXER, lambda f, summary, swapped: replace(summary, returnNonUnif=False)
    ),
    _fact(
        "func/line-9/always",
        "returnNonUnif",
        STRICTER,
        lambda f, summary, swapped: replace(summary, returnNonUnif=True),
    ),
    changed(
        "func/line-11/never",
        "if (MustBeUnif, MayBeNonUnif) ∈ E*",
        LAXER,
        U.function,
        lambda function, self, f: replace(function(f), violates=False),
    ),
    changed(
        "func/line-11/of-value-returned",
        "(MustBeUnif, MayBeNonUnif) ∈ E*",
        EITHER,
        U.function,
        lambda function, self, f: replace(
            found := function(f), violates=bool(found.graph.reachable(VALUE_RETURN)[MAY_BE_NON_UNIF])
        ),
    ),
)


class UnknownCallees(UniformityAnalysis):
    """A callee without a summary demands nothing and returns what is uniform."""

    def callee(self, s: Call) -> Summary:
        return self.F.get(s.function, Summary(False, frozenset(), frozenset(), False))


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
        lambda function, self, f: replace(found := function(f), violates=found.violates and f.result is None),
    ),
    changed(
        "shader/functions/main-not-analysed",
        "the functions of P",
        LAXER,
        U.functions,
        lambda functions, self, shader: shader.functions,
    ),
    row("shader/order/callers-first", "the functions of P, in order", LAXER, CallersFirst),
    row("shader/order/last-summary-only", "F' = F[f ↦ ...] (UG_func, line 10)", LAXER, LastSummaryOnly),
)
