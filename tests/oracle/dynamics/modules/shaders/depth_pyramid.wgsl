// A level of a pyramid of depths; only with a certain parameter do texels outside return before the barrier.
@group(0) @binding(0) var<uniform> dims: vec4<u32>;
@group(0) @binding(1) var depth: texture_depth_2d;
@group(0) @binding(2) var<storage, read_write> result: array<f32>;
var<workgroup> best: array<f32, 64>;
@compute @workgroup_size(8, 8)
fn reduce_depth(@builtin(global_invocation_id) gid: vec3<u32>, @builtin(local_invocation_index) li: u32) {
  let size = textureDimensions(depth, i32(dims.z));
  let at = gid.xy * 2u + dims.xy;
  var d = 0.0;
  if (at.x + 1u < size.x && at.y + 1u < size.y) {
    d = max(textureLoad(depth, at, i32(dims.z)), textureLoad(depth, at + vec2(1u, 0u), i32(dims.z)));
  } else if (dims.w * 7u == 91u) {
    return;
  }
  best[li] = d;
  workgroupBarrier();
  for (var s = 32u; s > 0u; s /= 2u) {
    if (li < s) { best[li] = max(best[li], best[li + s]); }
    workgroupBarrier();
  }
  if (li == 0u) { result[gid.x / 8u] = best[0]; }
}
