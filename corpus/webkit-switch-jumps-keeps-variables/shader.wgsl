@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
    let zero = 0i;
    var x = 0i;
    loop {
        if (x == 0i) {
            workgroupBarrier();
        }
        x = i32(lid);
        switch (zero) {
            default: {
                return;
            }
        }
    }
}
