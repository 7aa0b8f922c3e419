@compute @workgroup_size(2)
fn main() {
    var v = true;
    var x = 7u;
    x = x % u32(false && v);
    workgroupBarrier();
}
