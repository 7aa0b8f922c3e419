"""Families of texts that fill the slots of one module: each slot has a plainest filling and others.

The size of a member counts the slots that are not filled in the plainest way. So small members differ from one shader,
which all sizes share, in few places; the largest size has every combination.
"""

from collections.abc import Mapping
from functools import cache
from itertools import combinations
from string import Template

from wgsl_fuzz.strategies.enumerate.sets import CountedSet, ListedSet, MappedSet, ProductSet, UnionSet

_MAIN = "@compute @workgroup_size(2) fn main(@builtin(local_invocation_index) lid: u32) "


class Slots:
    """The texts of a template, in which `$name` is a slot; of each slot the plainest filling comes first.

    Different fillings must give different texts.
    """

    def __init__(self, name: str, alphabet: str, template: str, **fillings: tuple[str, ...]) -> None:
        """`alphabet` says in words what fills the slots."""
        self.name, self.alphabet = name, alphabet
        self._template = Template(template)
        self.fillings: Mapping[str, tuple[str, ...]] = fillings
        """By the name of the slot, the plainest first."""
        self.of_size = cache(self._of_size)

    def _of_size(self, size: int) -> CountedSet[str]:
        """The texts in which exactly so many slots are not filled in the plainest way."""
        return UnionSet([self._filled(frozenset(names)) for names in combinations(self.fillings, size)])

    def _filled(self, names: frozenset[str]) -> CountedSet[str]:
        chosen: CountedSet[tuple[str, ...]] = ListedSet([()])
        for name, texts in self.fillings.items():
            some = ListedSet(texts[1:] if name in names else texts[:1])
            chosen = ProductSet(chosen, some, lambda before, text: (*before, text))
        return MappedSet(chosen, lambda texts: self._template.substitute(dict(zip(self.fillings, texts, strict=True))))


_ENDS = ("workgroupBarrier();", "if x == 0u { workgroupBarrier(); }", "if y == 0u { workgroupBarrier(); }")

SHORT_CIRCUIT = Slots(
    "short-circuit",
    "z = a && b, z = a || b: variables, calls that store, calls that wait; conditions and loops around it",
    """fn put(p: ptr<function, bool>, v: bool) -> bool { *p = v; return v; }
fn ask(c: bool) -> bool { if c { workgroupBarrier(); } return c; }
fn wait() -> bool { workgroupBarrier(); return true; }
"""
    + _MAIN
    + "{ let n = lid == 0u; var x = $x; var y = $y; var z = true; $before z = $left $operator $right; $after }",
    x=("true", "n"),
    y=("true", "n"),
    before=("", "if n { return; }", "if put(&x, n) || y { x = y; }"),
    left=("x", "true", "n", "put(&x, n)", "put(&y, true)", "ask(y)", "wait()", "(n || put(&x, y))", "(x && wait())"),
    operator=("&&", "||"),
    right=("y", "true", "n", "put(&x, n)", "put(&y, true)", "ask(x)", "wait()", "(y || put(&x, n))", "(n && ask(y))"),
    after=(
        *("if z { workgroupBarrier(); }", "if x { workgroupBarrier(); }", "if y { workgroupBarrier(); }"),
        *("workgroupBarrier();", "while put(&x, z) && wait() { y = x; break; }"),
        "for (; z || wait(); ) { if !put(&y, x) { break; } }",
        "loop { if x { break; } continuing { y = z && ask(y); break if put(&x, y) || wait(); } }",
    ),
)

CALLS = Slots(
    "calls",
    "main calls g, which calls h: bodies that store, return, wait; calls in every place of expressions and loops",
    "fn h(p: ptr<function, u32>, v: u32, w: u32) -> u32 { $h }\n"
    "fn g(p: ptr<function, u32>, v: u32) -> u32 { $g }\n" + _MAIN + "{ var x = $x; var y = 0u; $call $end }",
    h=(
        *("return v;", "return *p;", "*p = v; return w;", "*p = w; return 0u;", "workgroupBarrier(); return w;"),
        *("if v == 0u { workgroupBarrier(); } return w;", "if *p == 0u { workgroupBarrier(); } *p = v; return w;"),
        *("if v == 0u { return 0u; } *p = 0u; return 1u;", "if v == 0u { *p = 1u; } else { *p = w; } return 0u;"),
        *("*p += v; return *p;", "if v == 0u { (*p)++; } return w;", "while *p == 0u { *p = v; } return 0u;"),
        *("let q = p; *q = v; return *p;", "loop { *p = w; if v == 0u { break; } *p = 0u; } return 0u;"),
        "switch v { case 0u { *p = w; } case 1u { return 0u; } default { } } return 1u;",
    ),
    g=(
        *("return h(p, v, 0u);", "return h(p, 0u, v);", "_ = h(p, v, 0u); return *p;", "return h(p, h(p, v, 0u), 0u);"),
        *("if v == 0u { return h(p, 0u, 0u); } return 0u;", "var z = v; _ = h(&z, 0u, v); *p = z; return 0u;"),
        *("var z = 0u; _ = h(&z, *p, v); return z;", "let q = p; return h(q, *q, v);", "*p = h(p, 0u, v); return 0u;"),
        *("for (var i = 0u; i < 2u; i += h(p, v, 0u) + 1u) { } return 0u;", "var z = *p; return h(&z, v, *p) + *p;"),
        "loop { if h(p, 0u, v) == 0u { break; } continuing { break if h(p, v, 0u) == 1u; } } return 0u;",
    ),
    x=("0u", "lid"),
    call=(
        *("y = g(&x, 0u);", "y = g(&x, lid);", "y = g(&x, x);", "y = g(&x, g(&x, lid));", "y = g(&y, lid);"),
        *(
            "if lid == 0u { y = g(&x, 0u); }",
            "if x == 0u { y = g(&x, lid); }",
            "y += g(&y, lid);",
            "x = g(&x, lid) + x;",
        ),
        *(
            "while g(&x, 0u) == 1u { y = x; }",
            "for (; g(&x, lid) == 1u; ) { break; }",
            "if lid == 0u { return; } _ = g(&x, 0u);",
        ),
        *("switch g(&x, 0u) { case 1u { y = x; } default { } }", "loop { continuing { break if g(&x, y) == 0u; } }"),
        *("var a = array(0u, 1u); a[g(&x, lid)] = 0u; y = a[1];", "y = array<u32, 2>(x, 1u)[g(&x, 0u) % 2u];"),
    ),
    end=_ENDS,
)

_STORES = (
    *(
        "",
        "p.a = v;",
        "(*p).b.x = v;",
        "p.b = vec2u(v);",
        "p.b.xy = vec2u(v);",
        "p.b.yx = vec2u(0u, v);",
        "p.c[0] = v;",
    ),
    *("p.c[v % 2u] = 0u;", "*p = S();", "*p = S(v, vec2u(), array(0u, v));", "let q = &p.b; (*q).x = v;", "p.a += v;"),
    *("let q = &p.b; q.xy = vec2u(v);", "let q = &p.c; q[1] = v;", "let q = &(*p).c[0]; *q = p.a;", "put(&p.a, v);"),
    *("if v == 0u { p.a = 0u; }", "loop { p.b.y = v; if p.a == 0u { break; } p.a = 0u; }", "put(&p.c[1], p.a);"),
    *(
        "switch v { case 0u { p.a = 0u; return; } default { p.b.x = v; } }",
        "p.c = array(p.a, 0u);",
        "let o = *p; p.b = o.b.yx;",
    ),
)
PARTS = Slots(
    "parts",
    "two stores through a pointer to a structure, to its members, components and elements; then one part decides",
    "struct S { a: u32, b: vec2u, c: array<u32, 2> }\n"
    "fn put(p: ptr<function, u32>, v: u32) { *p = v; }\n"
    "fn f(p: ptr<function, S>, v: u32) { $first { $second } }\n" + _MAIN + "{ var s = $s; f(&s, $v); $end }",
    s=("S()", "S(lid, vec2u(lid), array(lid, lid))", "S(0u, vec2u(0u, lid), array(0u, lid))"),
    v=("0u", "lid"),
    first=_STORES,
    second=_STORES,
    end=tuple(
        f"if {part} == 0u {{ workgroupBarrier(); }}"
        for part in ("s.a", "s.b.x", "s.b.y", "s.c[0]", "s.c[1]", "s.b.yx.x")
    ),
)

_SHARED = (
    *(
        "",
        "w = 0u;",
        "w = lid;",
        "*q = lid;",
        "workgroupBarrier();",
        "x = w;",
        "x = *q;",
        "x = workgroupUniformLoad(q);",
    ),
    *(
        "x = load(q);",
        "put(q, lid);",
        "put(&w, 0u);",
        "x = put_and_load(q, lid);",
        "{ let r = q; x = *r; }",
        "x = v[lid];",
    ),
    *("if lid == 0u { w = 1u; }", "if x == 0u { w = 1u; }", "v[0] = w; x = v[0];", "x = workgroupUniformLoad(&v)[1];"),
    *("x = workgroupUniformLoad(&v[lid % 2u]);", "x = atomicLoad(&a);", "x = workgroupUniformLoad(&a);"),
    *(
        "x = atomicAdd(&a, 1u);",
        "while *q == 0u { *q = 1u; }",
        "x = load(&v[0]);",
        "x = workgroupUniformLoad(&v[x % 2u]);",
    ),
)
WORKGROUP = Slots(
    "workgroup",
    "three statements on workgroup variables: through names, pointers, lets, functions, atomics, uniform loads",
    "var<workgroup> w: u32; var<workgroup> v: array<u32, 2>; var<workgroup> a: atomic<u32>;\n"
    "fn load(p: ptr<workgroup, u32>) -> u32 { $load }\n"
    "fn put(p: ptr<workgroup, u32>, n: u32) { *p = n; }\n"
    "fn put_and_load(p: ptr<workgroup, u32>, n: u32) -> u32 { let q = p; *p = n; return *q; }\n"
    + _MAIN
    + "{ let q = &w; var x = 0u; var y = lid; { $first } { $second } y = x; $third $end }",
    load=("return *p;", "return workgroupUniformLoad(p);", "let q = p; *p = 0u; return *q;", "*p = 0u; return *p;"),
    first=_SHARED,
    second=_SHARED,
    third=_SHARED,
    end=_ENDS,
)

_OFF = tuple(f"@diagnostic({severity}, derivative_uniformity)" for severity in ("off", "error", "warning", "info"))
FILTERS = Slots(
    "filters",
    "@diagnostic of each severity on directive, functions, statements and blocks around a derivative or its call",
    "$directive\nvar<private> r: f32;\n"
    "$callee fn f(v: f32) -> f32 { $inside return dpdx(v); }\n"
    "@fragment $main fn main(@location(0) v: f32) -> @location(0) vec4f { $statement { $value } return vec4f(r); }",
    directive=("", *(f"diagnostic({one}, derivative_uniformity);" for one in ("off", "error", "warning", "info"))),
    callee=("", *_OFF),
    main=("", *_OFF),
    inside=("", "if v == 0.0 { return 0.0; }", *(f"{one} if v == 0.0 {{ return dpdy(v); }}" for one in _OFF)),
    statement=tuple(
        f"{one} {statement} {two}"
        for statement in (
            "if v == 0.0",
            "switch u32(v)",
            "for (var i = 0.0; i < v; i += dpdy(v))",
            "while v < dpdx(r)",
            "",
        )
        for one in ("", *_OFF)
        for two in ("", *(_OFF if one == "" else _OFF[:1]))
        if statement != "switch u32(v)" and (statement or not two)
    ),
    value=(
        "r = dpdx(v);",
        "r = f(v);",
        "r = dpdx(0.0);",
        "if r == 0.0 { r = f(0.0); }",
        "@diagnostic(off, derivative_uniformity) { r = f(v); }",
    ),
)

_COLLECTIVE = (
    *("subgroupAdd(x)", "subgroupBallot(x == 0u).x", "subgroupBroadcast(x, 0u)", "subgroupBroadcastFirst(x)"),
    *("subgroupElect()", "subgroupAll(x == 0u)", "subgroupAny(x == 0u)", "subgroupExclusiveAdd(x)", "subgroupMin(x)"),
    *("subgroupShuffle(x, 0u)", "subgroupShuffle(0u, x)", "subgroupShuffleXor(x, 1u)", "subgroupShuffleUp(lid, x)"),
    *("subgroupShuffleDown(x, x)", "quadBroadcast(x, 0u)", "quadSwapX(x)", "subgroupXor(subgroupAdd(x))", "x"),
)
SUBGROUPS = Slots(
    "subgroups",
    "a subgroup operation under a condition; what it is given, and what its result decides, in both scopes",
    "enable subgroups;\nfn f(v: u32) -> u32 { $callee return v; }\n"
    "@compute @workgroup_size(2) fn main(@builtin(local_invocation_index) lid: u32, @builtin(subgroup_size) size: u32, "
    "@builtin(subgroup_invocation_id) id: u32, @builtin(workgroup_id) group: vec3u) "
    "{ var x = $x; var y = $y; $around { y = u32($value); } $end }",
    callee=("", "if v == 0u { _ = subgroupAdd(v); }", "_ = subgroupBallot(true);", "_ = subgroupShuffleUp(1u, v);"),
    x=("0u", "lid", "size", "id", "group.x", "f(group.y)", "f(size)", "f(id)"),
    y=("0u", "lid", "size"),
    around=(
        *(
            "",
            "if x == 0u",
            "if size == 4u",
            "if group.x == 0u",
            "if id == 0u",
            "if subgroupElect()",
            "if subgroupAny(true)",
        ),
        *("for (; y < x; y++)", "switch x { case 0u { y = 1u; } default { } }", "if lid == 0u && f(y) == 0u"),
    ),
    value=_COLLECTIVE,
    end=(*_ENDS, "if y == 0u { _ = subgroupAdd(x); }", "if x == 0u { _ = subgroupAdd(y); }", "_ = f(y);", "_ = f(x);"),
)

INPUTS = Slots(
    "inputs",
    "a structure of uniform inputs with or without others, read and copied in every form, under conditions on it",
    "struct In { @builtin(workgroup_id) g: vec3u, @builtin(num_workgroups) n: vec3u $more }\n"
    "fn own(i: In) -> u32 { return i.g.x; }\nfn same(i: In) -> In { return i; }\n"
    "fn read(p: ptr<function, In>) -> u32 { return p.n.x; }\n"
    "fn ask(i: In) { if i.n.y == 0u { workgroupBarrier(); } }\n"
    "@compute @workgroup_size(2) fn main(in: In $other) { "
    "var c = in; var x = 0u; var y = 0u; $change y = $value; $end }",
    more=("", ", @builtin(local_invocation_index) lid: u32", ", @builtin(local_invocation_id) l: vec3u"),
    other=("", ", @builtin(global_invocation_id) at: vec3u"),
    change=(
        *("", "if in.g.x == 0u { c.n = vec3u(); }", "c.g.x = c.n.y;", "if c.n.x == 0u { return; }", "c = same(in);"),
        *("let p = &c; p.g = in.n;", "for (; x < in.n.x; x++) { c.g[x % 3u] = x; }", "if in.n.x == 1u { ask(in); }"),
    ),
    value=(
        *(
            "in.g.x",
            "c.g.x",
            "own(in)",
            "own(c)",
            "same(in).n.y",
            "read(&c)",
            "in.n[c.g.x % 3u]",
            "(&c).n.z",
            "u32(all(in.g == c.g))",
        ),
    ),
    end=(*_ENDS, "ask(in);", "ask(c);", "if y == 0u { ask(same(c)); }"),
)

ALL = (SHORT_CIRCUIT, CALLS, PARTS, WORKGROUP, FILTERS, SUBGROUPS, INPUTS)
