@group(0) @binding(0) var<storage, read_write> queue: array<u32, 64>;

fn pop(lane: u32, found: ptr<function, bool>) {
  *found = false;
  if queue[lane] != 0u {
    *found = true;
  }
}

fn work() {
  workgroupBarrier();
}

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) lane: u32) {
  var found: bool;
  pop(lane, &found);
  if found {
    work();
  }
}
