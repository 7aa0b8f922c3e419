// A product of matrices in tiles of 2 x 2; the bounds check returns before the barriers.
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> c: array<f32>;
@group(0) @binding(3) var<uniform> n: u32;
var<workgroup> ta: array<array<f32, 2>, 2>;
var<workgroup> tb: array<array<f32, 2>, 2>;
@compute @workgroup_size(2, 2)
fn main(@builtin(global_invocation_id) gid: vec3u, @builtin(local_invocation_id) lid: vec3u) {
  if (gid.x >= n || gid.y >= n) { return; }
  var sum = 0.0;
  for (var t = 0u; t < (n + 1u) / 2u; t++) {
    ta[lid.y][lid.x] = a[gid.y * n + t * 2u + lid.x];
    tb[lid.y][lid.x] = b[(t * 2u + lid.y) * n + gid.x];
    workgroupBarrier();
    for (var k = 0u; k < 2u; k++) { sum += ta[lid.y][k] * tb[k][lid.x]; }
    workgroupBarrier();
  }
  c[gid.y * n + gid.x] = sum;
}
