@group(0) @binding(0) var picture: texture_2d<f32>;
@group(0) @binding(1) var smp: sampler;

@fragment
fn main(@location(0) uv: vec2f) {
    @diagnostic(off, derivative_uniformity) if (uv.x == 0f) @diagnostic(error, derivative_uniformity) {
        _ = textureSample(picture, smp, uv);
    }
}
