// paper: rejects
// kills: loop/line-8/variables-of-body-end
// kills: loop/line-7/continues-lost-but-the-body-end-flows-to-the-continuing

var<workgroup> A: array<bool, 1>;

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
  var x: bool;
  loop {
    workgroupBarrier();
    if (false) {
      x = A[0u];
      continue;
    }
    if (x) {
      return;
    }
    continue;
  }
}
