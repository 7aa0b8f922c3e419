@group(0) @binding(0) var t: texture_2d<f32>;
@group(0) @binding(1) var s: sampler;

@fragment
fn main(@location(0) uv: vec2f, @location(1) @interpolate(flat) kind: u32) -> @location(0) vec4f {
    switch kind {
        case 0u: { return textureSample(t, s, uv); }
        case 1u: { return textureSampleBias(t, s, uv * 0.5, 1.0); }
        default: { return vec4f(1.0); }
    }
}
