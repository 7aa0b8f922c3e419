// paper: rejects
// kills: expr/shared-read/is-uniform
// kills: expr/binary/no-edge-to-left
// kills: if/line-2/then-under-cf

var<workgroup> A: array<u32, 1>;

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
  if (A[0i] == 0u) {
    workgroupBarrier();
  }
}
