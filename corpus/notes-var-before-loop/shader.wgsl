@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
  var x: u32;
  loop {
    if (x == 1u) {
      workgroupBarrier();
      break;
    }
    x = lid;
  }
}
