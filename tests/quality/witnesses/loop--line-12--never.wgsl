// paper: rejects
// kills: loop/line-12/never
// kills: loop/line-12/only-with-break

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
  if (false) {
    loop {
      if (0u < lid) {
        return;
      }
      continue;
    }
  }
  workgroupBarrier();
}
