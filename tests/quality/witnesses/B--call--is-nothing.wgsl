// paper: rejects
// kills: B/call/is-nothing
// kills: return/edge/dropped
// kills: call/line-5/no-edges-to-arguments
// kills: call/line-5/edge-to-wrong-argument
// kills: call/line-7/map-not-updated
// kills: func/line-8/none
// kills: func/line-8/of-demands
// kills: shader/order/callers-first

fn f(x: u32, y: u32) -> u32 {
  return x;
}

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
  var z: u32;
  z = f(lid, 0u);
  if (z == 0u) {
    workgroupBarrier();
  }
}
