// The sum of 256 values in each workgroup.
@group(0) @binding(0) var<storage, read> input: array<f32>;
@group(0) @binding(1) var<storage, read_write> output: array<f32>;

const SIZE = 256u;
var<workgroup> partial: array<f32, SIZE>;

@compute @workgroup_size(SIZE)
fn main(@builtin(local_invocation_index) lid: u32,
        @builtin(workgroup_id) group: vec3u,
        @builtin(global_invocation_id) gid: vec3u) {
  if (gid.x >= arrayLength(&input)) {
    return;
  }
  partial[lid] = input[gid.x];
  workgroupBarrier();
  for (var stride = SIZE / 2u; stride > 0u; stride >>= 1u) {
    if (lid < stride) {
      partial[lid] += partial[lid + stride];
    }
    workgroupBarrier();
  }
  if (lid == 0u) {
    output[group.x] = partial[0];
  }
}
