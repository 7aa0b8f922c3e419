// Inclusive prefix sum of a block of 256, double buffered; the number of elements comes from a buffer.
struct Parameters {
  count: u32,
  offset: u32,
}
@group(0) @binding(0) var<uniform> parameters: Parameters;
@group(0) @binding(1) var<storage, read_write> data: array<u32>;
@group(0) @binding(2) var<storage, read_write> sums: array<u32>;

const BLOCK = 256;
var<workgroup> buffer: array<u32, BLOCK * 2>;

fn fetch(i: u32) -> u32 {
  if (i < parameters.count) {
    return data[parameters.offset + i];
  }
  return 0u;
}

@compute @workgroup_size(BLOCK)
fn main(@builtin(local_invocation_id) local: vec3u, @builtin(workgroup_id) group: vec3u) {
  let i = group.x * u32(BLOCK) + local.x;
  var source = 0u;
  buffer[local.x] = fetch(i);
  workgroupBarrier();
  if (i >= parameters.count) {
    return;
  }
  for (var offset = 1u; offset < u32(BLOCK); offset *= 2u) {
    let target_ = 1u - source;
    var value = buffer[source * u32(BLOCK) + local.x];
    if (local.x >= offset) {
      value += buffer[source * u32(BLOCK) + local.x - offset];
    }
    buffer[target_ * u32(BLOCK) + local.x] = value;
    source = target_;
    workgroupBarrier();
  }
  let result = buffer[source * u32(BLOCK) + local.x];
  data[parameters.offset + i] = result;
  if (local.x == u32(BLOCK) - 1u) {
    sums[group.x] = result;
  }
}
