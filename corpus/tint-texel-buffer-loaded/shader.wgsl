@group(0) @binding(0) var t: texel_buffer<r32uint, read_write>;

@compute @workgroup_size(2)
fn main() {
    if (textureLoad(t, 0u).x == 0u) {
        workgroupBarrier();
    }
}
