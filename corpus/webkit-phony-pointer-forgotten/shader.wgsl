fn met() -> u32 {
    workgroupBarrier();
    return 0u;
}

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
    var x = array<u32, 2>();
    if (lid == 0u) {
        _ = &x[met()];
    }
}
