fn store(p: ptr<function, array<u32, 2>>, v: u32) -> u32 {
    *p = array<u32, 2>(0u, v);
    return 0u;
}

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
    var x = array<u32, 2>();
    x[store(&x, lid)] = 0u;
    if (x[1] == 0u) {
        workgroupBarrier();
    }
}
