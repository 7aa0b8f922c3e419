"""Motifs that leave little open: each is near to one rule that drawing at large seldom makes decide.

Those that end in `settled` are accepted, though what is assigned differs even in a calm module.
"""

from wgsl_fuzz.strategies.generate.motifs.calls import curer
from wgsl_fuzz.strategies.generate.motifs.drawing import MotifDrawer
from wgsl_fuzz.wgsl.builtins import Stage


def cured_on_the_right(d: MotifDrawer) -> str:
    """A call on the right of `&&` or `||` replaces what a variable holds, for those that evaluate it."""
    x = d.name("x")
    call = f"{curer(d)}(&{x}) == 1u"
    condition = f"{d.guess()} {d.pick('&&', '||')} {d.pick(call, f'({call})', f'!({call})')}"
    effect = d.pick(f"_ = {condition};", f"let {d.name('k')} = {condition};", f"if {condition} {{ {d.padding()} }}")
    return f"var {x} = {d.suspect()}; {effect} {d.guarded(d.test(x))}"


def left_from_clause(d: MotifDrawer) -> str:
    """Some invocations leave a clause of a `switch` by a jump that goes further than its end."""
    uneven = f"if {d.doubt()} {{ {d.pick('return;', 'continue;')} }}"
    clauses = d.pick(
        f"case 1u {{ {uneven} }} default {{ }}",
        f"default {{ {uneven} }}",
        f"case 1u {{ }} default {{ {uneven} }}",
        f"case 1u {{ {uneven} }} case 2u {{ {d.padding()} }} default {{ return; }}",
    )
    switch = f"switch {d.uniform()} {{ {clauses} }}"
    if "continue" not in uneven and d.chance(40):
        return f"{switch} {d.require()}"
    return f"loop {{ {switch} {d.require()} if {d.guess()} {{ break; }} }}"


def left_together(d: MotifDrawer) -> str:
    """Some leave by a `return` where all others leave the same loop or branch a little later."""
    doubt = d.doubt()
    if d.stage is Stage.FRAGMENT and d.chance(30):
        return f"if {doubt} {{ discard; {d.require()} }}"
    return d.pick(
        f"if {d.guess()} {{ loop {{ if {doubt} {{ return; }} return; }} }} {d.require()}",
        f"loop {{ if {doubt} {{ return; }} break; }} {d.require()}",
        f"loop {{ if {doubt} {{ return; }} if {d.guess()} {{ break; }} }} {d.require()}",
        f"if {doubt} {{ loop {{ {d.require()} if {d.guess()} {{ break; }} }} }}",
    )


def contents_alone(d: MotifDrawer) -> str:
    """What a pointer leads to is required, through a let of it or at once; its address is not."""
    f, x = d.name("f"), d.name("x")
    with d.helper():
        body = d.pick(f"let q = p; {d.guarded(d.test('*q'))}", d.guarded(d.test("*p")))
        d.declare(f"fn {f}(p: ptr<function, u32>) {{ {body} }}")
        if d.chance(30):
            g, f = f, d.name("g")
            d.declare(f"fn {f}(p: ptr<function, u32>) {{ {d.padding()} {g}(p); }}")
    return f"var {x} = {d.suspect()}; {f}(&{x}); {d.some(f'{x} = {d.number()};')}"


def argument_stored(d: MotifDrawer) -> str:
    """A call stores an argument where one pointer leads, or one of two to the same variable."""
    f, x = d.name("f"), d.name("x")
    store = d.pick("*p = a;", "let r = p; *r = a;", "*p = a; return;")
    if d.chance(50):
        d.declare(f"fn {f}(p: ptr<function, u32>, a: u32) {{ {store} }}")
        call = f"{f}(&{x}, {d.suspect()});"
    else:
        d.declare(f"fn {f}(p: ptr<function, u32>, q: ptr<function, u32>, a: u32) {{ {store} }}")
        call = f"{f}(&{x}, &{x}, {d.suspect()});"
    return f"var {x} = {d.uniform()}; {call} {d.guarded(d.test(x))}"


def address_alone(d: MotifDrawer) -> str:
    """The index in an address decides, though what is there is replaced; of a part, the rest stays as it was."""
    f, x, y = d.name("f"), d.name("x"), d.name("y")
    start, e = d.suspect(), d.suspect()
    if d.chance(40):
        d.declare(f"fn {f}(p: ptr<function, u32>) {{ *p = {d.number()}; }}")
        made, part, rest = d.source.pick(
            (("array<u32, 2>(1u, SELF)", "[0]", "[1]"), ("Pair(1u, SELF)", ".a", ".b"), ("Pair(SELF, 1u)", ".b", ".a"))
        )
        let = f"let p{x} = &{x}{part}; {d.pick(f'{f}(p{x});', f'*p{x} = 1u;')}"
        return f"var {x} = {made.replace('SELF', start)}; {let} {d.guarded(d.test(x + rest))}"
    body = d.pick("*p = 0u; return *p;", "*p = 1u; return *p + 1u;", "return *p;")
    d.declare(f"fn {f}(p: ptr<function, u32>) -> u32 {{ {body} }}")
    call = d.pick(f"{f}(&{x}[{e} & 3u])", f"{f}(&(*(&{x}))[{e} & 3u])")
    return f"var {x}: array<u32, 4>; let {y} = {call}; {d.guarded(d.test(y))}"


def handle_lets(d: MotifDrawer) -> str:
    """A storage texture behind a name, or a buffer that nobody writes behind a view with an offset that decides."""
    t, x = d.name("t"), d.name("x")
    if not d.newest or d.chance(20):
        d.declare(f"fn {t}(t: texture_storage_2d<r32uint, read_write>) -> u32 {{ return textureLoad(t, vec2u()).x; }}")
        return f"let {x} = {t}(texels); {d.guarded(d.test(x))}"
    offset = f"({d.suspect()} & 4u)"
    return d.pick(
        f"let {t} = texels; let {x} = textureLoad({t}, vec2u()).x; {d.guarded(d.test(x))}",
        f"let {t} = texels; let {x} = textureLoad({t}, vec2u()).x; {d.guarded(d.test(x))}",
        d.guarded(d.test(f"(*bufferView<u32>(&bytes, {offset}))")),
        f"let {x} = bufferArrayView<array<u32>>(&bytes, {offset}, 8u)[1]; {d.guarded(d.test(x))}",
    )


def order_settled(d: MotifDrawer) -> str:
    """A value is taken before a call in the same expression replaces it, or after that."""
    x, y, put = d.name("x"), d.name("y"), d.name("put")
    with d.helper():
        d.declare(f"fn {put}(p: ptr<function, u32>) -> u32 {{ *p = {d.varying()}; return 1u; }}")
    before = d.pick(f"{x} += {put}(&{x});", f"{x} ^= {put}(&{x});")
    first = d.pick(f"vec2u({x}, {put}(&{x})).x", f"max({x}, {put}(&{x}))", f"({x} + {put}(&{x}))")
    shape, reads = d.source.pick(((before, x), (f"let {y} = {first};", y)))
    return f"var {x} = {d.uniform()}; {shape} {d.guarded(d.test(reads))}"


def contents_settled(d: MotifDrawer) -> str:
    """A function replaces what a pointer leads to before it returns that, or asks it."""
    f, x = d.name("f"), d.name("x")
    with d.helper():
        store = d.pick(f"*p = {d.uniform()};", "*p = a;")
        body = d.pick("return *p;", "return *p;", f"if {d.test('*p')} {{ {d.require()} }} return 1u;")
        d.declare(f"fn {f}(p: ptr<function, u32>, a: u32) -> u32 {{ {store} {body} }}")
    call = f"{f}(&{x}, {d.uniform()})"
    return f"var {x} = {d.varying()}; {d.guarded(d.test(call))}"


def jump_settled(d: MotifDrawer) -> str:
    """Who assigns it leaves the round or the function, and comes to no place where it is asked."""
    x = d.name("x")
    taint, cure = f"{x} = {d.varying()};", f"{x} = {d.uniform()};"
    leaves = f"if {d.guess()} {{ break; }}"
    shape = d.pick(
        f"loop {{ switch {d.uniform()} {{ case 1u {{ {taint} continue; }} default {{ {cure} }} }} {leaves} {cure} }}",
        f"loop {{ if {d.guess()} {{ {taint} continue; }} {cure} {leaves} }}",
        f"if {d.guess()} {{ }} else {{ {taint} return; }}",
        f"{taint} if {d.guess()} {{ {cure} }} else {{ return; }}",
    )
    return f"var {x} = {d.uniform()}; {shape} {d.guarded(d.test(x))}"


def end_settled(d: MotifDrawer) -> str:
    """A loop that nothing leaves but a `return`: what stands behind it is not reached."""
    uneven = f"if {d.varying()} == 1u {{ return; }}"
    loop = d.pick(
        f"for (; ; state += 1u) {{ {uneven} {d.padding()} }}",
        f"for (; ; ) {{ {uneven} {d.some('continue;')} }}",
        f"loop {{ {uneven} return; continuing {{ break if {d.guess()}; }} }}",
        f"loop {{ {d.padding()} {uneven} }}",
    )
    return f"if {d.guess()} {{ {loop} {d.require()} }}"


NARROW = (
    cured_on_the_right,
    left_from_clause,
    left_from_clause,
    left_together,
    left_together,
    contents_alone,
    argument_stored,
    argument_stored,
    address_alone,
    address_alone,
    handle_lets,
    handle_lets,
)
NARROWLY_SETTLED = (order_settled, contents_settled, jump_settled, end_settled)
