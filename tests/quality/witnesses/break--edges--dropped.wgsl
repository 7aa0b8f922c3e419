// paper: rejects
// kills: break/edges/dropped
// kills: break/edges/to-the-continuing
// kills: loop/line-5/edges-dropped
// kills: loop/line-7/breaks-lost
// kills: loop/line-5/edges-dropped-but-not-if-it-iterates

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
  var x: bool;
  x = 0u < lid;
  loop {
    break;
    continue;
  }
  if (x) {
    workgroupBarrier();
  }
}
