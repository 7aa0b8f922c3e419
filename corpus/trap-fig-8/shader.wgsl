@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
  var x: u32;
  loop {
    continuing {
      break if (x == 0u);
    }
  }
  if (lid == 0u) {
    workgroupBarrier();
  }
  workgroupBarrier();
}
