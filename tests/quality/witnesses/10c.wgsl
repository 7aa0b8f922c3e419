// paper: accepts
// kills: 10c

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
  loop {
    workgroupBarrier();
    if (lid == 0u) {
      return;
    }
    break;
    continue;
  }
}
