fn zero(p: ptr<function, u32>) {
    *p = 0u;
}

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
    var x = array<u32, 2>(lid, lid);
    zero(&x[0]);
    if (x[1] == 0u) {
        workgroupBarrier();
    }
}
