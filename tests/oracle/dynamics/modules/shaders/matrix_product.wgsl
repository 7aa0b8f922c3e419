// Tiled matrix multiplication; the bounds check returns before the barriers.
struct Dimensions {
  rows: u32,
  inner: u32,
  columns: u32,
}

@group(0) @binding(0) var<uniform> size: Dimensions;
@group(0) @binding(1) var<storage, read> left: array<f32>;
@group(0) @binding(2) var<storage, read> right: array<f32>;
@group(0) @binding(3) var<storage, read_write> product: array<f32>;

const TILE = 16u;

var<workgroup> tile_left: array<array<f32, TILE>, TILE>;
var<workgroup> tile_right: array<array<f32, TILE>, TILE>;

@compute @workgroup_size(TILE, TILE)
fn main(@builtin(global_invocation_id) gid: vec3u, @builtin(local_invocation_id) lid: vec3u) {
  let row = gid.y;
  let column = gid.x;
  if (row >= size.rows || column >= size.columns) {
    return;
  }
  var sum = 0.0;
  let tiles = (size.inner + TILE - 1u) / TILE;
  for (var t = 0u; t < tiles; t++) {
    let across = t * TILE + lid.x;
    let down = t * TILE + lid.y;
    tile_left[lid.y][lid.x] = select(0.0, left[row * size.inner + across], across < size.inner);
    tile_right[lid.y][lid.x] = select(0.0, right[down * size.columns + column], down < size.inner);
    workgroupBarrier();
    for (var k = 0u; k < TILE; k++) {
      sum += tile_left[lid.y][k] * tile_right[k][lid.x];
    }
    workgroupBarrier();
  }
  product[row * size.columns + column] = sum;
}
