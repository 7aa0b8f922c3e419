// paper: rejects
// kills: loop/line-12/only-without-break

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
  loop {
    if (false) {
      break;
    }
    if (0u < lid) {
      return;
    }
    continue;
  }
  workgroupBarrier();
}
