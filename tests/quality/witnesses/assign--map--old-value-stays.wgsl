// paper: accepts
// kills: assign/map/old-value-stays

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
  var x: u32;
  x = lid;
  x = 0u;
  if (x == 0u) {
    workgroupBarrier();
  }
}
