// paper: rejects
// kills: B/barrier/is-nothing

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
  workgroupBarrier();
  if (0u < lid) {
    workgroupBarrier();
  }
}
