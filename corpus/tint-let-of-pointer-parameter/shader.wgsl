var<workgroup> shared_word: u32;

fn f(p: ptr<workgroup, u32>) {
    let q = p;
    *p = 1u;
    if (*q == 0u) {
        workgroupBarrier();
    }
    *p = 0u;
}

@compute @workgroup_size(2)
fn main() {
    f(&shared_word);
}
