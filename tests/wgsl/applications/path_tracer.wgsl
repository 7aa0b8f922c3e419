// A progressive path tracer: spheres and a triangle mesh in a bounding volume hierarchy, next event estimation,
// Russian roulette. A workgroup traces a tile of pixels and goes on to the next bounce together, so that all of its
// invocations can bring the small objects into shared memory; it stops when no path of it is left.

const WIDTH = 8u;
const HEIGHT = 8u;
const TILE = WIDTH * HEIGHT;
const STACK = 24;
const INFINITY = 1e30;
const EPSILON = 1e-4;
const PI = 3.141592653589793;
const NO_NODE = -1;

override MAX_BOUNCES = 8u;
override ROULETTE_AFTER = 3u;
override EXPOSURE: f32 = 1;
override SAMPLE_SUN: bool = true;

alias Color = vec3<f32>;

struct Ray {
  origin: vec3<f32>,
  direction: vec3<f32>,
};

struct Sphere {
  center: vec3<f32>,
  radius: f32,
  material: u32,
};

struct Material {
  color: Color,
  kind: u32,
  emission: Color,
  roughness: f32,
  index: f32,
};

// Inner node: `left` is its first child, the second follows. Leaf: `left` is -1 - first triangle.
struct Node {
  low: vec3<f32>,
  left: i32,
  high: vec3<f32>,
  count: u32,
};

struct Triangle {
  a: vec3<f32>, material: u32,
  ab: vec3<f32>, n0: u32,
  ac: vec3<f32>, n1: u32,
};

struct Hit {
  distance: f32,
  normal: vec3<f32>,
  material: u32,
  inside: bool,
};

struct Path {
  ray: Ray,
  throughput: Color,
  radiance: Color,
  seed: vec2<u32>,
  specular: bool,
  alive: bool,
};

struct View {
  origin: vec3<f32>,
  frame: u32,
  right: vec3<f32>,
  aperture: f32,
  up: vec3<f32>,
  focus: f32,
  forward: vec3<f32>,
  sphere_count: u32,
  sun: vec4<f32>,
  size: vec2<u32>,
};

struct Totals {
  rays: atomic<u32>,
  bounces: atomic<u32>,
  deepest: atomic<u32>,
};

const DIFFUSE = 0u;
const METAL = 1u;
const GLASS = 2u;
const LIGHT = 3u;

@group(0) @binding(0) var<uniform> view: View;
@group(0) @binding(1) var<storage, read> spheres: array<Sphere>;
@group(0) @binding(2) var<storage, read> materials: array<Material>;
@group(0) @binding(3) var<storage, read> nodes: array<Node>;
@group(0) @binding(4) var<storage, read> triangles: array<Triangle>;
@group(0) @binding(5) var<storage, read_write> film: array<vec4<f32>>;
@group(0) @binding(6) var<storage, read_write> totals: Totals;
@group(0) @binding(7) var sky: texture_2d<f32>;
@group(0) @binding(8) var sky_sampler: sampler;

var<workgroup> near_spheres: array<Sphere, TILE>;
var<workgroup> living: atomic<u32>;
var<private> ray_count: u32 = 0u;

// -------------------------------------------------------------------------------------------------------------- random

fn random(seed: ptr<function, vec2<u32>>) -> f32 {
  // xoroshiro64*
  let s0 = (*seed).x;
  let s1 = (*seed).y ^ s0;
  *seed = vec2<u32>(((s0 << 26u) | (s0 >> 6u)) ^ s1 ^ (s1 << 9u), (s1 << 13u) | (s1 >> 19u));
  return f32((s0 * 0x9E3779BBu) >> 8u) * 0x1p-24;
}

fn random2(seed: ptr<function, vec2<u32>>) -> vec2<f32> {
  let x = random(seed);
  return vec2(x, random(seed));
}

fn make_seed(pixel: vec2<u32>, frame: u32) -> vec2<u32> {
  var v = pixel * vec2<u32>(73856093u, 19349663u) + frame * 83492791u + 1u;
  for (var i = 0; i < 3; i++) {
    v.x = v.x * 1664525u + reverseBits(v.y);
    v.y ^= v.x >> 11u;
  }
  return v | vec2<u32>(1u);
}

fn on_disk(seed: ptr<function, vec2<u32>>) -> vec2<f32> {
  let r = random2(seed);
  let angle = 2.0 * PI * r.y;
  return sqrt(r.x) * vec2<f32>(cos(angle), sin(angle));
}

fn on_sphere(seed: ptr<function, vec2<u32>>) -> vec3<f32> {
  let r = random2(seed);
  let z = 1.0 - 2.0 * r.x;
  let angle = 2.0 * PI * r.y;
  return vec3<f32>(sqrt(max(0.0, 1.0 - z * z)) * vec2<f32>(cos(angle), sin(angle)), z);
}

// -------------------------------------------------------------------------------------------------------- intersection

fn closer(hit: ptr<function, Hit>, distance: f32, normal: vec3<f32>, material: u32, inside: bool) {
  if (distance <= EPSILON || distance >= (*hit).distance) { return; }
  (*hit).distance = distance;
  (*hit).normal = normal;
  (*hit).material = material;
  (*hit).inside = inside;
}

fn hit_sphere(ray: Ray, s: Sphere, hit: ptr<function, Hit>) {
  let oc = ray.origin - s.center;
  let b = dot(oc, ray.direction);
  let c = dot(oc, oc) - s.radius * s.radius;
  let d = b * b - c;
  if (d < 0.0) { return; }
  let root = sqrt(d);
  let inside = c < 0.0;
  let t = select(-b - root, -b + root, inside);
  let n = (oc + t * ray.direction) / s.radius;
  closer(hit, t, select(n, -n, inside), s.material, inside);
}

// Moeller and Trumbore.
fn hit_triangle(ray: Ray, index: u32, hit: ptr<function, Hit>) {
  let t = &triangles[index];
  let p = cross(ray.direction, (*t).ac);
  let det = dot((*t).ab, p);
  if (abs(det) < 1e-9) { return; }
  let to = ray.origin - (*t).a;
  let u = dot(to, p) / det;
  let q = cross(to, (*t).ab);
  let v = dot(ray.direction, q) / det;
  if (u < 0.0 || v < 0.0 || u + v > 1.0) { return; }
  let n = normalize(cross((*t).ab, (*t).ac));
  closer(hit, dot((*t).ac, q) / det, faceForward(n, ray.direction, n), (*t).material, det < 0.0);
}

fn hit_box(ray: Ray, inverse: vec3<f32>, node: ptr<storage, Node>, limit: f32) -> bool {
  let a = ((*node).low - ray.origin) * inverse;
  let b = ((*node).high - ray.origin) * inverse;
  let near = min(a, b);
  let far = max(a, b);
  let enter = max(max(near.x, near.y), max(near.z, 0.0));
  let leave = min(min(far.x, far.y), min(far.z, limit));
  return enter <= leave;
}

fn hit_mesh(ray: Ray, hit: ptr<function, Hit>) {
  var stack: array<i32, STACK>;
  var top = 0;
  var current = 0;
  let inverse = 1.0 / ray.direction;
  if (arrayLength(&nodes) == 0u) { return; }
  while (current != NO_NODE) {
    let node = &nodes[current];
    if (hit_box(ray, inverse, node, (*hit).distance)) {
      if ((*node).count == 0u && top < STACK) {
        stack[top] = (*node).left + 1;
        top++;
        current = (*node).left;
        continue;
      }
      let first = u32(-1 - (*node).left);
      for (var i = 0u; i < (*node).count; i++) {
        hit_triangle(ray, first + i, hit);
      }
    }
    if (top == 0) {
      current = NO_NODE;
    } else {
      top--;
      current = stack[top];
    }
  }
}

// Spheres come in tiles through shared memory: every invocation of the workgroup has to take part, dead path or not.
fn hit_spheres(ray: Ray, alive: bool, thread: u32, hit: ptr<function, Hit>) {
  for (var first = 0u; first < view.sphere_count; first += TILE) {
    workgroupBarrier();
    if (first + thread < view.sphere_count) {
      near_spheres[thread] = spheres[first + thread];
    }
    workgroupBarrier();
    let count = select(0u, min(TILE, view.sphere_count - first), alive);
    for (var i = 0u; i < count; i++) {
      hit_sphere(ray, near_spheres[i], hit);
    }
  }
}

fn trace(ray: Ray, alive: bool, thread: u32) -> Hit {
  var hit: Hit;
  hit.distance = INFINITY;
  if (alive) {
    ray_count++;
    hit_mesh(ray, &hit);
  }
  hit_spheres(ray, alive, thread, &hit);
  return hit;
}

// ------------------------------------------------------------------------------------------------------------ materials

fn sky_color(direction: vec3<f32>) -> Color {
  let uv = vec2<f32>(atan2(direction.z, direction.x) / (2.0 * PI) + 0.5, acos(direction.y) / PI);
  return textureSampleLevel(sky, sky_sampler, uv, 0.0).rgb;
}

fn schlick(cosine: f32, index: f32) -> f32 {
  let r = (1.0 - index) / (1.0 + index);
  let r0 = r * r;
  return r0 + (1.0 - r0) * pow(1.0 - cosine, 5.0);
}

fn refracted(d: vec3<f32>, n: vec3<f32>, ratio: f32, seed: ptr<function, vec2<u32>>) -> vec3<f32> {
  let cosine = min(dot(-d, n), 1.0);
  let total = ratio * sqrt(1.0 - cosine * cosine) > 1.0;
  if (total || schlick(cosine, ratio) > random(seed)) {
    return reflect(d, n);
  }
  return refract(d, n, ratio);
}

// Turns the path at a surface. A path that is absorbed or that meets a light ends.
fn scatter(path: ptr<function, Path>, hit: ptr<function, Hit>) {
  let m = &materials[(*hit).material];
  let seed = &(*path).seed;
  let d = (*path).ray.direction;
  let n = (*hit).normal;
  (*path).ray.origin += d * (*hit).distance + n * EPSILON;
  (*path).specular = false;
  switch ((*m).kind) {
    case DIFFUSE: {
      (*path).ray.direction = normalize(n + on_sphere(seed));
      (*path).throughput *= (*m).color;
    }
    case METAL: {
      let r = reflect(d, n) + (*m).roughness * on_sphere(seed);
      (*path).ray.direction = normalize(r);
      (*path).throughput *= (*m).color;
      (*path).specular = true;
      (*path).alive = dot(r, n) > 0.0;
    }
    case GLASS: {
      let ratio = select(1.0 / (*m).index, (*m).index, (*hit).inside);
      (*path).ray.direction = refracted(d, n, ratio, seed);
      (*path).ray.origin -= 2.0 * EPSILON * n;
      (*path).specular = true;
    }
    case LIGHT, default: {
      (*path).radiance += (*path).throughput * (*m).emission;
      (*path).alive = false;
    }
  }
}

fn roulette(path: ptr<function, Path>) {
  let t = (*path).throughput;
  let p = clamp(max(t.x, max(t.y, t.z)), 0.05, 1.0);
  if (random(&(*path).seed) > p) {
    (*path).alive = false;
    return;
  }
  (*path).throughput /= p;
}

fn miss(path: ptr<function, Path>) {
  (*path).radiance += (*path).throughput * sky_color((*path).ray.direction);
  (*path).alive = false;
}

// ---------------------------------------------------------------------------------------------------------------- paths

fn camera_ray(pixel: vec2<u32>, seed: ptr<function, vec2<u32>>) -> Ray {
  let size = vec2<f32>(view.size);
  let p = (vec2<f32>(pixel) + random2(seed) - 0.5 * size) / size.y;
  let lens = view.aperture * on_disk(seed);
  let offset = lens.x * view.right + lens.y * view.up;
  let target_point = view.focus * (view.forward + p.x * view.right - p.y * view.up);
  return Ray(view.origin + offset, normalize(target_point - offset));
}

fn start_path(pixel: vec2<u32>) -> Path {
  var path: Path;
  path.seed = make_seed(pixel, view.frame);
  path.ray = camera_ray(pixel, &path.seed);
  path.throughput = Color(1.0);
  path.alive = all(pixel < view.size);
  path.specular = true;
  return path;
}

// Direct light of the sun. The shadow ray goes through `trace`, so this is for the whole workgroup.
fn sample_sun(path: ptr<function, Path>, normal: vec3<f32>, thread: u32) {
  let direction = normalize(view.sun.xyz + 0.01 * on_sphere(&(*path).seed));
  let cosine = dot(normal, direction);
  let wanted = (*path).alive && !(*path).specular && cosine > 0.0;
  let blocker = trace(Ray((*path).ray.origin, direction), wanted, thread);
  if (wanted && blocker.distance == INFINITY) {
    (*path).radiance += (*path).throughput * view.sun.w * cosine / PI;
  }
}

fn bounce(path: ptr<function, Path>, depth: u32, thread: u32) {
  var hit = trace((*path).ray, (*path).alive, thread);
  if ((*path).alive) {
    if (hit.distance < INFINITY) {
      scatter(path, &hit);
    } else {
      miss(path);
    }
  }
  if (SAMPLE_SUN) {
    sample_sun(path, hit.normal, thread);
  }
  if (depth >= ROULETTE_AFTER && (*path).alive) {
    roulette(path);
  }
}

// Whether any path of the workgroup goes on.
fn any_alive(alive: bool) -> bool {
  workgroupBarrier();
  atomicStore(&living, 0u);
  workgroupBarrier();
  if (alive) { atomicAdd(&living, 1u); }
  return workgroupUniformLoad(&living) > 0u;
}

@compute @workgroup_size(WIDTH, HEIGHT)
fn trace_tile(
  @builtin(global_invocation_id) id: vec3<u32>,
  @builtin(local_invocation_index) thread: u32
) {
  let pixel = id.xy;
  var path = start_path(pixel);
  var depth = 0u;
  while (depth < MAX_BOUNCES) {
    bounce(&path, depth, thread);
    depth++;
    if (!any_alive(path.alive)) { break; }
  }

  if (ray_count > 0u) {
    atomicAdd(&totals.rays, ray_count);
  }
  if (thread == 0u) {
    atomicAdd(&totals.bounces, depth);
    atomicMax(&totals.deepest, depth);
  }
  if (any(pixel >= view.size)) { return; }
  let at = pixel.y * view.size.x + pixel.x;
  let fresh = vec4<f32>(path.radiance, 1.0);
  // Fireflies and NaNs must not stay in the sum for ever.
  let sane = all(fresh == fresh) && all(fresh < vec4<f32>(1e4));
  let old = select(film[at], vec4<f32>(), view.frame == 0u);
  film[at] = old + select(vec4<f32>(), fresh, sane);
}

// --------------------------------------------------------------------------------------------------------------- output

@vertex
fn show_vertex(@builtin(vertex_index) i: u32) -> @builtin(position) vec4<f32> {
  let p = vec2<f32>(vec2<u32>((i << 1u) & 2u, i & 2u));
  return vec4<f32>(p * 2.0 - 1.0, 0.0, 1.0);
}

@group(1) @binding(0) var<storage, read> developed: array<vec4<f32>>;

@fragment
fn show_fragment(@builtin(position) position: vec4<f32>) -> @location(0) vec4<f32> {
  let p = min(vec2<u32>(position.xy), view.size - 1u);
  let sum = developed[p.y * view.size.x + p.x];
  var color = EXPOSURE * sum.rgb / max(sum.a, 1.0);
  color = color / (1.0 + color);
  let linear = color * 12.92;
  let curved = 1.055 * pow(color, vec3(1.0 / 2.4)) - 0.055;
  return vec4(select(curved, linear, color <= vec3(0.0031308)), 1.0);
}
