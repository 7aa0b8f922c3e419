// Luminance histogram of an HDR frame, automatic exposure from it, and histogram equalisation.

const BINS = 256u;
const TILE = 16u;
const THREADS = TILE * TILE;
const LUMINANCE = vec3<f32>(0.2126, 0.7152, 0.0722);
const EPSILON = 0.0001;

override COPIES: u32 = 4u; // of the histogram in shared memory, against contention

struct Exposure {
  average: f32,
  exposure: f32,
  low: u32,
  high: u32,
};

struct Camera {
  min_log: f32,
  range_log: f32,
  rate: f32,
  delta_time: f32,
  low_percent: f32,
  high_percent: f32,
  compensation: f32,
  flags: u32,
};

struct Bins { count: array<atomic<u32>, BINS> };

@group(0) @binding(0) var frame: texture_2d<f32>;
@group(0) @binding(1) var output: texture_storage_2d<rgba8unorm, write>;
@group(0) @binding(2) var<uniform> camera: Camera;
@group(0) @binding(3) var<storage, read_write> bins: Bins;
@group(0) @binding(4) var<storage, read_write> exposure: Exposure;
@group(0) @binding(5) var<storage, read_write> curve: array<f32, BINS>;

var<workgroup> local_bins: array<array<atomic<u32>, BINS>, COPIES>;
var<workgroup> counts: array<u32, BINS>;
var<workgroup> weighted: array<f32, BINS>;
var<workgroup> bounds: vec2<u32>;

fn luminance(color: vec3<f32>) -> f32 {
  return dot(color, LUMINANCE);
}

// Bin 0 is for black; the others share the range of the logarithm.
fn bin_of(color: vec3<f32>) -> u32 {
  let l = luminance(color);
  if (l < EPSILON) {
    return 0u;
  }
  let position = saturate((log2(l) - camera.min_log) / camera.range_log);
  return u32(position * f32(BINS - 2u) + 1.0);
}

fn log_of(bin: f32) -> f32 {
  return (bin - 1.0) / f32(BINS - 2u) * camera.range_log + camera.min_log;
}

fn clear_local(thread: u32) {
  for (var copy = 0u; copy < COPIES; copy++) {
    atomicStore(&local_bins[copy][thread], 0u);
  }
}

fn flush_local(thread: u32) {
  var sum = 0u;
  for (var copy = 0u; copy < COPIES; copy++) {
    sum += atomicLoad(&local_bins[copy][thread]);
  }
  if (sum != 0u) {
    atomicAdd(&bins.count[thread], sum);
  }
}

@compute @workgroup_size(TILE, TILE, 1)
fn count_frame(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_id) local: vec3<u32>,
  @builtin(local_invocation_index) thread: u32)
{
  clear_local(thread);
  workgroupBarrier();

  let size = textureDimensions(frame, 0);
  let tiles = (size + TILE - 1u) / TILE;
  let copy = thread % COPIES;
  var tile = group.xy;
  while (tile.y < tiles.y) {
    let pixel = tile * TILE + local.xy;
    if (all(pixel < size)) {
      let color = textureLoad(frame, pixel, 0).rgb;
      atomicAdd(&local_bins[copy][bin_of(color)], 1u);
    }
    tile.y += groups.y;
  }

  workgroupBarrier();
  flush_local(thread);
}

// Inclusive sums of `counts`, in place.
fn accumulate(thread: u32) {
  var distance = 1u;
  loop {
    if (distance >= BINS) { break; }
    workgroupBarrier();
    var before = 0u;
    if (thread >= distance) { before = counts[thread - distance]; }
    workgroupBarrier();
    counts[thread] += before;
    distance *= 2u;
  }
  workgroupBarrier();
}

// First and last bin between the two percentiles.
fn find_bounds(thread: u32, total: u32) -> vec2<u32> {
  let low = u32(camera.low_percent * f32(total));
  let high = u32(camera.high_percent * f32(total));
  let here = counts[thread];
  var before = 0u;
  if (thread > 0u) {
    before = counts[thread - 1u];
  }
  if (before <= low && low < here) {
    bounds.x = thread;
  }
  if (before < high && high <= here) {
    bounds.y = thread;
  }
  return workgroupUniformLoad(&bounds);
}

fn weighted_average(thread: u32, count: u32, inside: bool) -> f32 {
  weighted[thread] = select(0.0, f32(count) * f32(thread), inside);
  for (var half = BINS / 2u; half > 0u; half >>= 1u) {
    workgroupBarrier();
    if (thread < half) {
      weighted[thread] += weighted[thread + half];
    }
  }
  workgroupBarrier();
  return weighted[0];
}

@compute @workgroup_size(BINS)
fn expose(@builtin(local_invocation_index) thread: u32) {
  let count = atomicExchange(&bins.count[thread], 0u);
  counts[thread] = select(count, 0u, thread == 0u);
  accumulate(thread);

  let total = workgroupUniformLoad(&counts[BINS - 1u]);
  if (total == 0u) {
    curve[thread] = f32(thread) / f32(BINS - 1u);
    return;
  }
  let limits = find_bounds(thread, total);
  let inside = thread >= limits.x && thread <= limits.y;
  let sum = weighted_average(thread, count, inside);

  // The curve for equalisation has the range of the frame.
  curve[thread] = f32(counts[thread]) / f32(total);
  if (thread != 0u) {
    return;
  }
  let pixels = max(counts[limits.y] - counts[limits.x], 1u);
  let target_log = log_of(sum / f32(pixels));
  let adapted = mix(log2(max(exposure.average, EPSILON)), target_log, 1.0 - exp(-camera.delta_time * camera.rate));
  exposure.average = exp2(adapted);
  exposure.exposure = exp2(camera.compensation) / (9.6 * exposure.average);
  exposure.low = limits.x;
  exposure.high = limits.y;
}

fn tone_map(x: vec3<f32>) -> vec3<f32> {
  const a = 2.51;
  const b = 0.03;
  const c = 2.43;
  const d = 0.59;
  const e = 0.14;
  return saturate((x * (a * x + b)) / (x * (c * x + d) + e));
}

@compute @workgroup_size(TILE, TILE)
fn apply(@builtin(global_invocation_id) id: vec3<u32>) {
  let size = textureDimensions(output);
  if (any(id.xy >= size)) { return; }
  var color = textureLoad(frame, id.xy, 0);
  switch (camera.flags & 3u) {
    case 0u: {
      color = vec4(tone_map(color.rgb * exposure.exposure), color.a);
    }
    case 1u: {
      let l = max(luminance(color.rgb), EPSILON);
      color = vec4(color.rgb / l * curve[bin_of(color.rgb)], color.a);
    }
    default: { /* as it is */ }
  }
  textureStore(output, id.xy, color);
}
