@group(0) @binding(0) var<storage, read_write> s: array<u32, 2>;

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
  if (s[lid] == 0u) {
    workgroupBarrier();
  }
}
