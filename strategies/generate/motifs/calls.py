"""Motifs of calls (15.2.7): tags of functions, order of evaluation, calls in every place of an expression."""

from wgsl_fuzz.strategies.generate.motifs.drawing import MotifDrawer


def called_under(d: MotifDrawer) -> str:
    """Some invocations call a function that requires uniform control flow, in a statement or an expression."""
    f, g = d.name("f"), d.name("g")
    with d.helper():
        body = d.pick(
            d.require(), f"if {d.guess()} {{ {d.require()} }}", f"if {d.doubt()} {{ return 1u; }} {d.require()}"
        )
        d.declare(f"fn {f}() -> u32 {{ {body} return 2u; }}")
        through = d.chance(35)
        if through:
            d.declare(f"fn {g}() -> u32 {{ {d.padding()} return {f}(); }}")
    call = f"{g if through else f}()"
    return d.pick(
        f"if {d.doubt()} {{ _ = {call}; }}",
        f"if {d.doubt()} && {call} == 2u {{ state = 1u; }}",
        f"if {d.doubt()} || {call} == 2u {{ state = 1u; }}",
        f"_ = {d.guess()} && ({d.doubt()} || {call} == 1u);",
        f"let {d.name('k')} = {d.doubt()} && {call} == 3u;",
        f"_ = {call} == 1u && {d.doubt()};",
        f"if {d.doubt()} {{ return; }} state = {call};",
        f"while {d.doubt()} {{ state += {call}; break; }}",
        f"_ = max({d.suspect()}, {call});",
        f"_ = {d.suspect()} + {call};",
        f"_ = ({d.doubt()} & ({call} == 1u));",
    )


def required_value(d: MotifDrawer) -> str:
    """A function requires a parameter to be uniform, itself or by the function that it calls."""
    f, kind = d.name("f"), d.kind()
    with d.helper():
        test = kind.test("a")
        body = d.pick(
            d.guarded(test),
            f"if {test} {{ return; }} {d.require()}",
            f"var x = a; {d.guarded(kind.test('x'))}",
            f"var x = {kind.of(d.uniform())}; if {d.guess()} {{ x = a; }} {d.guarded(kind.test('x'))}",
            f"let y = a; while {kind.test('y')} {{ {d.require()} break; }}",
            f"state = 1u; if {test} {{ state = 2u; }} {d.require()}",
        )
        d.declare(f"fn {f}(a: {kind.type}, b: u32) {{ {body} {d.some('if b == 1u { state = 1u; }')} }}")
        if d.chance(40):
            g, f = f, d.name("g")
            d.declare(f"fn {f}(c: {kind.type}, b: u32) {{ {d.padding()} {g}({d.pick('c', 'c', kind.of('b'))}, 1u); }}")
    first, second = (d.suspect(), d.uniform()) if d.chance(70) else (d.uniform(), d.suspect())
    call, q = f"{f}({kind.of(first)}, {second});", d.name("q")
    return d.pick(call, f"if {d.guess()} {{ {call} }}", f"let {q} = {kind.of(first)}; {f}({q}, {second});")


def returned_value(d: MotifDrawer) -> str:
    """A result depends on a parameter, on control flow, on a source in the function, or on nothing."""
    f, kind = d.name("f"), d.kind()
    with d.helper():
        t = kind.type
        body = d.pick(
            "return a;",
            f"return {kind.of(d.uniform())};",
            f"if {kind.test('a')} {{ return {kind.of('1u')}; }} return {kind.of('2u')};",
            f"if b == 1u {{ return a; }} return {kind.of(d.uniform())};",
            f"return {kind.of('b')};",
            f"return {kind.of(d.suspect())};",
            f"var x = {kind.of('1u')}; if {kind.test('a')} {{ x = {kind.of('2u')}; }} return x;",
            f"loop {{ if {kind.test('a')} {{ return {kind.of('b')}; }} if {d.guess()} {{ return {kind.of('1u')}; }} }}",
            f"if {kind.test('a')} {{ state = 2u; }} return {kind.of('b')};",
            f"switch b {{ case 1u {{ return a; }} default {{ return {kind.of('3u')}; }} }}",
            "loop { return a; continuing { break if true; } }",
            f"loop {{ {d.some('if b == 2u { continue; }')} return {kind.of('b')}; continuing {{ state = 1u; }} }}",
            "for (;;) { if b == 1u { return a; } }",
        )
        d.declare(f"fn {f}(a: {t}, b: u32) -> {t} {{ {body} }}")
        if d.chance(35):
            g, f = f, d.name("g")
            d.declare(
                f"fn {f}(c: {t}, b: u32) -> {t} {{ return {g}({d.pick('c, b', 'c, 1u', kind.of('b') + ', 2u')}); }}"
            )
    first, second = (d.suspect(), d.uniform()) if d.chance(70) else (d.uniform(), d.suspect())
    call = f"{f}({kind.of(first)}, {second})"
    x = d.name("x")
    return d.pick(
        d.guarded(kind.test(call)),
        f"let {x} = {call}; {d.guarded(kind.test(x))}",
        f"var {x} = {call}; {d.guarded(kind.test(x))}",
        f"let {x} = {f}({call}, {d.uniform()}); {d.guarded(kind.test(x))}",
        f"if {d.guess()} {{ let {x} = {call}; {d.guarded(kind.test(x))} }}",
    )


def returned_unevenly(d: MotifDrawer) -> str:
    """Some invocations leave a function before the others: its caller does not notice, what follows in it does."""
    f = d.name("f")
    with d.helper():
        before, behind = d.some(d.require(), 30), d.some(d.require(), 40)
        leaves = d.pick(
            "if a == 1u { return; }",
            "while a == 1u { if a < 2u { return; } }",
            "loop { if a == 1u { return; } break; }",
        )
        d.declare(f"fn {f}(a: u32) {{ {before} {leaves} {behind} }}")
    call = f"{f}({d.suspect()});"
    return d.pick(
        f"{call} {d.require()}",
        call,
        f"if {d.guess()} {{ {call} }} {d.require()}",
        f"loop {{ {call} {d.require()} break; }}",
    )


def setter(d: MotifDrawer) -> str:
    """The name of a function that stores to what a pointer leads to, and returns a uniform value."""
    f = d.name("put")
    with d.helper():
        stored = d.suspect()
        body = d.pick(
            f"*p = {stored};",
            f"*p += {stored};",
            f"if {d.guess()} {{ *p = {stored}; }}",
            f"if {d.test(stored)} {{ *p = 1u; }}",
        )
        d.declare(f"fn {f}(p: ptr<function, u32>) -> u32 {{ {body} return 1u; }}")
    return f


def curer(d: MotifDrawer) -> str:
    """As `setter`: what it stores is uniform."""
    f = d.name("cure")
    with d.helper():
        d.declare(f"fn {f}(p: ptr<function, u32>) -> u32 {{ *p = {d.uniform()}; return {d.number()}; }}")
    return f


def pair_of(d: MotifDrawer) -> str:
    """The name of a function of two values, of which the first decides, the second or both."""
    f = d.name("pick")
    with d.helper():
        body = d.pick(
            "return a;",
            "return b;",
            "return a + b;",
            f"if a == 1u {{ {d.require()} }} return b;",
            f"if b == 1u {{ {d.require()} }} return a;",
        )
        d.declare(f"fn {f}(a: u32, b: u32) -> u32 {{ {body} }}")
    return f


def order_of_effects(d: MotifDrawer) -> str:
    """A call changes a variable that is read in the same expression, before the call or after it."""
    x = d.name("x")
    cures = d.chance(30)
    put = curer(d) if cures else setter(d)
    call = f"{put}(&{x})"
    start = d.suspect() if cures else d.uniform()
    cases = [
        f"{x} + {call}",
        f"{call} + {x}",
        f"vec2u({x}, {call}).x",
        f"vec2u({call}, {x}).y",
        f"array<u32, 2>({x}, 1u)[{call} & 1u]",
        f"array<u32, 8>()[({x} + {call}) & 7u]",
        f"max({x}, {call})",
        f"({call} * 2u) + ({x} ^ 1u)",
        f"select(1u, {x}, {call} == 1u)",
    ]
    if d.chance(40):
        pick = pair_of(d)
        cases = [f"{pick}({x}, {call})", f"{pick}({call}, {x})", f"{pick}({pick}({x}, 1u), {call})"]
    e = d.pick(*cases)
    y = d.name("y")
    shape = d.pick(
        f"let {y} = {e}; {d.guarded(d.test(y))}",
        d.guarded(d.test(f"({e})")),
        f"var {y} = {e}; {d.guarded(d.test(y))}",
        f"_ = {e}; {d.guarded(d.test(x))}",
        f"switch {e} {{ case 1u {{ {d.require()} }} default {{}} }}",
        f"let {y} = {e}; {d.guarded(d.test(x))}",
    )
    return f"var {x} = {start}; {shape}"


def effects_of_sides(d: MotifDrawer) -> str:
    """The right side of an assignment changes what its left side reads, or the other way round."""
    x, y = d.name("x"), d.name("y")
    cures = d.chance(40)
    put = curer(d) if cures else setter(d)
    start = d.suspect() if cures else d.uniform()
    shape, reads = d.source.pick(
        (
            (f"{x} += {put}(&{x});", x),
            (f"{x} = {put}(&{x});", x),
            (f"var {y} = vec4u(1u); {y}[{x} & 3u] = {put}(&{x});", f"{y}.x"),
            (f"var {y} = vec4u(1u); {y}[{put}(&{x}) & 3u] = {x};", f"{y}.x"),
            (f"var {y} = vec4u(1u); {y}[{put}(&{x}) & 3u] = 1u;", x),
            (f"var {y} = vec4u(1u); {y}[{x} & 3u] += {put}(&{x});", f"{y}.x"),
            (f"var {y} = array<u32, 2>(); {y}[{put}(&{x}) & 1u]++;", f"({x} + {y}[0])"),
            (f"let {y} = &{x}; *{y} += {put}({y});", x),
            (f"let {y} = {x}; _ = {put}(&{x});", y),
            (f"let {y} = {x}; _ = {put}(&{x});", x),
        )
    )
    return f"var {x} = {start}; {shape} {d.guarded(d.test(reads))}"


def partial_effects(d: MotifDrawer) -> str:
    """The right side of a partial assignment stores to the variable of which a part is assigned."""
    x, f = d.name("x"), d.name("fill")
    kind = d.kind(parts=True)
    result, one = ("f32", "1.0") if "f" in kind.type else ("u32", "1u")
    cures = d.chance(40)
    with d.helper():
        stored = kind.of(d.uniform() if cures else d.suspect())
        d.declare(f"fn {f}(p: ptr<function, {kind.type}>) -> {result} {{ *p = {stored}; return {one}; }}")
    start = kind.of(d.suspect() if cures else d.uniform())
    shape = d.pick(
        f"{x}{kind.part} = {f}(&{x});",
        f"{x}{kind.part} += {f}(&{x});",
        f"_ = {f}(&{x}); {x}{kind.part} = {'1.0' if 'f' in kind.type else '1u'};",
    )
    return f"var {x} = {start}; {shape} {d.guarded(kind.test(x))}"


def short_circuit(d: MotifDrawer) -> str:
    """A call on the right of `&&` or `||` changes a variable, for those that evaluate it."""
    x = d.name("x")
    cures = d.chance(35)
    put = curer(d) if cures else setter(d)
    start = d.suspect() if cures else d.uniform()
    condition = d.pick(d.guess(), d.guess(), f"{x} == 1u")
    op = d.pick("&&", "||")
    call = f"{put}(&{x}) == 1u"
    e = d.pick(
        f"{condition} {op} {call}",
        f"({call} {op} {condition})",
        f"{condition} {op} ({d.guess()} {op} {call})",
        f"!({condition} {op} {call})",
    )
    y = d.name("y")
    shape = d.pick(
        f"let {y} = {e}; {d.guarded(d.test(x))}",
        f"_ = {e}; {d.guarded(d.test(x))}",
        f"if {e} {{ {d.guarded(d.test(x))} }}",
        f"if {e} {{ {d.padding()} }} {d.guarded(d.test(x))}",
        f"if ({e}) && {d.test(x)} {{ {d.require()} }}",
        f"while {e} {{ break; }} {d.guarded(d.test(x))}",
        f"let {y} = {e}; if {y} {{ {d.require()} }}",
    )
    return f"var {x} = {start}; {shape}"


def stored_by_some(d: MotifDrawer) -> str:
    """What some invocations store by a call on the right of `&&` or `||` differs behind it."""
    x, put = d.name("x"), curer(d)
    call = f"{put}(&{x}) == 1u"
    e = d.pick(f"{d.doubt()} && {call}", f"{d.doubt()} || {call}", f"({d.guess()} && {d.doubt()}) && {call}")
    shape = d.pick(f"_ = {e};", f"if {e} {{}}", f"let {d.name('k')} = {e};")
    return f"var {x} = {d.number()}; {shape} {d.guarded(d.test(x))}"


def nested_calls(d: MotifDrawer) -> str:
    """A call in the arguments of another is the only cause."""
    inner, outer = d.name("inner"), d.name("outer")
    with d.helper():
        what = d.pick(
            f"return {d.suspect()};",
            "return a;",
            f"if a == 1u {{ {d.require()} }} return 2u;",
            f"{d.require()} return 1u;",
        )
        d.declare(f"fn {inner}(a: u32) -> u32 {{ {what} }}")
        outside = d.pick(
            "return a + b;",
            "return b;",
            f"if a == 1u {{ {d.require()} }} return b;",
            f"if b == 2u {{ {d.require()} }} return 1u;",
        )
        d.declare(f"fn {outer}(a: u32, b: u32) -> u32 {{ {outside} }}")
    u = d.uniform()
    e = d.pick(
        f"{outer}({inner}({d.suspect()}), {u})",
        f"{outer}({u}, {inner}({d.suspect()}))",
        f"{outer}({outer}({u}, {inner}({d.suspect()})), {u})",
        f"max({u}, {inner}({d.suspect()}))",
        f"{outer}({inner}({u}), {u})",
        f"table[{inner}({d.suspect()}) & 3u]",
    )
    return d.pick(
        f"_ = {e};",
        d.guarded(d.test(e)),
        f"state = {e};",
        f"if {d.doubt()} {{ _ = {e}; }}",
        f"let {d.name('k')} = vec2u({e}, {u});",
    )


def two_functions(d: MotifDrawer) -> str:
    """Two functions with the same parameters and other tags."""
    f, g = d.name("f"), d.name("g")
    with d.helper():
        for name in (f, g):
            body = d.pick("return 1u;", "return a;", f"{d.require()} return 2u;", "return state;")
            d.declare(f"fn {name}(a: u32) -> u32 {{ {body} }}")
    x, y = d.name("x"), d.name("y")
    call = f"let {x} = {f}({d.suspect()}); let {y} = {g}({d.uniform()});"
    return d.pick(
        f"{call} {d.guarded(d.test(y))}",
        f"{call} {d.guarded(d.test(x))}",
        f"if {d.doubt()} {{ _ = {f}({d.uniform()}); }} _ = {g}(1u);",
    )


def unused_function(d: MotifDrawer) -> str:
    """A function that nothing calls is judged as well."""
    f = d.name("unused")
    with d.helper():
        d.declare(f"fn {f}() {{ {d.guarded(d.doubt())} }}")
    return d.require()


CALLS = (
    called_under,
    required_value,
    returned_value,
    returned_unevenly,
    order_of_effects,
    effects_of_sides,
    partial_effects,
    short_circuit,
    stored_by_some,
    nested_calls,
    two_functions,
    unused_function,
)
