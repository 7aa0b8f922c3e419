// paper: accepts
// kills: B/loop/case-2-always
// kills: B/loop/case-2-by-the-continuing-only
// kills: B/loop/case-3-break-stays

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
  if (0u <= lid) {
    loop {
      break;
      continue;
    }
  }
  workgroupBarrier();
}
