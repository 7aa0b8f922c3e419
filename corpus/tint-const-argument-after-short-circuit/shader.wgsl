enable subgroups;

@compute @workgroup_size(2)
fn main(@builtin(workgroup_id) id: vec3u) {
    let b = false && subgroupBroadcast(id.x, 1u) == 0u;
    workgroupBarrier();
}
