enable subgroups;

var<workgroup> part: array<u32, 64>;

@compute @workgroup_size(64)
fn main(@builtin(subgroup_id) group: u32, @builtin(subgroup_invocation_id) lane: u32) {
  var sum = subgroupAdd(lane);
  if group == 0u {
    sum = subgroupShuffleXor(sum, lane & 1u);
    workgroupBarrier();
  }
  part[lane] = sum;
}
