@compute @workgroup_size(2)
fn main(@builtin(local_invocation_id) id: vec3u) {
    var x = 0u;
    loop {
        workgroupBarrier();
        if (x == 0u) {
            continue;
        }
        x = id.x;
        return;
    }
}
