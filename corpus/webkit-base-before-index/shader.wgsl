fn f(p: ptr<function, array<u32, 2>>, v: u32) -> u32 {
    (*p)[0] = v;
    return 0u;
}

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
    var x = array<u32, 2>();
    if (x[f(&x, lid)] == 0u) {
        workgroupBarrier();
    }
}
