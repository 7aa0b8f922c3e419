@group(0) @binding(0) var<storage, read> lengths: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
var<workgroup> tile: array<u32, 64>;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) l: u32) {
    let length = min(lengths[l], 32u);
    for (var i = 0u; i < length; i++) {
        tile[l] = i;
        workgroupBarrier();
        if (tile[l ^ 1u] == 7u) { continue; }
        out[l] += tile[l ^ 1u];
        workgroupBarrier();
    }
}
