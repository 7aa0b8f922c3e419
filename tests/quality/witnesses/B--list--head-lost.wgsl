// paper: rejects
// kills: B/list/head-lost

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
  if (false) {
    if (lid == 0u) {
      return;
    }
    if (false) {
    }
  }
  workgroupBarrier();
}
