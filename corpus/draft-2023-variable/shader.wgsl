@group(0) @binding(0) var<storage, read_write> a: array<i32, 1>;

@compute @workgroup_size(2)
fn main() {
  var x: i32;
  x = a[0];
  if (x > 0i) {
    workgroupBarrier();
  }
  x = 1i;
  if (x < 0i) {
    storageBarrier();
  }
}
