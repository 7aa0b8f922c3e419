enable subgroups;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) l: u32) {
    let result = subgroupAdd(select(0u, l, l < 10u));
    if (l < 10u) {
        out[l] = result;
    }
}
