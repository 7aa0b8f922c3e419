// paper: rejects
// kills: B/loop/case-1-if-it-may-return
// kills: loop/line-10/if-it-may-break
// kills: loop/line-10/without-continue
// kills: loop/line-11/never
// kills: loop/line-11/for-return-only

var<workgroup> A: array<bool, 1>;

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
  loop {
    if (A[0u]) {
      break;
    } else {
      return;
    }
    continue;
  }
  workgroupBarrier();
}
