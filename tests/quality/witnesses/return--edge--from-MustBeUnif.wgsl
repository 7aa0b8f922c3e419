// paper: accepts
// kills: return/edge/from-MustBeUnif
// kills: func/line-11/of-value-returned

@group(0) @binding(0) var<storage, read_write> A: array<u32, 1>;

fn f() -> u32 {
  return A[0u];
}

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
}
