@compute @workgroup_size(2)
fn main(@builtin(local_invocation_id) id: vec3u) {
    loop {
        workgroupBarrier();
        if (id.x == 0u) {
            break;
        }
        break;
    }
}
