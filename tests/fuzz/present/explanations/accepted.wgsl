var<workgroup> tile: array<vec4f, 64>;
var<private> calls: u32;

fn load(p: ptr<workgroup, array<vec4f, 64>>, i: u32) -> vec4f {
  return (*p)[i];
}

fn scale(v: ptr<function, vec4f>, by: f32) {
  *v *= by;
}

fn next() -> u32 {
  calls++;
  return calls;
}

fn reduce(v: ptr<function, vec4f>, width: u32, lane: u32) -> f32 {
  for (var w = width; w > 0u; w >>= 1u) {
    tile[lane] = *v;
    workgroupBarrier();
    *v = tile[lane ^ w];
  }
  return f32(width);
}

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) lane: u32) {
  var v = load(&tile, lane);
  scale(&v, reduce(&v, 32u, lane) + f32(next()));
  tile[lane] = v;
}
