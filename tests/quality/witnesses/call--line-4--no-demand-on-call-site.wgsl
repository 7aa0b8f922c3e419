// paper: rejects
// kills: call/line-4/no-demand-on-call-site
// kills: call/line-4/call-site-at-CfStart
// kills: func/line-5/body-under-fresh-control-flow
// kills: func/line-6/never
// kills: call/line-4/no-demand-on-call-site-but-with-arguments

fn f() -> bool {
  workgroupBarrier();
  return false;
}

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
  var x: bool;
  if (0u < lid) {
    x = f();
  }
}
