"""Motifs of shapes that compilers' analyses had mistakes in, and that other motifs seldom draw.

`benchmarks/shapes.py` counts how many modules have each shape, and how many it decides.
"""

from collections.abc import Mapping

from wgsl_fuzz.strategies.generate.motifs.texts import Texts, motifs
from wgsl_fuzz.wgsl.builtins import words

_CONTENTS: Mapping[str, tuple[str, str]] = {
    "contents-in-loop": (
        "[[loop { if *p == 1u { break; } *p = a; } ~ for (; G; *p = a) { [[if G { continue; } ~ ]] } "
        "~ while G { *p = a; [[if G { break; } ~ ]] } ~ loop { *p = a; continuing { break if G; } } "
        "~ loop { if G { break; } continuing { *p += a; } } ~ for (var i = 0u; i < a; i++) { *p = i; }]]",
        "[[while *p < 9u { R *p += 1u; } ~ for (var i = 0u; i < *p; i++) { R } "
        "~ loop { R continuing { break if *p > 2u; } } ~ for (; *p < 3u; (*p)++) { [[if G { continue; } ~ ]] R } "
        "~ loop { if *p == 1u { return; } R if G { break; } }]]",
    ),
    "contents-in-switch": (
        "switch U { case 0u { } [[case 1u, 3u { *p = a; } ~ case 1u { if a == 1u { *p = N; } }]] default { } }",
        "[[switch *p { case 1u { R } default { } } ~ switch U { case 2u, 1u { ASK *p; } default { } } "
        "~ switch *p { case 2u { return; } default { } } R]]",
    ),
    "contents-in-else": (
        "if [[a == 1u { } else { *p = N; } ~ G { } else { *p = a; } ~ G { *p = N; } else { *p = a; }]]",
        "if [[*p == 1u { } else { R } ~ G { } else { ASK *p; } ~ *p == N { } else { return; } R]]",
    ),
    "contents-around-continue": (
        "[[loop { if G { *p = a; continue; } *p = U; continuing { break if G; } } "
        "~ while G { *p = a; if G { continue; } *p = U; } ~ for (; G; ) { *p = a; if G { continue; } *p = N; }]]",
        "[[loop { if *p == 1u { continue; } R if G { break; } } ~ while G { if *p == 1u { continue; } R } "
        "~ for (var i = 0u; i < 3u; i++) { if *p < N { continue; } R }]]",
    ),
    "contents-around-break": (
        "[[loop { *p = a; if G { break; } *p = U; continuing { break if G; } } "
        "~ while G { *p = a; if G { break; } *p = U; } ~ for (; G; ) { *p = a; if G { break; } *p = N; } "
        "~ switch U { case 1u { *p = a; if G { break; } *p = U; } default { } }]]",
        "[[while G { if *p == 1u { break; } R } ~ for (; G; ) { R if *p == 1u { break; } } "
        "~ loop { if *p == 1u { break; } R continuing { break if G; } }]]",
    ),
}
"""Bodies of a function that stores `a` where `p` leads, and of one that requires what is there to be uniform."""

_STORES: Mapping[str, Texts] = {
    "stores-in-for": (
        "for (; [[CALL < 2u ~ 3u == CALL]]; ) { [[ASK x; ~ ]] break; } ASK x;",
        "for (var i = 0u; i < CALL; i++) { [[ASK x; ~ ]] } ASK x;",
    ),
    "stores-in-while": ("while CALL > 3u { [[ASK x; ~ break; ~ ]] } ASK x;",),
    "stores-in-break-if": ("loop { continuing { break if CALL [[== 1u ~ > 2u]]; } } ASK x;",),
    "stores-in-else-if": ("if G { [[return; ~ x = A;]] } else if CALL == 1u { [[ASK x; ~ ]] } else { x = A; } ASK x;",),
    "stores-in-selector": ("switch CALL { case 1u { [[ASK x; ~ ]] } [[case 2u { } ~ ]] default { } } ASK x;",),
    "stores-in-return": (
        "fn g(p: ptr<function, u32>, a: u32) -> u32 { [[if G { return f(p, a); } ~ ]] return f(p, a) [[+ N ~ ]]; } "
        "# [[_ = ~ let y =]] g(&x, A); ASK x;",
    ),
    "stores-in-var": ("var y [[: u32 ~ ]] = CALL [[+ N ~ ]]; ASK x;",),
    "stores-in-for-initial": (
        "for (var i = CALL; i < 3u; i++) { [[ASK x; ~ ]] } ASK x;",
        "var y = N; for (y = CALL; y < 3u; y++) { } ASK x;",
    ),
    "stores-in-builtin": (
        "let y = [[max(CALL, U) ~ min(U, CALL) ~ clamp(N, CALL, U) ~ abs(CALL)]]; ASK x;",
        "_ = [[select(U, CALL, G) ~ countOneBits(CALL) ~ insertBits(U, CALL, 1u, 2u)]]; ASK x;",
    ),
    "stores-in-compound": (
        "var y = N; y [[+= ~ ^= ~ *=]] CALL; ASK x;",
        "var y = vec2u(); y[U & 1u] [[+= ~ |=]] CALL; ASK x;",
    ),
}
"""A call that stores to x, at a place of an expression: all that was there is replaced."""

_STORES_SOMETIMES: Mapping[str, Texts] = {
    "stores-in-break-if": ("loop { ASK x; continuing { break if CALL [[== 1u ~ > 2u]]; } }",),
    "stores-in-else-if": ("if G { } else if CALL == 1u { [[ASK x; ~ ]] } ASK x;",),
    "stores-handed-on": (
        "fn g(p: ptr<function, u32>, a: u32) -> bool { [[return G [[&& ~ ||]] f(p, a) == 1u; "
        "~ let y = G && (G || f(p, a) == 1u); return y; ~ if G && f(p, a) == 1u { return false; } return G;]] } "
        "# [[_ = g(&x, A); ~ if g(&x, A) { } ~ let q = &x; _ = g(q, A);]] ASK x;",
    ),
}
"""The same, on one of several paths."""

_COUNT = "[[(*p)++; ~ (*p)--; ~ *p += 1u;]]"
_REJECTED: Mapping[str, Texts] = {
    "overwritten": (
        "var x = V; if G { x = U; } else { [[if G { return; } ~ ]] } ASK x;",
        "var x = V; switch U { case 1u { x = U; } case 2u { return; } default { } } ASK x;",
    ),
    "assigned-in-else": (
        "var x = U; if [[D { } else { x = N; } ~ G { } else { x = V; } ~ G { return; } else { x = V; } "
        "~ G { } else if G { } else { x = V; } ~ G { } else if D { } else { x = N; }]] ASK x;",
    ),
    "four-clauses": (
        "var x = U; switch U { case 1u { [[x = N; ~ ]] } case 2u { [[ ~ break;]] } case 3u, 5u { [[x = V; "
        "~ if D { x = N; }]] } case 4u { } [[case 6u, default { } ~ default { x = U; }]] } ASK x;",
        "switch V { case 1u { } case 2u { R } case 3u { } [[case 4u { } ~ ]] default { } }",
    ),
    "empty-clause": (
        "var x = V; switch U { [[case 0u { x = U; } ~ ]] case 1u [[, 4u ~ ]] { } case 2u { x = U; } "
        "[[case 3u { x = N; } ~ ]] default { x = U; } } ASK x;",
    ),
    "loop-in-clause": (
        "var x = U; switch U { case 1u { [[loop { if G { break; } x = V; } ~ while G { x = V; } "
        "~ while D { R break; } ~ for (var i = 0u; i < V; i++) { x = i; }]] } default { } } ASK x;",
    ),
    "required-in-index": (
        "var y = array<u32, 4>(); if D { y[E & 3u] [[= U ~ += N ~ ++]]; }",
        "var y = vec4u(); [[if D { return; } y[E & 3u] = U; ~ while D { y[E & 1u]++; }]]",
    ),
    "required-left-of-and": (
        "if D { [[_ = E == 1u && G; ~ let y = E < 2u || G; ~ if E == 1u && G { }]] }",
        "[[while D { if E == 1u || G { } break; } ~ if D { return; } _ = E > 1u && G;]]",
    ),
    "required-in-initial": (
        "if D { [[ ~ state = N;]] for (var i = E; i < 3u; i++) { [[ ~ break;]] } }",
        "var y = N; [[if D { return; } for (y = E; y < 3u; y++) { } ~ if D { for (y += E; y < 3u; y++) { } }]]",
    ),
    "required-in-update": (
        "for (var i = 0u; [[i < V ~ D]]; i += E) { if G { continue; } [[state = N; ~ ]] }",
        "for (var i = 0u; i < 9u; i += E) { if G { continue; } if D { [[break ~ return]]; } }",
    ),
    "inputs-in-structure": (
        "INPUTS # var x = U; [[if D { x = workgroup_id.x; } ~ if D { } else { x = num_workgroups.y; } "
        "~ while D { x = workgroup_id.y; break; } ~ switch V { case 1u { x = num_workgroups.x; } default { } }]] "
        "ASK x;",
    ),
    "let-of-shared": (
        "var<SPACE> w: u32; # let p = &w; [[*p = U; ~ ]] [[ASK *p; ~ if *p == N { R } ~ let y = *p; ASK y;]]",
        "var<SPACE> w: array<u32, 4>; # [[let p = &w[U & 3u]; let q = p; ASK *q; ~ let q = &w; ASK q[U & 3u];]]",
    ),
    "parameter-of-shared": (
        "var<SPACE> w: u32; fn f(p: ptr<SPACE, u32>) -> u32 { [[ASK *p; return N; ~ return *p; "
        "~ if *p == 1u { return N; } return U;]] } # [[let y = f(&w); ASK y; ~ let p = &w; ASK f(p);]]",
    ),
    "source-first": (
        "fn f(p: ptr<function, u32>, q: ptr<function, u32>) { [[*q = *p; ~ *q += *p; ~ let t = *p; *q = t; "
        "~ if G { *q = *p; } ~ *q = *p; *p = N;]] } # var x = V; var y = U; f(&x, &y); ASK y;",
    ),
    "chained-swizzles": (
        "let y = vec4u(U, V, N, V); ASK y.[[yxw.xz.x ~ zyx.y ~ xy.yx.x ~ rgb.gb.x]];",
        "var x = vec3u(U, V, U); let y = x.[[zyx.yz ~ yx.xy]]; [[x.y = N; ~ ]] ASK y.x;",
    ),
    "bitcasts": (
        "let y = bitcast<u32>(i32(V)); [[ASK y; ~ ASK bitcast<vec2u>(vec2i(i32(y), 1i)).x;]]",
        "[[var x = V; x = bitcast<u32>(x); ASK x; ~ if bitcast<i32>(V) < 3i { R }]]",
    ),
    "counted-in-callee": (
        f"fn f(p: ptr<function, u32>, a: u32) {{ [[if a == 1u {{ {_COUNT} }} ~ if a == 1u {{ }} else {{ {_COUNT} }} "
        f"~ switch a {{ case 1u {{ {_COUNT} }} default {{ }} }} ~ while a == 1u {{ {_COUNT} break; }}]] }} "
        "# var x = U; f(&x, V); ASK x;",
    ),
    "returned-through-three": (
        "fn f(a: u32) -> u32 { [[return a; ~ if a == 1u { return N; } return U; ~ return V;]] } "
        "fn g(a: u32) -> u32 { [[ ~ state = N;]] return f(a); } fn h(a: u32) -> u32 { return g(a) [[ ~ + N]]; } "
        "# [[let y = h(V); ASK y; ~ ASK h(V);]]",
        "fn f(p: ptr<function, u32>) -> u32 { return *p; } fn g(p: ptr<function, u32>) -> u32 { return f(p); } "
        "fn h(p: ptr<function, u32>) -> u32 { [[*p += N; ~ ]] return g(p); } # var x = V; let y = h(&x); ASK y;",
    ),
    "third-parameter": (
        "fn f(a: u32, b: u32, c: u32) { ASK c; } # f(U, U, V);",
        "fn f(a: u32, b: u32, c: u32, d: u32) -> u32 { return c; } # ASK f(U, N, V, U);",
    ),
    "shadowing": (
        "var x = V; [[{ var x = U; [[x += N; ~ ]] } ~ loop { let x = U; if x == 1u { break; } if G { return; } } "
        "~ for (var x = U; x < 3u; x++) { }]] ASK x;",
        "fn f(a: u32) { [[if G { var a = U; a = N; } ~ { let a = N; _ = a; }]] ASK a; } # f(V);",
    ),
}

_SETTLED: Mapping[str, Texts] = {
    "contents-in-loop": (
        "fn f(p: ptr<function, u32>, a: u32) { [[loop { *p = a; if G { break; } } ~ for (*p = a; G; ) { } "
        "~ loop { *p = a; continuing { break if G; } } ~ loop { if G { *p = a; break; } [[*p = U; ~ ]] }]] } "
        "# var x = W; f(&x, U); ASK x;",
    ),
    "contents-in-switch": (
        "fn f(p: ptr<function, u32>, a: u32) { switch U { case 1u { *p = a; [[break; ~ return; ~ ]] } "
        "[[case 2u, 3u { *p = N; } ~ ]] default { *p = a; } } } # var x = W; f(&x, U); ASK x;",
    ),
    "contents-in-else": (
        "fn f(p: ptr<function, u32>, a: u32) { if G { [[*p = a; ~ *p = N; ~ *p = a; return;]] } else { *p = a; } } "
        "# var x = W; f(&x, U); ASK x;",
    ),
    "overwritten": (
        "var x = W; [[if G { x = U; } else { return; } ~ if G { return; } else { x = U; } "
        "~ if G { return; } else { if G { x = U; } else { x = N; } } ~ if G { x = U; } else { x = W; return; } "
        "~ switch U { case 1u { return; } case 2u { x = U; } default { x = N; } }]] ASK x;",
        "var x = W; loop { [[if G { x = U; } else { return; } ~ x = W; if G { continue; } else { x = U; } "
        "~ if G { continue; } else { x = U; } ~ switch U { case 1u { continue; } default { x = U; } }]] break; } "
        "ASK x;",
    ),
    "four-clauses": (
        "var x = W; switch U { case 1u { x = U; } case 2u { x = U; } case 3u, 4u { [[x = U; ~ return;]] } "
        "default { x = U; } } ASK x;",
    ),
    "loop-in-clause": (
        "var x = W; switch U { case 1u { loop { x = U; if G { break; } x = W; } } default { x = U; } } ASK x;",
    ),
    "inputs-in-structure": ("INPUTS # var x = W; x = [[workgroup_id.x ~ num_workgroups.z]]; ASK x;",),
    "source-first": (
        "fn f(p: ptr<function, u32>, q: ptr<function, u32>) { *q = *p; [[*p = W; ~ ]] } "
        "# var x = U; var y = W; f(&x, &y); ASK y;",
    ),
    "shadowing": (
        "var x = U; [[{ var x = W; [[x += N; ~ ]] } ~ if G { let x = W; _ = x; } "
        "~ loop { var x = W; x++; if G { break; } } ~ switch U { case 1u { var x = W; x = N; } default { } }]] ASK x;",
    ),
}
"""Accepted as they are: what is not uniform is replaced, is another variable, or does not get behind."""


def _around_contents(stored: str, required: str) -> Texts:
    """A function that stores, or requires, and its calls."""
    f = "fn f(p: ptr<function, u32>, a: u32)"
    return (
        f"{f} {{ {stored} }} # var x = U; [[f(&x, V); ~ if G {{ f(&x, V); }} ~ let q = &x; f(q, V);]] ASK x;",
        f"{f} {{ {required} }} # var x = V; [[f(&x, U); ~ let q = &x; f(q, N);]]",
    )


def _storing(text: str) -> str:
    """A text with the function that it calls."""
    more, _, body = text.rpartition("# ")
    f = "fn f(p: ptr<function, u32>, a: u32) -> u32 { [[*p = a; ~ let q = p; *q = a; ~ *p = a + N;]] return N; }"
    return f"{f} {more}# var x = S; {body.replace('CALL', 'f(&x, A)')}"


_OFTEN = words(
    """contents-around-continue contents-around-break stores-handed-on empty-clause required-in-index bitcasts
    required-in-update inputs-in-structure chained-swizzles counted-in-callee returned-through-three shadowing"""
)
"""What decides least often where it is drawn, and is in no other motif."""


def _together(*tables: Mapping[str, Texts]) -> dict[str, Texts]:
    """The texts of each shape in any of the tables."""
    texts: dict[str, Texts] = {}
    for table in tables:
        for name, more in table.items():
            texts[name] = texts.get(name, ()) + more
    return texts


_ALWAYS, _SOMETIMES = (
    {name: tuple(map(_storing, texts)) for name, texts in table.items()} for table in (_STORES, _STORES_SOMETIMES)
)
_AROUND = {name: _around_contents(*bodies) for name, bodies in _CONTENTS.items()}
SHAPES = motifs(_together(_AROUND, _ALWAYS, _SOMETIMES, _REJECTED), times=dict.fromkeys(_OFTEN, 2) | {"shadowing": 2})
SETTLED_SHAPES = motifs(_together(_ALWAYS, _SETTLED), settled=True)
