@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
  var n = 0u;
  for (var i = 0u; i < 2u; i += 1u) {
    if (lid == 0u) {
      continue;
    } else if (n < 3u) {
      n++;
    }
    while (n < 1u) {
      n++;
    }
  }
  workgroupBarrier();
}
