fn f(p: u32) -> u32 {
  var t: u32;
  if (t == 0u) {
    workgroupBarrier();
  }
  t = p;
  return 0u;
}

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
  var r: u32;
  r = f(lid);
  r = f(lid);
  workgroupBarrier();
}
