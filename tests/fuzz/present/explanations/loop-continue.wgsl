var<workgroup> sums: array<f32, 64>;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_id) id: vec3u) {
  for (var width = 32u; width > 0u; width /= 2u) {
    workgroupBarrier();
    if id.x >= width {
      continue;
    }
    sums[id.x] += sums[id.x + width];
  }
}
