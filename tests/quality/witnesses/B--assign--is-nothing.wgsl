// paper: rejects
// kills: B/assign/is-nothing
// kills: expr/local/no-edge-to-variable
// kills: list/head/variables-not-threaded
// kills: assign/map/not-updated

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
  var x: bool;
  x = 0u < lid;
  if (x) {
    workgroupBarrier();
  }
}
