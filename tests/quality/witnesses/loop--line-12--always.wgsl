// paper: accepts
// kills: loop/line-12/always
// kills: loop/line-12/for-break-too
// kills: loop/line-13/control-flow-of-head

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
  loop {
    if (0u == lid) {
      break;
    }
    continue;
  }
  workgroupBarrier();
}
