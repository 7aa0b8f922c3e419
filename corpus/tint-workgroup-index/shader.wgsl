enable subgroups;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_index) group: u32) {
  if group == 0u {
    _ = subgroupElect();
  }
}
