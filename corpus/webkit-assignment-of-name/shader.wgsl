@compute @workgroup_size(2)
fn main(@builtin(local_invocation_id) id: vec3u) {
    let one = 1u;
    var x = 0u;
    if (id.x == 0u) {
        x = one;
    }
    if (x == 0u) {
        workgroupBarrier();
    }
}
