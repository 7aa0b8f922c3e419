@group(0) @binding(0) var shadows: texture_depth_2d_array;
@group(0) @binding(1) var s: sampler_comparison;
@fragment
fn main(@location(0) p: vec4f, @location(1) @interpolate(flat) layer: i32) -> @location(0) vec4f {
    var lit = 1.0;
    if (p.z < 1.0) {
        var sum = 0.0;
        for (var x = -1; x <= 1; x++) {
            sum += textureSampleCompareLevel(shadows, s, p.xy + f32(x) * 0.001, layer, p.z);
        }
        lit = sum / 3.0;
    }
    return vec4f(lit);
}
