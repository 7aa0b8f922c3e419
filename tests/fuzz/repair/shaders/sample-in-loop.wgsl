@group(0) @binding(0) var t: texture_2d<f32>;
@group(0) @binding(1) var s: sampler;

@fragment
fn main(@location(0) uv: vec2f, @location(1) @interpolate(flat) n: u32) -> @location(0) vec4f {
    var color = vec4f(0.0);
    for (var i = 0u; i < n; i++) {
        color += textureSample(t, s, uv + f32(i) * 0.01);
    }
    return color / f32(n);
}
