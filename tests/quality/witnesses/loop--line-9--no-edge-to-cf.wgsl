// paper: rejects
// kills: loop/line-9/no-edge-to-cf

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
  if (lid < 0u) {
    loop {
      workgroupBarrier();
      if (false) {
        break;
      }
      continue;
    }
  }
}
