@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
    var x = array<vec2u, 2>(vec2u(), vec2u(lid));
    let p = &x[0];
    p.xy = vec2u();
    if (x[1].x == 0u) {
        workgroupBarrier();
    }
}
