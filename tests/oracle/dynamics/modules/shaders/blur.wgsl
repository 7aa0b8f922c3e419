// A box blur: a tile of the image with its border in workgroup memory; what is outside the image returns.
@group(0) @binding(0) var image: texture_2d<f32>;
@group(0) @binding(1) var result: texture_storage_2d<rgba8unorm, write>;
@group(0) @binding(2) var<uniform> flip: u32;

const SIDE = 16;
const RADIUS = 2;
const INNER = SIDE - 2 * RADIUS;

var<workgroup> tile: array<array<vec4f, SIDE>, SIDE>;

@compute @workgroup_size(SIDE, SIDE, 1)
fn blur(@builtin(local_invocation_id) local: vec3u, @builtin(workgroup_id) group: vec3u) {
  let extent = vec2i(textureDimensions(image));
  let here = vec2i(group.xy) * INNER + vec2i(local.xy) - RADIUS;
  if (any(here < vec2i(0)) || any(here >= extent)) {
    return;
  }
  tile[local.y][local.x] = textureLoad(image, here, 0);
  workgroupBarrier();
  let inside = all(local.xy >= vec2u(u32(RADIUS))) && all(local.xy < vec2u(u32(SIDE - RADIUS)));
  if (inside) {
    var sum = vec4f(0.0);
    for (var dy = -RADIUS; dy <= RADIUS; dy++) {
      for (var dx = -RADIUS; dx <= RADIUS; dx++) {
        sum += tile[u32(i32(local.y) + dy)][u32(i32(local.x) + dx)];
      }
    }
    let at = select(here, here.yx, flip != 0u);
    textureStore(result, at, sum / 25.0);
  }
}
