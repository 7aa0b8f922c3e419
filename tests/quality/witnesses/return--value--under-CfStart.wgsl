// paper: rejects
// kills: return/value/under-CfStart

var<workgroup> A: array<u32, 1>;

fn f() -> u32 {
  if (A[0i] == 0u) {
    return 0u;
  }
  return 0u;
}

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
  var x: u32;
  x = f();
  if (x == 0u) {
    workgroupBarrier();
  }
}
