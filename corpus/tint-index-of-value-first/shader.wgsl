fn f(p: ptr<function, u32>) -> u32 {
    *p = 0u;
    return 0u;
}

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
    var x = lid;
    if (array<u32, 2>(x, 1u)[f(&x)] == 0u) {
        workgroupBarrier();
    }
}
