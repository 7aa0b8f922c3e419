"""Mutants of section 4.2's rules for calls, functions and shaders."""

from oracle.rules.mutants.model import ANALYSIS, Effect, Mutant, Patch, of_analysis

_LAXER, _STRICTER, _EITHER = Effect.LAXER, Effect.STRICTER, Effect.EITHER

_ARGUMENTS = "v = [self.expr(M, cf, e) for e in s.arguments]"
_RESULT = "Role.RESULT, s, s.name, cf)"
_CALL_SITE = "if summary.callSiteUnif:  # line 4"
_DEMANDS = "for i in sorted(summary.paramsReqToBeUnif):"
_AFFECTS = "for i in sorted(summary.paramAffectsReturnUnif):"
_NON_UNIF = "if summary.returnNonUnif:"
_LINE_7 = "return {**M, s.name: v_res}, cf  # line 7"

CALL_MUTANTS: tuple[Mutant, ...] = (
    of_analysis(
        "call/line-1/arguments-under-CfStart",
        "UG_expr(..., cf, e_i)",
        _LAXER,
        _ARGUMENTS,
        _ARGUMENTS.replace("M, cf, e", "M, CF_START, e"),
        equivalent="v_res has its own edge to cf (line 6). A path from MustBeUnif to a parameter passes a read of it, "
        "which has an edge to its control flow, so a callee that has it and is free of error is callSiteUnif, and line "
        "4 demands cf.",
    ),
    of_analysis(
        "call/line-4/no-demand-on-call-site", "(MustBeUnif, cf) | callSiteUnif", _LAXER, _CALL_SITE, "if False:"
    ),
    of_analysis("call/line-4/demand-on-every-call-site", "callSiteUnif", _STRICTER, _CALL_SITE, "if True:"),
    of_analysis(
        "call/line-4/call-site-at-CfStart",
        "(MustBeUnif, cf)",
        _LAXER,
        f"{_CALL_SITE}\n            self.graph.demand(cf, s)",
        f"{_CALL_SITE}\n            self.graph.demand(CF_START, s)",
    ),
    of_analysis(
        "call/line-4/no-demand-on-arguments",
        "(MustBeUnif, v_i) | i ∈ paramsReqToBeUnif",
        _LAXER,
        _DEMANDS,
        "for i in ():",
    ),
    of_analysis(
        "call/line-4/demand-on-every-argument", "i ∈ paramsReqToBeUnif", _STRICTER, _DEMANDS, "for i in range(len(v)):"
    ),
    of_analysis(
        "call/line-4/demand-on-wrong-argument",
        "(MustBeUnif, v_i)",
        _EITHER,
        "self.graph.demand(v[i], s, i)",
        "self.graph.demand(v[-1 - i], s, i)",
    ),
    of_analysis(
        "call/line-4/demand-on-affecting-arguments",
        "i ∈ paramsReqToBeUnif",
        _EITHER,
        _DEMANDS,
        "for i in summary.paramAffectsReturnUnif:",
    ),
    of_analysis(
        "call/line-5/no-edges-to-arguments",
        "(v_res, v_i) | i ∈ paramAffectsReturnUnif",
        _LAXER,
        _AFFECTS,
        "for i in ():",
    ),
    of_analysis(
        "call/line-5/edges-to-every-argument",
        "i ∈ paramAffectsReturnUnif",
        _STRICTER,
        _AFFECTS,
        "for i in range(len(v)):",
    ),
    of_analysis(
        "call/line-5/edge-to-wrong-argument",
        "(v_res, v_i)",
        _EITHER,
        "self.graph.add_edge(v_res, v[i])",
        "self.graph.add_edge(v_res, v[-1 - i])",
    ),
    of_analysis(
        "call/line-5/no-edge-to-MayBeNonUnif", "(v_res, MayBeNonUnif) | returnNonUnif", _LAXER, _NON_UNIF, "if False:"
    ),
    of_analysis("call/line-5/always-to-MayBeNonUnif", "returnNonUnif", _STRICTER, _NON_UNIF, "if True:"),
    of_analysis("call/line-6/no-edge-to-cf", "(v_res, cf)", _LAXER, _RESULT, _RESULT.replace(", cf", "")),
    of_analysis("call/line-7/map-not-updated", "M[x ↦ v_res]", _EITHER, _LINE_7, "return M, cf"),
    of_analysis("call/line-7/control-flow-is-result", "cf", _STRICTER, _LINE_7, _LINE_7.replace("}, cf", "}, v_res")),
)

_LOCALS = "M_init[v.name] = graph.fresh(Role.INITIAL, None, v.name, CF_START)"
_PARAMS = "graph.fresh(Role.INITIAL, None, v.name) for v in f.params"
_START = "{}, {}, CF_START, f.body)  # line 5"
_LINE_6 = "callSiteUnif=bool(required[CF_START])"
_LINE_7_FUNC = "paramsReqToBeUnif=frozenset(i for i, v in enumerate(f.params) if required[M_init[v.name]])"
_LINE_8 = "paramAffectsReturnUnif=frozenset(i for i, v in enumerate(f.params) if returned[M_init[v.name]])"
_LINE_9 = "returnNonUnif=bool(returned[MAY_BE_NON_UNIF])"
_LINE_11 = "violates=bool(required[MAY_BE_NON_UNIF])"

FUNCTION_MUTANTS: tuple[Mutant, ...] = (
    of_analysis(
        "func/line-3/no-edges-from-locals",
        "(v_i, CfStart) | y_i ∉ {x_1, ..., x_n}",
        _LAXER,
        _LOCALS,
        _LOCALS.replace(", CF_START", ""),
        equivalent="every path to v_i passes a read of the variable, whose edge to its control flow leads on to "
        "CfStart or to MayBeNonUnif.",
    ),
    of_analysis(
        "func/line-3/edges-from-parameters",
        "y_i ∉ {x_1, ..., x_n}",
        _STRICTER,
        _PARAMS,
        _PARAMS.replace("v.name)", "v.name, CF_START)"),
        equivalent="as for locals: the read that leads to v_i has an edge to its control flow.",
    ),
    of_analysis(
        "func/line-3/locals-non-uniform",
        "(v_i, CfStart)",
        _STRICTER,
        _LOCALS,
        _LOCALS.replace("CF_START", "MAY_BE_NON_UNIF"),
    ),
    of_analysis(
        "func/line-3/parameters-non-uniform",
        "parameters have no edge",
        _STRICTER,
        _PARAMS,
        _PARAMS.replace("v.name)", "v.name, MAY_BE_NON_UNIF)"),
    ),
    of_analysis(
        "func/line-5/body-under-fresh-control-flow",
        "UG_stmt(..., CfStart, ss)",
        _LAXER,
        _START,
        _START.replace("CF_START", "graph.fresh(Role.SPECIAL, None, None)"),
    ),
    of_analysis(
        "func/line-6/never", "callSiteUnif = (MustBeUnif, CfStart) ∈ E*", _LAXER, _LINE_6, "callSiteUnif=False"
    ),
    of_analysis(
        "func/line-6/always", "callSiteUnif = (MustBeUnif, CfStart) ∈ E*", _STRICTER, _LINE_6, "callSiteUnif=True"
    ),
    of_analysis(
        "func/line-6/of-value-returned",
        "(MustBeUnif, CfStart) ∈ E*",
        _EITHER,
        _LINE_6,
        _LINE_6.replace("required", "returned"),
    ),
    of_analysis("func/line-7/none", "paramsReqToBeUnif", _LAXER, _LINE_7_FUNC, "paramsReqToBeUnif=frozenset()"),
    of_analysis(
        "func/line-7/all",
        "paramsReqToBeUnif",
        _STRICTER,
        _LINE_7_FUNC,
        "paramsReqToBeUnif=frozenset(range(len(f.params)))",
    ),
    of_analysis(
        "func/line-7/of-value-returned",
        "(MustBeUnif, M_init(x_i)) ∈ E*",
        _EITHER,
        _LINE_7_FUNC,
        _LINE_7_FUNC.replace("required", "returned"),
    ),
    of_analysis("func/line-8/none", "paramAffectsReturnUnif", _LAXER, _LINE_8, "paramAffectsReturnUnif=frozenset()"),
    of_analysis(
        "func/line-8/all",
        "paramAffectsReturnUnif",
        _STRICTER,
        _LINE_8,
        "paramAffectsReturnUnif=frozenset(range(len(f.params)))",
    ),
    of_analysis(
        "func/line-8/of-demands",
        "(ValueReturn, M_init(x_i)) ∈ E*",
        _EITHER,
        _LINE_8,
        _LINE_8.replace("returned", "required"),
    ),
    of_analysis("func/line-9/never", "returnNonUnif", _LAXER, _LINE_9, "returnNonUnif=False"),
    of_analysis("func/line-9/always", "returnNonUnif", _STRICTER, _LINE_9, "returnNonUnif=True"),
    of_analysis("func/line-11/never", "if (MustBeUnif, MayBeNonUnif) ∈ E*", _LAXER, _LINE_11, "violates=False"),
    of_analysis(
        "func/line-11/of-value-returned",
        "(MustBeUnif, MayBeNonUnif) ∈ E*",
        _EITHER,
        _LINE_11,
        "violates=bool(returned[MAY_BE_NON_UNIF])",
    ),
)

_ORDER = "for f in shader.all_functions:"
_UNKNOWN = "self.F.get(s.function, Summary(False, frozenset(), frozenset(), False))"

SHADER_MUTANTS: tuple[Mutant, ...] = (
    of_analysis(
        "shader/functions/errors-of-main-only",
        "an error of any function",
        _LAXER,
        "if result.violates:",
        "if result.violates and f is shader.main:",
    ),
    of_analysis(
        "shader/functions/main-not-analysed", "the functions of P", _LAXER, _ORDER, "for f in shader.functions:"
    ),
    Mutant(
        "shader/order/callers-first",
        "the functions of P, in order",
        _LAXER,
        (
            Patch(ANALYSIS, _ORDER, "for f in reversed(shader.all_functions):"),
            Patch(ANALYSIS, "self.F[s.function]", _UNKNOWN),
        ),
    ),
    Mutant(
        "shader/order/last-summary-only",
        "F' = F[f ↦ ...] (UG_func, line 10)",
        _LAXER,
        (
            Patch(ANALYSIS, "F[f.name] = result.summary", "F = {f.name: result.summary}"),
            Patch(ANALYSIS, "self.F[s.function]", _UNKNOWN),
        ),
    ),
)
