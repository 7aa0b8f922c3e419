@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
    var x = 0u;
    loop {
        let p = &x;
        workgroupBarrier();
        x = lid;
        continuing {
            let y = *p;
            break if y == 0u;
        }
    }
}
