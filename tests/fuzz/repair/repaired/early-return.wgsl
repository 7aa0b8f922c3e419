@group(0) @binding(0) var<storage, read> data: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;
@group(0) @binding(2) var<uniform> n: u32;
var<workgroup> tile: array<f32, 64>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) gid: vec3u, @builtin(local_invocation_index) l: u32) {
    let inside = gid.x < n;
    if (inside) {
        // load
        tile[l] = data[gid.x];
    }
    workgroupBarrier();
    if (inside) {
        let left = tile[max(l, 1u) - 1u];
        out[gid.x] = left + tile[l];
    }
}
