// paper: accepts
// kills: call/line-4/demand-on-every-argument
// kills: call/line-4/demand-on-affecting-arguments
// kills: func/line-7/all
// kills: func/line-7/of-value-returned

fn f(x: i32) -> i32 {
  return x;
}

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
  var y: i32;
  y = f(i32(lid));
}
