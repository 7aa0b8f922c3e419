// paper: rejects
// kills: if/line-6/edges-dropped-but-not-without-an-else

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
  var x: bool;
  x = 0u < lid;
  if (false) {
  } else {
    return;
  }
  if (x) {
    workgroupBarrier();
  }
}
