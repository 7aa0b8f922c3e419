@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
  var x: u32;
  var y: u32;
  y = ~(0u);
  x = 0u << y;
  workgroupBarrier();
}
