@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
  loop {
    let y: u32 = 0u;
    break;
    continue;
    continuing {
      let y: u32 = 0u;
    }
  }
  workgroupBarrier();
}
