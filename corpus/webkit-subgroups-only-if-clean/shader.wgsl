enable subgroups;

@group(0) @binding(0) var picture: texture_2d<f32>;
@group(0) @binding(1) var smp: sampler;

@fragment
fn main(@location(0) uv: vec2f) {
    @diagnostic(info, derivative_uniformity) if (uv.x == 0f) {
        _ = textureSample(picture, smp, uv);
        _ = subgroupAdd(1u);
    }
}
