// paper: rejects
// kills: shader/functions/errors-of-main-only

@group(0) @binding(0) var<storage, read_write> A: array<i32, 1>;

fn f() -> u32 {
  if (0i == A[0u]) {
    workgroupBarrier();
  }
  return 0u;
}

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
}
