"""Motifs of values (15.2.5): what variables hold where paths meet, what assignments keep, and small forms."""

from wgsl_fuzz.strategies.generate.motifs.texts import Texts, motifs


def _behind(*shapes: str) -> Texts:
    """A variable that is uniform at first is asked behind what happens to it."""
    return tuple(f"var x = OF U; {shape} CHECK x;" for shape in shapes)


def _within(*shapes: str) -> Texts:
    """The same where it is asked within what happens."""
    return tuple(f"var x = OF U; {shape}" for shape in shapes)


_READS = "[[CHECK x; ~ if IS x { JUMP } R]]"
_TAINT = "[[x = V; ~ x += V; ~ if D { x++; }]]"
_SKIP = "[[if G { [[ ~ x += V;]] continue; } ~ ]]"
_INNER = (
    f"[[loop {{ if G {{ break; }} {_TAINT} }} ~ while G {{ {_TAINT} [[ ~ if G {{ break; }}]] }} "
    f"~ for (var j = 0u; j < 2u; j++) {{ [[ ~ if G {{ break; }}]] {_TAINT} }} "
    f"~ loop {{ {_TAINT} continuing {{ break if G; }} }} ~ loop {{ if x == 1u {{ R }} if G {{ break; }} {_TAINT} }}]]"
)
_INNER_ASKS = "[[if x == 2u { R } ~ if x == 2u { break; } R ~ P]]"
_LEAVES_CLAUSE = "if G { [[ ~  ~ x = OF U;]] break; }"
_OTHER_CLAUSE = "[[default { } ~ default { x = OF U; } ~ case 2u { return; } default { P }]]"
_NAME = "[[x ~ U ~ N]]"
_LATER = f"[[y = {_NAME}; ~ y = max({_NAME}, N); ~ let k = f({_NAME}); ~ y = f({_NAME} + N); ~ y += {_NAME};]]"
_VALUES: dict[str, Texts] = {
    "assigned-under": _behind(
        "if D { x = OF N; }",
        "if D { x = OF N; } else { x = OF U; }",
        "if D {} else { x = OF N; }",
        "if G { x = OF U; } else if D { x = OF N; }",
        "switch V { case 1u { x = OF N; } default { [[ ~ x = OF U;]] } }",
        "switch V { case 1u { x = OF N; break; } case 2u, 3u { x = OF U; } default {} }",
        "while D { x = OF N; [[ ~ break;]] }",
        "for (; D;) { x = OF N; [[ ~ break;]] }",
        "loop { if D { x = OF N; break; } if G { break; } }",
        "loop { if D { break; } x = OF N; continuing { break if G; } }",
        "{ if D { x = OF N; } }",
    ),
    "lost-assignment": _behind(
        "x = OF V;",
        "x = OF V; x = OF U;",
        "{ x = OF V; }",
        "if G { x = OF V; }",
        "if G { x = OF V; } else { x = OF U; }",
        "if G { x = OF U; } else { x = OF V; }",
        "if G { x = OF V; [[return; ~ loop { if G { return; } return; }]] }",
        "if G { x = OF U; } else { x = OF V; [[return; ~ loop { if G { return; } return; }]] }",
        "x = OF V; if G { x = OF U; } else { return; }",
        "x = OF V; switch U { case 1u { x = OF U; } default { x = OF U; } }",
        "switch U { case 1u { x = OF V; } default { x = OF U; } } [[ ~ x = OF U;]]",
        "switch U { case 1u { x = OF V; [[break; ~ return;]] } default { } }",
        "switch U { case 1u { if G { break; } x = OF V; return; } default { } }",
        "switch U { default { if G { x = OF V; break; } x = OF U; } }",
        "switch U { case 1u { x = OF V; return; } case 2u, default { } }",
        "if G { x = OF V; return; } else { P }",
        "if G { } else { x = OF V; return; }",
    ),
    "left-with": _behind(
        "loop { x = OF V; if G { break; } x = OF U; }",
        "loop { x = OF U; if G { break; } x = OF V; }",
        "loop { if G { x = OF V; break; } [[return; ~ x = OF U; ~ if G { JUMP }]] continuing { break if G; } }",
        "loop { x = OF V; if G { JUMP } x = OF U; continuing { break if G; } }",
        "loop { if G { break; } [[ ~ x = OF V;]] continuing { [[x = OF V; ~ x = OF U;]] break if G; } }",
        "loop { x = OF V; if G { [[break; ~ return;]] } [[return; ~ x = OF U;]] continuing { x = OF U; break if G; } }",
        "while G { [[ ~ if G { break; }]] x = OF V; [[ ~  ~ return;]] }",
        "for (; G; x = OF V) { [[ ~ if G { JUMP }]] [[ ~ x = OF U;]] }",
        "for (var i = 0u; i < 2u; i++) { x = OF V; if G { break; } x = OF U; }",
        "loop { x = OF V; loop { x = OF U; break; } if G { break; } }",
        "loop { x = OF V; [[return; ~ if G { return; } else { break; }]] }",
        "loop { x = OF U; if G { break; } [[ ~ if G { JUMP }]] x = OF V; [[return; ~ continue;]] }",
        "loop { if G { break; } switch U { case 1u { x = OF V; break; } default { } } x = OF U; }",
        "loop { switch U { case 1u { x = OF V; [[break; ~ continue;]] } default { x = OF U; } } "
        "if G { break; } x = OF U; }",
    ),
    "carried-round": _within(
        f"loop {{ {_READS} if G {{ break; }} x = OF V; }}",
        f"loop {{ {_READS} if G {{ [[continue; ~ return;]] }} x = OF V; continuing {{ break if G; }} }}",
        f"loop {{ {_READS} continuing {{ x = OF V; break if G; }} }}",
        f"loop {{ if G {{ x = OF V; continue; }} {_READS} if G {{ break; }} }}",
        f"loop {{ {_READS} if G {{ break; }} x = OF V; [[break; ~ return;]] }}",
        "loop { x = OF V; [[ ~ if G { break; }]] continuing { if IS x { R } break if G; } }",
        "loop { if G { x = OF V; JUMP } continuing { if IS x { R } break if G; } }",
        f"loop {{ {_READS} if G {{ break; }} if G {{ continue; }} x = OF V; [[return; ~ break;]] "
        "[[ ~ continuing { } ~ continuing { state = 1u; }]] }",
        f"while G {{ {_READS} [[ ~ if G {{ [[continue; ~ return;]] }}]] x = OF V; }}",
        f"for (; G; x = OF V) {{ [[ ~ if G {{ [[continue; ~ return;]] }}]] {_READS} }}",
        "for (; IS x; x = OF V) { [[ ~ if G { [[continue; ~ return;]] }]] R }",
        "[[while IS x ~ for (; IS x;)]] { R [[ ~ if G { [[continue; ~ return;]] }]] x = OF V; }",
        f"loop {{ {_READS} if G {{ break; }} loop {{ [[ ~ if G {{ break; }}]] x = OF V; if G {{ break; }} }} }}",
    ),
    "carried-past-end": _within(
        f"loop {{ {_READS} if G {{ break; }} if G {{ continue; }} x = OF V; [[return; ~ break;]] "
        "[[ ~  ~ continuing { } ~ continuing { state = 1u; }]] }",
    ),
    "read-in-continuing": (
        "loop { [[ ~ if G { break; }]] [[let ~ var]] x = OF V; P continuing { CHECK x; break if G; } }",
        "loop { R [[let ~ var]] x = OF V; [[ ~ if G { break; }]] continuing { P break if IS x; } }",
        "loop { if G { break; } var x = OF U; [[if D { x = OF N; } ~ x = OF V;]] continuing { CHECK x; } }",
    ),
    "stepped": (
        f"var x = U; for (var i = 0u; i < x; i++) {{ {_SKIP} R {_TAINT} }}",
        f"var x = U; for (var i = 0u; i < 4u; i += x) {{ R {_SKIP} {_TAINT} }}",
        f"var x = U; for (; x < 9u; x++) {{ R {_SKIP} {_TAINT} }}",
        f"var x = U; for (; x < 9u; x [[= ~ +=]] V) {{ {_SKIP} R }}",
        f"var x = U; for (var i = x; i < 9u; i = i + x) {{ {_TAINT} {_SKIP} R }}",
        f"var x = U; for (var i = 0u; ; i += x) {{ if i > 3u {{ break; }} [[R ~ P]] {_TAINT} {_SKIP} R }}",
        f"var x = U; for (x = V; x < 4u; x++) {{ {_SKIP} R }}",
        f"var x = U; while x < 9u {{ R {_SKIP} {_TAINT} }}",
    ),
    "inner-loop": (
        f"loop {{ var x = U; {_INNER} {_INNER_ASKS} if G {{ break; }} }}",
        f"while G {{ var x = U; {_INNER} {_INNER_ASKS} }}",
        f"var x = U; loop {{ {_INNER_ASKS} if G {{ break; }} {_INNER} }}",
        f"for (var x = 1u; x < 3u; x++) {{ {_INNER} R }}",
        f"loop {{ var x: u32; if x == 0u {{ R }} {_INNER} if G {{ break; }} }}",
    ),
    "kept-parts": (
        "var x = OF X; [[[[x ~ (&x) ~ (*(&x))]] PART [[= ~ +=]] PARTOF Y; ~ x = OF Y;]] CHECK x;",
        "var x = [[array<u32, 2>(X, 1u) ~ vec2u(X, 1u)]]; x[V & 1u] [[= ~ +=]] U; ASK x[0];",
    ),
    "swizzled-parts": (
        "NEWEST # var x = vec2u(X); x.[[yx ~ xy]] [[= ~ = ~ +=]] vec2u(Y); ASK x.y;",
        "NEWEST # var x = vec3u(X); x.[[zyx ~ xyz ~ yzx]] [[= ~ = ~ +=]] vec3u(Y); ASK x.[[x ~ z]];",
        "NEWEST # var x = vec4u(X); x.[[wzyx ~ xyzw]] [[= ~ = ~ +=]] vec4u(Y); ASK x.[[x ~ w]];",
        "NEWEST # var x = vec[[3 ~ 4]]u(X); x.[[zy ~ yz]] [[= ~ = ~ +=]] vec2u(Y); ASK x.[[z ~ y]];",
    ),
    "kept-values": (
        *["var x = V; [[x += U; ~ x++; ~ x--; ~ x = U; ~ { x |= U; } ~ (*(&x)) = U; ~ *(&x) += U;]] ASK x;"] * 2,
        "var x = V; [[let y = x; x = U; ~ let y = U; x ^= U; ~ var y = x; x = U;]] ASK [[y ~ y ~ x]];",
    ),
    "clause-that-leaves": _behind(
        "switch U { case 1u [[ ~ , 3u]] { "
        f"[[{_LEAVES_CLAUSE} x = OF V; ~ x = OF V; {_LEAVES_CLAUSE} x = OF U; ~ {_LEAVES_CLAUSE} x = OF V; x = OF U;]] "
        f"[[return; ~ return; ~ break; ~ ]] }} {_OTHER_CLAUSE} }}"
    ),
    "read-later": (
        "fn f(a: u32) -> u32 { [[ ~ if a == 1u { R }]] return a; } "
        "# [[let x = U; ~ var x = U; ~ const x = 2u; ~ var x: u32;]] var y = 0u; "
        f"[[if D {{ {_LATER} }} ~ if D {{ return; }} {_LATER} ~ while D {{ {_LATER} break; }}]] ASK y;",
    ),
}
VALUES = motifs(
    _VALUES, times={"carried-round": 4, "lost-assignment": 3, "left-with": 3, "inner-loop": 2, "swizzled-parts": 2}
)

_UPDATE = "[[x [[= ~ +=]] V ~ PUT(&x)]]"
_CONTINUES = "[[ ~ if G { [[continue; ~ continue; ~ break;]] }]]"
_COUNT = "[[x ~ (*(&x))]] PLACE [[++ ~ ++ ~ --]];"
_COUNTED = (
    f"[[if D {{ {_COUNT} }} ~ if D {{ P }} else {{ {_COUNT} }} ~ switch V {{ case 1u {{ {_COUNT} }} default {{ }} }} "
    f"~ while D {{ {_COUNT} [[ ~ break;]] }} ~ loop {{ if D {{ break; }} {_COUNT} }} "
    f"~ loop {{ {_COUNT} continuing {{ break if D; }} }}]]"
)
_ADDED = "[[x = V; ~ x += V;]]"
_ASSIGNED_INSIDE = (
    f"var x = U; [[loop {{ if G {{ break; }} {_ADDED} }} ~ while G {{ {_ADDED} }} "
    f"~ for (var j = 0u; j < 2u; j++) {{ {_ADDED} [[ ~ if G {{ break; }}]] }} "
    f"~ loop {{ {_ADDED} continuing {{ break if G; }} }} ~ loop {{ continuing {{ {_ADDED} break if G; }} }}]]"
    "if x == N { [[R ~ break;]] }"
)
_FORMS: dict[str, Texts] = {
    "updated": (
        f"var x = U; for (; G; {_UPDATE}) {{ if x == N {{ R }} {_CONTINUES} }}",
        f"var x = U; for (; G; {_UPDATE}) {{ {_CONTINUES} if x == N {{ R }} }}",
        f"var x = U; for (var i = 0u; i < x; {_UPDATE}) {{ R {_CONTINUES} }}",
        f"var x = U; for (; x < 9u; {_UPDATE}) {{ {_CONTINUES} R }}",
        f"var x = U; for (; G; {_UPDATE}) {{ P {_CONTINUES} }} if x == N {{ R }}",
        f"var x = U; for (; ; {_UPDATE}) {{ if x > 3u {{ break; }} R {_CONTINUES} }}",
        f"var x = U; for (; ; {_UPDATE}) {{ if x == 2u {{ [[continue; ~ return;]] }} if G {{ break; }} R }}",
    ),
    "skips-to-update": (
        "for (; G; state += 1u) { if D { continue; } R }",
        "var x = U; for (; G; [[state ~ x]] += 1u) { if x == N { R } x = V; if G { continue; } x = U; }",
        "var x = U; for (var i = 0u; i < 3u; i++) { x = V; if G { continue; } x = U; } if x == N { R }",
        "var x = U; for (var i = 0u; i < 3u; i++) { if D { continue; } x = N; } if x == 2u { R }",
    ),
    "started-by-some": (
        "for (var i = V; i < 4u; [[i++ ~ i += 2u ~ i += U]]) { R [[ ~  ~ break;]] }",
        "var x = 1u; for (x = V; x < 4u; x++) { R [[ ~  ~ break;]] }",
    ),
    "counted-by-some": (
        "var x = V; x[[++ ~ --]]; ASK x;",
        *[
            f"var x = {start}; {_COUNTED.replace('PLACE', part)} ASK x{part};"
            for start, part in (("U", ""), ("U", ""), ("vec2u(1u)", ".y"), ("array<u32, 2>()", "[1]"))
        ],
    ),
    "swizzle-alone": tuple(
        f"NEWEST # var x = vec{width}u(U); [[{change} ~ {change} ~ if G {{ {change} }}]] ASK x.{names[0]};"
        for width, names in ((2, "yx"), (2, "xy"), (3, "zyx"), (3, "yz"), (4, "zx"), (4, "xy"))
        for change in (f"x.{names} [[= ~ = ~ += ~ |=]] vec{len(names)}u(V);",)
    ),
    "assigned-in-inner": (
        f"loop {{ {_ASSIGNED_INSIDE} R if G {{ break; }} }}",
        f"while G {{ {_ASSIGNED_INSIDE} R }}",
        f"for (var i = 0u; i < 3u; i++) {{ {_ASSIGNED_INSIDE} R }}",
    ),
}
FORMS = motifs(_FORMS, times={"updated": 4, "counted-by-some": 3, "skips-to-update": 2})

_AT_EXIT = "case 1u { x = OF W; [[ ~ break;]] }"
_PUT_W = "fn f(p: ptr<function, u32>) -> u32 { *p = W; return 1u; } # var x = U;"
_SETTLED: dict[str, Texts] = {
    "settled-at-exit": _behind(
        "loop { x = OF U; if G { break; } x = OF W; }",
        "loop { x = OF U; if G { break; } continuing { x = OF W; } }",
        "loop { x = OF U; if G { break; } P x = OF W; continue; }",
        "loop { if G { break; } switch U { case 1u { x = OF W; break; } default { } } x = OF U; }",
        f"loop {{ switch U {{ {_AT_EXIT} default {{ }} }} x = OF U; if G {{ break; }} }}",
        "x = OF W; loop { x = OF U; [[ ~ if G { return; }]] "
        "[[if G { break; } ~ continuing { [[ ~ if IS x { R }]] break if G; }]] }",
    ),
    "settled-by-return": _behind(
        "switch U { case 1u [[ ~ , 3u]] { if G { [[ ~  ~ x = OF U;]] break; } x = OF W; return; } "
        f"{_OTHER_CLAUSE} }}"
    ),
    "settled-by-call": (
        f"{_PUT_W} let y = [[array<u32, 2> ~ vec2u]](x, U)[f(&x) & 1u]; ASK y;",
        f"{_PUT_W} var a = array<u32, 2>(); let y = &a[f(&x) & 1u]; x = U; *y [[= ~ +=]] 1u; ASK x;",
    ),
    "settled-by-update": (
        "var x = U; for (; G; x = U) { if x == N { R } [[ ~ if G { x = W; continue; }]] x = W; [[ ~  ~ continue;]] }",
        "var x = U; for (; G; x = U) { [[ ~ if G { x = W; continue; }]] x = W; } if x == N { R }",
        "var x = U; for (; x < 5u; x = U) { R [[ ~ if G { x = W; continue; }]] x = W; }",
    ),
    "order-settled": (
        f"{_PUT_W} x [[+= ~ ^=]] f(&x); ASK x;",
        f"{_PUT_W} let y = [[vec2u(x, f(&x)).x ~ max(x, f(&x)) ~ (x + f(&x))]]; ASK y;",
    ),
    "contents-settled": (
        "fn f(p: ptr<function, u32>, a: u32) -> u32 { [[*p = U; ~ *p = a;]] "
        "[[return *p; ~ return *p; ~ if *p == N { R } return 1u;]] } # var x = W; ASK f(&x, U);",
    ),
    "jump-settled": (
        "var x = U; loop { switch U { case 1u { x = W; continue; } default { x = U; } } if G { break; } x = U; } "
        "ASK x;",
        "var x = U; loop { if G { x = W; continue; } x = U; if G { break; } } ASK x;",
        "var x = U; if G { } else { x = W; return; } ASK x;",
        "var x = U; x = W; if G { x = U; } else { return; } ASK x;",
    ),
    "end-settled": (
        "if G { for (; ; state += 1u) { if B { return; } P } R }",
        "if G { for (; ; ) { if B { return; } [[ ~ continue;]] } R }",
        "if G { loop { if B { return; } return; continuing { break if G; } } R }",
        "if G { loop { P if B { return; } } R }",
        "if G { loop { loop { P if B { return; } } continuing { R } } }",
        "if B { loop { [[ ~ if G { continue; }]] if G { break; } P } } R",
    ),
}
SETTLED = motifs(_SETTLED, times={"settled-at-exit": 2})
