@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
  var u: u32 = 0u;
  loop {
    workgroupBarrier();
    loop {
      if (lid < u) {
        return;
      }
      u++;
    }
  }
}
