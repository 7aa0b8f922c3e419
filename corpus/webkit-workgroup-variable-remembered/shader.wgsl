var<workgroup> flag: vec2u;

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_id) id: vec3u) {
    flag = vec2u(1u);
    if (flag.x == 0u) {
        workgroupBarrier();
    }
    flag = vec2u();
}
