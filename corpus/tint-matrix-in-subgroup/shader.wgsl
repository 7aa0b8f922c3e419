enable chromium_experimental_subgroup_matrix;

@compute @workgroup_size(64)
fn main(@builtin(subgroup_id) subgroup: u32) {
  if subgroup == 0u {
    _ = subgroup_matrix_left<f32, 8, 8>();
  }
}
