// paper: accepts
// kills: if/line-3/else-after-then

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
  var x: bool;
  if (false) {
    x = lid < 0u;
  } else {
    if (x) {
      workgroupBarrier();
    }
  }
}
