// paper: accepts
// kills: if/line-6/always

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
  var x: u32;
  if (false) {
    x = lid;
    return;
  }
  if (0u < x) {
    workgroupBarrier();
  }
}
