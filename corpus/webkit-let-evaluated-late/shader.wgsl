@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
    var x = array<u32, 2>(0u, 1u);
    var i = lid;
    let p = &x[i];
    i = 0u;
    if (*p == 0u) {
        workgroupBarrier();
    }
}
