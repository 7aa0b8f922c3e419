"""What modules do, held against what they are known to leave in memory."""

import pytest

from tests.oracle.dynamics.modules.final_memory import left_in_out, text_of

STORE = "fn store(p: ptr<function, u32>, v: u32) -> u32 { let old = *p; *p = v; return old; }"
PAIR = "struct Pair { a: u32, b: vec2u } struct Nest { p: array<Pair, 2>, c: u32 }"

EXAMPLES: dict[str, tuple[str, str, list[int]]] = {
    # order of evaluation
    "operands from left to right": (STORE, "var x = 1u; out[0] = x + store(&x, 5u) * 10u + x * 100u;", [511]),
    "a right operand's effect comes after the left one": (STORE, "var x = 1u; out[0] = store(&x, 5u) + x;", [6]),
    "arguments from left to right": (
        STORE + "fn f(a: u32, b: u32, c: u32) -> u32 { return a + 10u * b + 100u * c; }",
        "var x = 1u; out[0] = f(x, store(&x, 2u), x);",
        [211],
    ),
    "the left side's index before the right side": (
        STORE,
        "var i = 0u; out[i] = store(&i, 1u) + 7u; out[i] = 9u;",
        [7, 9],
    ),
    "compound assignment loads before the right side": (STORE, "var x = 3u; x += store(&x, 40u); out[0] = x;", [6]),
    "compound assignment evaluates its left side once": (
        STORE,
        "var i = 0u; out[store(&i, 1u)] += 4u; out[i] += 5u;",
        [4, 5],
    ),
    "an element is loaded after its index": (
        "fn h(p: ptr<function, array<u32, 2>>) -> u32 { p[0] = 7u; return 0u; }",
        "var a = array(1u, 2u); out[0] = a[h(&a)];",
        [7],
    ),
    "a let keeps its value": ("", "var x = 1u; let y = x; x = 2u; out[0] = y; out[1] = x;", [1, 2]),
    "constructor arguments from left to right": (
        STORE,
        "var x = 1u; let v = vec3(x, store(&x, 2u), x); out[0] = v.x; out[1] = v.y; out[2] = v.z;",
        [1, 1, 2],
    ),
    # short circuit
    "the right side of && is not evaluated": (
        STORE,
        "var x = 1u; let b = x == 2u && store(&x, 5u) == 1u; out[0] = x; out[1] = u32(b);",
        [1, 0],
    ),
    "the right side of && is evaluated": (
        STORE,
        "var x = 1u; let b = x == 1u && store(&x, 5u) == 1u; out[0] = x; out[1] = u32(b);",
        [5, 1],
    ),
    "the right side of || is not evaluated": (
        STORE,
        "var x = 1u; let b = x == 1u || store(&x, 5u) == 1u; out[0] = x; out[1] = u32(b);",
        [1, 1],
    ),
    # switch and loops
    "a clause of a switch": (
        "",
        "for (var i = 0u; i < 5u; i++) { switch i { case 1u, 3u { out[i] = 1u; } case 2u { out[i] = 2u; } "
        "default { out[i] = 9u; } } }",
        [9, 1, 2, 1, 9],
    ),
    "a default among the selectors": (
        "",
        "for (var i = 0; i < 3; i++) { switch i { case 0 { out[i] = 1u; } case 1, default { out[i] = 2u; } } }",
        [1, 2, 2],
    ),
    "a break out of a clause": (
        "",
        "for (var i = 0u; i < 3u; i++) { switch i { case 1u { if lid == 0u { break; } out[i] = 1u; } "
        "default { out[i] = 2u; } } }",
        [2, 0, 2],
    ),
    "a continue out of a clause": (
        "",
        "for (var i = 0u; i < 4u; i++) { switch i & 1u { case 1u { if i == 3u { break; } out[i] = 1u; continue; } "
        "default { if i == 0u { continue; } out[i] = 2u; } } out[i] += 10u; }",
        [0, 1, 12, 10],
    ),
    "a continue out of two switches": (
        "",
        "for (var i = 0u; i < 3u; i++) { switch i { default { switch i { case 1u { if i == 1u { continue; } break; } "
        "default { if i == 0u { break; } } } if i == 7u { break; } out[i] = 1u; } } out[i] += 10u; }",
        [11, 0, 11],
    ),
    "a while with an effect in its condition": (
        STORE,
        "var x = 0u; while store(&x, x + 1u) < 3u { out[0] += 1u; if x == 2u { continue; } out[1] += 1u; }",
        [3, 2],
    ),
    "a loop with break if": (
        "",
        "var i = 0u; loop { out[i] = 1u; continuing { i++; break if i == 3u; } }",
        [1, 1, 1, 0],
    ),
    "a variable in a loop begins anew": (
        "",
        "for (var i = 0u; i < 2u; i++) { var x: u32; x += 1u; out[i] = x; }",
        [1, 1],
    ),
    # pointers
    "a phony pointer": (
        STORE,
        "var a: array<u32, 9>; var i = 0u; _ = &a[store(&i, 4u)]; out[0] = i;",
        [4],
    ),
    "a pointer to an element": (STORE, "var a: array<u32, 3>; _ = store(&a[1], 4u); out[0] = a[1] + a[0];", [4]),
    "a pointer to a computed element": (
        STORE,
        "var a = array(1u, 2u, 3u); let i = lid + 2u; _ = store(&a[i], 4u); out[0] = a[2]; out[1] = a[0];",
        [4, 1],
    ),
    "a pointer let's index is frozen": (
        "",
        "var a = array(1u, 2u); var i = 1u; let p = &a[i]; i = 0u; *p = 7u; out[0] = a[1]; out[1] = a[0];",
        [7, 1],
    ),
    "++ on an element through a pointer": (
        "fn bump(p: ptr<function, array<u32, 4>>, i: u32) { p[i]++; (*p)[i + 1u]++; }",
        "var a: array<u32, 4>; bump(&a, 1u); bump(&a, 2u); for (var i = 0u; i < 4u; i++) { out[i] = a[i]; }",
        [0, 1, 2, 1],
    ),
    "two pointers to one variable": (
        "fn f(p: ptr<function, u32>, q: ptr<function, u32>) -> u32 { return *p + 2u * *q; }",
        "var x = 3u; out[0] = f(&x, &x); var y = 10u; out[1] = f(&x, &y);",
        [9, 23],
    ),
    "a pointer handed on": (
        STORE + "fn g(p: ptr<function, array<u32, 2>>) { _ = store(&p[1], 3u); }",
        "var a: array<u32, 2>; g(&a); out[0] = a[1];",
        [3],
    ),
    "pointers to other address spaces": (
        "var<private> q: u32; var<workgroup> w: array<u32, 2>;\n"
        "fn f(p: ptr<private, u32>, r: ptr<workgroup, array<u32, 2>>) { *p = 3u; r[1] = 4u; }",
        "f(&q, &w); out[0] = q; out[1] = w[1];",
        [3, 4],
    ),
    # composites
    "swizzles": (
        "",
        "let v = vec4(1u, 2u, 3u, 4u); let w = v.wzy; out[0] = w.x; out[1] = w.z; out[2] = v.xx.y;",
        [4, 2, 1],
    ),
    "a component is assigned": ("", "var v = vec2(1u, 2u); v.y = 5u; v[0] = 6u; out[0] = v.x; out[1] = v.y;", [6, 5]),
    "a vector of its own components": ("", "var v = vec2(1u, 2u); v = v.yx; out[0] = v.x; out[1] = v.y;", [2, 1]),
    "a structure of its own members": (
        PAIR,
        "var s = Pair(1u, vec2(2u, 3u)); s = Pair(s.b.y, vec2(s.a)); out[0] = s.a; out[1] = s.b.x; out[2] = s.b.y;",
        [3, 1, 1],
    ),
    "structures in arrays": (
        PAIR,
        "var n: Nest; n.p[1] = Pair(1u, vec2(2u, 3u)); n.c = 4u; let m = n; n.p[1].b.y = 9u; "
        "out[0] = m.p[1].b.y; out[1] = n.p[1].b.y; out[2] = n.p[lid + 1u].a; out[3] = n.p[lid].a + m.c;",
        [3, 9, 1, 4],
    ),
    "a function returns a structure": (
        PAIR + " fn f(x: u32) -> Pair { return Pair(x, vec2(x + 1u, x + 2u)); }",
        "let a = f(1u); out[0] = a.b.y + f(10u).a; out[1] = f(5u).a + f(6u).b.x;",
        [13, 12],
    ),
    "a long array of one thread": (
        "",
        "var a: array<u32, 40>; for (var i = 0u; i < 40u; i++) { a[i] = i; } out[0] = a[39] + a[lid + 3u];",
        [42],
    ),
    "a private array": (
        "var<private> a: array<u32, 3> = array(1u, 2u, 3u); fn f(i: u32) { a[i] *= 2u; }",
        "f(1u); f(lid); out[0] = a[0]; out[1] = a[1]; out[2] = a[2];",
        [2, 4, 3],
    ),
    # arithmetic
    "constants become what they are used as": (
        "const n = 3; const big = n * 1000000000;",
        "let x = 1u + n; var y = -n; out[0] = x; out[1] = u32(-y); out[2] = big / 1000000; out[3] = 7 / 2;",
        [4, 3, 3000, 3],
    ),
    "floats": (
        "",
        "let x = 1.5f; var y = x * 2 - 0.25; out[0] = u32(y * 4); out[1] = u32(y > 2.7); out[2] = u32(sqrt(16.0));"
        "out[3] = bitcast<u32>(1.0f);",
        [11, 1, 4, 0x3F800000],
    ),
    "matrices": (
        "",
        "let m = mat2x2f(1, 2, 3, 4); let v = m * vec2f(1, 10); let w = vec2f(1, 10) * m; let p = (m * m)[1];"
        "out[0] = u32(v.x); out[1] = u32(v.y); out[2] = u32(w.y); out[3] = u32(p.x); out[4] = u32(transpose(m)[0].y);",
        [31, 42, 43, 15, 3],
    ),
    "integer functions": (
        "",
        "let s = -5i; out[0] = u32(abs(s)); out[1] = min(3u, 4u); out[2] = clamp(9u, 1u, 6u);"
        "out[3] = countOneBits(7u);"
        "out[4] = select(1u, 2u, lid == 0u); out[5] = dot(vec2(1u, 2u), vec2(3u, 4u)); out[6] = firstLeadingBit(9u);",
        [5, 3, 6, 3, 2, 11, 3],
    ),
    "packing": (
        "",
        "let s = vec4(-1i, 2i, 300i, -200i); out[0] = pack4xI8(s); out[1] = pack4xI8Clamp(s);"
        "out[2] = u32(unpack4xI8(0xff01u).y + 5i); out[3] = pack4x8unorm(vec4(0.0, 1.0, 0.5, 2.0));"
        "out[4] = dot4U8Packed(0x0201u, 0x0403u); out[5] = insertBits(0xffu, 2u, 4u, 2u);"
        "out[6] = pack2x16float(vec2(1.0, -2.0)); out[7] = u32(unpack2x16unorm(0xffffu).x);",
        [0x382C02FF, 0x807F02FF, 4, 0xFF80FF00, 11, 0xEF, 0xC0003C00, 1],
    ),
    "floats taken apart": (
        "",
        "let m = modf(2.75f); out[0] = u32(m.whole); out[1] = u32(m.fract * 100); let f = frexp(6.0f);"
        "out[2] = u32(f.exp); out[3] = u32(f.fract * 100); out[4] = u32(ldexp(3.0f, 2));"
        "out[5] = u32(determinant(mat3x3f(2, 0, 0, 1, 3, 0, 5, 6, 4)));"
        "out[6] = u32(-faceForward(vec2f(1, 2), vec2f(1), vec2f(1)).y);",
        [2, 75, 3, 75, 12, 24, 2],
    ),
    "shifts and modulo": (
        "",
        "out[0] = 1u << (lid + 3u); out[1] = u32(-7i % 3i + 5i); out[2] = (7u >> 1u) ^ 1u;",
        [8, 4, 2],
    ),
    "overrides have their defaults": ("override n: u32 = 6u; override b = true;", "out[0] = n + u32(b);", [7]),
    "what overrides and private variables begin with is computed once": (
        "override n: u32; override m = select(n + 1u, 7u, n > 100u); var<private> q = select(m + 1u, 3u, m > 100u);"
        "fn f() -> u32 { return q + m; } fn g() -> u32 { return q + 10u * m; }",
        "if lid == 5u { out[1] = f(); } out[0] = g();",
        [12],
    ),
    "shadowing": ("", "var x = 1u; { var x = x + 1u; x += 1u; out[0] = x; } out[1] = x;", [3, 1]),
    # atomics
    "atomics": (
        "var<workgroup> n: atomic<u32>; var<workgroup> m: array<atomic<i32>, 2>;",
        "out[0] = atomicAdd(&n, 3u); out[1] = atomicMax(&n, 8u); out[2] = atomicExchange(&n, 1u);"
        "let r = atomicCompareExchangeWeak(&n, 1u, 20u); out[3] = r.old_value; out[4] = u32(r.exchanged);"
        "out[5] = atomicLoad(&n); atomicStore(&m[lid], 4i);"
        "out[6] = u32(atomicSub(&m[0], 6i)); out[7] = u32(-atomicLoad(&m[0]));",
        [0, 3, 8, 1, 1, 20, 4, 2],
    ),
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_module_leaves_what_it_should(name: str) -> None:
    above, body, expected = EXAMPLES[name]
    assert left_in_out(text_of(body, above), len(expected)) == expected


def test_each_thread_has_its_own_arrays() -> None:
    body = "var a: array<u32, 40>; a[lid + 3u] = lid + 1u; workgroupBarrier(); out[lid] = a[3] + 10u * a[4];"
    assert left_in_out(text_of(body), 2, threads=2) == [1, 20]


def test_atomics_count_every_thread() -> None:
    above = "var<workgroup> n: atomic<u32>;"
    body = "let x = atomicAdd(&n, 1u); out[x] = lid + 1u; let m = workgroupUniformLoad(&n); out[lid + 4u] = m;"
    assert sorted(left_in_out(text_of(body, above), 4, threads=4)) == [1, 2, 3, 4]
    assert left_in_out(text_of(body, above), 8, threads=4)[4:] == [4] * 4


def test_local_ids_of_a_workgroup_of_three_dimensions() -> None:
    body = "let i = id.x + 10u * id.y + 100u * id.z; out[index] = i;"
    text = text_of(body).replace("lid: u32", "index: u32, @builtin(local_invocation_id) id: vec3u")
    text = text.replace("workgroup_size(2)", "workgroup_size(2, 3, 2)")
    expected = [x + 10 * y + 100 * z for z in range(2) for y in range(3) for x in range(2)]
    assert left_in_out(text, 12, threads=12) == expected


def test_subgroups_exchange_values() -> None:
    body = (
        "out[lid] = subgroupAdd(lid + 1u); out[4u + lid] = subgroupExclusiveAdd(lid + 1u);"
        "out[8u + lid] = subgroupShuffleXor(lid, 1u); out[12u + lid] = subgroupBroadcast(lid, 2u);"
    )
    found = left_in_out("enable subgroups;\n" + text_of(body), 16, threads=4)
    assert found == [10] * 4 + [0, 1, 3, 6] + [1, 0, 3, 2] + [2] * 4


def test_uniform_buffers_are_read() -> None:
    above = "@group(0) @binding(1) var<uniform> u: vec2u;"
    store = {"u.1:u32": [5, 6]}
    assert left_in_out(text_of("out[lid] = u[lid] + u.y;", above), 2, threads=2, store=store) == [11, 12]
