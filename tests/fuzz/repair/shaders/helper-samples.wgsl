@group(0) @binding(0) var t: texture_2d<f32>;
@group(0) @binding(1) var s: sampler;

fn shade(uv: vec2f) -> vec4f {
    let base = textureSample(t, s, uv);
    return base * base;
}
@fragment
fn main(@location(0) uv: vec2f, @builtin(front_facing) front: bool) -> @location(0) vec4f {
    if front {
        return shade(uv);
    }
    return vec4f(0.0, 0.0, 0.0, 1.0);
}
