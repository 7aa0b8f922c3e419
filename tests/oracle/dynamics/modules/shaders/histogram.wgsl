// A histogram of 256 bins: counted in workgroup memory, then added to the buffer.
@group(0) @binding(0) var<storage, read> pixels: array<u32>;
@group(0) @binding(1) var<storage, read_write> bins: array<atomic<u32>, 256>;
@group(0) @binding(2) var<uniform> count: u32;

var<workgroup> local_bins: array<atomic<u32>, 256>;

@compute @workgroup_size(256)
fn main(@builtin(local_invocation_index) lid: u32, @builtin(global_invocation_id) gid: vec3u,
        @builtin(num_workgroups) groups: vec3u) {
  atomicStore(&local_bins[lid], 0u);
  workgroupBarrier();
  let stride = groups.x * 256u;
  for (var i = gid.x; i < count; i += stride) {
    let bin = pixels[i] & 255u;
    if (bin == 255u) {
      return;
    }
    atomicAdd(&local_bins[bin], 1u);
  }
  workgroupBarrier();
  atomicAdd(&bins[lid], atomicLoad(&local_bins[lid]));
}
