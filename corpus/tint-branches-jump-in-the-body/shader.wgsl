@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
  var x: u32;
  loop {
    workgroupBarrier();
    if (x == 0u) {
      continue;
    }
    x = lid;
    if (true) {
      x = 0u;
      return;
    } else {
      x = 0u;
      return;
    }
  }
}
