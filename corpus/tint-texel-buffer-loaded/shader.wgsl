@group(0) @binding(0) var t: texel_buffer<r32uint, read_write>;

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
    textureStore(t, 0u, vec4u(lid));
    if (textureLoad(t, 0u).x == 0u) {
        workgroupBarrier();
    }
}
