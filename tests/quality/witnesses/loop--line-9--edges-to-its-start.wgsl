// paper: rejects
// kills: loop/line-9/edges-to-its-start

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
  var x: bool;
  loop {
    workgroupBarrier();
    if (x) {
      return;
    }
    continue;
    continuing {
      x = lid == 0u;
    }
  }
}
