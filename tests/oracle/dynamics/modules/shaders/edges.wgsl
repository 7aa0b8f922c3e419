// Edges by differences of luminance; dark texels return before the barrier.
@group(0) @binding(0) var image: texture_2d<f32>;
@group(0) @binding(1) var result: texture_storage_2d<r32float, write>;
var<workgroup> lum: array<f32, 324>;

@compute @workgroup_size(16, 16)
fn main(@builtin(global_invocation_id) gid: vec3u, @builtin(local_invocation_id) lid: vec3u) {
  let texel = textureLoad(image, gid.xy, 0);
  let l = dot(texel.rgb, vec3f(0.2126, 0.7152, 0.0722));
  lum[(lid.y + 1u) * 18u + lid.x + 1u] = l;
  if (l < 0.5) {
    return;
  }
  workgroupBarrier();
  let i = (lid.y + 1u) * 18u + lid.x + 1u;
  let gx = lum[i + 1u] - lum[i - 1u];
  let gy = lum[i + 18u] - lum[i - 18u];
  textureStore(result, gid.xy, vec4f(sqrt(gx * gx + gy * gy)));
}
