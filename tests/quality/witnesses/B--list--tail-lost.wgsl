// paper: rejects
// kills: B/list/tail-lost

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
  var x: bool;
  if (0u >= lid) {
    x = false;
    return;
  }
  workgroupBarrier();
}
