"""Motifs of diagnostic filters (2.3): their places, what they cover, and severities on their way through calls."""

from wgsl_fuzz.strategies.generate.motifs.drawing import MotifDrawer
from wgsl_fuzz.strategies.generate.motifs.texts import Texts, motifs, where

_COVERING: Texts = (
    "OFF { if B { _ = T; } }",
    "OFF if B { _ = T; }",
    "if B OFF { _ = T; }",
    "OFF if (B && T == 1u) { }",
    "OFF if G { } else if B { _ = T; }",
    "if G { } else OFF { if B { _ = T; } }",
    "OFF switch u32(B) { case 1u { _ = T; } default {} }",
    "switch u32(B) OFF { case 1u { _ = T; } default {} }",
    "switch u32(B) { case 1u OFF { _ = T; } default {} }",
    "OFF switch u32(B && T == 1u) { default {} }",
    "OFF loop { if B { _ = T; } break; }",
    "loop OFF { if B { _ = T; } break; }",
    "loop OFF { continuing { if B { _ = T; } break if true; } }",
    "OFF loop { continuing { if B { _ = T; } break if true; } }",
    "loop { continuing OFF { if B { _ = T; } break if true; } }",
    "OFF while B { _ = T; break; }",
    "while B OFF { _ = T; break; }",
    "OFF while (B && T == 1u) { break; }",
    "OFF for (var i = 0u; i < 2u; i++) { if B { _ = T; } }",
    "for (var i = 0u; i < 2u; i++) OFF { if B { _ = T; } }",
    "OFF for (var i = (B && T == 1u); ;) { break; }",
    "OFF for (; (B && T == 1u);) { break; }",
    "var x = false; OFF for (; G; x = (B && T == 1u)) { }",
)
"""Places at which a filter covers all that it stands beside, so that the module is accepted."""
_REQUIRING = "if a == 1u { _ = T; }"
_OTHER_PLACES: Texts = (
    "{ OFF { } if B { _ = T; } }",
    "OFF { } if B { _ = T; }",
    "OFF { @diagnostic(error, RULE) { if B { _ = T; } } }",
    "@diagnostic(error, RULE) { OFF { if B { _ = T; } } [[R ~ ]] }",
    "OFF if B @diagnostic(error, RULE) { _ = T; }",
    "if B OFF { } else { _ = T; }",
    "if B { } else OFF { _ = T; }",
    "if G OFF { } if B { _ = T; }",
    "if (B && T == 1u) OFF { }",
    "OFF if G { } if B { _ = T; }",
    "switch u32(B) { case 1u OFF { } default { _ = T; } }",
    "switch u32(B && T == 1u) OFF { default {} }",
    "switch 1 OFF { default { } } if B { _ = T; }",
    "loop { if B { _ = T; } continuing OFF { break if true; } }",
    "while (B && T == 1u) OFF { break; }",
    "OFF while G { break; } if B { _ = T; }",
    "for (var i = (B && T == 1u); ;) OFF { break; }",
    "for (; (B && T == 1u);) OFF { break; }",
    "var x = false; for (; G; x = (B && T == 1u)) OFF { }",
    "OFF for (;;) { break; } if B { _ = T; }",
    "DIRECTIVE if B { _ = T; }",
    "DIRECTIVE @diagnostic(error, RULE) { if B { _ = T; } }",
    "DIRECTIVE OFF { if B { _ = T; } }",
    f"OFF fn f(a: u32) {{ {_REQUIRING} }} # f(W);",
    f"fn f(a: u32) OFF {{ {_REQUIRING} }} # f(W);",
    f"@diagnostic(error, RULE) fn f(a: u32) OFF {{ {_REQUIRING} }} # f(W);",
    *[f"OFF fn g() {{ }} fn f(a: u32) {{ {_REQUIRING} }} # f(W);"] * 5,
)
_MILD = "@diagnostic([[warning ~ info]], RULE)"
_NARROW: Texts = (
    "while (B && T == 1u) OFF { break; }",
    "for (; (B && T == 1u);) OFF { break; }",
    *["var x = false; for (; G; x = (B && T == 1u)) OFF { }"] * 2,
    "DIRECTIVE if B { _ = T; }",
    *[f"OFF fn f(a: u32) {{ {_REQUIRING} }} # f(W);"] * 2,
    f"fn f(a: u32) OFF {{ {_REQUIRING} }} # f(W);",
    f"@diagnostic(warning, RULE) fn f(a: u32) {{ {_REQUIRING} _ = T; }} # f(W);",
    "OFF switch u32(B) { case 1u { _ = T; } default {} }",
    "switch u32(B) { case 1u OFF { _ = T; } default {} }",
    *[
        f"fn f(a: u32) {{ [[{_MILD} {_REQUIRING} _ = T; ~ _ = T; {_MILD} {_REQUIRING}]] }} # if D {{ f(1u); }}",
    ]
    * 4,
)
"""Places that seldom decide when all are drawn alike, and a milder requirement before one that is an error."""
_SECOND = f"[[_ = T; ~ {_REQUIRING} ~ {_MILD} {{ _ = T; }} ~ if a == 2u {{ R }} ~ R ~ ]]"
_FIRST = "OFF if [[state ~ a]] == 1u { _ = T; }"


def _ruled(
    texts: Texts, other: str = "@diagnostic([[off ~ warning ~ info]], derivative_uniformity) if D { R }"
) -> Texts:
    """Texts for where some rule has severities, and one for elsewhere."""
    return (*where("RULED", *texts), *where("UNRULED", other))


_FILTERS: dict[str, Texts] = {
    "filtered-place": _ruled(tuple(text.replace("OFF", "FILTER") for text in (*_COVERING, *_OTHER_PLACES))),
    "filtered-narrowly": _ruled(_NARROW),
    "severities": _ruled(
        (
            *[
                f"fn f(a: u32) {{ [[{_FIRST} {_SECOND} ~ {_SECOND} {_FIRST}]] }} "
                "# [[if D { f(1u); } ~ f(V); ~ @diagnostic(off, RULE) if D { f(1u); }]]"
            ]
            * 2,
            "fn f(p: ptr<function, u32>) { OFF if *p == 1u { _ = T; } *p = N; if *p == 1u { _ = T; } } "
            "# var x = V; f(&x);",
        )
    ),
    "behind-warning": _ruled(
        (
            f"if D {{ {_MILD} {{ _ = T; }} _ = T; }}",
            f"if D {{ return; }} {_MILD} {{ _ = T; }} R",
            f"if G {{ {_MILD} if T == 1u {{ @diagnostic(error, RULE) {{ _ = T; }} }} }}",
            f"if D {{ {_MILD} if T > 1u || true {{ @diagnostic(error, RULE) {{ R }} }} }}",
        ),
        "if D { R R }",
    ),
    "warned-call": _ruled(
        (f"fn f(a: u32) {{ {_MILD} [[ ~  ~ if a == 1u]] {{ _ = T; }} }} # [[if B {{ f(1u); }} ~ f(W);]]",)
    ),
}
(_ONE_COVERING,) = motifs({"covering-filter": _ruled(_COVERING)})


def covering_filters(d: MotifDrawer) -> str:
    """Some filters, each of which covers all that would be rejected without it."""
    return " ".join(_ONE_COVERING(d) for _ in range(d.source.integer(1, 4)))


FILTERS = (
    *motifs(_FILTERS, times={"filtered-place": 3, "filtered-narrowly": 3, "severities": 3}),
    covering_filters,
)
COVERING = (*[covering_filters] * 3, FILTERS[-2])
