// paper: accepts
// kills: B/loop/case-2-by-the-body-only
// kills: B/loop/case-3-continue-stays

var<workgroup> A: array<bool, 1>;

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
  if (A[0u]) {
    loop {
      continue;
      continuing {
        break if false;
      }
    }
  }
  workgroupBarrier();
}
