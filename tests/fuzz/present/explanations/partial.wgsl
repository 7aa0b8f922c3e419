@group(0) @binding(0) var<uniform> size: vec2u;

@compute @workgroup_size(8, 8)
fn main(@builtin(local_invocation_id) id: vec3u) {
  var counts: array<u32, 8>;
  counts[id.y] = 1u;
  counts[0] = size.x;
  if counts[0] == 4u {
    storageBarrier();
  }
}
