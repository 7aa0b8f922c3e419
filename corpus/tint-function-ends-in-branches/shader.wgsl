fn store(p: ptr<function, u32>, first: bool) {
    if (first) {
        *p = 1u;
        return;
    } else {
        *p = 2u;
        return;
    }
}

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
    var x = lid;
    store(&x, true);
    if (x == 1u) {
        workgroupBarrier();
    }
}
