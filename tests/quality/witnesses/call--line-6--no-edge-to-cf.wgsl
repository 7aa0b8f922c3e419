// paper: rejects
// kills: call/line-6/no-edge-to-cf

fn f() -> bool {
  return false;
}

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
  var x: bool;
  if (lid == 0u) {
    x = f();
  }
  if (x) {
    workgroupBarrier();
  }
  workgroupBarrier();
}
