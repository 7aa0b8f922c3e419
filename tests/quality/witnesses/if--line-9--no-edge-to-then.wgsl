// paper: rejects
// kills: if/line-9/no-edge-to-then
// kills: if/line-9/only-the-condition

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
  if (false) {
    if (0u < lid) {
      return;
    }
  }
  workgroupBarrier();
}
