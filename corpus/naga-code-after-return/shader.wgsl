fn f(p: u32) -> u32 {
  return 1u;
  if (p == 1u) {
    workgroupBarrier();
  }
}

@compute @workgroup_size(2)
fn main() {
  var r: u32;
  r = f(1u);
  workgroupBarrier();
}
