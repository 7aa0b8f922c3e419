@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
  var x: u32;
  if (lid == 0u) {
    x = 1u;
  }
  if (x == 0u) {
    workgroupBarrier();
  }
}
