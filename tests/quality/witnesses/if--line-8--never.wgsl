// paper: accepts
// kills: if/line-8/never
// kills: if/line-8/result-is-condition

var<workgroup> A: array<bool, 1>;

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
  if (A[0u]) {
  }
  workgroupBarrier();
}
