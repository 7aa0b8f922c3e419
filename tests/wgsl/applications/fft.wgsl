// Two-dimensional FFT for ocean waves: rows, then columns, radix 4 with a radix 2 step at the end of odd powers.
// One workgroup transforms one line in shared memory. Complex numbers are vec2f; two signals travel in a vec4f.

const LOG_SIZE_MAX = 10u;
const SIZE_MAX = 1u << LOG_SIZE_MAX;
const TAU = 6.283185307179586;
const G = 9.81;

override LOG_SIZE: u32 = 9u;
override SIZE = 1u << LOG_SIZE;
override THREADS = SIZE / 4u;

// Sines of the first multiples of TAU / 16, for the self-test.
const SINES = array(0.0, 0.3826834323650898, 0.7071067811865476, 0.9238795325112867);
const ROTATIONS = array<vec2f, 4>(vec2f(1, 0), vec2f(0, -1), vec2f(-1, 0), vec2f(0, 1));

alias Complex = vec2f;
alias Signals = vec4f;
alias Radix4 = array<Signals, 4>;

struct Waves {
    time: f32,
    patch_length: f32,
    depth: f32,
    choppiness: f32,
    direction: i32, // 1: forward, -1: inverse
    normalised: u32,
}

@group(0) @binding(0) var<uniform> waves: Waves;
@group(0) @binding(1) var spectrum: texture_2d<f32>;
@group(0) @binding(2) var<storage, read_write> signals: array<Signals>;
@group(0) @binding(3) var displacement: texture_storage_2d<rgba16float, write>;

var<workgroup> line: array<Signals, SIZE_MAX>;

fn times(a: Complex, b: Complex) -> Complex {
    return vec2f(a.x * b.x - a.y * b.y, dot(a, b.yx));
}

fn times_both(a: Complex, s: Signals) -> Signals {
    return vec4f(times(a, s.xy), times(a, s.zw));
}

fn conjugate(a: Complex) -> Complex { return a * vec2f(1, -1); }

fn expi(angle: f32) -> Complex {
    return vec2f(cos(angle), sin(angle));
}

/* A quarter turn of both signals, exactly. */
fn turn(s: Signals, quarter: u32, direction: i32) -> Signals {
    var r = ROTATIONS[quarter & 3u];
    if direction < 0 { r = conjugate(r); }
    return times_both(r, s);
}

fn butterfly4(v: ptr<function, Radix4>, direction: i32) {
    let a = v[0] + v[2];
    let b = v[0] - v[2];
    let c = v[1] + v[3];
    let d = turn(v[1] - v[3], 1u, direction);
    *v = Radix4(a + c, b + d, a - c, b - d);
}

fn butterfly2(v: ptr<function, Radix4>) {
    let a = (*v)[0];
    let b = (*v)[1];
    let c = (*v)[2];
    let d = (*v)[3];
    (*v)[0] = a + c;
    (*v)[1] = b + d;
    (*v)[2] = a - c;
    (*v)[3] = b - d;
}

fn twiddle(v: ptr<function, Radix4>, angle: f32) {
    var w = expi(angle);
    let step = w;
    for (var i = 1; i < 4; i++) {
        (*v)[i] = times_both(w, (*v)[i]);
        w = times(w, step);
    }
}

fn read_line(thread: u32, v: ptr<function, Radix4>) {
    for (var i = 0u; i < 4u; i++) {
        v[i] = line[thread + i * THREADS];
    }
}

// Where thread `thread` puts its outputs in the Stockham order, after `stride` interleaved transforms.
fn write_line(thread: u32, stride: u32, v: ptr<function, Radix4>) {
    let low = thread & (stride - 1u);
    let base = ((thread - low) << 2u) | low;
    for (var i = 0u; i < 4u; i++) {
        line[base + i * stride] = (*v)[i];
    }
}

fn radix4_pass(thread: u32, stride: u32, direction: i32) {
    var v: Radix4;
    read_line(thread, &v);
    workgroupBarrier();
    let angle = -f32(direction) * TAU * f32(thread & (stride - 1u)) / f32(stride * 4u);
    twiddle(&v, angle);
    butterfly4(&v, direction);
    write_line(thread, stride, &v);
    workgroupBarrier();
}

fn radix2_pass(thread: u32, direction: i32) {
    var v: Radix4;
    read_line(thread, &v);
    workgroupBarrier();
    for (var i = 0u; i < 2u; i++) {
        let angle = -f32(direction) * TAU * f32(thread + i * THREADS) / f32(SIZE);
        v[i + 2u] = times_both(expi(angle), v[i + 2u]);
    }
    butterfly2(&v);
    for (var i = 0u; i < 4u; i++) {
        line[thread + i * THREADS] = v[i];
    }
    workgroupBarrier();
}

fn transform_line(thread: u32, direction: i32) {
    var stride = 1u;
    var left = LOG_SIZE;
    while left >= 2u {
        radix4_pass(thread, stride, direction);
        stride <<= 2u;
        left -= 2u;
    }
    if left == 1u {
        radix2_pass(thread, direction);
    }
}

fn address(line_index: u32, i: u32, columns: bool) -> u32 {
    return select(line_index * SIZE + i, i * SIZE + line_index, columns);
}

fn transform(thread: u32, line_index: u32, columns: bool) {
    for (var i = thread; i < SIZE; i += THREADS) {
        line[i] = signals[address(line_index, i, columns)];
    }
    workgroupBarrier();
    transform_line(thread, waves.direction);

    var scale = 1.0;
    if waves.normalised != 0u {
        scale /= f32(SIZE);
    }
    for (var i = thread; i < SIZE; i += THREADS) {
        signals[address(line_index, i, columns)] = scale * line[i];
    }
}

fn dispersion(k: f32) -> f32 {
    return sqrt(G * k * tanh(min(k * waves.depth, 20.0)));
}

// The spectrum at this time: height in xy, slope in zw.
@compute @workgroup_size(16, 16)
fn advance(@builtin(global_invocation_id) id: vec3u) {
    if any(id.xy >= vec2u(SIZE)) { return; }
    let centred = vec2f(vec2i(id.xy) - vec2i(i32(SIZE / 2u)));
    let k = TAU * centred / waves.patch_length;
    let h = textureLoad(spectrum, id.xy, 0);
    let phase = expi(dispersion(length(k)) * waves.time);
    let height = times(h.xy, phase) + times(h.zw, conjugate(phase));
    let slope = times(vec2f(0, k.x), height) - k.y * height;
    signals[id.y * SIZE + id.x] = vec4f(height, slope);
}

@compute @workgroup_size(THREADS)
fn transform_rows(@builtin(local_invocation_index) thread: u32, @builtin(workgroup_id) group: vec3u) {
    transform(thread, group.x, false);
}

@compute @workgroup_size(THREADS)
fn transform_columns(@builtin(local_invocation_index) thread: u32, @builtin(workgroup_id) group: vec3u) {
    transform(thread, group.x, true);
}

@compute @workgroup_size(16, 16)
fn displace(@builtin(global_invocation_id) id: vec3u) {
    let size = textureDimensions(displacement);
    if (id.x >= size.x || id.y >= size.y) { return; }
    let s = signals[id.y * SIZE + id.x];
    // (-1)^(x + y) shifts the spectrum's centre.
    let sign = select(1.0, -1.0, ((id.x ^ id.y) & 1u) == 1u);
    let chop = waves.choppiness * s.zw;
    textureStore(displacement, id.xy, sign * vec4f(chop.x, s.x, chop.y, 0));
}

@compute @workgroup_size(4)
fn self_test(@builtin(local_invocation_index) thread: u32) {
    const STEP = TAU / 16;
    let drift = abs(expi(f32(thread) * STEP).y - SINES[thread]);
    signals[thread] = vec4f(drift, step(1e-6, drift), 0, 0);
}
