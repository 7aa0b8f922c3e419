@group(0) @binding(0) var t: texture_2d<f32>;
@group(0) @binding(1) var s: sampler;

@group(0) @binding(2) var u: texture_2d<f32>;
@fragment
fn main(@location(0) uv: vec2f, @location(1) @interpolate(flat) which: u32) -> @location(0) vec4f {
    var color: vec4f;
    let sampled = textureSample(t, s, uv);
    let sampled1 = textureSample(u, s, uv);
    if (which == 0u) {
        color = sampled;
    } else if (which == 1u) {
        color = sampled1;
    } else {
        color = vec4f(1.0);
    }
    return color;
}
