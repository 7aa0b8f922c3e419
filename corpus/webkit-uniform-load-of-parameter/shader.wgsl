var<workgroup> flags: array<u32, 2>;

fn f(p: ptr<workgroup, array<u32, 2>>, i: u32) -> u32 {
    return workgroupUniformLoad(&(*p)[i]);
}

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
    if (f(&flags, lid) == 0u) {
        workgroupBarrier();
    }
}
