// paper: accepts
// kills: func/line-3/parameters-non-uniform

fn f(x: u32) -> u32 {
  if (0u < x) {
    workgroupBarrier();
  }
  return 0u;
}

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
}
