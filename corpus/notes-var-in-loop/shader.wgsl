@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
  loop {
    var x: u32;
    if (x == 1u) {
      workgroupBarrier();
      break;
    }
    x = lid;
  }
}
