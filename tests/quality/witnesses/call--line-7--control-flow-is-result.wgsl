// paper: accepts
// kills: call/line-7/control-flow-is-result

var<workgroup> A: array<i32, 1>;

fn f() -> i32 {
  return A[0u];
}

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
  var x: i32;
  x = f();
  workgroupBarrier();
}
