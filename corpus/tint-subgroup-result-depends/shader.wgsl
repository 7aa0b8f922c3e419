enable subgroups;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) lid: u32) {
  if subgroupAdd(lid) == 0u {
    _ = subgroupElect();
  }
}
