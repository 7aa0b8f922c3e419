struct Params { length: u32 }

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> values: array<f32>;
var<workgroup> tile: array<f32, 64>;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) group: vec3u) {
  let i = group.x * 64u + lane;
  if i >= params.length {
    return;
  }
  tile[lane] = values[i];
  workgroupBarrier();
}
