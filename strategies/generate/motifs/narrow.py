"""Motifs that leave little open: each is near to one rule that drawing at large seldom makes decide."""

from wgsl_fuzz.strategies.generate.motifs.flow import ALL_LEAVE
from wgsl_fuzz.strategies.generate.motifs.texts import Texts, motifs

_CURED = "G [[&& ~ ||]] [[CURE(&x) == 1u ~ (CURE(&x) == 1u) ~ !(CURE(&x) == 1u)]]"
_UNEVEN = "[[case 1u { if D { @ } } default { } ~ default { if D { @ } } ~ case 1u { } default { if D { @ } }]]"
_NARROW: dict[str, Texts] = {
    "cured-on-the-right": (f"var x = V; [[_ = {_CURED}; ~ let k = {_CURED}; ~ if {_CURED} {{ P }}]] ASK x;",),
    "left-from-clause": (
        f"switch U {{ {_UNEVEN.replace('@', 'return;')} }} R",
        f"loop {{ switch U {{ {_UNEVEN.replace('@', '[[return; ~ continue;]]')} }} R if G {{ break; }} }}",
        "loop { switch U { case 1u { if D { [[return; ~ continue;]] } } case 2u { P } default { return; } } R "
        "if G { break; } }",
    ),
    "left-together": (
        "FRAGMENT # if D { discard; R }",
        "if G { loop { if D { return; } return; } } R",
        "loop { if D { return; } break; } R",
        "loop { if D { return; } if G { break; } } R",
        "if D { loop { R if G { break; } } }",
    ),
    "contents-alone": (
        "fn f(p: ptr<function, u32>) { [[let q = p; ASK *q; ~ ASK *p;]] } # var x = V; f(&x); [[ ~ x = N;]]",
    ),
    "argument-stored": (
        "fn f(p: ptr<function, u32>, a: u32) { [[*p = a; ~ let r = p; *r = a; ~ *p = a; return;]] } "
        "# var x = U; f(&x, V); ASK x;",
        "fn f(p: ptr<function, u32>, q: ptr<function, u32>, a: u32) { [[*p = a; ~ let r = p; *r = a;]] } "
        "# var x = U; f(&x, &x, V); ASK x;",
    ),
    "address-alone": (
        *[
            f"fn f(p: ptr<function, u32>) {{ *p = N; }} "
            f"# var x = {made}; let p = &x{part}; [[f(p); ~ *p = 1u;]] ASK x{rest};"
            for made, part, rest in (
                ("array<u32, 2>(1u, V)", "[0]", "[1]"),
                ("Pair(1u, V)", ".a", ".b"),
                ("Pair(V, 1u)", ".b", ".a"),
            )
        ],
        *[
            "fn f(p: ptr<function, u32>) -> u32 { [[*p = 0u; return *p; ~ *p = 1u; return *p + 1u; ~ return *p;]] } "
            f"# var x: array<u32, 4>; let y = f({address}); ASK y;"
            for address in ("&x[V & 3u]", "&x[V & 3u]", "&(*(&x))[V & 3u]", "&(*(&x))[V & 3u]")
        ],
    ),
    "handle-lets": (
        "fn f(t: texture_storage_2d<r32uint, read_write>) -> u32 { return textureLoad(t, vec2u()).x; } "
        "# let x = f(texels); ASK x;",
        "NEWEST # let t = texels; let x = textureLoad(t, vec2u()).x; ASK x;",
        "NEWEST # let t = texels; let x = textureLoad(t, vec2u()).x; ASK x;",
        "NEWEST # ASK (*bufferView<u32>(&bytes, (V & 4u)));",
        "NEWEST # let x = bufferArrayView<array<u32>>(&bytes, (V & 4u), 8u)[1]; ASK x;",
    ),
    "all-leave-at-once": (f"{ALL_LEAVE} R",),
    "for-without-condition": (
        "for (; ; [[ ~ state = N]]) { [[R if D { break; } ~ if D { return; } R ~ R if D { return; }]] }",
    ),
    "left-at-once": (
        "while (E + V) == N { [[return; ~ return; ~ break;]] }",
        "fn f(a: u32) -> u32 { ASK a; return N; } # for (var i = 0u; i < 4u; i += f(V)) { [[break; ~ return; ~ ]] }",
    ),
    "stored-where-all-return": (
        "fn f(p: ptr<function, u32>, a: u32) { if G { *p = a; return; } else { *p = [[a ~ N]]; return; } } "
        "# var x = W; f(&x, U); ASK x;",
    ),
    "pointers-in-loops": (
        "var x = V; loop { R continuing { break if *&x == 1u; } }",
        "var x = V; loop { let p = &x; continuing { if *p == 1u { R } break if G; } }",
        "var x = V; for (let p = &x; *p == 1u; ) { R break; }",
    ),
    "places": (
        "var y = array<u32, 4>(); if D { _ = &y[E & 3u]; }",
        "COMPUTE fn f(p: ptr<workgroup, array<u32, 8>>, a: u32) -> u32 { return workgroupUniformLoad(&p[a & 7u]); } "
        "# _ = f(&words, V);",
    ),
    "swizzle-through-let": (
        "NEWEST # var x = array(vec2u(U), vec2u(V)); let p = &x[0]; p.[[yx ~ xy]] = vec2u(N); ASK x[1].x;",
    ),
}
NARROW = motifs(
    _NARROW,
    times=dict.fromkeys(
        ("left-from-clause", "left-together", "argument-stored", "address-alone", "handle-lets", "places"), 2
    )
    | {"pointers-in-loops": 3},
)
