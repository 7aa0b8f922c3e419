// paper: accepts
// kills: B/list/dead-tail-counts
// kills: 10d

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
  if (lid == 0u) {
    loop {
      return;
      continue;
      continuing {
        workgroupBarrier();
      }
    }
  }
}
