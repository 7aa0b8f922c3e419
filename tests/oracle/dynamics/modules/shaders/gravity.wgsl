// Gravity among bodies, in tiles of 64; fast bodies return before the barriers.
struct Body { position: vec4f, velocity: vec4f, }
struct Scene { count: u32, softening: f32, step: f32, limit: u32, }
@group(0) @binding(0) var<uniform> scene: Scene;
@group(0) @binding(1) var<storage, read> bodies: array<Body>;
@group(0) @binding(2) var<storage, read_write> moved: array<Body>;
var<workgroup> shared_positions: array<vec4f, 64>;

fn pull(a: vec4f, b: vec4f) -> vec3f {
  let between = b.xyz - a.xyz;
  let distance2 = dot(between, between) + scene.softening;
  let inverse = inverseSqrt(distance2 * distance2 * distance2);
  return between * (b.w * inverse);
}

@compute @workgroup_size(64)
fn simulate(@builtin(global_invocation_id) gid: vec3u, @builtin(local_invocation_index) lid: u32) {
  let own = bodies[gid.x];
  var force = vec3f();
  if (length(own.velocity.xyz) > 100.0) {
    return;
  }
  let tiles = (scene.count + 63u) / 64u;
  for (var tile = 0u; tile < tiles; tile++) {
    shared_positions[lid] = bodies[tile * 64u + lid].position;
    workgroupBarrier();
    for (var i = 0u; i < 64u; i++) {
      force += pull(own.position, shared_positions[i]);
    }
    workgroupBarrier();
  }
  moved[gid.x].velocity = vec4f(own.velocity.xyz + force * scene.step, 0.0);
}
