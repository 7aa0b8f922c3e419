// paper: rejects
// kills: continue/edges/dropped
// kills: continue/edges/to-the-exit
// kills: loop/line-7/variables-of-entry
// kills: loop/line-7/maps-swapped
// kills: loop/line-7/continues-lost
// kills: loop/line-8/variables-of-head
// kills: loop/line-9/no-edges-to-continuing

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
  var x: u32;
  loop {
    if (0u >= x) {
      workgroupBarrier();
      break;
    }
    x = lid;
    continue;
  }
}
