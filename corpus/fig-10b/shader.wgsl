@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
  loop {
    return;
    continuing {
      break if (lid == 1u);
    }
  }
  if (lid == 0u) {
    workgroupBarrier();
  }
}
