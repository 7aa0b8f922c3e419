// A recurrent layer: each token is mixed with the one before it; z is the batch, y the head.
struct Layer { tokens: u32, heads: u32, batches: u32 }

@group(0) @binding(0) var<uniform> layer: Layer;
@group(0) @binding(1) var<storage, read> weights: array<vec4f>;
@group(0) @binding(2) var<storage, read> x: array<vec4f>;
@group(0) @binding(3) var<storage, read_write> state: array<vec4f>;
@group(0) @binding(4) var<storage, read_write> out: array<vec4f>;

const WIDTH: u32 = 128u;
var<workgroup> keys: array<vec4f, WIDTH>;

fn is_inside(id: vec3u) -> bool {
    return id.y < layer.heads && id.z < layer.batches;
}

@compute @workgroup_size(WIDTH, 1, 1)
fn main(@builtin(global_invocation_id) gid: vec3u, @builtin(local_invocation_index) index: u32) {
    var id = gid;
    if !is_inside(id) {
        return;
    }
    id.x = index;
    let head = (id.z * layer.heads + id.y) * WIDTH;
    var before = state[head + id.x];
    for (var t = 0u; t < layer.tokens; t += 1u) {
        let now = x[t * layer.batches * layer.heads * WIDTH + head + id.x];
        keys[index] = mix(before, now, mix_of(id.y, index));
        workgroupBarrier();
        var sum = vec4f();
        for (var i = 0u; i < WIDTH; i++) {
            sum += keys[i] * now;
        }
        out[t * layer.batches * layer.heads * WIDTH + head + id.x] = sum;
        before = now;
        workgroupBarrier();
    }
    state[head + id.x] = before;
}

fn mix_of(head: u32, index: u32) -> vec4f {
    return weights[head * WIDTH + index];
}
