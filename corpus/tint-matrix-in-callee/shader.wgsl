enable chromium_experimental_subgroup_matrix;

fn f() {
    var m: subgroup_matrix_left<f32, 8, 8>;
}

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
    if (lid == 0u) {
        f();
    }
}
