// paper: accepts
// kills: if/line-7/always

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
  var x: bool;
  if (false) {
  } else {
    x = lid != 0u;
    return;
  }
  if (x) {
    workgroupBarrier();
  }
}
