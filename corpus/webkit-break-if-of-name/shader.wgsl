@compute @workgroup_size(2)
fn main(@builtin(local_invocation_id) id: vec3u) {
    let zero = 0u;
    let no = zero == 1u;
    loop {
        workgroupBarrier();
        if (id.x == 1u) {
            return;
        }
        continuing {
            break if no;
        }
    }
}
