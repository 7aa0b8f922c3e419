// paper: rejects
// kills: expr/local/no-edge-to-cf-but-conditions-have-one

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
  var x: u32;
  var y: u32;
  if (lid == 0u) {
    x = y;
  }
  if (x == 0u) {
    workgroupBarrier();
  }
}
