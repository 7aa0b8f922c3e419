@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
  var x: bool;
  loop {
    if (x) {
      return;
    }
    continue;
    continuing {
      x = lid == 0u;
      workgroupBarrier();
    }
  }
}
