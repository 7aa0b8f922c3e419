// paper: rejects
// kills: loop/line-8/break-if-has-no-edges
// kills: loop/line-13/map-of-entry

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
  var x: u32;
  loop {
    continue;
    continuing {
      x = lid;
      break if false;
    }
  }
  if (x == 0u) {
    workgroupBarrier();
  }
}
