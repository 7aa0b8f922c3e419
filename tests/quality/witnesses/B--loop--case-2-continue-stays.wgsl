// paper: accepts
// kills: B/loop/case-2-continue-stays

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
  loop {
    loop {
      if (lid <= 0u) {
        return;
      }
      continue;
    }
    continue;
    continuing {
      workgroupBarrier();
    }
  }
}
