@group(0) @binding(0) var<storage, read_write> A: array<u32, 8>;

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) lid: u32) {
  var d: u32;
  d = 4u;
  loop {
    if (d <= 0u) {
      break;
    }
    workgroupBarrier();
    if (lid >= d) {
      continue;
    }
    A[lid] = A[lid] + A[lid + d];
    continue;
    continuing {
      d = d / 2u;
    }
  }
  workgroupBarrier();
}
