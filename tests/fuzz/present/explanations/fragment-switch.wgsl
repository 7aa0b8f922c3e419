struct Input {
  @builtin(position) position: vec4f,
  @location(0) uv: vec2f,
  @location(1) @interpolate(flat) kind: u32,
}

@group(0) @binding(0) var colours: texture_2d<f32>;
@group(0) @binding(1) var linear: sampler;

@fragment
fn main(in: Input) -> @location(0) vec4f {
  switch in.kind {
    case 0u, 1u: {
      return vec4f();
    }
    case 2u: {
      discard;
    }
    default: {}
  }
  return textureSample(colours, linear, in.uv);
}
