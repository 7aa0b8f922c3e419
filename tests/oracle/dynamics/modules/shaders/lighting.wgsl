// Lights that do not reach a point are left out, with the texture sample after them.
@group(0) @binding(0) var colour: texture_2d<f32>;
@group(0) @binding(1) var normals: texture_2d<f32>;
@group(0) @binding(2) var filtering: sampler;
struct Light { position: vec4f, colour: vec4f, }
struct Lights { count: u32, items: array<Light>, }
@group(0) @binding(3) var<storage, read> lights: Lights;
struct Varying { @builtin(position) position: vec4f, @location(0) uv: vec2f, @location(1) world: vec3f, @location(2) fade: f32, }
@fragment
fn shade(in: Varying) -> @location(0) vec4f {
  let base = textureSample(colour, filtering, in.uv);
  if (base.a < 0.5) {
    discard;
  }
  var lit = vec3f(0.03);
  for (var i = 0u; i < lights.count; i++) {
    let to = lights.items[i].position.xyz - in.world;
    let d = dot(to, to);
    if (d > lights.items[i].position.w) { continue; }
    let n = textureSample(normals, filtering, in.uv).xyz * 2.0 - 1.0;
    lit += max(dot(n, normalize(to)), 0.0) * lights.items[i].colour.rgb / d;
  }
  return vec4f(base.rgb * lit, base.a * in.fade);
}
