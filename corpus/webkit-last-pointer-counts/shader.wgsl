fn f(p: ptr<function, u32>, q: ptr<function, u32>, v: u32) {
    *p = v;
}

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
    var x = 0u;
    f(&x, &x, lid);
    if (x == 0u) {
        workgroupBarrier();
    }
}
