// Every form of the grammar, at least once. What it computes has no meaning.
enable f16;
enable subgroups, dual_source_blending,;
requires readonly_and_readwrite_storage_textures,;
requires packed_4x8_integer_dot_product, pointer_composite_access;
diagnostic(off, derivative_uniformity);
diagnostic(warning, subgroup_uniformity,);
diagnostic(info, my_tool.my_rule,);

// ---- module scope
;;
const_assert true;
const_assert(1 < 2);
const_assert (3 << 1u) == 6 && !false;
alias Whole = i32;
alias Vector = vec3<f32,>;
alias Pointer=ptr<function,array<Vector,2>>;
alias Grid = array<array<vec2<Whole>, 4>, (2 + 2)>;
alias Compared = array<u32, select(2, 3, 1 < 2)>;
alias Shifted = array<u32, (8 >> 2)>;
struct Empty_ { only: u32 }
struct Trailing { a: u32, b: Grid, };
struct Nested {
  @size(16) a: f32, b: Trailing,
  @align(16,) c: mat2x2<f32>,
}
const c0 = 1;
const c1: i32 = c0 + 1;
const c2 = array(1.0, 2.0, 3.0,);
const c3 = array<vec2<f32>, 2>(vec2(1, 2), vec2<f32>(3));
override o0: f32;
override o1 = 2u;
override o2: bool = (true && false) || o1 > 1u;
@id(3) override o3: i32 = -1;
var<private> p0: i32;
var<private> p1 = 3;
var<private,> p2: vec4<f32> = vec4<f32>(1, 2, 3, 4);
var<private> p3: array<u32, 3>;
var<workgroup> w0: array<u32, o1>;
var<workgroup> w1: atomic<u32>;
@group(0) @binding(0) var<uniform> u0: Nested;
@group(0) @binding(1) var<storage> s0: array<u32>;
@group(0) @binding(2) var<storage, read> s1: array<vec3<f32>>;
@group(0) @binding(3) var<storage,read_write> s2: array<atomic<i32>>;
@group(0) @binding(4) var t0: texture_2d<f32>;
@group(0) @binding(5) var t1: texture_storage_2d<rgba8unorm, write>;
@group(0) @binding(6) var t2: sampler;

// ---- functions
fn nothing() {}
fn nothing_either() -> u32 { return 0; }
fn one(a: i32) {}
fn two(a: i32, b: ptr<function, i32>,) -> i32 { return a + *b; }
fn blocks() { {} {{}} ; {;} { return; } }
fn pointers(a: ptr<private, i32>, b: Pointer, c: ptr<function, vec4<f32>>) -> Vector {
  *a = 1;
  (*a) += 1;
  *&*a *= 2;
  (*&(*a)) -= 1;
  (*b)[0] = Vector();
  b[1].x = 2;
  (*b)[1].y += b[0].x;
  c.w = 1;
  return (*b)[0] + c.xyz;
}

// ---- statements
fn declarations() {
  var a: i32;
  var b = 1;
  var c: f32 = 1;
  var<function> d: u32;
  var<function,> e = d;
  var<function> f: u32 = e;
  let g = 1;
  let h: u32 = 1;
  const i = 1;
  const j: f16 = 1;
  const_assert i == 1;
  let k = &a;
  let l: ptr<function, i32> = k;
  let m = &*l;
  _ = 1;
  _ = a + b;
  _ = &c;
  _ = f + h + u32(g) + u32(j) + u32(*m);
  _ = t2;
}

fn updates() {
  var a = 1u;
  var b: array<vec2<u32>, 2>;
  var c: Trailing;
  a = 2; a += 3; a -= 1; a *= 2; a /= 2; a %= 7; a &= 15; a |= 1; a ^= 3; a <<= 2; a >>= 1;
  a++; a--;
  (a)++; ((a))--;
  b[0] = vec2(1);
  b[a & 1].x = 3;
  b[a & 1][1]++;
  (b)[0].y--;
  (b[1]) = b[0];
  (b[1]).x = (b[0]).y;
  c.b[0][1].x = 4;
  ((c).b)[2] = c.b[3];
  p2.x = 1;
  p3[a % 3] <<= a;
  *&a = 5;
  *(&a) = *&*&a;
  (*(&a))++;
  _ = (a);
}

fn branches(a: i32, b: bool) -> i32 {
  if b {}
  if (b) {} else {}
  if b { return 1; } else if a > 1 { return 2; }
  if a < 3 {} else if (a < 4) {} else if !b {} else { return 3; }
  if b { if b {} else {} } else { if b {} }
  switch a { default {} }
  switch (a) { default: {} }
  switch a + 1 {
    case 0 {}
    case 1: {}
    case 2, 3 {}
    case 4, 5,: {}
    case (6) {}
    case -7 { break; }
    case c0 + 8, 0x10 { if b { break; } }
    case default, 11 { return 4; }
  }
  switch u32(a) {
    case 1, default, 2, { { break; } }
    case 3u: { switch a { case 1 { return 5; } default { break; } } }
  }
  return 6;
}

fn loops(n: u32) {
  loop { break; }
  loop { if n > 1 { continue; } break; continuing {} }
  loop { continuing { break if true; } }
  loop { continuing { nothing(); break if (n == 1); } }
  loop { continuing { var q = n; q++; { q--; } break if q < 3 || q > 4; } }
  loop { loop { break; } return; }
  while true { break; }
  while (n < 2) { continue; }
  while n == 3 && !o2 { { break; } }
  for (;;) { break; }
  for (var i = 0; ; ) { i++; if i == 3 { break; } }
  for (var i: u32 = 0; i < n; i++) {}
  for (var i = 0; i < 3; i += 1) { continue; }
  for (let i = n; i > 3;) { break; }
  for (const i = 1; i < 0;) {}
  var j = 0;
  for (j = 1; j < 3; j++) {}
  for (j++; j < 9; nothing()) { j--; break; }
  for (nothing(); false; _ = n) {}
  for (_ = n; j < 7; j *= 2) { if j == 0 { break; } }
  for (;j < 3;) { j++; }
  for (; ; j--) { if j < -3 { return; } }
}

fn calls() -> u32 {
  nothing();
  one(1);
  one(1,);
  one((1));
  var a = 1;
  _ = two(1, &a);
  _ = two(two(1, &a,), &a);
  _ = nothing_either();
  _ = vec3<f32>(1, 2, 3).x;
  _ = vec3(1, 2, 3)[0];
  _ = vec2<f32>();
  _ = array<vec2<f32>, 2>()[1].yx;
  _ = array<array<u32, 2>, 2>(array(1u, 2u), array<u32, 2>(3, 4))[0][1];
  _ = Trailing(1, Grid());
  _ = Empty_(1).only;
  _ = bitcast<u32>(1.0f);
  _ = bitcast<vec2<u32>>(vec2<f32>(1, 2)).yxyx.xy.r;
  _ = min(1, 2) + max(a, 3,);
  _ = modf(1.5).fract + frexp(2.5).fract;
  _ = mat2x3<f32>(1, 2, 3, 4, 5, 6)[1].z;
  _ = atomicAdd(&w1, 1u);
  atomicStore(&w1, atomicLoad(&w1) + 1);
  textureStore(t1, vec2(0, 1), textureSampleLevel(t0, t2, vec2f(), 0).bgra);
  return arrayLength(&s0) + arrayLength(&s1);
}

// ---- expressions
fn expressions(a: i32, b: i32, c: i32, d: u32, e: bool, f: bool, v: vec4<f32>) -> bool {
  let unary = - a + ~ b - - c + -(-a) + ~-~c;
  let negated = !e || !!f || !(e) || ! !f;
  let sums = a + b - c + 1 - (2 - 3);
  let products = a * b / c % 3 * -a;
  let mixed = a + b * c - a / b % c;
  let shifts = (a << d) + (a >> (d & 31)) + (1 << 2u) + (-a << d) + (a >> d);
  let ands = a & b & ~c & 1;
  let ors = a | b | c;
  let xors = a ^ -b ^ c;
  let groups = (a & b) | (b & c) | (a ^ b);
  let relations = (a < b) == (b > c) && (a <= b) != (b >= c) && a + 1 == b * 2 && a != c;
  let shifted = a << d < b && (a >> d) > c;
  let logic = (e && f) || (f && e) || (a < b && b < c);
  let both = (e & f) | (e & !f);
  let chain = e && f && a == b && !(c < a);
  let either = e || f || a > b;
  let indices = v[0] + v[a] + v[(a + b) & 3] + v[vec2(1, 2)[a & 1]];
  let members = v.x + v.xyz.y + v.rgba.ar.x + (v).w + (v + v).x;
  let minus = a--b;
  let plus = a - -b;
  let address = *&p0 + *(&p1);
  let less = a < b;
  let pair = vec2<bool>(a < b, (b > c));
  let third = vec2((a < b), b > c);
  let fourth = select((a < b), e, a > b);
  let nested = vec2<f32>(vec2<f32>(1, 2)).x < f32(a);
  let compare = array<i32, 2>(a, b)[0] < array<i32, 2>(b, c)[1];
  let index_ = v[i32(a < b)] > v[i32(b > c)];
  let parenthesised = ((((a)) + ((b))));
  let literals = 1 + 1i + i32(1u) + i32(1.) + i32(.5) + i32(1e3) + i32(1f) + i32(1h) + 0x1F + i32(0x1.8p1f);
  return negated && relations && shifted && logic && both && chain && either && less && nested && compare && index_
    && unary + sums + products + mixed + shifts + ands + ors + xors + groups > minus + plus + address + parenthesised
    && indices + members > f32(literals) && any(pair) && all(third) && fourth;
}

// ---- names: types and built-in functions are ordinary identifiers, and can be shadowed
fn shadows(vec4: u32, min: u32) -> u32 {
  let f32 = vec4 + min;
  let array = f32 * 2;
  var i32 = array;
  {
    let i32 = i32 < array;
    if i32 { return 0; }
  }
  for (var max = 0u; max < array; max++) { let max_ = max; i32 += max_; }
  return i32;
}
fn abs(x: u32) -> u32 { return x; }
fn reader(function: u32, storage: u32, private_: u32, read: u32) -> u32 {
  let write = function + storage + private_ + read + abs(1);
  return write;
}

// ---- used before they are declared
const early = late + 1;
const late: i32 = 3;
fn caller() -> Later { return callee(); }
fn callee() -> Later { return Later(early); }
struct Later { x: LaterStill }
alias LaterStill = i32;

// ---- entry points
@compute @workgroup_size(1) fn smallest() {}
@compute @workgroup_size(o1, 1 + 1, u32(2),) fn compute_(@builtin(local_invocation_id,) id: vec3<u32>,) { _ = w0[id.x]; }
@vertex fn vertex_(@location(0) a: vec4<f32>) -> @builtin(position) vec4<f32> { return a * o0 * f32(o3); }
@fragment fn fragment_() {}
@fragment fn with_result(@location(0) x: f32) -> @location(0,) vec4<f32> { discard; return vec4(x); }
struct Sources { @location(0) @blend_src(0) a: vec4<f32>, @blend_src(1) @location(0) b: vec4<f32> }
@fragment fn with_sources() -> Sources { return Sources(); }
;
