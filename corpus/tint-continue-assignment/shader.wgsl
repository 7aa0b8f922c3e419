@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
  var x: u32;
  loop {
    workgroupBarrier();
    x = 1u;
    if (true) {
      x = lid;
      continue;
    }
    continuing {
      break if x == 0u;
    }
  }
  workgroupBarrier();
}
