"""Motifs of calls (15.2.7): tags of functions, order of evaluation, pointers to variables, and what they lead to."""

from wgsl_fuzz.strategies.generate.motifs.texts import Texts, motifs, where

_ORDERED = (
    "[[x + EFFECT(&x) ~ EFFECT(&x) + x ~ vec2u(x, EFFECT(&x)).x ~ vec2u(EFFECT(&x), x).y "
    "~ array<u32, 2>(x, 1u)[EFFECT(&x) & 1u] ~ array<u32, 8>()[(x + EFFECT(&x)) & 7u] ~ max(x, EFFECT(&x)) "
    "~ (EFFECT(&x) * 2u) + (x ^ 1u) ~ select(1u, x, EFFECT(&x) == 1u)]]"
)
_ORDERED_PAIR = "[[f(x, EFFECT(&x)) ~ f(EFFECT(&x), x) ~ f(f(x, 1u), EFFECT(&x))]]"
_PAIR = (
    "fn f(a: u32, b: u32) -> u32 { [[return a; ~ return b; ~ return a + b; ~ if a == 1u { R } return b; "
    "~ if b == 1u { R } return a;]] }"
)


def _asked(e: str) -> str:
    """What is asked of a value, or of the variable that its evaluation changes."""
    return (
        f"var x = X; [[let y = {e}; ASK y; ~ ASK ({e}); ~ var y = {e}; ASK y; ~ _ = {e}; ASK x; "
        f"~ switch {e} {{ case 1u {{ R }} default {{}} }} ~ let y = {e}; ASK x;]]"
    )


_RIGHT = "EFFECT(&x) == 1u"
_LEFT = "[[G ~ G ~ x == 1u]] [[&& ~ ||]]"
_SHORT = f"[[{_LEFT} {_RIGHT} ~ ({_RIGHT} [[&& ~ ||]] G) ~ {_LEFT} (G [[&& ~ ||]] {_RIGHT}) ~ !({_LEFT} {_RIGHT})]]"
_LEAVES_EARLY = (
    "[[if a == 1u { return; } ~ while a == 1u { if a < 2u { return; } } ~ loop { if a == 1u { return; } break; }]]"
)
_NESTED = "[[g(f(V), U) ~ g(U, f(V)) ~ g(g(U, f(V)), U) ~ max(U, f(V)) ~ g(f(U), U) ~ table[f(V) & 3u]]]"
_CALLS: dict[str, Texts] = {
    "called-under": (
        "fn f() -> u32 { [[R ~ if G { R } ~ if D { return 1u; } R]] return 2u; } # [[if D { _ = f(); } "
        "~ if D [[&& ~ ||]] f() == 2u { state = 1u; } ~ _ = G && (D || f() == 1u); ~ let k = D && f() == 3u; "
        "~ _ = f() == 1u && D; ~ if D { return; } state = f(); ~ while D { state += f(); break; } ~ _ = max(V, f()); "
        "~ _ = V + f(); ~ _ = (D & (f() == 1u));]]",
    ),
    "required-value": (
        *[
            "fn f(a: KIND, b: u32) { [[CHECK a; ~ if IS a { return; } R ~ var x = a; CHECK x; "
            "~ var x = OF U; if G { x = a; } CHECK x; ~ let y = a; while IS y { R break; } "
            "~ state = 1u; if IS a { state = 2u; } R]] [[ ~ if b == 1u { state = 1u; }]] } "
            "# [[f(OF X, Y); ~ if G { f(OF X, Y); } ~ let q = OF X; f(q, Y);]]"
        ]
        * 3,
        "fn f(a: KIND, b: u32) { CHECK a; } fn g(a: KIND, b: u32) { P f([[a ~ OF b]], 1u); } # g(OF X, Y);",
    ),
    "returned-value": (
        *[
            "fn f(a: KIND, b: u32) -> KIND { [[return a; ~ return OF U; ~ if IS a { return OF 1u; } return OF 2u; "
            "~ if b == 1u { return a; } return OF U; ~ return OF b; ~ return OF V; "
            "~ var x = OF 1u; if IS a { x = OF 2u; } return x; "
            "~ loop { if IS a { return OF b; } if G { return OF 1u; } } "
            "~ if IS a { state = 2u; } return OF b; ~ switch b { case 1u { return a; } default { return OF 3u; } } "
            "~ loop { return a; continuing { break if true; } } "
            "~ loop { [[ ~ if b == 2u { continue; }]] return OF b; continuing { state = 1u; } } "
            "~ for (;;) { if b == 1u { return a; } }]] } "
            "# [[CHECK f(OF X, Y); ~ [[let ~ var]] x = f(OF X, Y); CHECK x; "
            "~ let x = f(f(OF X, Y), U); CHECK x; ~ if G { let x = f(OF X, Y); CHECK x; }]]"
        ]
        * 3,
        "fn f(a: KIND, b: u32) -> KIND { [[return a; ~ return OF b;]] } "
        "fn g(a: KIND, b: u32) -> KIND { return f([[a, 1u ~ OF b, 2u]]); } # CHECK g(OF X, Y);",
    ),
    "called-for-value": (
        "fn f() -> KIND { P return OF [[N ~ U]]; } "
        "# var x = OF N; [[if D { x = f(); } ~ if D { } else { x = f(); } ~ while D { x = f(); break; }]] CHECK x;",
    ),
    "returned-unevenly": (
        f"fn f(a: u32) {{ [[ ~ R]] {_LEAVES_EARLY} [[ ~ R]] }} "
        "# [[f(V); R ~ f(V); ~ if G { f(V); } R ~ loop { f(V); R break; }]]",
    ),
    "order-of-effects": (_asked(_ORDERED), f"{_PAIR} # {_asked(_ORDERED_PAIR)}"),
    "effects-of-sides": (
        "var x = X; [[x [[= ~ +=]] EFFECT(&x); ~ let y = &x; *y += EFFECT(y); ~ let y = x; _ = EFFECT(&x); "
        "~ var y = vec4u(1u); y[EFFECT(&x) & 3u] = 1u;]] ASK x;",
        "var x = X; var y = vec4u(1u); [[y[x & 3u] [[= ~ +=]] EFFECT(&x); ~ y[EFFECT(&x) & 3u] = x;]] ASK y.x;",
        "var x = X; var y = array<u32, 2>(); y[EFFECT(&x) & 1u]++; ASK (x + y[0]);",
        "var x = X; let y = x; _ = EFFECT(&x); ASK y;",
    ),
    "partial-effects": (
        "fn f(p: ptr<function, KIND>) -> PARTKIND { *p = OF Y; return PARTOF 1u; } # var x = OF X; "
        "[[x PART = f(&x); ~ x PART += f(&x); ~ _ = f(&x); x PART = PARTOF 1u;]] CHECK x;",
    ),
    "short-circuit": (
        f"var x = X; [[[[let y ~ _]] = {_SHORT}; ASK x; ~ if {_SHORT} {{ ASK x; }} ~ if {_SHORT} {{ P }} ASK x; "
        f"~ if ({_SHORT}) && x == N {{ R }} ~ while {_SHORT} {{ break; }} ASK x; ~ let y = {_SHORT}; if y {{ R }}]]",
    ),
    "stored-by-some": (
        "var x = N; [[_ = ~ let k =]] [[D ~ (G && D)]] [[&& ~ ||]] CURE(&x) == 1u; ASK x;",
        "var x = N; if D [[&& ~ ||]] CURE(&x) == 1u {} ASK x;",
    ),
    "nested-calls": (
        "fn f(a: u32) -> u32 { [[return V; ~ return a; ~ if a == 1u { R } return 2u; ~ R return 1u;]] } "
        "fn g(a: u32, b: u32) -> u32 { [[return a + b; ~ return b; ~ if a == 1u { R } return b; "
        "~ if b == 2u { R } return 1u;]] } "
        f"# [[_ = {_NESTED}; ~ ASK {_NESTED}; ~ state = {_NESTED}; ~ if D {{ _ = {_NESTED}; }} "
        f"~ let k = vec2u({_NESTED}, U);]]",
    ),
    "two-functions": (
        "fn f(a: u32) -> u32 { [[return 1u; ~ return a; ~ R return 2u; ~ return state;]] } "
        "fn g(a: u32) -> u32 { [[return 1u; ~ return a; ~ R return 2u; ~ return state;]] } "
        "# [[let x = f(V); let y = g(U); ASK [[x ~ y]]; ~ if D { _ = f(U); } _ = g(1u);]]",
    ),
    "unused-function": ("fn f() { ASK V; } # R",),
}
CALLS = motifs(_CALLS, times=dict.fromkeys(("order-of-effects", "effects-of-sides", "partial-effects"), 2))


# ----------------------------------------------------------------------------------------------------------- pointers


def _partial(made: str, part: str, store: str, end: str, rest: str) -> str:
    """A pointer to a part: what it keeps of the rest, and the index in its address."""
    return (
        f"fn f(p: ptr<function, {store}>, a: u32) "
        f"{{ [[ ~ *p = {store}(); ~ (*p){end} = a; ~ if (*p){end} == 1u {{ R }}]] }} # var x = {made.format('X')}; "
        f"[[f(&x{part}, Y); ASK {rest}; ~ let q = &x{part}; [[f(q, Y); ~ *q = {store}(); ~ (*q){end} = Y;]] "
        f"ASK [[{rest} ~ (*q){end}]]; ~ (*(&x{part})){end} = Y; ASK {rest}; "
        f"~ let q = &x; [[*q = {made.format('U')}; ~ (*q){part} = {store}();]] ASK {rest};]]"
    )


_PARTIAL = (
    ("array<u32, 2>({}, 1u)", "[1]", "u32", "", "x[0]"),
    ("array<u32, 2>(1u, {})", "[V & 1u]", "u32", "", "x[0]"),
    ("Pair({}, 1u)", ".b", "u32", "", "x.a"),
    ("Pair(1u, {})", ".b", "u32", "", "x.b"),
    ("Nest(Pair(1u, {}), 1u)", ".p", "Pair", ".b", "x.p.b"),
    ("array<array<u32, 2>, 2>(array<u32, 2>({}, 1u), array<u32, 2>())", "[V & 1u]", "array<u32, 2>", "[0]", "x[0][0]"),
)
_KEPT = (
    ("array<u32, 2>(1u, {})", "[0]", "x[1]"),
    ("Pair(1u, {})", ".a", "x.b"),
    ("Nest(Pair({}, 1u), 1u)", ".p.b", "x.p.a"),
)
_WRITTEN = (
    ("COMPUTE ", "workgroup, u32", "words[{}]"),
    ("FRAGMENT ", "private, u32", "flags[{}]"),
    ("", "private, u32", "flags[{}]"),
    ("", "storage, u32, read_write", "data[{}]"),
)
_ONLY_READ = (("", "storage, u32", "table[{}]"), ("", "uniform, vec4u", "limit"))
_OWN = ("var<private> w: u32; ", "private, u32", "w")
"""Not `state`, which a helper may write: that would alias."""


def _addressed(declared: str, type_: str, place: str) -> str:
    """A pointer parameter outside of the `function` address space: what it leads to, and its address."""
    part = "(*p).x" if place == "limit" else "*p"
    call = f"f(&{place.format('V & 3u')})"
    return (
        f"{declared}fn f(p: ptr<{type_}>) -> u32 {{ [[return {part}; ~ return 1u; ~ if {part} == 1u {{ R }} return 2u; "
        f"~ let q = p; return {part.replace('p', 'q')}; ~ _ = p; R return 1u; ~ if V == 1u {{ return {part}; }} "
        f"return {part}; ~ if {part} == {part} {{ R }} return 1u;]] }} "
        f"# [[let x = {call}; ASK x; ~ _ = {call}; ~ let p = &{place.format('V & 3u')}; ASK {call}; "
        f"~ if D {{ _ = {call}; }}]]"
    )


_ADDRESSED: Texts = tuple(_addressed(*row) for row in (*_WRITTEN, *_ONLY_READ, _OWN))
_MUTATED = "[[f(&x, Y); ~ let p = &x; f(p, Y); ~ if G { f(&x, Y); } ~ if D { f(&x, 1u); }]]"
_BOTH = "[[f(&x, &x, X) ~ f(p, p, X) ~ f(&x, p, X)]]"
_ADDRESS = "[[f(&x[V & 3u]) ~ f(&(*(&x))[V & 3u])]]"
_REMEMBERED = "{ let q = p; [[*p ~ *p ~ *q]] = U; ASK [[*q ~ *q ~ *p]]; }"
_POINTERS: dict[str, Texts] = {
    "contents-required": (
        "fn f(p: ptr<function, KIND>) { [[CHECK (*p); ~ if IS (*p) { return; } R ~ let q = p; CHECK (*q); "
        "~ *p = OF U; CHECK (*p); ~ let y = *p; *p = OF V; CHECK y; ~ if G { *p = OF U; } CHECK (*p);]] } "
        "# var x = OF X; [[f(&x); ~ let p = &x; f(p); ~ x = OF Y; f(&x); ~ f(&x); x = OF Y;]]",
    ),
    "contents-written": (
        "fn f(p: ptr<function, KIND>, a: u32) { [[*p = OF [[V ~ a ~ U]]; [[ ~ return;]] ~ if a == 1u { *p = OF 1u; } "
        "~ if a == 1u { return; } *p = OF 2u; ~ if IS (*p) { *p = OF 1u; } ~ *p = OF a; *p = OF U; "
        "~ *p = OF a; if G { return; } *p = OF 3u; ~ let q = p; *q = OF a; "
        "~ *p = OF a; loop { if G { return; } *p = OF 1u; } "
        f"~ *p = OF 1u; switch a {{ case 1u {{ *p = OF 2u; }} default {{ return; }} }} ~ ]] }} "
        f"# var x = OF X; {_MUTATED} CHECK x;",
    ),
    "contents-returned": (
        "fn f(p: ptr<function, u32>, a: u32) -> u32 { [[return *p; ~ if *p == 1u { return 1u; } return 2u; "
        "~ *p = U; return *p; ~ let y = *p; *p = U; return y; ~ *p = V; return U; ~ return a; ~ *p = a; return *p;]] } "
        "# var x = X; let y = f(&x, Y); ASK [[y ~ y ~ x]];",
    ),
    "swapped": (
        "fn f(p: ptr<function, u32>, q: ptr<function, u32>) { [[*p = *q; ~ let t = *p; *p = *q; *q = t; "
        "~ if *q == 1u { *p = 2u; } ~ *p = 1u; *q = 1u; ~ while *q > 3u { *q -= 1u; *p += 1u; } "
        "~ if *q == 2u { R } *p = U;]] } # var x = X; var y = Y; f(&x, &y); ASK [[x ~ y]];",
    ),
    "two-to-one": tuple(
        f"fn f(p: ptr<function, u32>, q: ptr<function, u32>, a: u32) "
        f"{{ [[*{used} = V; ~ *{used} = U; ~ if *{used} == 1u {{ R }} ~ *{used} = a;]] }} "
        f"# var x = Y; let p = &x; {_BOTH}; ASK x;"
        for used in "pq"
    ),
    "changed-by-later-argument": (
        "fn f(p: ptr<function, u32>, a: u32) -> u32 { [[if *p == 1u { R } return a; ~ return *p + a; ~ return a; "
        "~ *p += a; return 1u;]] } # var x = X; let y = f(&x, EFFECT(&x)); ASK [[y ~ x]];",
    ),
    "partial-pointer": tuple(_partial(*row) for row in _PARTIAL),
    "kept-by-call": (
        "fn f(p: ptr<function, KIND>) { [[*p = OF U; ~ (*p)PART = PARTOF 1u; "
        "~ (*p)PART = PARTOF 1u; if G { return; } *p = OF U;]] } "
        "# var x = OF V; [[f(&x); ~ let p = &x; f(p);]] CHECK x;",
        *[
            f"fn f(p: ptr<function, u32>) {{ *p = 1u; }} # var x = {made.format('V')}; "
            f"[[f(&x{part}); ~ let p = &x{part}; f(p);]] ASK {rest};"
            for made, part, rest in _KEPT
        ],
    ),
    "address-decides": (
        "fn f(p: ptr<function, u32>) -> u32 { [[*p = 0u; return *p; ~ return *p; ~ if *p == 1u { R } return 1u; "
        f"~ *p = 1u; return 2u;]] }} # var x: array<u32, 4>; [[let y = {_ADDRESS}; ASK y; ~ _ = {_ADDRESS}; ASK x[1]; "
        f"~ ASK {_ADDRESS};]]",
    ),
    "pointer-lets": (
        "var x = U; [[let p = &x; x = V; ASK *p; ~ let p = &x; *p = V; ASK x; ~ let p = &x; ASK *p; x = V; "
        "~ x = V; let p = &x; let q = p; *q = U; ASK *p; "
        "~ var i = V; var a = array<u32, 2>(); let p = &a[i & 1u]; i = 1u; ASK *p; "
        "~ var i = U; var a = array<u32, 2>(); let p = &a[i & 1u]; i = V; ASK *p; "
        "~ var a = array<u32, 2>(); let p = &a[PUT(&x) & 1u]; x = 1u; *p = U; ASK x;]]",
    ),
    "replaced-through-let": (
        "var x = OF [[W ~ W ~ U]]; let p = &x; *p = OF U; CHECK [[x ~ (*p)]];",
        "var x = OF W; let q = &x; let p = q; *p = OF U; CHECK [[x ~ (*p)]];",
        "var x = OF U; let p = &x; *p = OF V; CHECK [[x ~ (*p)]];",
    ),
    "read-only-addresses": tuple(
        f"fn f(p: ptr<{space}>) -> u32 {{ [[return *p{part}; ~ if *p{part} == 1u {{ R }} return 1u; "
        f"~ let q = p; return *q{part};]] }} # let y = f(&{place}); ASK y;".replace("*p[", "(*p)[").replace(
            "*q[", "(*q)["
        )
        for space, place, part in (
            ("storage, u32", "table[V]", ""),
            ("uniform, vec4u", "limit", "[V & 3u]"),
            ("storage, u32, read", "table[INDEX]", ""),
        )
    ),
    "address-required": (
        "COMPUTE fn f(p: ptr<workgroup, u32>) -> u32 { [[ ~ let q = p;]] return workgroupUniformLoad(p); } "
        "# [[[[_ = ~ let x =]] f(&words[V & 7u]); ~ let p = &words[V & 7u]; if f(p) == 1u { R } ~ ASK f(&box.b);]]",
        "COMPUTE # let p = &[[words[V & 7u] ~ box.b]]; [[_ = workgroupUniformLoad(p); ~ ASK workgroupUniformLoad(p);]]",
        "COMPUTE # [[_ = ~ let x =]] workgroupUniformLoad(&[[words[V & 7u] ~ box.b]]);",
        "COMPUTE # if workgroupUniformLoad(&words)[0] == N { R }",
        *where("FRAGMENT", *_ADDRESSED),
    ),
    "remembered-through-let": (
        *where("LIVELY", *[f"COMPUTE fn f(p: ptr<workgroup, u32>) {_REMEMBERED} # f(&box.b);"] * 2),
        f"LIVELY fn f(p: ptr<private, u32>) {_REMEMBERED} # f(&flags[INDEX]);",
        f"LIVELY fn f(p: ptr<storage, u32, read_write>) {_REMEMBERED} # f(&data[INDEX]);",
        f"fn f(p: ptr<function, u32>) {_REMEMBERED} # var x = U; f(&x);",
    ),
}
POINTERS = motifs(
    _POINTERS,
    times=dict.fromkeys(
        ("kept-by-call", "address-decides", "pointer-lets", "changed-by-later-argument", "contents-returned"), 2
    )
    | {"replaced-through-let": 4},
)
REMEMBERED = POINTERS[-1]

# ------------------------------------------------------------------------------------------------------------- memory


def _read(declared: str, type_: str, place: str) -> str:
    """What a pointer parameter leads to is read, at an address that is uniform."""
    part = "[[(*p).x ~ p.y ~ (*p)[1]]]" if place == "limit" else "*p"
    result, argument = (
        (f"if V == 1u {{ return {part}; }} ", "V") if (declared, type_, place) in _ONLY_READ else ("", "U")
    )
    return (
        f"{declared}fn f(p: ptr<{type_}>, a: u32) -> u32 {{ [[{result}return {part}; "
        f"~ {result}let q = p; return {part.replace('p', 'q')}; ~ if a == 1u && {part} == {part} {{ R }} return 1u;]] "
        f"}} # let y = f(&{place.format('INDEX')}, {argument}); ASK y;"
    )


_MEMORY: dict[str, Texts] = {
    "addresses-elsewhere": _ADDRESSED,
    "module-pointer-lets": (
        "let p = &[[state ~ flags[V & 3u] ~ table[V & 3u] ~ data[INDEX] ~ table[INDEX]]]; "
        "let x = [[*p ~ *p ~ U]]; ASK x;",
    ),
    "read-through-parameter": tuple(_read(*row) for row in (*_WRITTEN, *_ONLY_READ, _ONLY_READ[1])),
}
MEMORY = motifs(_MEMORY, times={"addresses-elsewhere": 2})
"""What is read there decides even in a calm module."""
