// The sum of 256 values; the barrier slipped into the branch.
@group(0) @binding(0) var<storage, read> input: array<f32>;
@group(0) @binding(1) var<storage, read_write> output: array<f32>;

const SIZE = 256u;
var<workgroup> partial: array<f32, SIZE>;

@compute @workgroup_size(SIZE)
fn main(@builtin(local_invocation_index) lid: u32, @builtin(global_invocation_id) gid: vec3u) {
  partial[lid] = input[gid.x];
  workgroupBarrier();
  for (var stride = SIZE / 2u; stride > 0u; stride >>= 1u) {
    if (lid < stride) {
      partial[lid] += partial[lid + stride];
      workgroupBarrier();
    }
  }
  if (lid == 0u) {
    output[gid.x / SIZE] = partial[0];
  }
}
