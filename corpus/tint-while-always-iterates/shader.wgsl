var<workgroup> w: u32;

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
    while (workgroupUniformLoad(&w) + lid == 0u) {
        return;
    }
}
