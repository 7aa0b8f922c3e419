enable chromium_experimental_subgroup_matrix;

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
  let m = subgroup_matrix_left<f32, 8, 8>();
  if lid == 0u {
    let copies = array(m, m);
  }
}
