@group(0) @binding(0) var<storage, read> data: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;
var<workgroup> tile: array<f32, 64>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) gid: vec3u, @builtin(local_invocation_index) l: u32) {
    tile[l] = data[gid.x];
    workgroupBarrier();
    for (var stride = 32u; stride > 0u; stride /= 2u) {
        let inside = l < stride;
        if (inside) {
            tile[l] += tile[l + stride];
        }
        workgroupBarrier();
    }
    if (l == 0u) { out[gid.x / 64u] = tile[0]; }
}
