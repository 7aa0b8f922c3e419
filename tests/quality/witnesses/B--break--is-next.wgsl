// paper: rejects
// kills: B/break/is-next
// kills: B/continue/is-next
// kills: if/line-8/not-if-it-breaks
// kills: loop/line-6/never-fresh
// kills: loop/line-7/body-under-cf
// kills: loop/line-8/never-analysed
// kills: loop/line-8/under-cf
// kills: 10a
// kills: loop/line-9/no-edge-to-end
// kills: loop/line-9/edge-to-body-end
// kills: loop/line-9/no-edge-to-end-but-with-a-break-in-the-body

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
  loop {
    continue;
    continuing {
      workgroupBarrier();
      break if lid != 0u;
    }
  }
}
