@group(0) @binding(0) var t: texture_2d<f32>;
@group(0) @binding(1) var s: sampler;

@fragment
fn main(@location(0) uv: vec2f, @location(1) tint: vec4f) -> @location(0) vec4f {
    var color = tint;
    let sampled = textureSample(t, s, uv);
    // textured only where it is opaque
    if tint.a > 0.5 {
        color *= sampled;
    }
    return color;
}
