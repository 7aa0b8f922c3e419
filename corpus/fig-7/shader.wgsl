var<workgroup> arr: array<u32, 1>;

fn f(x_in: u32, y: u32) -> u32 {
  var x = x_in;
  if (arr[0] == 0u) {
    workgroupBarrier();
  } else {
    x = y;
  }
  return x + y;
}

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
  var r: u32;
  r = f(1u, 2u);
  workgroupBarrier();
}
