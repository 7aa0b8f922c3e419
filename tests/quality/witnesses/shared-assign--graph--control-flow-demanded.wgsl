// paper: accepts
// kills: shared-assign/graph/control-flow-demanded

@group(0) @binding(0) var<storage, read_write> A: array<i32, 1>;

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
  if (lid == 0u) {
    A[0u] = 0i;
  }
  workgroupBarrier();
}
