var<workgroup> ready: u32;

fn all_ready() -> bool {
  return workgroupUniformLoad(&ready) == 64u;
}

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) lane: u32) {
  let leader = lane == 0u;
  if leader && all_ready() {
    ready = 0u;
  }
}
