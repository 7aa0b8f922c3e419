@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
    var x = vec2u(lid);
    x.yx = vec2u();
    if (x.x == 0u) {
        workgroupBarrier();
    }
}
