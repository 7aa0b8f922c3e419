// paper: rejects
// kills: loop/line-5/edges-dropped-but-not-if-it-breaks

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
  var x: bool;
  x = 0u < lid;
  loop {
    if (x) {
      workgroupBarrier();
    }
    continue;
    continuing {
      break if true;
    }
  }
}
