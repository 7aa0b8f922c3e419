"""Figs. 8 and 9 and the rules of section 4.2, transcribed letter by letter, to be held against `oracle.rules.analysis`.

Sets V and E are threaded through as frozensets, maps M are copied dicts, fresh nodes come off a counter and E* is a
naive closure. Slow on purpose: each line is one line of the paper, in the paper's names (VALUE_RETURN is ValueReturn).
Numbers in comments are the line numbers of the rule at hand. Departures from the letter, all of them:

- Fig. 8's loop rule asks whether Break is in B1 or B2, not in B1 only (docs/paper-notes.md, note 1);
- unary operators and conversions are analysed like a binary operator with one operand;
- `return` without a value, which only `main` may have, adds nothing;
- LocIdent is the function's own parameters and locals: by restriction (2) no rule relates it to any other name,
  and `lid` is never looked up in M.
"""

from dataclasses import dataclass
from itertools import count

from wgsl_fuzz.tinywgsl import ast

Behaviours = frozenset[str]
Node = int | str
Edges = frozenset[tuple[Node, Node]]
Nodes = frozenset[Node]
Map = dict[str, Node]
Result = tuple[Nodes, Edges, Map, Node]

MAY_BE_NON_UNIF = "MayBeNonUnif"
MUST_BE_UNIF = "MustBeUnif"
CF_START = "CfStart"
VALUE_RETURN = "ValueReturn"

NEXT, BREAK, CONTINUE, RETURN = "Next", "Break", "Continue", "Return"

_counter = count(1)


def fresh() -> Node:
    """`v fresh`: a node that no graph has yet."""
    return next(_counter)


# ------------------------------------------------------------------------------------------------------------ Fig. 8


def b_list(ss: ast.Block) -> Behaviours:
    """B of a list of statements: Fig. 8, the first two equations."""
    if not ss:
        return frozenset({NEXT})
    s, rest = ss[0], ss[1:]
    if NEXT in b(s):
        return (b(s) - {NEXT}) | b_list(rest)
    return b(s)


def b(s: ast.Stmt) -> Behaviours:
    """B of one statement: Fig. 8, the other equations."""
    match s:
        case ast.Assign() | ast.SharedAssign() | ast.Barrier() | ast.Call():
            return frozenset({NEXT})
        case ast.Break():
            return frozenset({BREAK})
        case ast.Continue():
            return frozenset({CONTINUE})
        case ast.Return():
            return frozenset({RETURN})
        case ast.If(_, ss1, ss2):
            return b_list(ss1) | b_list(ss2)
        case ast.Loop(_, ss1, ss2):
            b1, b2 = b_list(ss1), b_list(ss2)
            if b1 == {RETURN}:
                return b1
            if BREAK not in b1 | b2:
                return (b1 | b2) - {CONTINUE, NEXT}
            return (b1 | b2 | {NEXT}) - {BREAK, CONTINUE}


# ------------------------------------------------------------------------------------------------------------ Fig. 9


def ug_expr(V: Nodes, E: Edges, M: Map, cf: Node, e: ast.Expr) -> tuple[Nodes, Edges, Node]:
    """UG_expr, Fig. 9."""
    match e:
        case ast.Lid() | ast.SharedRead():
            return V, E, MAY_BE_NON_UNIF
        case ast.Literal():
            return V, E, cf
        case ast.Local(x):
            v_res = fresh()
            return V | {v_res}, E | {(v_res, cf), (v_res, M[x])}, v_res
        case ast.Binary(_, e1, e2):
            V1, E1, v1 = ug_expr(V, E, M, cf, e1)
            V2, E2, v2 = ug_expr(V1, E1, M, cf, e2)
            v_res = fresh()
            return V2 | {v_res}, E2 | {(v_res, v1), (v_res, v2)}, v_res
        case ast.Unary(_, e1) | ast.Convert(_, e1):
            V1, E1, v1 = ug_expr(V, E, M, cf, e1)
            v_res = fresh()
            return V1 | {v_res}, E1 | {(v_res, v1)}, v_res


# ---------------------------------------------------------------------------------- section 4.2, analysis of statements


@dataclass(frozen=True)
class Summary:
    """What UG_func learns of a function (lines 6-9); parameters count from 1."""

    call_site_unif: bool
    params_req_to_be_unif: frozenset[int]
    param_affects_return_unif: frozenset[int]
    return_non_unif: bool


Table = dict[str, Summary]


def ug_list(V: Nodes, E: Edges, F: Table, M: Map, M_b: Map, M_c: Map, cf: Node, ss: ast.Block) -> Result:
    """UG_stmt of a list: the tail is analysed only if it can be reached."""
    if not ss:
        return V, E, M, cf
    s, rest = ss[0], ss[1:]
    V1, E1, M1, cf1 = ug_stmt(V, E, F, M, M_b, M_c, cf, s)
    if NEXT not in b(s):
        return V1, E1, M1, cf1
    return ug_list(V1, E1, F, M1, M_b, M_c, cf1, rest)


def ug_stmt(V: Nodes, E: Edges, F: Table, M: Map, M_b: Map, M_c: Map, cf: Node, s: ast.Stmt) -> Result:
    """UG_stmt of one statement."""
    match s:
        case ast.SharedAssign():
            return V, E, M, cf
        case ast.Assign(x, e):
            V1, E1, v = ug_expr(V, E, M, cf, e)
            return V1, E1, M | {x: v}, cf
        case ast.Barrier():
            return V, E | {(MUST_BE_UNIF, cf)}, M, cf
        case ast.Return(None):
            return V, E, M, cf
        case ast.Return(e) if e is not None:
            V1, E1, v = ug_expr(V, E, M, cf, e)
            return V1, E1 | {(VALUE_RETURN, v)}, M, cf
        case ast.If():
            return ug_if(V, E, F, M, M_b, M_c, cf, s)
        case ast.Call():
            return ug_call(V, E, F, M, cf, s)
        case ast.Break():
            return V, E | {(M_b[x], M[x]) for x in M}, M, cf
        case ast.Continue():
            return V, E | {(M_c[x], M[x]) for x in M}, M, cf
        case ast.Loop():
            return ug_loop(V, E, F, M, cf, s)
    raise AssertionError(s)


def ug_if(V: Nodes, E: Edges, F: Table, M: Map, M_b: Map, M_c: Map, cf: Node, s: ast.If) -> Result:
    """UG_stmt of `if (e) {ss1} else {ss2}`."""
    ss1, ss2 = s.then, s.orelse
    V1, E1, v = ug_expr(V, E, M, cf, s.condition)  # 1
    V2, E2, M_then, cf_then = ug_list(V1, E1, F, M, M_b, M_c, v, ss1)  # 2
    V3, E3, M_else, cf_else = ug_list(V2, E2, F, M, M_b, M_c, v, ss2)  # 3
    M_after: Map = {x: fresh() for x in M}  # 5
    V4 = V3 | set(M_after.values())  # 4
    E4 = E3 | {(M_after[x], M_then[x]) for x in M if NEXT in b_list(ss1)}  # 6
    E5 = E4 | {(M_after[x], M_else[x]) for x in M if NEXT in b_list(ss2)}  # 7
    if b(s) == {NEXT}:
        return V4, E5, M_after, cf  # 8
    cf_ = fresh()
    # The paper forgets to add cf' to V here; E ⊆ V × V asks for it.
    return V4 | {cf_}, E5 | {(cf_, cf_then), (cf_, cf_else)}, M_after, cf_  # 9


def ug_call(V: Nodes, E: Edges, F: Table, M: Map, cf: Node, s: ast.Call) -> Result:
    """UG_stmt of `x = f(e1, ..., en)`."""
    v: dict[int, Node] = {}
    for i, e in enumerate(s.arguments, start=1):
        V, E, v[i] = ug_expr(V, E, M, cf, e)  # 1
    f = F[s.function]  # 2
    v_res = fresh()  # 3
    E_call = (
        E
        | {(MUST_BE_UNIF, cf) for _ in [()] if f.call_site_unif}  # 4
        | {(MUST_BE_UNIF, v[i]) for i in f.params_req_to_be_unif}  # 4
        | {(v_res, v[i]) for i in f.param_affects_return_unif}  # 5
        | {(v_res, MAY_BE_NON_UNIF) for _ in [()] if f.return_non_unif}  # 5
        | {(v_res, cf)}  # 6
    )
    return V | {v_res}, E_call, M | {s.name: v_res}, cf  # 7


def ug_loop(V: Nodes, E: Edges, F: Table, M: Map, cf: Node, s: ast.Loop) -> Result:
    """UG_stmt of `loop {ss1 continuing {ss2}}`; the loop's own M_exit and M_cont replace the M_b and M_c around it."""
    ss1, ss2 = s.body, s.continuing
    M_head: Map = {x: fresh() for x in M}  # 2
    M_exit: Map = {x: fresh() for x in M}  # 3
    M_cont: Map = {x: fresh() for x in M}  # 4
    cf_ = fresh()  # 6
    V_entry = V | {*M_head.values(), *M_exit.values(), *M_cont.values(), cf_}  # 1 (the paper leaves cf' out of V)
    E_entry = E | {(M_head[x], M[x]) for x in M}  # 5
    cf_head = cf_ if CONTINUE in b_list(ss1) else cf  # 6
    V_body, E_body, _, cf_body = ug_list(V_entry, E_entry, F, M_head, M_exit, M_cont, cf_head, ss1)  # 7
    V_cont, E_cont, M_after_cont, cf_cont = ug_list(V_body, E_body, F, M_cont, M_exit, {}, cf_body, ss2)  # 8
    E_iterate = E_cont | {(M_head[x], M_after_cont[x]) for x in M} | {(cf_head, cf), (cf_head, cf_cont)}  # 9
    b1 = b_list(ss1)
    if b1 == {BREAK}:
        return V_body, E_body, M_exit, cf  # 10
    if b1 <= {BREAK, RETURN}:
        return V_body, E_body, M_exit, cf_body  # 11
    if b1 >= {CONTINUE, RETURN}:
        return V_cont, E_iterate, M_exit, cf_head  # 12
    return V_cont, E_iterate, M_exit, cf  # 13


# -------------------------------------------------------------------------------------- section 4.2, functions, shaders


def reachable(E: Edges, v: Node) -> Nodes:
    """`{w | (v, w) ∈ E*}`, by adding what one edge more reaches until nothing changes."""
    reached: Nodes = frozenset({v})
    while True:
        more = reached | {w for u, w in E if u in reached}
        if more == reached:
            return reached
        reached = more


def ug_func(F: Table, f: ast.Function) -> tuple[Summary, bool]:
    """UG_func: the summary of lines 6-9, and whether line 11 answers with an error."""
    x = [p.name for p in f.params]
    loc_ident = [*x, *(v.name for v in f.locals)]
    M_init: Map = {y: fresh() for y in loc_ident}  # 1, 4
    V_init = frozenset(M_init.values()) | {CF_START, MAY_BE_NON_UNIF, MUST_BE_UNIF, VALUE_RETURN}  # 2
    E_init: Edges = frozenset((M_init[y], CF_START) for y in loc_ident if y not in x)  # 3
    V, E, _, _ = ug_list(V_init, E_init, F, M_init, {}, {}, CF_START, f.body)  # 5
    assert all(u in V and w in V for u, w in E), "E ⊆ V × V"
    required, returned = reachable(E, MUST_BE_UNIF), reachable(E, VALUE_RETURN)
    summary = Summary(
        call_site_unif=CF_START in required,  # 6
        params_req_to_be_unif=frozenset(i for i, x_i in enumerate(x, start=1) if M_init[x_i] in required),  # 7
        param_affects_return_unif=frozenset(i for i, x_i in enumerate(x, start=1) if M_init[x_i] in returned),  # 8
        return_non_unif=MAY_BE_NON_UNIF in returned,  # 9
    )
    return summary, MAY_BE_NON_UNIF in required  # 11


def ug_shader(shader: ast.Shader) -> tuple[Table, str | None]:
    """UG_shader: the summaries in order (the violating function's last), and that function's name if there is one."""
    F: Table = {}
    for f in shader.all_functions:
        summary, error = ug_func(F, f)
        F = F | {f.name: summary}  # 10
        if error:
            return F, f.name
    return F, None
