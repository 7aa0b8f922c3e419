@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
  ;
  if (lid == 0u) {
    ;
    return;
    ;
  }
  ;
  workgroupBarrier();
}
