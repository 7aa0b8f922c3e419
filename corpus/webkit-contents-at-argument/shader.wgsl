fn f(p: ptr<function, u32>, v: u32) -> u32 {
    *p = v;
    return 0u;
}

fn g(p: ptr<function, u32>, v: u32) {
    if (*p == 0u) {
        workgroupBarrier();
    }
}

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
    var x = 0u;
    g(&x, f(&x, lid));
}
