// A histogram is clipped, and its prefix sum a table; one bin over the limit meets a barrier that the others do not.
struct Info { width: u32, height: u32, limit: u32, }
@group(0) @binding(0) var<uniform> info: Info;
@group(0) @binding(1) var<storage, read> image: array<u32>;
@group(0) @binding(2) var<storage, read_write> table: array<u32>;
var<workgroup> bins: array<atomic<u32>, 64>;
var<workgroup> sums: array<u32, 64>;
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) lid: u32) {
  atomicStore(&bins[lid], 0u);
  workgroupBarrier();
  let n = info.width * info.height;
  for (var i = lid; i < n; i += 64u) {
    atomicAdd(&bins[(image[i] >> 2u) & 63u], 1u);
  }
  workgroupBarrier();
  var own = atomicLoad(&bins[lid]);
  if (own > info.limit) {
    own = info.limit;
    workgroupBarrier();
  }
  sums[lid] = own;
  workgroupBarrier();
  for (var step = 1u; step < 64u; step <<= 1u) {
    var value = sums[lid];
    if (lid >= step) { value += sums[lid - step]; }
    workgroupBarrier();
    sums[lid] = value;
    workgroupBarrier();
  }
  table[lid] = sums[lid];
}
