@compute @workgroup_size(2)
fn main(@builtin(local_invocation_id) id: vec3u) {
    let yes = all(vec2(true));
    if (id.x == 0u) {
        while (yes) {
            workgroupBarrier();
            break;
        }
    }
}
