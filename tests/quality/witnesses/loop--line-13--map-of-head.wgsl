// paper: rejects
// kills: loop/line-13/map-of-head

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
  var x: u32;
  loop {
    if (false) {
      x = lid;
      break;
    }
    continue;
  }
  if (x == 0u) {
    workgroupBarrier();
  }
}
