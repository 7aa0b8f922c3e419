enable chromium_experimental_subgroup_matrix;

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
  var m = subgroup_matrix_left<f32, 8, 8>();
  @diagnostic(off, chromium.subgroup_matrix_uniformity) {
    m = subgroup_matrix_left<f32, 8, 8>(f32(lid));
  }
  _ = subgroupMatrixMultiply<f32>(m, subgroup_matrix_right<f32, 8, 8>());
}
