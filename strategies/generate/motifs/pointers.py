"""Motifs of pointers (15.2.4, 15.2.7): their addresses, and what they lead to before a call and behind it."""

from wgsl_fuzz.strategies.generate.motifs.calls import curer, setter
from wgsl_fuzz.strategies.generate.motifs.drawing import MotifDrawer
from wgsl_fuzz.strategies.generate.motifs.memory import addresses_elsewhere
from wgsl_fuzz.wgsl.builtins import Stage


def contents_required(d: MotifDrawer) -> str:
    """A function requires that what a pointer leads to is uniform."""
    f, x, kind = d.name("f"), d.name("x"), d.kind()
    with d.helper():
        star = kind.test("(*p)")
        body = d.pick(
            d.guarded(star),
            f"if {star} {{ return; }} {d.require()}",
            f"let q = p; {d.guarded(kind.test('(*q)'))}",
            f"*p = {kind.of(d.uniform())}; {d.guarded(star)}",
            f"let y = *p; *p = {kind.of(d.suspect())}; {d.guarded(kind.test('y'))}",
            f"if {d.guess()} {{ *p = {kind.of(d.uniform())}; }} {d.guarded(star)}",
        )
        d.declare(f"fn {f}(p: ptr<function, {kind.type}>) {{ {body} }}")
        if d.chance(30):
            g, f = f, d.name("g")
            d.declare(f"fn {f}(p: ptr<function, {kind.type}>) {{ {d.padding()} {g}(p); }}")
    start, later = (d.suspect(), d.uniform()) if d.chance(60) else (d.uniform(), d.suspect())
    call = d.pick(
        f"{f}(&{x});",
        f"let p{x} = &{x}; {f}(p{x});",
        f"{x} = {kind.of(later)}; {f}(&{x});",
        f"{f}(&{x}); {x} = {kind.of(later)};",
    )
    return f"var {x} = {kind.of(start)}; {call}"


def contents_written(d: MotifDrawer) -> str:
    """What a function leaves behind a pointer depends on its parameters, on control flow, or on the old contents."""
    f, x, kind = d.name("f"), d.name("x"), d.kind()
    of = kind.of
    with d.helper():
        body = d.pick(
            f"*p = {of(d.suspect())};",
            f"*p = {of('a')};",
            f"*p = {of(d.uniform())};",
            f"if a == 1u {{ *p = {of('1u')}; }}",
            f"if a == 1u {{ return; }} *p = {of('2u')};",
            f"if {kind.test('(*p)')} {{ *p = {of('1u')}; }}",
            f"*p = {of('a')}; *p = {of(d.uniform())};",
            f"*p = {of('a')}; if {d.guess()} {{ return; }} *p = {of('3u')};",
            f"let q = p; *q = {of('a')};",
            f"*p = {of('a')}; loop {{ if {d.guess()} {{ return; }} *p = {of('1u')}; }}",
            f"*p = {of('1u')}; switch a {{ case 1u {{ *p = {of('2u')}; }} default {{ return; }} }}",
            "",
        )
        body = f"{body} return;" if d.chance(20) and body[-2:] != "} " and "loop" not in body else body
        d.declare(f"fn {f}(p: ptr<function, {kind.type}>, a: u32) {{ {body} }}")
        if d.chance(30):
            g, f = f, d.name("g")
            d.declare(f"fn {f}(p: ptr<function, {kind.type}>, b: u32) {{ {g}(p, b); }}")
    start, argument = (d.suspect(), d.uniform()) if d.chance(40) else (d.uniform(), d.suspect())
    call = f"{f}(&{x}, {argument});"
    call = d.pick(
        call,
        f"let p{x} = &{x}; {f}(p{x}, {argument});",
        f"if {d.guess()} {{ {call} }}",
        f"if {d.doubt()} {{ {f}(&{x}, 1u); }}",
    )
    return f"var {x} = {of(start)}; {call} {d.guarded(kind.test(x))}"


def contents_returned(d: MotifDrawer) -> str:
    """A result depends on what a pointer leads to, when the function is called."""
    f, x = d.name("f"), d.name("x")
    with d.helper():
        body = d.pick(
            "return *p;",
            "if *p == 1u { return 1u; } return 2u;",
            f"*p = {d.uniform()}; return *p;",
            f"let y = *p; *p = {d.uniform()}; return y;",
            f"*p = {d.suspect()}; return {d.uniform()};",
            "return a;",
            "*p = a; return *p;",
        )
        d.declare(f"fn {f}(p: ptr<function, u32>, a: u32) -> u32 {{ {body} }}")
    start, argument = (d.suspect(), d.uniform()) if d.chance(60) else (d.uniform(), d.suspect())
    y = d.name("y")
    reads = d.pick(y, y, x)
    return f"var {x} = {start}; let {y} = {f}(&{x}, {argument}); {d.guarded(d.test(reads))}"


def swapped(d: MotifDrawer) -> str:
    """A function with two pointers: what it leaves behind one depends on what the other led to."""
    f, x, y = d.name("f"), d.name("x"), d.name("y")
    with d.helper():
        body = d.pick(
            "*p = *q;",
            "let t = *p; *p = *q; *q = t;",
            "if *q == 1u { *p = 2u; }",
            "*p = 1u; *q = 1u;",
            "while *q > 3u { *q -= 1u; *p += 1u; }",
            f"if *q == 2u {{ {d.require()} }} *p = {d.uniform()};",
        )
        d.declare(f"fn {f}(p: ptr<function, u32>, q: ptr<function, u32>) {{ {body} }}")
    first, second = (d.suspect(), d.uniform()) if d.chance(50) else (d.uniform(), d.suspect())
    return f"var {x} = {first}; var {y} = {second}; {f}(&{x}, &{y}); {d.guarded(d.test(d.pick(x, y)))}"


def two_to_one(d: MotifDrawer) -> str:
    """Two pointers to one variable, of which the function uses one."""
    f, x = d.name("f"), d.name("x")
    with d.helper():
        used = d.pick("p", "q")
        body = d.pick(
            f"*{used} = {d.suspect()};",
            f"*{used} = {d.uniform()};",
            f"if *{used} == 1u {{ {d.require()} }}",
            f"*{used} = a;",
        )
        d.declare(f"fn {f}(p: ptr<function, u32>, q: ptr<function, u32>, a: u32) {{ {body} }}")
    start, argument = (d.suspect(), d.uniform()) if d.chance(40) else (d.uniform(), d.suspect())
    both = d.pick(f"&{x}, &{x}", f"p{x}, p{x}", f"&{x}, p{x}")
    return f"var {x} = {start}; let p{x} = &{x}; {f}({both}, {argument}); {d.guarded(d.test(x))}"


def changed_by_later_argument(d: MotifDrawer) -> str:
    """A later argument changes what an earlier one points to: the function sees the new contents."""
    f, x = d.name("f"), d.name("x")
    cures = d.chance(50)
    put = curer(d) if cures else setter(d)
    with d.helper():
        body = d.pick(
            f"if *p == 1u {{ {d.require()} }} return a;", "return *p + a;", "return a;", "*p += a; return 1u;"
        )
        d.declare(f"fn {f}(p: ptr<function, u32>, a: u32) -> u32 {{ {body} }}")
    start, y = d.suspect() if cures else d.uniform(), d.name("y")
    return f"var {x} = {start}; let {y} = {f}(&{x}, {put}(&{x})); {d.guarded(d.test(d.pick(y, x)))}"


def partial_pointer(d: MotifDrawer) -> str:
    """A pointer to a part: what it keeps of the rest, and the index in its address."""
    f, x = d.name("f"), d.name("x")
    kind, part, store = d.source.pick(
        (
            ("array<u32, 2>(SELF, 1u)", "[1]", "u32"),
            ("array<u32, 2>(1u, SELF)", "[INDEX & 1u]", "u32"),
            ("Pair(SELF, 1u)", ".b", "u32"),
            ("Pair(1u, SELF)", ".b", "u32"),
            ("Nest(Pair(1u, SELF), 1u)", ".p", "Pair"),
            ("array<array<u32, 2>, 2>(array<u32, 2>(SELF, 1u), array<u32, 2>())", "[INDEX & 1u]", "array<u32, 2>"),
        )
    )
    place = f"{x}{part.replace('INDEX', d.suspect())}"
    end = {"Pair": ".b", "u32": "", "array<u32, 2>": "[0]"}[store]
    with d.helper():
        zero = d.pick("", f"*p = {store}();", f"(*p){end} = a;", f"if (*p){end} == 1u {{ {d.require()} }}")
        d.declare(f"fn {f}(p: ptr<function, {store}>, a: u32) {{ {zero} }}")
    start, argument = (d.suspect(), d.uniform()) if d.chance(50) else (d.uniform(), d.suspect())
    change = d.pick(
        f"{f}(&{place}, {argument});",
        f"let p{x} = &{place}; {f}(p{x}, {argument});",
        f"let p{x} = &{place}; *p{x} = {store}();",
        f"let p{x} = &{place}; (*p{x}){end} = {argument};",
        f"(*(&{place})){end} = {argument};",
        f"let p{x} = &{x}; (*p{x}) = {kind.replace('SELF', d.uniform())};",
        f"let p{x} = &{x}; (*p{x}){place.removeprefix(x)} = {store}();",
    )
    whole = {"[": f"{x}[0]", ".": f"{x}.b" if "Pair" in kind and "Nest" not in kind else f"{x}.c"}[part[0]]
    whole = f"{x}[0][1]" if store == "array<u32, 2>" else f"{x}.p.b" if store == "Pair" else whole
    reads = d.pick(
        whole,
        f"p{x}{end}" if store != "u32" and "let" in change and "*p" not in kind and f"&{place}" in change else whole,
    )
    return f"var {x} = {kind.replace('SELF', start)}; {change} {d.guarded(d.test(reads))}"


def kept_by_call(d: MotifDrawer) -> str:
    """A function that is given a pointer to a part, or to all, stores there: the rest stays as it was."""
    x, f, kind = d.name("x"), d.name("f"), d.kind(parts=True)
    scalar = "f32" if "f" in kind.type else "u32"
    value = f"{scalar}(1)"
    whole = kind.type[:3] in ("vec", "mat") or d.chance(35)  # the address of a component cannot be taken
    store, place = (kind.type, f"&{x}") if whole else (scalar, f"&{x}{kind.part}")
    with d.helper():
        full, part = kind.of(d.uniform()), f"(*p){kind.part} = {value};"
        body = (
            d.pick(f"*p = {full};", part, f"{part} if {d.guess()} {{ return; }} *p = {full};")
            if whole
            else f"*p = {value};"
        )
        d.declare(f"fn {f}(p: ptr<function, {store}>) {{ {body} }}")
    call = d.pick(f"{f}({place});", f"let p{x} = {place}; {f}(p{x});")
    other = {"array<u32, 2>": f"({x}[1] == 1u)", "Pair": f"({x}.b == 1u)", "Nest": f"({x}.p.a == 1u)"}.get(kind.type)
    start = {
        "array<u32, 2>": "array<u32, 2>(1u, SELF)",
        "Pair": "Pair(1u, SELF)",
        "Nest": "Nest(Pair(SELF, 1u), 1u)",
    }.get(kind.type, kind.made)
    return f"var {x} = {start.replace('SELF', d.suspect())}; {call} {d.guarded(other or kind.test(x))}"


def address_decides(d: MotifDrawer) -> str:
    """The index in the address counts, even if all that is there is replaced."""
    x, f, y = d.name("x"), d.name("f"), d.name("y")
    with d.helper():
        body = d.pick(
            "*p = 0u; return *p;", "return *p;", f"if *p == 1u {{ {d.require()} }} return 1u;", "*p = 1u; return 2u;"
        )
        d.declare(f"fn {f}(p: ptr<function, u32>) -> u32 {{ {body} }}")
        if d.chance(25):
            g, f = f, d.name("g")
            d.declare(f"fn {f}(p: ptr<function, u32>) -> u32 {{ return {g}(p); }}")
    call = d.pick(f"{f}(&{x}[{d.suspect()} & 3u])", f"{f}(&(*(&{x}))[{d.suspect()} & 3u])")
    shape = d.pick(
        f"let {y} = {call}; {d.guarded(d.test(y))}",
        f"_ = {call}; {d.guarded(d.test(f'{x}[1]'))}",
        d.guarded(d.test(call)),
    )
    return f"var {x}: array<u32, 4>; {shape}"


def pointer_lets(d: MotifDrawer) -> str:
    """What a let of a pointer leads to is that of now; its index is that of the let."""
    x, i = d.name("x"), d.name("i")
    p = f"p{x}"
    put, v = setter(d), d.suspect()
    start, reads = d.uniform(), d.guarded(d.test(f"*{p}"))
    array = f"var a{x} = array<u32, 2>(); let {p} = &a{x}"
    body = d.pick(
        f"let {p} = &{x}; {x} = {v}; {reads}",
        f"let {p} = &{x}; *{p} = {v}; {d.guarded(d.test(x))}",
        f"let {p} = &{x}; {reads} {x} = {v};",
        f"{x} = {v}; let {p} = &{x}; let q{x} = {p}; *q{x} = {start}; {reads}",
        f"var {i} = {v}; {array}[{i} & 1u]; {i} = 1u; {reads}",
        f"var {i} = {start}; {array}[{i} & 1u]; {i} = {v}; {reads}",
        f"{array}[{put}(&{x}) & 1u]; {x} = 1u; *{p} = {start}; {d.guarded(d.test(x))}",
    )
    return f"var {x} = {d.uniform()}; {body}"


def address_required(d: MotifDrawer) -> str:
    """The index in the address of an argument decides, in whatever address space."""
    if d.stage is not Stage.COMPUTE:
        return addresses_elsewhere(d)
    f, p = d.name("f"), d.name("p")
    place = d.pick(f"words[{d.suspect()} & 7u]", "box.b")
    with d.helper():
        whole = d.pick("return workgroupUniformLoad(p);", "let q = p; return workgroupUniformLoad(q);")
        d.declare(f"fn {f}(p: ptr<workgroup, u32>) -> u32 {{ {whole} }}")
    load = d.pick(
        f"workgroupUniformLoad(&{place})",
        f"{f}(&{place})",
        f"workgroupUniformLoad({p})",
        f"{f}({p})",
        "workgroupUniformLoad(&words)[0]",
    )
    let = f"let {p} = &{place};" if p in load else ""
    x = d.name("x")
    return d.pick(
        f"{let} _ = {load};",
        f"{let} let {x} = {load}; {d.guarded(d.test(x))}",
        f"{let} if {d.test(load)} {{ {d.require()} }}",
    )


def replaced_through_let(d: MotifDrawer) -> str:
    """All that a variable held is replaced through a let of its address, or of a parameter, or only a part is."""
    x, kind = d.name("x"), d.kind()
    first, second = (d.varying(), d.uniform()) if d.chance(75) else (d.uniform(), d.suspect())
    let = d.pick(f"let p{x} = &{x};", f"let q{x} = &{x}; let p{x} = q{x};")
    reads = d.guarded(kind.test(d.pick(x, f"(*p{x})")))
    return f"var {x} = {kind.of(first)}; {let} *p{x} = {kind.of(second)}; {reads}"


def remembered_through_let(d: MotifDrawer) -> str:
    """What a pointer parameter leads to is read behind an assignment through it, or through a let of it."""
    f, x = d.name("f"), d.name("x")
    space, place = d.source.pick(
        (
            # neither of `words`, which a requirement may load, nor of `state`, which a helper may write: both alias
            ("workgroup", "box.b") if d.stage is Stage.COMPUTE else ("private", "flags[INDEX]"),
            ("storage, u32, read_write", "data[INDEX]"),
            ("private", "flags[INDEX]"),
            ("function", x),
        )
    )
    if d.calm:
        space, place = "function", x
    with d.helper():
        put = f"{d.pick('*p', '*p', '*q')} = {d.uniform()};"
        reads = d.guarded(d.test(d.pick("*q", "*q", "*p")))
        type_ = space if "," in space else f"{space}, u32"
        d.declare(f"fn {f}(p: ptr<{type_}>) {{ let q = p; {put} {reads} }}")
    return f"var {x} = {d.uniform()}; {f}(&{place.replace('INDEX', d.index())});"


def read_only_addresses(d: MotifDrawer) -> str:
    """A pointer parameter to memory that nobody writes: its address decides, and nothing else."""
    f, y = d.name("f"), d.name("y")
    place, type_ = d.source.pick(
        (
            (f"table[{d.suspect()}]", "storage, u32"),
            ("limit", "uniform, vec4u"),
            (f"table[{d.index()}]", "storage, u32, read"),
        )
    )
    with d.helper():
        part = f"(*p)[{d.suspect()} & 3u]" if place == "limit" else "*p"
        through_let = part.replace("*p", "*q")
        what = d.pick(
            f"return {part};",
            f"if {part} == 1u {{ {d.require()} }} return 1u;",
            f"let q = p; return {through_let};",
        )
        d.declare(f"fn {f}(p: ptr<{type_}>) -> u32 {{ {what} }}")
    return f"let {y} = {f}(&{place}); {d.guarded(d.test(y))}"


POINTERS = (
    contents_required,
    contents_written,
    contents_returned,
    swapped,
    two_to_one,
    changed_by_later_argument,
    partial_pointer,
    kept_by_call,
    kept_by_call,
    address_decides,
    address_decides,
    pointer_lets,
    replaced_through_let,
    remembered_through_let,
    read_only_addresses,
    read_only_addresses,
    address_required,
    pointer_lets,
    two_to_one,
    contents_returned,
)
