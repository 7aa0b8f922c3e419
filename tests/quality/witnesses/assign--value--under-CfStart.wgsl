// paper: rejects
// kills: assign/value/under-CfStart
// kills: if/line-6/edges-dropped
// kills: expr/literal/no-edge-to-cf-but-conditions-have-one

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
  var x: u32;
  if (lid == 0u) {
    x = 0u;
  }
  if (x == 0u) {
    workgroupBarrier();
  }
}
