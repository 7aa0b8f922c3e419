// paper: accepts
// kills: 10b

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
  loop {
    return;
    continue;
    continuing {
      break if false;
    }
  }
  if (lid < 0u) {
    workgroupBarrier();
  }
}
