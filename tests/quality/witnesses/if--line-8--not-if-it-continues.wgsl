// paper: rejects
// kills: if/line-8/not-if-it-continues

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
  loop {
    workgroupBarrier();
    if (0u == lid) {
      continue;
    }
    return;
    continue;
  }
}
