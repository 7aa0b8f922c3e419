alias dpdx = f32;

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
    if (lid == 0u) {
        _ = dpdx(1.5f);
    }
}
