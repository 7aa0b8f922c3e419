struct Job { count: u32, first: u32 }

fn step(count: u32) {
  if count > 4u {
    workgroupBarrier();
  }
}

fn run(job: ptr<function, Job>) {
  step((*job).count);
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  var job = Job(8u, 0u);
  let first = &job.first;
  *first = id.x;
  run(&job);
}
