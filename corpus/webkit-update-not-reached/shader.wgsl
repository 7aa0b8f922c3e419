@compute @workgroup_size(2)
fn main(@builtin(local_invocation_id) id: vec3u) {
    var x = 0u;
    for (; ; x = id.x) {
        if (x == 0u) {
            workgroupBarrier();
        }
        break;
    }
}
