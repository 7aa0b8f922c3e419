// paper: rejects
// kills: expr/unary/no-edge-to-operand

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
  if (!(0u != lid)) {
    workgroupBarrier();
  }
}
