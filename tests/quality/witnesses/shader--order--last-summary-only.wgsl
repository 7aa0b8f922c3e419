// paper: rejects
// kills: shader/order/last-summary-only

var<workgroup> A: array<bool, 1>;

fn f() -> i32 {
  workgroupBarrier();
  return 0i;
}

fn g() -> u32 {
  return 0u;
}

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
  var x: i32;
  if (A[0u]) {
    x = f();
  }
  workgroupBarrier();
}
