var<private> flag: u32;

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_id) id: vec3u) {
    flag = 0u;
    if (id.x == 0u) {
        flag = 1u;
    }
    if (flag == 0u) {
        workgroupBarrier();
    }
}
