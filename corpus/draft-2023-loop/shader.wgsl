@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) lid: u32) {
  for (var i = 0u; i < 10u; i++) {
    workgroupBarrier();
    if ((lid + i) > 7u) {
      break;
    }
  }
}
