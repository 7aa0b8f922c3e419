@group(0) @binding(1) var<storage, read_write> out: array<u32>;
var<workgroup> done: u32;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) l: u32) {
    if (l == 0u) { done = out[0]; }
    workgroupBarrier();
    let inside = done > 3u;
    if (inside) {
        out[l] += 1u;
    }
    storageBarrier();
    if (inside) {
        out[l + 64u] = out[l ^ 1u];
    }
}
