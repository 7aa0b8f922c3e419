@group(0) @binding(0) var<storage, read> lengths: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
var<workgroup> tile: array<u32, 64>;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) l: u32) {
    let length = min(lengths[l], 32u);
    for (var i = 0u; i < 32u; i++) {
        let within = i < length;
        if (within) {
            tile[l] = i;
        }
        workgroupBarrier();
        let inside = within && tile[l ^ 1u] != 7u;
        if (inside) {
            out[l] += tile[l ^ 1u];
        }
        workgroupBarrier();
    }
}
