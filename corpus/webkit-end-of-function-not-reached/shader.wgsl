fn f(p: ptr<function, u32>, v: u32) {
    let zero = 0u;
    *p = v;
    switch (zero) {
        default: {
            *p = 0u;
            return;
        }
    }
}

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
    var x = 0u;
    f(&x, lid);
    if (x == 0u) {
        workgroupBarrier();
    }
}
