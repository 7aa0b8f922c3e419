fn f(p: ptr<function, vec2u>, v: u32) -> u32 {
    *p = vec2u(v);
    return 0u;
}

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
    var x = vec2u();
    x.x = f(&x, lid);
    if (x.y == 0u) {
        workgroupBarrier();
    }
}
