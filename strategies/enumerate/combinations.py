"""Families of texts that fill the slots of one module: each slot has a plainest filling and others.

The size of a member counts the slots that are not filled in the plainest way. So small members differ from one shader,
which all sizes share, in few places; the largest size has every combination.
"""

from collections.abc import Mapping
from functools import cache
from itertools import combinations
from string import Template

from wgsl_fuzz.strategies.enumerate.sets import CountedSet, ListedSet, ProductSet, UnionSet, mapped

MAIN = "@compute @workgroup_size(2) fn main(@builtin(local_invocation_index) lid: u32) "


def listed(texts: str) -> tuple[str, ...]:
    """The texts between `~`, each without needless blanks."""
    return tuple([" ".join(text.split()) for text in texts.split("~")])


class Slots:
    """The texts of a template, in which `$name` is a slot, and so it is in fillings of other slots.

    Different fillings must give different texts.
    """

    def __init__(self, name: str, alphabet: str, template: str, **fillings: str) -> None:
        """`alphabet` says in words what fills the slots; the fillings of each are `listed`, the plainest first."""
        self.name, self.alphabet = name, alphabet
        self._template = template
        self.fillings: Mapping[str, tuple[str, ...]] = {slot: listed(texts) for slot, texts in fillings.items()}
        self.of_size = cache(self._of_size)

    def _of_size(self, size: int) -> CountedSet[str]:
        """The texts in which exactly so many slots are not filled in the plainest way."""
        return UnionSet([self._filled(frozenset(names)) for names in combinations(self.fillings, size)])

    def _filled(self, names: frozenset[str]) -> CountedSet[str]:
        chosen: CountedSet[tuple[str, ...]] = ListedSet([()])
        for name, texts in self.fillings.items():
            some = ListedSet(texts[1:] if name in names else texts[:1])
            chosen = ProductSet(chosen, some, lambda before, text: (*before, text))
        return mapped(chosen, self._text)

    def _text(self, texts: tuple[str, ...]) -> str:
        text, by_slot = self._template, dict(zip(self.fillings, texts, strict=True))
        while "$" in text:
            text = Template(text).substitute(by_slot)
        return text


_ENDS = "workgroupBarrier(); ~ if x == 0u { workgroupBarrier(); } ~ if y == 0u { workgroupBarrier(); }"

SHORT_CIRCUIT = Slots(
    "short-circuit",
    "z = a && b, z = a || b: variables, calls that store, calls that wait; conditions and loops around it",
    """fn put(p: ptr<function, bool>, v: bool) -> bool { *p = v; return v; }
fn ask(c: bool) -> bool { if c { workgroupBarrier(); } return c; }
fn wait() -> bool { workgroupBarrier(); return true; }
"""
    + MAIN
    + "{ let n = lid == 0u; var x = $x; var y = $y; var z = true; $before z = $left $operator $right; $after }",
    x="true ~ n",
    y="true ~ n",
    before=" ~ if n { return; } ~ if put(&x, n) || y { x = y; }",
    left="x ~ true ~ n ~ put(&x, n) ~ put(&y, true) ~ ask(y) ~ wait() ~ (n || put(&x, y)) ~ (x && wait())",
    operator="&& ~ ||",
    right="y ~ true ~ n ~ put(&x, n) ~ put(&y, true) ~ ask(x) ~ wait() ~ (y || put(&x, n)) ~ (n && ask(y))",
    after="""if z { workgroupBarrier(); } ~ if x { workgroupBarrier(); } ~ if y { workgroupBarrier(); }
        ~ workgroupBarrier(); ~ while put(&x, z) && wait() { y = x; break; }
        ~ for (; z || wait(); ) { if !put(&y, x) { break; } }
        ~ loop { if x { break; } continuing { y = z && ask(y); break if put(&x, y) || wait(); } }""",
)

CALLS = Slots(
    "calls",
    "main calls g, which calls h: bodies that store, return, wait; calls in every place of expressions and loops",
    "fn h(p: ptr<function, u32>, v: u32, w: u32) -> u32 { $h }\n"
    "fn g(p: ptr<function, u32>, v: u32) -> u32 { $g }\n" + MAIN + "{ var x = $x; var y = 0u; $call $end }",
    h="""return v; ~ return *p; ~ *p = v; return w; ~ *p = w; return 0u; ~ workgroupBarrier(); return w;
        ~ if v == 0u { workgroupBarrier(); } return w; ~ if *p == 0u { workgroupBarrier(); } *p = v; return w;
        ~ if v == 0u { return 0u; } *p = 0u; return 1u; ~ if v == 0u { *p = 1u; } else { *p = w; } return 0u;
        ~ *p += v; return *p; ~ if v == 0u { (*p)++; } return w; ~ while *p == 0u { *p = v; } return 0u;
        ~ let q = p; *q = v; return *p; ~ loop { *p = w; if v == 0u { break; } *p = 0u; } return 0u;
        ~ switch v { case 0u { *p = w; } case 1u { return 0u; } default { } } return 1u;""",
    g="""return h(p, v, 0u); ~ return h(p, 0u, v); ~ _ = h(p, v, 0u); return *p; ~ return h(p, h(p, v, 0u), 0u);
        ~ if v == 0u { return h(p, 0u, 0u); } return 0u; ~ var z = v; _ = h(&z, 0u, v); *p = z; return 0u;
        ~ var z = 0u; _ = h(&z, *p, v); return z; ~ let q = p; return h(q, *q, v); ~ *p = h(p, 0u, v); return 0u;
        ~ for (var i = 0u; i < 2u; i += h(p, v, 0u) + 1u) { } return 0u; ~ var z = *p; return h(&z, v, *p) + *p;
        ~ loop { if h(p, 0u, v) == 0u { break; } continuing { break if h(p, v, 0u) == 1u; } } return 0u;""",
    x="0u ~ lid",
    call="""y = g(&x, 0u); ~ y = g(&x, lid); ~ y = g(&x, x); ~ y = g(&x, g(&x, lid)); ~ y = g(&y, lid);
        ~ if lid == 0u { y = g(&x, 0u); } ~ if x == 0u { y = g(&x, lid); } ~ y += g(&y, lid); ~ x = g(&x, lid) + x;
        ~ while g(&x, 0u) == 1u { y = x; } ~ for (; g(&x, lid) == 1u; ) { break; }
        ~ if lid == 0u { return; } _ = g(&x, 0u); ~ switch g(&x, 0u) { case 1u { y = x; } default { } }
        ~ loop { continuing { break if g(&x, y) == 0u; } } ~ var a = array(0u, 1u); a[g(&x, lid)] = 0u; y = a[1];
        ~ y = array<u32, 2>(x, 1u)[g(&x, 0u) % 2u];""",
    end=_ENDS,
)

_POINTERS = "p: ptr<function, u32>, q: ptr<function, u32>, v: u32"
POINTERS = Slots(
    "pointers",
    "two pointers and a value pass two calls: stores from one to the other, in any order, before and behind returns",
    f"fn h({_POINTERS}) -> u32 {{ $h }}\nfn g({_POINTERS}) -> u32 {{ $g }}\n"
    f"{MAIN}{{ var x = $x; var y = $y; var z = 0u; $call if $part == 0u {{ workgroupBarrier(); }} }}",
    h="""*q = *p; return 0u; ~ *p = *q; return 0u; ~ *q = v; return *p; ~ *p = v; return *q; ~ return v; ~ return *q;
        ~ let o = *p; *p = *q; *q = o; return v; ~ if v == 0u { *p = 0u; return *q; } *q = 1u; return 0u;
        ~ if *p == 0u { *q = 1u; } return 0u; ~ while *p == 0u { *p = *q; if v == 0u { break; } } return 0u;
        ~ *p += *q; return v; ~ let r = p; *r = *q; return *r; ~ for (; *q < 1u; (*q)++) { *p = v; } return *p;
        ~ switch *q { case 0u { *p = v; return 0u; } default { *q = 0u; } } return *p;""",
    g="""return h(p, q, v); ~ return h(q, p, v); ~ return h(p, q, *q); ~ return h(q, p, *p);
        ~ _ = h(p, q, v); return *q; ~ if v == 0u { return h(q, p, 0u); } *q = v; return 0u;
        ~ let r = q; return h(p, r, v); ~ var z = 0u; *p = h(&z, q, v); return z; ~ *q = h(p, q, v) + *q; return *p;
        ~ *p = *q + h(p, q, v); return 0u; ~ while h(p, q, v) == 1u { *q = v; } return *p;
        ~ if h(q, p, 1u) == 0u && v == 0u { *q = *p; } return 0u;""",
    x="lid ~ 0u",
    y="0u ~ lid",
    call="""z = g(&x, &y, 0u); ~ z = g(&y, &x, 0u); ~ z = g(&x, &y, lid); ~ z = g(&y, &z, x); ~ x = g(&x, &y, 0u) + x;
        ~ if lid == 0u { z = g(&x, &y, 0u); } ~ if g(&x, &y, x) == 0u { x = y; } ~ z = g(&x, &y, g(&y, &x, 0u));
        ~ for (var i = 0u; i < 2u; i++) { z = g(&x, &y, z); } ~ { let r = &y; _ = g(r, &x, y); }""",
    part="y ~ x ~ z",
)

_STORES = """ ~ p.a = v; ~ (*p).b.x = v; ~ p.b = vec2u(v); ~ p.b.xy = vec2u(v); ~ p.b.yx = vec2u(0u, v); ~ p.c[0] = v;
    ~ p.c[v % 2u] = 0u; ~ *p = S(); ~ *p = S(v, vec2u(), array(0u, v)); ~ let q = &p.b; (*q).x = v; ~ p.a += v;
    ~ let q = &p.b; q.xy = vec2u(v); ~ let q = &p.c; q[1] = v; ~ let q = &(*p).c[0]; *q = p.a; ~ put(&p.a, v);
    ~ if v == 0u { p.a = 0u; } ~ loop { p.b.y = v; if p.a == 0u { break; } p.a = 0u; } ~ put(&p.c[1], p.a);
    ~ switch v { case 0u { p.a = 0u; return; } default { p.b.x = v; } } ~ p.c = array(p.a, 0u);
    ~ let o = *p; p.b = o.b.yx;"""
PARTS = Slots(
    "parts",
    "two stores through a pointer to a structure, to its members, components and elements; then one part decides",
    "struct S { a: u32, b: vec2u, c: array<u32, 2> }\n"
    "fn put(p: ptr<function, u32>, v: u32) { *p = v; }\n"
    "fn f(p: ptr<function, S>, v: u32) { $first { $second } }\n"
    + MAIN
    + "{ var s = $s; f(&s, $v); if $part == 0u { workgroupBarrier(); } }",
    s="S() ~ S(lid, vec2u(lid), array(lid, lid)) ~ S(0u, vec2u(0u, lid), array(0u, lid))",
    v="0u ~ lid",
    first=_STORES,
    second=_STORES,
    part="s.a ~ s.b.x ~ s.b.y ~ s.c[0] ~ s.c[1] ~ s.b.yx.x",
)

_SHARED = """ ~ w = 0u; ~ w = lid; ~ *q = lid; ~ workgroupBarrier(); ~ x = w; ~ x = *q; ~ x = workgroupUniformLoad(q);
    ~ x = load(q); ~ put(q, lid); ~ put(&w, 0u); ~ x = put_and_load(q, lid); ~ { let r = q; x = *r; } ~ x = v[lid];
    ~ if lid == 0u { w = 1u; } ~ if x == 0u { w = 1u; } ~ v[0] = w; x = v[0]; ~ x = workgroupUniformLoad(&v)[1];
    ~ x = workgroupUniformLoad(&v[lid % 2u]); ~ x = atomicLoad(&a); ~ x = workgroupUniformLoad(&a);
    ~ x = atomicAdd(&a, 1u); ~ while *q == 0u { *q = 1u; } ~ x = load(&v[0]); ~ x = workgroupUniformLoad(&v[x % 2u]);"""
WORKGROUP = Slots(
    "workgroup",
    "three statements on workgroup variables: through names, pointers, lets, functions, atomics, uniform loads",
    "var<workgroup> w: u32; var<workgroup> v: array<u32, 2>; var<workgroup> a: atomic<u32>;\n"
    "fn load(p: ptr<workgroup, u32>) -> u32 { $load }\n"
    "fn put(p: ptr<workgroup, u32>, n: u32) { *p = n; }\n"
    "fn put_and_load(p: ptr<workgroup, u32>, n: u32) -> u32 { let q = p; *p = n; return *q; }\n"
    + MAIN
    + "{ let q = &w; var x = 0u; var y = lid; { $first } { $second } y = x; $third $end }",
    load="return *p; ~ return workgroupUniformLoad(p); ~ let q = p; *p = 0u; return *q; ~ *p = 0u; return *p;",
    first=_SHARED,
    second=_SHARED,
    third=_SHARED,
    end=_ENDS,
)

_SEVERITIES = ("off", "error", "warning", "info")
_OFF = tuple(f"@diagnostic({severity}, derivative_uniformity)" for severity in _SEVERITIES)
_FILTER = " ~ ".join(["", *_OFF])
FILTERS = Slots(
    "filters",
    "@diagnostic of each severity on directive, functions, statements and blocks around a derivative or its call",
    "$directive\nvar<private> r: f32;\n"
    "$callee fn f(v: f32) -> f32 { $inside return dpdx(v); }\n"
    "@fragment $main fn main(@location(0) v: f32) -> @location(0) vec4f { $statement { $value } return vec4f(r); }",
    directive=" ~ ".join(["", *(f"diagnostic({one}, derivative_uniformity);" for one in _SEVERITIES)]),
    callee=_FILTER,
    main=_FILTER,
    inside=" ~ if v == 0.0 { return 0.0; }" + "".join(f" ~ {one} if v == 0.0 {{ return dpdy(v); }}" for one in _OFF),
    statement=" ~ ".join(
        f"{one} {statement} {two}"
        for statement in ("if v == 0.0", "for (var i = 0.0; i < v; i += dpdy(v))", "while v < dpdx(r)", "")
        for one in ("", *_OFF)
        for two in ("", *(_OFF if one == "" else _OFF[:1]))
        if statement or not two
    ),
    value="""r = dpdx(v); ~ r = f(v); ~ r = dpdx(0.0); ~ if r == 0.0 { r = f(0.0); }
        ~ @diagnostic(off, derivative_uniformity) { r = f(v); }""",
)

SUBGROUPS = Slots(
    "subgroups",
    "a subgroup operation under a condition; what it is given, and what its result decides, in both scopes",
    "enable subgroups;\nfn f(v: u32) -> u32 { $callee return v; }\n"
    "@compute @workgroup_size(2) fn main(@builtin(local_invocation_index) lid: u32, @builtin(subgroup_size) size: u32, "
    "@builtin(subgroup_invocation_id) id: u32, @builtin(workgroup_id) group: vec3u) "
    "{ var x = $x; var y = $y; $around { y = u32($value); } $end }",
    callee=" ~ if v == 0u { _ = subgroupAdd(v); } ~ _ = subgroupBallot(true); ~ _ = subgroupShuffleUp(1u, v);",
    x="0u ~ lid ~ size ~ id ~ group.x ~ f(group.y) ~ f(size) ~ f(id)",
    y="0u ~ lid ~ size",
    around=""" ~ if x == 0u ~ if size == 4u ~ if group.x == 0u ~ if id == 0u ~ if subgroupElect() ~ if subgroupAny(true)
        ~ for (; y < x; y++) ~ switch x { case 0u { y = 1u; } default { } } ~ if lid == 0u && f(y) == 0u""",
    value="""subgroupAdd(x) ~ subgroupBallot(x == 0u).x ~ subgroupBroadcast(x, 0u) ~ subgroupBroadcastFirst(x)
        ~ subgroupElect() ~ subgroupAll(x == 0u) ~ subgroupAny(x == 0u) ~ subgroupExclusiveAdd(x) ~ subgroupMin(x)
        ~ subgroupShuffle(x, 0u) ~ subgroupShuffle(0u, x) ~ subgroupShuffleXor(x, 1u) ~ subgroupShuffleUp(lid, x)
        ~ subgroupShuffleDown(x, x) ~ quadBroadcast(x, 0u) ~ quadSwapX(x) ~ subgroupXor(subgroupAdd(x)) ~ x""",
    end=_ENDS + " ~ if y == 0u { _ = subgroupAdd(x); } ~ if x == 0u { _ = subgroupAdd(y); } ~ _ = f(y); ~ _ = f(x);",
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
    more=" ~ , @builtin(local_invocation_index) lid: u32 ~ , @builtin(local_invocation_id) l: vec3u",
    other=" ~ , @builtin(global_invocation_id) at: vec3u",
    change=""" ~ if in.g.x == 0u { c.n = vec3u(); } ~ c.g.x = c.n.y; ~ if c.n.x == 0u { return; } ~ c = same(in);
        ~ let p = &c; p.g = in.n; ~ for (; x < in.n.x; x++) { c.g[x % 3u] = x; } ~ if in.n.x == 1u { ask(in); }""",
    value="""in.g.x ~ c.g.x ~ own(in) ~ own(c) ~ same(in).n.y ~ read(&c) ~ in.n[c.g.x % 3u] ~ (&c).n.z
        ~ u32(all(in.g == c.g))""",
    end=_ENDS + " ~ ask(in); ~ ask(c); ~ if y == 0u { ask(same(c)); }",
)

# ------------------------------------------------------------------------------- the same flow around everything else

_FLOWS = """{ $do } ~ if x == 0u { $do } else { n++; } ~ if x == 0u { n += 1u; } else { $do }
    ~ if n == 1u || (x == 0u && n == 0u) { $do } ~ { if x == 0u { return; } $do } ~ while n < x { n++; $do }
    ~ switch x { case 0u { $do } case 1u { n = 1u; break; } default { return; } }
    ~ for (; n < 2u; n += x) { if x == 1u { continue; } $do } ~ for (var i = x; i < 2u; i++) { $do break; }
    ~ loop { if x == 0u { break; } $do x = 0u; } ~ loop { $do continuing { n += 1u; break if n > x; } }
    ~ loop { n++; if n > x { break; } continuing { $do } } ~ { let q = &n; if x == 0u { *q = 1u; } if *q == 1u { $do } }
    ~ { let c = vec2u(x, n).yx; if c.y == 0u { $do } } ~ { let c = x; x = 0u; if c == 0u { $do } }
    ~ loop { if x == 0u { continue; } $do continuing { x++; break if n == 0u; } }"""
"""Control flow that x decides, around what `$do` does to x and n."""
_ATTRIBUTES = " ~ @diagnostic(off, RULE) ~ @diagnostic(error, RULE) ~ @diagnostic(info, RULE)"
_FUNCTION = "fn f(p: ptr<function, u32>, v: u32) { var x = $x; var n = 0u; $filter $flow $end }\n"

FRAGMENTS = Slots(
    "fragments",
    "a derivative in each form of control flow of a function, under filters; values, pointers and stores around it",
    "enable subgroups;\nvar<private> r: f32; @group(0) @binding(0) var<storage, read_write> a: atomic<u32>;\n"
    + _FUNCTION
    + "@fragment fn main(@location(0) v: f32, @builtin(front_facing) b: bool) -> @location(0) vec4f "
    "{ var y = $y; f(&y, $v); return vec4f(r); }",
    x="v ~ *p ~ u32(dpdx(f32(v))) ~ atomicLoad(&a) ~ subgroupAdd(v)",
    y="0u ~ u32(v)",
    v="u32(b) ~ 0u",
    filter=_ATTRIBUTES.replace("RULE", "derivative_uniformity"),
    flow=_FLOWS,
    do="""r += dpdx(f32(x)); ~ r = fwidth(f32(*p)); ~ let d = dpdy(f32(v)); r += d; ~ if dpdx(r) == 0.0 { *p = 1u; }
        ~ _ = dpdx(1.0) > 0.0 && dpdy(r) > 0.0; ~ *p = u32(dpdxCoarse(r)); ~ (*p)++; r += fwidth(r);
        ~ let q = p; *q = v; r = array(0.0, dpdx(r))[*q % 2u]; ~ if x == 0u { discard; } r = dpdx(r);""",
    end=" ~ if n == 0u { r = dpdx(r); } ~ if *p == 0u { r = dpdx(r); }",
)

SOURCES = Slots(
    "sources",
    "each kind of source and of requirement of a compute shader in each form of control flow, under filters",
    "enable subgroups;\nvar<workgroup> w: u32; var<workgroup> a: atomic<u32>;\n"
    "@group(0) @binding(0) var<storage, read_write> s: array<u32, 2>;\n"
    + f"{_FUNCTION}{MAIN}{{ var y = $y; f(&y, $v); }}",
    x="""v ~ *p ~ w ~ s[0] ~ atomicLoad(&a) ~ atomicAdd(&a, v) ~ subgroupAdd(v) ~ u32(subgroupElect())
        ~ subgroupBroadcastFirst(v) ~ workgroupUniformLoad(&w)""",
    y="0u ~ lid",
    v="lid ~ 0u",
    filter=_ATTRIBUTES.replace("RULE", "subgroup_uniformity"),
    flow=_FLOWS,
    do="""workgroupBarrier(); ~ n = workgroupUniformLoad(&w); ~ *p = subgroupAdd(*p); ~ _ = subgroupShuffleUp(*p, n);
        ~ n += atomicAdd(&a, 1u); storageBarrier(); ~ (*p)++; let q = &s[*p % 2u]; *q = subgroupMax(1u);
        ~ _ = subgroupAny(x == 0u) && subgroupAll(n == 0u); ~ let l = atomicLoad(&a); _ = subgroupMin(l);""",
    end=""" ~ if *p == 0u { workgroupBarrier(); } ~ if n == 0u { workgroupBarrier(); }
        ~ if x == 0u { _ = subgroupAdd(1u); }""",
)

_FIXED = "@group(0) @binding(0) var fixed: texel_buffer<r32uint, read>;\n"
MATRICES = Slots(
    "matrices",
    "subgroup matrices in each form of control flow: made, kept, loaded, stored, calculated with; texel buffers",
    "enable chromium_experimental_subgroup_matrix;\nalias M = subgroup_matrix_result<f32, 8, 8>;\n"
    "@group(0) @binding(1) var<storage, read_write> cells: array<f32, 128>;\n"
    + _FIXED
    + "@compute @workgroup_size(2) fn main(@builtin(local_invocation_index) lid: u32, @builtin(subgroup_id) id: u32) "
    "{ var n = 0u; var x = $x; var m = M(); let k = $k; $flow $end }",
    x="lid ~ 0u ~ id ~ textureLoad(fixed, id).x ~ textureDimensions(fixed)",
    k="M() ~ M(f32(lid)) ~ M(f32(id)) ~ M(f32(x))",
    flow=_FLOWS,
    do="""m = M(); ~ m = k; ~ m = subgroupMatrixLoad<M, row_major>(&cells, x, 8u); ~ n = textureLoad(fixed, x).x;
        ~ subgroupMatrixStore<row_major>(&cells, 0u, k, 8u); ~ m = subgroupMatrixScalarAdd(k, f32(n));
        ~ let l = &m; *l = array<M, 2>(m, k)[x % 2u];
        ~ @diagnostic(off, chromium.subgroup_matrix_uniformity) { m = k; }""",
    end=""" ~ _ = subgroupMatrixScalarAdd(m, 1.0); ~ if n == 0u { workgroupBarrier(); }
        ~ if textureLoad(fixed, n).x == 0u { _ = M(); }""",
)
BINDINGS = Slots(
    "bindings",
    "binding arrays, texel buffers and 64-bit atomics in each form of control flow",
    "enable atomic_vec2u_min_max;\n@group(0) @binding(1) var<storage, read_write> wide: atomic<vec2u>;\n"
    "@group(0) @binding(2) var texels: texel_buffer<r32uint, read_write>;\n"
    "@group(0) @binding(3) var pictures: binding_array<texture_2d<f32>, 4>;\n"
    + f"{_FIXED}{MAIN}{{ var n = 0u; var x = $x; $flow $end }}",
    x="""lid ~ 0u ~ textureLoad(texels, 0u).x ~ textureLoad(fixed, n).x ~ textureLoad(fixed, lid).x
        ~ u32(textureLoad(pictures[n % 4u], vec2u(), 0).x) ~ u32(textureLoad(pictures[lid % 4u], vec2u(), 0).x)""",
    flow=_FLOWS,
    do="""workgroupBarrier(); ~ atomicStoreMax(&wide, vec2u(x, 1u)); workgroupBarrier(); ~ n = textureLoad(texels, n).x;
        ~ atomicStoreMin(&wide, vec2u(n)); ~ textureStore(texels, x, vec4u(n)); textureBarrier();
        ~ n = textureNumLevels(pictures[x % 4u]); ~ let t = pictures[n % 4u]; n = textureDimensions(t).y;""",
    end="""if n == 0u { workgroupBarrier(); } ~ if x == 0u { workgroupBarrier(); }
        ~ if textureLoad(fixed, n).x == 0u { storageBarrier(); }""",
)

_SHADOWING = """
    ~ { var x = y; x = lid; y = x; } ~ { let x = x; y = x; } ~ { let x = &x; *x = lid; }
    ~ { let lid = 0u; x = lid; } ~ { var lid = y; y = lid; lid = 1u; } ~ { let y = &x; *y = lid; }
    ~ { let p = &x; { var x = lid; *p = x; } y = *p; }
    ~ { let put = y; x = put; } ~ x = put(&y, lid); ~ x = put(&x, y); ~ { let u32 = y; y = x; x = u32; }
    ~ for (var x = 0u; x < y; x++) { y = x; } ~ for (var y = x; y < 2u; y++) { x = y; } ~ z = x; x = 0u;
    ~ if x == 0u { var x = lid; y = x; } ~ if y == 0u { let x = 0u; y = x; } else { x = lid; } ~ { let z = y; x = z; }
    ~ switch y { case 0u { var x = lid; x = 0u; } default { x = 0u; } } ~ while x == 1u { let x = lid; y = x; break; }
    ~ loop { var x = lid; if x == 0u { break; } continuing { y = x; break if x == 1u; } } ~ x = z; z = lid;
    ~ loop { let x = y; if x == 0u { var y = lid; y = x; } else { break; } continuing { break if y == x; } }
    ~ { var z = y; let q = &z; *q = lid; y = z; } ~ if lid == 0u { let y = x; x = y; }"""
SHADOWS = Slots(
    "shadows",
    "two statements that declare the names of variables, parameters, functions and types again, which are used later",
    "var<private> z: u32;\n"
    "fn put(x: ptr<function, u32>, y: u32) -> u32 { let z = *x; *x = y; { let y = z; return y; } }\n"
    + MAIN
    + "{ var x = $x; var y = $y; $first { $second } if $condition { workgroupBarrier(); } }",
    x="lid ~ 0u",
    y="0u ~ lid",
    first=_SHADOWING,
    second=_SHADOWING,
    condition="x == 0u ~ y == 0u ~ z == 0u",
)

CONVERSIONS = Slots(
    "conversions",
    "swizzles of swizzles, read and stored, and bitcast; then one component decides",
    "fn same(v: vec4u) -> vec4u { return v; }\nfn put(p: ptr<function, vec4u>, v: u32) { (*p).w = v; }\n"
    + MAIN
    + "{ var a = $a; let b = vec4u($b, 0u, 0u, 0u); let p = &a; $store var y = 0u; y = $value; "
    "if $part == 0u { workgroupBarrier(); } }",
    a="vec4u(lid) ~ vec4u() ~ vec4u(0u, lid, 0u, 0u) ~ bitcast<vec4u>(vec4f(f32(lid)))",
    b="0u ~ lid ~ bitcast<u32>(f32(lid)) ~ vec2u(0u, lid).yx.x",
    store="""
        ~ a.x = b.xy.x; ~ a = b.wzyx.wzyx; ~ a = a.yxwz.yxwz; ~ p.z = b.yx.yx.x; ~ a.xy = b.zw.yx; ~ a.wz = b.xx.xy;
        ~ *p = bitcast<vec4u>(bitcast<vec4f>(b)); ~ (*p).yx = a.xy.yx; ~ put(p, b.xyz.yx.y); ~ a.xyzw = b.xyzw.wzyx;
        ~ { let l = p; (*l).x = a.wz.yx.y; } ~ if b.yx.y == 0u { a.x = 0u; } ~ a.y += bitcast<vec2u>(vec2i(b.wx)).y;""",
    value="""a.xy.x ~ a.xyzw.wx.y ~ a.yx.yx.x ~ p.zw.y ~ (*p).wzyx.wz.xy.y ~ (&a).wx.yx.x ~ b.xy.yx.y
        ~ bitcast<u32>(bitcast<f32>(a.x)) ~ bitcast<vec2u>(bitcast<vec2f>(a.xy)).yx.x ~ u32(bitcast<vec2i>(a.zw.yx).y)
        ~ same(a.wzyx).yx.x ~ vec2u(a.xy.y, b.zw.x).yx.y ~ array(a.xy, a.zw)[1].yx.x ~ dot(a.xxyy.xy, b.xy)
        ~ u32(all(a.xy.xx == b.xy.yx)) ~ select(a.xy, b.xy, a.zw.xy == b.zw.yx).yx.x""",
    part="y ~ a.x ~ a.y ~ a.wz.x ~ p.xw.y ~ bitcast<u32>(f32(a.w))",
)

ALL = (
    *(SHORT_CIRCUIT, CALLS, PARTS, WORKGROUP, FILTERS, SUBGROUPS, INPUTS),
    *(FRAGMENTS, SOURCES, MATRICES, BINDINGS, SHADOWS, CONVERSIONS, POINTERS),
)
