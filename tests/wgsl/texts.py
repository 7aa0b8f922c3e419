"""Valid texts that cover every form of the grammar (the sections are those of the specification)."""

_GLOBALS = (
    "struct S { a: u32, b: array<u32, 4>, v: vec4<f32> }\n"
    "@group(0) @binding(0) var<storage, read_write> s: S;\n"
    "var<private> p: u32;\n"
    "fn f(x: u32, y: u32) -> u32 { return x; }\n"
    "fn g(x: bool, y: bool) -> bool { return x; }\n"
    "fn h() {}\n"
)

_MODULES = (
    "",
    "// only a comment\n/* and /* one */ inside another */;",
    # 2.3, 4.1: directives
    "enable f16; enable subgroups, dual_source_blending,; const a = 1.5h;",
    "requires readonly_and_readwrite_storage_textures; requires unrestricted_pointer_parameters, "
    "pointer_composite_access,;",
    "diagnostic(off, derivative_uniformity); diagnostic(info, a.b,); ; ; const a = 1;",
    # 7: declarations at module scope
    "const a = 1; const b: i32 = a + 2; const c: vec3<f32> = vec3<f32>(1, 2.0, 3);",
    "override a = 1; @id(2) override b: f32; @id(3 + 1) override c: bool = true;",
    "var<private> a: u32; var<private> b = 1u; var<private> c: array<u32, 3> = array(1u, 2u, 3u);",
    "var<workgroup> a: atomic<u32>; @group(0) @binding(1) var<uniform> b: vec4f;\n"
    "@group(0) @binding(2) var t: texture_2d<f32>; @binding(3,) @group(0,) var u: sampler;",
    "@group(0) @binding(0) var<storage> a: array<vec4<u32>>;\n@group(1 * 2) @binding(1) var<storage, read> b: u32;",
    "@group(0) @binding(0) var a: texture_storage_2d<rgba8unorm, write>;",
    "alias A = u32; alias B = array<array<A, 2>, 1 + 2>; alias C = ptr<function, B>; alias D = vec2<vec_element>;\n"
    "alias vec_element = f32;",
    "const_assert true; const n = 4; const_assert n < 5 && n > 1; const_assert(n == 4);",
    # 6.2.10: structures
    "struct A { a: u32 }; struct B { @align(16) @size(32) a: u32, @size(16,) b: vec3<f32>, } struct C { b: array<B> }",
    "struct V { @builtin(position) @invariant p: vec4f, @location(0) @interpolate(linear, centroid) c: vec2f,\n"
    "  @location(1) @interpolate(flat, either) d: u32 }\n@vertex fn main() -> V { var v: V; return v; }",
    "enable dual_source_blending;\n"
    "struct O { @location(0) @blend_src(0) a: vec4f, @location(0) @blend_src(1) b: vec4f }\n"
    "@fragment fn main() -> O { return O(); }",
    # 11: functions
    "fn f() {} fn g(a: u32) -> u32 { return a; } fn h(a: u32, b: ptr<function, u32>,) { *b = a; }",
    "@must_use fn f() -> u32 { return 1u; } fn g() { _ = f(); let x = f(); }",
    "@compute @workgroup_size(1) fn a() {} @workgroup_size(8, 4) @compute fn b() {}\n"
    "override w = 2u; @compute @workgroup_size(w, 2 * 2, 1,) fn c() {}",
    "@vertex fn v(@builtin(vertex_index) i: u32, @location(0,) a: vec4f) -> @builtin(position) @invariant vec4f {\n"
    "  return a;\n}",
    "@fragment fn f(@builtin(position) a: vec4f, @builtin(front_facing,) b: bool) -> @location(0) vec4f { return a; }",
    "@diagnostic(off, derivative_uniformity) fn f() @diagnostic(info, a.b,) {}",
    "@compute @workgroup_size(64) fn main(@builtin(local_invocation_id) l: vec3<u32>,\n"
    "  @builtin(workgroup_id) w: vec3<u32>, @builtin(local_invocation_index) i: u32) { _ = l.x + w.y * i; }",
    # proposals
    "enable chromium_experimental_subgroup_matrix; const n = 8; var<workgroup> w: array<f32, 256>;\n"
    "alias L = subgroup_matrix_left<f32, n, 2 * 4>;\n"
    "struct M { m: array<L, 2>, r: subgroup_matrix_right<f32, 8, 8,> }\n"
    "fn f(p: ptr<function, L>) -> L { *p = subgroupMatrixLoad<L, row_major>(&w, 0, 8); return L(1.5); }\n"
    "fn g() { var m: M; subgroupMatrixStore<col_major,>(&w, 0u, m.m[1], 8u);\n"
    "  subgroupMatrixStore(&w, 0, m.r, true, 8);"
    "  _ = subgroupMatrixMultiply<f32>(f(&m.m[0]), m.r); }",
    "enable atomic_vec2u_min_max; requires texel_buffers, sized_binding_array; requires chromium_print;\n"
    "@group(0) @binding(0) var<storage, read_write> a: atomic<vec2u>; fn f(i: u32) { atomicStoreMin(&a, vec2u(i)); }\n"
    "@group(0) @binding(1) var t: texel_buffer<r32uint, read_write>;\n"
    "fn g() { textureStore(t, 0, textureLoad(t, 1)); }\n"
    "@group(0) @binding(2) var b: binding_array<texture_2d<f32>, 2 + 2>; fn h() { print(textureDimensions(b[1]).x); }",
    # 3.7: names
    "const é = 1; const a·b = é; const _x = a·b; const x__y_ = _x; const Δέλτα = 1; const 定数 = Δέλτα;",
    "const array_ = 1; fn vec2_(loop_: u32) -> u32 { return loop_; } alias u32_ = u32;",
    "fn f(vec3: u32) -> u32 { let f32 = vec3; return f32; }",
    # 3.5: literals
    "const a = 0; const b = 123; const c = 0u; const d = 12i; const e = 0x1F; const g = 0Xau; const h = 0x7fffffffi;",
    "const a = 0.0; const b = .5; const c = 1.; const d = 1e3; const e = 1.5E-3f; const g = 0f; const h = 10f;\n"
    "const i = 00.5; const j = 01e2; const k = .5e+1f; const l = 1.e2; const m = 2.f;",
    "const a = 0x1.8p3; const b = 0x.8p-1f; const c = 0x1.; const d = 0x1P4; const e = 0xA.bcdefp+1; const g = 0x1p4f;",
    "const a = true; const b = false;",
    # 3.1: blanks
    "const\u200ea\u200f=\u20281\u2029;\x85const\tb\v=\f2\r\n;// \u2028const c = 3;",
)

_BODIES = (
    # 8: expressions
    "let a = 1 + 2 - 3; let b = 2 * 3 / 4 % 5; let c = 1 + 2 * 3 - 4 / 5; let d = (1 + 2) * 3;",
    "let a = 1u << 2u; let b = 16u >> 2u; let c = (p << 1u) >> 1u; let d = (-1 + 2) << 1u;",
    "let a = p & 1u; let b = p | 1u | 2u; let c = p ^ 1u ^ 2u; let d = (p & 1u) | 2u; let e = p & ~1u & 7u;",
    "let a = p < 1u; let b = p <= 1u; let c = p > 1u; let d = p >= 1u; let e = p == 1u; let k = p != 1u;",
    "let a = p < 1u && p > 1u; let b = p < 1u || p == 2u || true; let c = (p < 1u && true) || false;",
    "let a = p + 1u < p * 2u; let b = p << 1u == p >> 1u; let c = (p < 1u) == (p > 2u); let d = !(p < 1u) && "
    "!g(true, true);",
    "let a = -1; let b = - -1; let c = -(-1); let d = 1--1; let e = !true; let k = ~p; let m = !!true; let n = ~~p;",
    "let a = 1 - -1; let b = 1-1; let c = 2*-1; let d = p<p; let e = p>p; let k = p==p; let m = 1+ -2;",
    "var a = 1u; let b = &a; let c = *b; let d = *&a; let e = (*b) + *b * *b; let k = &*b; _ = e + *k;",
    "var a = s; let b = &a.b; let c = (*b)[1]; let d = b[1]; let e = &(*b)[2]; let k = (&a).b[1]; _ = (*(&a)).a;",
    "let a = s.a; let b = s.b[1]; let c = s.v.xy; let d = s.v.rgb.r; let e = s.b[s.b[0] & 3u]; let k = (s.v + s.v).x;",
    "let a = vec2<f32>(1, 2); let b = vec2(1, 2).yx; let c = array<u32, 2>(1, 2)[1]; let d = array(1, 2); let e = "
    "vec3f();",
    "let a = f(1u, 2u); let b = f(f(1u, 2u,), 2u); let c = f((1u), (p)); let d = bitcast<f32>(p); _ = f(p, p) + 1u;",
    "let a = g(p < 1u, p < 2u); let b = g((p < 1u), p > (2u)); let c = g(p > 1u, p < 2u); let d = g(p <= 1u, p >= 2u);",
    "let a = g(p < 1u && true, p > 2u); let b = g(s.b[p] < 1u, true); let c = vec2<bool>(p < 1u, true); _ = "
    "g(true, (p) > 1u);",
    "var a: array<vec2<f32>, 2>; var b: array<array<vec2<f32>, 2>, (1 + 3) / 2>= array<array<vec2<f32>, 2>, 2>(); "
    "_ = a[0] == b[0][0];",
    "var a: array<i32, select(2, 3, 2 > 1)>; var b: array<i32, select(2, 3, (1 < 2))>;",
    "var q: u32; let a: ptr<function, u32> = &q; let b = (p >> 1u) >= (p << 1u); _ = a;",
    "var a = vec4<i32>(1); a.x = 2; a[1] = 3; a.y += 1; (a).z -= 1; (a)[1]++; ((a.x)) *= 2; a.w--;",
    # 9: statements
    ";;; {} { ; } {{}} h(); ; h( );",
    "var a: u32; var b = 1; var c: i32 = 2; var<function> d: u32; var<function> e = 3u; let k: bool = true; const "
    "m = 1; const n: u32 = 2;",
    "var a = 8u; a = 1u; a += 1u; a -= 1u; a *= 2u; a /= 2u; a %= 3u; a &= 1u; a |= 1u; a ^= 1u; a <<= 1u; a >>= "
    "1u; a++; a--;",
    "var a = 1u; let b = &a; *b = 1u; *b += 2u; (*b) = 3u; (*b)++; *(b) = 4u; *&a = 5u; *&*b = 6u; s.b[a] = 7u;",
    "_ = 1; _ = p; _ = f(1u, 2u); _ = &s; _ = vec2<u32>(1, 2);",
    "if true {} if (p == 1u) { h(); } else {} if p < 1u { h(); } else if p > 2u { h(); } else if (true) {} else { "
    "h(); }",
    "switch p { default {} } switch (p) { case 1: {} case 2, 3u, { h(); } default: {} } switch 1 { case 1, default "
    "{} case 2 {} }",
    "switch (p + 1u) { case default {} case (1 + 2): { break; } case 1 << 1u, 7,: {} }",
    "loop { break; } loop { if p == 1u { break; } continuing { p++; } } loop { continue; continuing { h(); break "
    "if p > 3u; } }",
    "loop { continuing { break if (p == 1u); } } loop { if true { return; } continuing { } }",
    "for (;;) { break; } for (var i = 0; i < 3; i++) {} for (var i: u32 = 0u; i < 3u; i += 2u) { continue; } for "
    "(; p < 3u;) { p = 4u; }",
    "var i = 0; for (i = 0; i < 3; i = i + 1) {} for (h(); true; h()) { break; } for (let a = 1; a < 2;) { break; "
    "} for (_ = 1;false; _ = 2) {}",
    "var i = 0u; for (const a = 1; a > 2; i--) { break; } for (i++; i >> 1u > 2u; (i) >>= 1u) {}",
    "while p < 3u { p++; } while (p < 3u) { break; } while true { if true { return; } else { break; } }",
    "return; ",
    "const_assert 1 < 2; const_assert(true); const_assert (1 + 1) == 2;",
    # 2.3: attributes of statements
    "@diagnostic(off, derivative_uniformity) { } @diagnostic(info, a.b) if true @diagnostic(off, a.b) {} else "
    "@diagnostic(off, a.b) {}",
    "@diagnostic(off, a.b) switch p @diagnostic(off, a.b) { default @diagnostic(off, a.b) {} case 1: "
    "@diagnostic(off, a.b) {} }",
    "@diagnostic(off, a.b) loop @diagnostic(off, a.b) { continuing @diagnostic(off, a.b) { break if true; } }",
    "@diagnostic(off, a.b) for (;;) @diagnostic(off, a.b) { break; } @diagnostic(warning,a.b,) while true "
    "@diagnostic(error, x) { break; }",
    "/* a */let/**/a/* // */=1;// b\nlet b /* /* /*/ */ */ */ = a/a; let c = a//\n/a;",
)

_SHADERS = (
    "enable subgroups;\n@group(0) @binding(0) var<storage, read_write> out: array<u32>;\n"
    "@compute @workgroup_size(64, 1, 1)\nfn main(@builtin(global_invocation_id) id: vec3<u32>) {\n"
    "  let sum = subgroupAdd(id.x);\n  if (subgroupElect()) { out[id.x] = sum; }\n}\n",
    "@fragment fn main(@location(0) uv: vec2f) -> @location(0) vec4f { if uv.x > .5 { discard; } return "
    "vec4f(dpdx(uv), 0., 1.); }",
    "struct P { x: vec2<f32>, v: vec2<f32> }\n@group(0) @binding(0) var<storage, read_write> ps: array<P, 64>;\n"
    "var<workgroup> tile: array<array<f32, 8>, 8>;\n"
    "fn step(p: ptr<storage, P, read_write>, dt: f32) { (*p).x += (*p).v * dt; p.v = -p.v; }\n"
    "@compute @workgroup_size(8, 8) fn main(@builtin(local_invocation_id) l: vec3u) {\n"
    "  tile[l.y][l.x] = f32(l.x);\n  workgroupBarrier();\n"
    "  var sum = 0f;\n  for (var k = 0u; k < 8u; k++) { sum += tile[l.y][k] * tile[k][l.x]; }\n"
    "  if l.x == 0u && !(l.y > 2u || sum < 1.) { step(&ps[l.y], sum); }\n}\n",
)

VALID = (*_MODULES, *(f"{_GLOBALS}fn main() {{ {body} }}\n" for body in _BODIES), *_SHADERS)
"""Every correct front end accepts them."""
