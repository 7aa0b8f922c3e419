// One row of scores in each workgroup: its maximum, then the sum of exponentials, then the quotients.
override rows_in_workgroup: u32 = 1u;

@group(0) @binding(0) var<uniform> shape: vec2u;
@group(0) @binding(1) var<storage, read_write> scores: array<f32>;

var<workgroup> found: array<f32, 128>;
var<workgroup> whole: f32;

fn largest(thread: u32) -> f32 {
    workgroupBarrier();
    for (var step = 64u; step > 0u; step = step / 2u) {
        if thread < step {
            found[thread] = max(found[thread], found[thread + step]);
        }
        workgroupBarrier();
    }
    if thread == 0u {
        whole = found[0];
    }
    return workgroupUniformLoad(&whole);
}

@compute @workgroup_size(128, rows_in_workgroup)
fn main(@builtin(local_invocation_id) lid: vec3<u32>, @builtin(global_invocation_id) gid: vec3<u32>) {
    let width = shape.x;
    let at = vec2<u32>(gid.xy);
    let row = at.y;
    if (row >= shape.y) {
        return;
    }
    var most = -3.4e38;
    for (var i = lid.x; i < width; i += 128u) {
        most = max(most, scores[row * width + i]);
    }
    found[lid.x] = most;
    let maximum = largest(lid.x);
    if (maximum < -3.3e38) {
        return;
    }
    var sum = 0.0;
    for (var i = lid.x; i < width; i += 128u) {
        sum += exp(scores[row * width + i] - maximum);
    }
    found[lid.x] = sum;
    workgroupBarrier();
    for (var step = 64u; step > 0u; step = step / 2u) {
        if (lid.x < step) {
            found[lid.x] += found[lid.x + step];
        }
        workgroupBarrier();
    }
    for (var i = lid.x; i < width; i += 128u) {
        scores[row * width + i] = exp(scores[row * width + i] - maximum) / found[0];
    }
}
