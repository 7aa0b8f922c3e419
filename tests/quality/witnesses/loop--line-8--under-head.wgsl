// paper: rejects
// kills: loop/line-8/under-head

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
  loop {
    if (0u >= lid) {
      break;
    }
    continue;
    continuing {
      workgroupBarrier();
    }
  }
}
