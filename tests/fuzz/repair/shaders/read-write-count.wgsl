struct Counts { n: u32, }
@group(0) @binding(0) var<storage, read_write> counts: Counts;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;
var<workgroup> tile: array<f32, 64>;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) l: u32) {
    for (var i = 0u; i < counts.n; i++) {
        tile[l] += f32(i);
        workgroupBarrier();
    }
    out[l] = tile[l];
}
