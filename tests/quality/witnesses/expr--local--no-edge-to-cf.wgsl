// paper: rejects
// kills: expr/local/no-edge-to-cf
// kills: if/line-1/condition-under-CfStart
// kills: expr/local/no-edge-to-cf-but-assignments-have-one

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
  var x: bool;
  if (0u == lid) {
    if (x) {
      workgroupBarrier();
    }
  }
}
