// paper: accepts
// kills: list/tail/dead-analysed

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
  return;
  if (lid == 0u) {
    workgroupBarrier();
  }
}
