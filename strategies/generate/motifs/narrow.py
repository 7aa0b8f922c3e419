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
}
NARROW = motifs(
    _NARROW,
    times=dict.fromkeys(("left-from-clause", "left-together", "argument-stored", "address-alone", "handle-lets"), 2),
)
