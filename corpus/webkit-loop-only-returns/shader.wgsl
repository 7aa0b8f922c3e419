@compute @workgroup_size(2)
fn main(@builtin(local_invocation_id) id: vec3u) {
    loop {
        return;
        continuing {
            break if true;
        }
    }
    if (id.x == 0u) {
        workgroupBarrier();
    }
}
