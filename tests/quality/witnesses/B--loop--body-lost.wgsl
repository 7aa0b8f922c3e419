// paper: rejects
// kills: B/loop/body-lost

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
  loop {
    break;
    continue;
  }
  if (lid == 0u) {
    workgroupBarrier();
  }
}
