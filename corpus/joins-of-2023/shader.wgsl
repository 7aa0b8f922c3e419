@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
  var x: u32;
  loop {
    continuing {
      if (x != 0u) {
        x = lid;
        loop {
          if (false) {
            x = 0u;
            break;
          }
          workgroupBarrier();
        }
      }
      break if false;
    }
  }
}
