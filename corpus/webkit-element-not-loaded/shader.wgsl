@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
    var x = array<u32, 2>(lid, lid);
    let p = &x;
    if (p[0] == 0u) {
        workgroupBarrier();
    }
}
