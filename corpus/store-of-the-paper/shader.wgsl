var<workgroup> w: array<u32, 2>;

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
  if (w[lid] == 0u) {
    workgroupBarrier();
  }
}
