@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
    var x = lid;
    for (let p = &x; *p < 1u; x++) {
        workgroupBarrier();
    }
}
