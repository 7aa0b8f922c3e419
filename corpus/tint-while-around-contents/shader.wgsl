fn g(x: u32) {
    if (x == 0u) {
        workgroupBarrier();
    }
}

fn f(p: ptr<function, u32>) {
    while (true) {
    }
    g(*p);
}

@compute @workgroup_size(1)
fn main(@builtin(local_invocation_index) lid: u32) {
    var v = lid;
    f(&v);
}
