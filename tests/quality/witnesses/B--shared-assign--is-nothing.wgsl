// paper: rejects
// kills: B/shared-assign/is-nothing

var<workgroup> A: array<bool, 1>;

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
  A[0u] = false;
  if (A[0u]) {
    workgroupBarrier();
  }
}
