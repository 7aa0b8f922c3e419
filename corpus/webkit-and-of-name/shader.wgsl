fn met() -> bool {
    workgroupBarrier();
    return true;
}

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_id) id: vec3u) {
    let zero = 0u;
    let yes = zero == 0u;
    if (id.x == 0u) {
        _ = yes && met();
    }
}
