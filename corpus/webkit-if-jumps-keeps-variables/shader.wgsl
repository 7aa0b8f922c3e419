@compute @workgroup_size(2)
fn main(@builtin(local_invocation_id) id: vec3u) {
    let zero = 0u;
    var x = 0u;
    loop {
        if (x == 0u) {
            workgroupBarrier();
        }
        x = id.x;
        if (zero == 0u) {
            break;
        } else {
            break;
        }
    }
}
