fn zero(p: ptr<function, u32>) -> bool {
    *p = 0u;
    return true;
}

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
    var x = lid;
    _ = true || zero(&x);
    if (x == 0u) {
        workgroupBarrier();
    }
}
