// paper: rejects
// kills: loop/line-10/map-of-head
// kills: loop/line-7/breaks-lost-but-not-of-unassigned-variables

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
  var x: u32;
  loop {
    x = lid;
    break;
    continue;
  }
  if (x == 0u) {
    workgroupBarrier();
  }
}
