var<private> seed: u32;

@compute @workgroup_size(64)
fn main() {
  var left = 8u;
  loop {
    workgroupBarrier();
    if seed > left {
      left -= 1u;
    }
    continuing {
      left -= 1u;
      break if left < 2u;
    }
  }
}
