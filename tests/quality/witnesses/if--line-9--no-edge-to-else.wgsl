// paper: rejects
// kills: if/line-9/no-edge-to-else

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
  if (false) {
  } else {
    if (0u < lid) {
      return;
    }
  }
  workgroupBarrier();
}
