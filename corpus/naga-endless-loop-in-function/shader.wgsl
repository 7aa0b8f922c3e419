fn f(p: u32) -> u32 {
  loop {
    if (p != 0u) {
      return 1u;
    }
  }
}

@compute @workgroup_size(2)
fn main() {
  var r: u32;
  r = f(1u);
  workgroupBarrier();
}
