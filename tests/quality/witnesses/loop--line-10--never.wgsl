// paper: accepts
// kills: loop/line-10/never

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
  loop {
    if (0u >= lid) {
      break;
    }
    break;
    continue;
  }
  workgroupBarrier();
}
