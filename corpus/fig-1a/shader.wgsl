@group(0) @binding(0) var<storage, read_write> A: array<u32, 8>;

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) lid: u32) {
  for (var d = 4u; d > 0u; d /= 2u) {
    workgroupBarrier();
    if (lid < d) {
      A[lid] += A[lid + d];
    }
  }
  workgroupBarrier();
}
