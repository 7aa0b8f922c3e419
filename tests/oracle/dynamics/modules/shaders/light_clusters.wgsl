// The lights that reach a cluster; each thread writes some of them, with a barrier after each.
@group(0) @binding(0) var<storage, read> lights: array<vec4f>;
@group(0) @binding(1) var<uniform> n: u32;
@group(0) @binding(2) var<storage, read_write> list: array<u32>;
var<workgroup> found: atomic<u32>;
var<workgroup> ids: array<u32, 64>;
@compute @workgroup_size(64)
fn cluster(@builtin(local_invocation_index) li: u32, @builtin(workgroup_id) wg: vec3u) {
  for (var i = li; i < n; i += 64u) {
    let l = lights[i];
    if (distance(l.xyz, vec3f(wg)) < l.w) {
      let at = atomicAdd(&found, 1u);
      if (at < 64u) { ids[at] = i; }
    }
  }
  workgroupBarrier();
  let total = min(atomicLoad(&found), 64u);
  for (var i = li; i < total; i += 64u) {
    list[i] = ids[i];
    storageBarrier();
  }
}
