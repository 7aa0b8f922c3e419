struct Inputs {
    @builtin(workgroup_id) group: vec3u,
}

@compute @workgroup_size(2)
fn main(inputs: Inputs) {
    if (inputs.group.x == 0u) {
        workgroupBarrier();
    }
}
