@group(0) @binding(0) var<storage, read> data: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;
@group(0) @binding(2) var<uniform> n: u32;
var<workgroup> tile: array<f32, 64>;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) l: u32) {
    for (var base = 0u; base < n; base += 64u) {
        let i = base + l;
        let within = i < n && i >= base;
        if within {
            tile[l] = data[i];
        }
        workgroupBarrier();
        if within {
            out[i] = tile[63u - l];
        }
        workgroupBarrier();
    }
}
