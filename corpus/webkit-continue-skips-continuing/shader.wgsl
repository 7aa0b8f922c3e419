@compute @workgroup_size(2)
fn main(@builtin(local_invocation_id) id: vec3u) {
    var x = 0u;
    loop {
        if (true) {
            x = id.x;
            continue;
        }
        x = 0u;
        continuing {
            workgroupBarrier();
            break if x == 0u;
        }
    }
}
