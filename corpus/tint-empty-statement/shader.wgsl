@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
  loop {
    continuing {
      ;
      break if true;
    }
  }
  workgroupBarrier();
}
