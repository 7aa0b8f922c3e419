// paper: rejects
// kills: if/line-7/edges-dropped
// kills: if/line-7/variables-of-entry
// kills: if/line-8/map-of-entry
// kills: if/line-7/edges-dropped-but-not-of-an-empty-else

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
  var x: u32;
  if (false) {
  } else {
    x = lid;
  }
  if (x == 0u) {
    workgroupBarrier();
  }
}
