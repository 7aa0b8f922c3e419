var<workgroup> flag: i32;

fn f(p: ptr<workgroup, i32>) {
    *p = 1i;
    if (*p == 0i) {
        workgroupBarrier();
    }
    *p = 0i;
}

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
    f(&flag);
}
