diagnostic(warning, derivative_uniformity);

@group(0) @binding(0) var map: texture_2d<f32>;
@group(0) @binding(1) var nearest: sampler;

fn shade(uv: vec2f) -> vec4f {
  return textureSample(map, nearest, uv);
}

@fragment
fn main(@location(0) uv: vec2f) -> @location(0) vec4f {
  var colour = vec4f(1.0);
  if uv.x < 0.5 {
    colour = shade(uv);
  }
  return colour;
}
