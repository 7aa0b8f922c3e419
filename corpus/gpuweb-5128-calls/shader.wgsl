fn f(p: u32) -> u32 {
  if (p == 0u) {
    workgroupBarrier();
  }
  return 0u;
}

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
  var r: u32;
  r = 1u + f(f(r) + lid);
}
