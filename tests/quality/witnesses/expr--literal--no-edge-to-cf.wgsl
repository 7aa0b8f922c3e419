// paper: rejects
// kills: expr/literal/no-edge-to-cf
// kills: expr/literal/no-edge-to-cf-but-operations-have-one
// kills: expr/literal/no-edge-to-cf-but-assignments-have-one

var<workgroup> A: array<bool, 1>;

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
  if (A[0u]) {
    if (false) {
      workgroupBarrier();
    }
  }
}
