@compute @workgroup_size(2)
fn main(@builtin(local_invocation_id) id: vec3u) {
    var x = vec2u();
    for (; ; x = id.xy) {
        if (x.x == 0u) {
            workgroupBarrier();
        }
        break;
    }
}
