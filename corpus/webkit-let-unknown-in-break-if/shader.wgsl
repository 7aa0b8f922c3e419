@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
    var x = 0u;
    let p = &x;
    loop {
        workgroupBarrier();
        x = lid;
        continuing {
            break if *p == 0u;
        }
    }
}
