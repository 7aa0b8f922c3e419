@fragment
fn main(@location(0) uv: vec2f) -> @location(0) vec4f {
    let width = fwidth(uv.y);
    if uv.x > 0.5 && width > 0.1 {
        return vec4f(1.0);
    }
    return vec4f(0.0);
}
