// paper: rejects
// kills: B/loop/continuing-lost

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
  loop {
    continue;
    continuing {
      break if false;
    }
  }
  if (lid == 0u) {
    workgroupBarrier();
  }
}
