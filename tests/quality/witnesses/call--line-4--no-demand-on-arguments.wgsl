// paper: rejects
// kills: call/line-4/no-demand-on-arguments
// kills: call/line-4/demand-on-wrong-argument
// kills: func/line-7/none

fn f(x: u32, y: bool) -> bool {
  if (y) {
    workgroupBarrier();
  }
  return false;
}

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
  var z: bool;
  z = f(0u, (0u >= lid));
}
