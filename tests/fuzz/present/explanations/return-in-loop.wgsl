@group(0) @binding(0) var<storage, read_write> slots: array<atomic<u32>, 64>;

fn claim() -> u32 {
  for (var i = 0u; i < 64u; i++) {
    if atomicAdd(&slots[i], 1u) == 0u {
      return i;
    }
  }
  workgroupBarrier();
  return 64u;
}

@compute @workgroup_size(64)
fn main() {
  let slot = claim();
  if slot == 64u {
    workgroupBarrier();
  }
}
