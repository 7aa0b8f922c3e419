// paper: accepts
// kills: call/line-5/edges-to-every-argument
// kills: call/line-5/always-to-MayBeNonUnif
// kills: func/line-8/all
// kills: func/line-9/always

fn f(x: u32) -> u32 {
  return 0u;
}

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
  var y: u32;
  y = f(lid);
  if (0u > y) {
    return;
  }
  workgroupBarrier();
}
