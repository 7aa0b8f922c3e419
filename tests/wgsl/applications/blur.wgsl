// Blurs for post-processing: a separable Gaussian with a shared-memory cache, a bilateral blur for ambient occlusion,
// and the dual filter (down and up) for bloom as fragment shaders.

diagnostic(warning, derivative_uniformity);

const RADIUS = 8;
const LINE = 128u;
const CACHE = LINE + 2u * u32(RADIUS);
const WEIGHTS = array<f32, RADIUS + 1>(
  0.1633, 0.1531, 0.1225, 0.0804, 0.0425, 0.0184, 0.0065, 0.0019, 0.0004
);
const CORNERS = array(vec2f(-1, -1), vec2f(3, -1), vec2f(-1, 3));

@id(0) override HORIZONTAL: bool = true;
@id(1) override LEVELS: i32 = 5;

struct BlurSettings {
  sigma_depth: f32,
  near: f32,
  far: f32,
  strength: f32,
  threshold: vec4f,
  level: i32,
  @align(8) texel: vec2f,
}

struct FullScreen {
  @builtin(position) @invariant position: vec4f,
  @location(0) uv: vec2f,
  @location(1) @interpolate(flat) level: i32,
}

@group(0) @binding(0) var<uniform> settings: BlurSettings;
@group(0) @binding(1) var source: texture_2d<f32>;
@group(0) @binding(2) var depth: texture_depth_2d;
@group(0) @binding(3) var linear_clamp: sampler;
@group(0) @binding(4) var blurred: texture_storage_2d<rgba16float, write>;
@group(0) @binding(5) var mask: texture_2d<u32>;

var<workgroup> colors: array<vec4f, CACHE>;
var<workgroup> depths: array<f32, CACHE>;
var<workgroup> any_near: atomic<u32>;

fn linear_depth(d: f32) -> f32 {
  return settings.near * settings.far / (settings.far - d * (settings.far - settings.near));
}

fn pixel_of(line: u32, along: i32) -> vec2i {
  return select(vec2i(i32(line), along), vec2i(along, i32(line)), HORIZONTAL);
}

fn clamped(pixel: vec2i) -> vec2i {
  return clamp(pixel, vec2i(), vec2i(textureDimensions(source)) - 1);
}

fn cache_pixel(slot: u32, pixel: vec2i, with_depth: bool) {
  let p = clamped(pixel);
  colors[slot] = textureLoad(source, p, 0);
  if with_depth {
    depths[slot] = linear_depth(textureLoad(depth, p, 0));
  }
}

// Pixels of a line and RADIUS more at each end; the first threads load two.
fn fill_cache(thread: u32, group: vec2u, with_depth: bool) {
  let start = i32(group.x * LINE) - RADIUS;
  for (var slot = thread; slot < CACHE; slot += LINE) {
    cache_pixel(slot, pixel_of(group.y, start + i32(slot)), with_depth);
  }
}

fn gaussian(centre: u32) -> vec4f {
  var sum = WEIGHTS[0] * colors[centre];
  for (var i = 1; i <= RADIUS; i++) {
    let left = colors[i32(centre) - i];
    let right = colors[i32(centre) + i];
    sum += WEIGHTS[i] * (left + right);
  }
  return sum;
}

fn bilateral(centre: u32) -> vec4f {
  let here = depths[centre];
  var sum = vec4f();
  var weights = 0f;
  var i = -RADIUS;
  while i <= RADIUS {
    let at = u32(i32(centre) + i);
    let apart = (depths[at] - here) / settings.sigma_depth;
    let weight = WEIGHTS[abs(i)] * exp2(-apart * apart);
    sum += weight * colors[at];
    weights += weight;
    i++;
  }
  return sum / weights;
}

@compute @workgroup_size(LINE)
fn blur_line(
  @builtin(workgroup_id) group: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  fill_cache(thread, group.xy, false);
  workgroupBarrier();
  let pixel = pixel_of(group.y, i32(group.x * LINE + thread));
  if any(pixel >= vec2i(textureDimensions(blurred))) { return; }
  textureStore(blurred, pixel, gaussian(thread + u32(RADIUS)));
}

@compute @workgroup_size(LINE)
fn blur_bilateral(
  @builtin(workgroup_id) group: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  let pixel = pixel_of(group.y, i32(group.x * LINE + thread));
  fill_cache(thread, group.xy, true);
  workgroupBarrier();

  // A line of sky needs no blur.
  if depths[thread + u32(RADIUS)] < settings.far * 0.999 {
    atomicAdd(&any_near, 1u);
  }
  if workgroupUniformLoad(&any_near) == 0u {
    textureStore(blurred, pixel, colors[thread + u32(RADIUS)]);
    return;
  }
  let result = bilateral(thread + u32(RADIUS));
  textureStore(blurred, pixel, result);
}

@vertex
fn full_screen(@builtin(vertex_index) index: u32, @builtin(instance_index) level: u32) -> FullScreen {
  var out: FullScreen;
  let corner = CORNERS[index];
  out.position = vec4f(corner, 0, 1);
  out.uv = corner * vec2f(0.5, -0.5) + 0.5;
  out.level = i32(level);
  return out;
}

fn prefilter(color: vec4f) -> vec4f {
  let brightest = max(color.r, max(color.g, color.b));
  let knee = clamp(brightest - settings.threshold.y, 0.0, settings.threshold.z);
  let soft = knee * knee * settings.threshold.w;
  return color * max(soft, brightest - settings.threshold.x) / max(brightest, 1e-4);
}

fn tap(uv: vec2f, x: f32, y: f32) -> vec4f {
  return textureSample(source, linear_clamp, uv + vec2f(x, y) * settings.texel);
}

@fragment
fn down(in: FullScreen) -> @location(0) vec4f {
  var sum = 4.0 * tap(in.uv, 0, 0);
  sum += tap(in.uv, -1, -1);
  sum += tap(in.uv, 1, -1);
  sum += tap(in.uv, -1, 1);
  sum += tap(in.uv, 1, 1);
  sum /= 8;
  if in.level == 0 {
    sum = prefilter(sum);
  }
  return sum;
}

@fragment @diagnostic(error, derivative_uniformity)
fn up(in: FullScreen) -> @location(0) vec4f {
  var sum: vec4f;
  for (var y = -1; y <= 1; y++) {
    for (var x = -1; x <= 1; x++) {
      let weight = f32((2 - abs(x)) * (2 - abs(y))) / 16.0;
      sum += weight * textureSample(source, linear_clamp, in.uv + vec2f(vec2i(x, y)) * settings.texel);
    }
  }
  let width = fwidth(in.uv);
  let covered = textureLoad(mask, vec2i(in.position.xy), 0).r;
  if covered == 0u {
    discard;
  }
  return vec4f(sum.rgb * settings.strength, saturate(1.0 - max(width.x, width.y) * f32(LEVELS)));
}

@fragment
fn sharpen(@builtin(position) position: vec4f, @location(0) uv: vec2f) -> @location(0) vec4f {
  let red = textureGather(0, source, linear_clamp, uv);
  let centre = textureSampleLevel(source, linear_clamp, uv, 0);
  if position.x < 1 {
    return centre;
  }
  let slope = vec2f(red.y - red.x, red.x - red.w);
  let moved = textureSampleGrad(source, linear_clamp, uv, slope, slope.yx, vec2i(1, -1));
  return mix(centre, moved, smoothstep(0.0, 1.0, settings.strength)).bgra.bgra;
}
