// paper: rejects
// kills: expr/lid/is-uniform
// kills: expr/binary/no-edge-to-right
// kills: barrier/edge/dropped
// kills: barrier/edge/to-CfStart
// kills: if/line-3/else-under-cf
// kills: func/line-11/never
// kills: shader/functions/main-not-analysed
// kills: barrier/edge/dropped-but-not-directly-in-then

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
  if (0u <= lid) {
  } else {
    workgroupBarrier();
  }
}
