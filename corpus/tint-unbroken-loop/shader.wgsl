@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
  var x: u32;
  x = lid;
  loop {
    return;
    continuing {
      break if false;
    }
  }
  if (x <= 0u) {
    return;
  }
  workgroupBarrier();
}
