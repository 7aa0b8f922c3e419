// paper: accepts
// kills: shared-assign/graph/value-demanded

var<workgroup> A: array<u32, 1>;

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
  A[0u] = lid;
}
