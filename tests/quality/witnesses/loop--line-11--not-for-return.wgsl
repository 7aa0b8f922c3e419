// paper: rejects
// kills: loop/line-11/not-for-return

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
  if (false) {
    loop {
      if (lid == 0u) {
        return;
      } else {
        return;
      }
      continue;
    }
  }
  workgroupBarrier();
}
