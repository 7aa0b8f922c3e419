// paper: rejects
// kills: expr/convert/no-edge-to-operand

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
  if (bool(lid)) {
    workgroupBarrier();
  }
}
