var<workgroup> shared_word: u32;

fn f(p: ptr<function, u32>) -> u32 {
    *p = shared_word;
    return 0u;
}

@compute @workgroup_size(2)
fn main() {
    var x = 0u;
    if (array<u32, 2>(x, 1u)[f(&x)] == 0u) {
        workgroupBarrier();
    }
}
