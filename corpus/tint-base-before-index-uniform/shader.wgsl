fn f(p: ptr<function, array<u32, 2>>) -> u32 {
    *p = array<u32, 2>();
    return 0u;
}

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
    var x = array<u32, 2>(lid, 0u);
    if (x[f(&x)] == 0u) {
        workgroupBarrier();
    }
}
