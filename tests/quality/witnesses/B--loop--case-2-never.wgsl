// paper: accepts
// kills: B/loop/case-2-never
// kills: B/loop/case-2-next-stays

var<workgroup> A: array<bool, 1>;

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
  loop {
    if (A[0u]) {
      return;
    }
    continue;
  }
  workgroupBarrier();
}
