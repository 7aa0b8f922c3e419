@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
  var u: u32;
  loop {
    workgroupBarrier();
    if (lid == 0u) {
      continue;
    } else {
      continue;
    }
    continuing {
      u = u + 1u;
      break if u == 9u;
    }
  }
  workgroupBarrier();
}
