// paper: accepts
// kills: B/list/next-of-head-stays

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
  if (lid < 0u) {
    return;
  } else {
    return;
  }
  workgroupBarrier();
}
