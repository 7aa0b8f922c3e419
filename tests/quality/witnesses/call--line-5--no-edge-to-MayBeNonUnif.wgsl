// paper: rejects
// kills: call/line-5/no-edge-to-MayBeNonUnif
// kills: func/line-9/never

@group(0) @binding(0) var<storage, read_write> A: array<u32, 1>;

fn f() -> bool {
  return A[0u] >= 0u;
}

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
  var x: bool;
  x = f();
  if (x) {
    workgroupBarrier();
  }
}
