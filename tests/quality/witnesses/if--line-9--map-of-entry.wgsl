// paper: rejects
// kills: if/line-9/map-of-entry

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
  var x: u32;
  loop {
    workgroupBarrier();
    if (false) {
      if (0u >= x) {
        break;
      }
      x = lid;
    }
    continue;
  }
  workgroupBarrier();
}
