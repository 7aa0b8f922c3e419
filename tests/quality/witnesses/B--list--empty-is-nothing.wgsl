// paper: rejects
// kills: B/list/empty-is-nothing
// kills: B/return/is-next
// kills: B/if/then-lost
// kills: B/if/else-lost
// kills: B/if/both-branches-must
// kills: list/head/control-flow-not-threaded
// kills: list/tail/live-not-analysed
// kills: if/line-8/always
// kills: if/line-8/if-it-may-end
// kills: if/line-8/not-if-it-returns

var<workgroup> A: array<bool, 1>;

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
  if (A[0u]) {
    return;
  }
  workgroupBarrier();
}
