var<workgroup> w: u32;
var<private> unknown: u32;

fn f(p: ptr<function, u32>) -> u32 {
    if (unknown == 0u) {
        *p = 0u;
    }
    return 0u;
}

@compute @workgroup_size(2)
fn main() {
    var x = 0u;
    for (; x + f(&x) == 0u;) {
        _ = workgroupUniformLoad(&w);
        break;
    }
}
