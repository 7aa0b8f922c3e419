@group(0) @binding(0) var t: texture_2d<f32>;
@group(0) @binding(1) var s: sampler;

@fragment
fn main(@location(0) uv: vec2f, @location(1) k: f32) -> @location(0) vec4f {
    let scaled = uv * 2.0 + k;
    let color = textureSample(t, s, scaled);
    if k < 0.0 {
        return vec4f(0.0);
    }
    return color;
}
