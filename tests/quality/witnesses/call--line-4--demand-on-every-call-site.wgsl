// paper: accepts
// kills: call/line-4/demand-on-every-call-site
// kills: func/line-6/always
// kills: func/line-6/of-value-returned

fn f(x: u32) -> u32 {
  return x;
}

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
  var y: u32;
  if (lid <= 0u) {
    y = f(0u);
  }
}
