@group(0) @binding(0) var<uniform> mode: u32;
@group(0) @binding(1) var image: texture_storage_2d<r32uint, read_write>;

@compute @workgroup_size(64)
fn main() {
  let texel = textureLoad(image, vec2u());
  var level = 0u;
  if texel.x > 7u {
    level = 1u;
  } else if mode == 2u {
    level = 2u;
  }
  for (var i = 0u; i < level; i++) {
    workgroupBarrier();
  }
}
