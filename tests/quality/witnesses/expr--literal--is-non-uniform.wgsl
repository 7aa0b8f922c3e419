// paper: accepts
// kills: expr/literal/is-non-uniform
// kills: func/line-3/locals-non-uniform

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
  var x: u32;
  if (0u != x) {
    workgroupBarrier();
  }
}
