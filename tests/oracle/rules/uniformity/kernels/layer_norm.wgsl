// Each workgroup normalises one row: sums of all its threads are added in a tree.
struct Shape { rows: u32, width: u32, epsilon: f32 }
struct Ids {
    @builtin(global_invocation_id) global: vec3<u32>,
    @builtin(local_invocation_id) local: vec3<u32>,
}

@group(0) @binding(0) var<uniform> shape: Shape;
@group(0) @binding(1) var<storage, read> weight: array<f32>;
@group(0) @binding(2) var<storage, read> bias: array<f32>;
@group(0) @binding(3) var<storage, read_write> x: array<f32>;

var<workgroup> sums: array<vec2f, 128>;

fn add_all(thread: u32) {
    for (var step = 64u; step > 0u; step >>= 1u) {
        workgroupBarrier();
        if thread < step {
            sums[thread] += sums[thread + step];
        }
    }
    workgroupBarrier();
}

@compute @workgroup_size(128, 1, 1)
fn main(ids: Ids) {
    let row = ids.global.y;
    let thread = ids.local.x;
    if row < shape.rows {
        let first = row * shape.width;
        var sum = vec2f();
        for (var i = thread; i < shape.width; i += 128u) {
            let value = x[first + i];
            sum += vec2f(value, value * value);
        }
        sums[thread] = sum;
        add_all(thread);
        let mean = sums[0].x / f32(shape.width);
        let deviation = inverseSqrt(sums[0].y / f32(shape.width) - mean * mean + shape.epsilon);
        for (var i = thread; i < shape.width; i += 128u) {
            x[first + i] = (x[first + i] - mean) * deviation * weight[i] + bias[i];
        }
    }
}
