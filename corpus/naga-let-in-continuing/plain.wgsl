@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
  var x: u32;
  var y: u32;
  loop {
    y = 0u;
    break;
    continue;
    continuing {
      x = 0u;
    }
  }
  workgroupBarrier();
}
