@compute @workgroup_size(2)
fn main(@builtin(workgroup_id) id: vec3u) {
    var v = true;
    let x = id.x % u32(false && v);
    workgroupBarrier();
}
