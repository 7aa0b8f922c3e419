@group(0) @binding(0) var picture: texture_storage_2d<r32uint, write>;

@compute @workgroup_size(2)
fn main() {
    if (textureDimensions(picture).x == 0u) {
        workgroupBarrier();
    }
}
