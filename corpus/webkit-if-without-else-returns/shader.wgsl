@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
    let zero = 0u;
    if (lid == 0u) {
        switch (zero) {
            case 0u: {
                return;
            }
            default: {
            }
        }
    }
    workgroupBarrier();
}
