// A particle system on the GPU, whole: emission, simulation, compaction, depth sort of what is seen, and drawing.
//
// Dispatches of a frame:  begin_frame -> emit -> simulate -> (sort_seen) -> end_frame
// Draw:                   particle_vertex, particle_fragment, instanced and indirect

// ------------------------------------------------------------------------------------------------- constants, types

const PI: f32 = 3.14159265358979;
const GROUP = 128u;
const SORTED = 512u; // nearest particles that are sorted, the rest is drawn as it comes
const QUAD = array<vec2<f32>, 4>(
    vec2<f32>(-1.0, -1.0), vec2<f32>(1.0, -1.0),
    vec2<f32>(-1.0, 1.0), vec2<f32>(1.0, 1.0),
);

const KIND_SPARK = 0u;
const KIND_SMOKE = 1u;
const KIND_DEBRIS = 2u;
const KIND_RAIN = 3u;

override MAX_PARTICLES: u32 = 1u << 18u;
override SOFTNESS: f32 = 0.25;
@id(7) override COLLISIONS: bool = true;

alias Seed = u32;

struct Particle {
    position: vec3<f32>,
    age: f32,
    velocity: vec3<f32>,
    lifetime: f32,
    color: vec4<f32>,
    size: f32,
    spin: f32,
    kind: u32,
    seed: Seed,
}

struct Emitter {
    origin: vec3<f32>,
    radius: f32,
    direction: vec3<f32>,
    spread: f32,
    color: vec4<f32>,
    rate: u32,
    kind: u32,
    speed: vec2<f32>, // least and greatest
}

struct Plane {
    normal: vec3<f32>,
    offset: f32,
    bounce: f32,
    friction: f32,
}

struct Frame {
    view: mat4x4<f32>,
    projection: mat4x4<f32>,
    eye: vec4<f32>,
    gravity: vec3<f32>,
    delta: f32,
    wind: vec3<f32>,
    time: f32,
    emitter_count: u32,
    plane_count: u32,
    frame: u32,
    near_far: vec2<f32>,
}

struct Counters {
    alive: atomic<u32>,
    alive_before: u32,
    emitted: atomic<u32>,
    killed: atomic<u32>,
    bounds_low: array<atomic<i32>, 3>,
    bounds_high: array<atomic<i32>, 3>,
}

struct DrawIndirect {
    vertex_count: u32,
    instance_count: u32,
    first_vertex: u32,
    first_instance: u32,
}

struct Seen {
    depth: f32,
    index: u32,
}

@group(0) @binding(0) var<uniform> frame: Frame;
@group(0) @binding(1) var<storage, read> emitters: array<Emitter>;
@group(0) @binding(2) var<storage, read> planes: array<Plane>;
@group(0) @binding(3) var<storage, read_write> particles: array<Particle>;
@group(0) @binding(4) var<storage, read_write> survivors: array<Particle>;
@group(0) @binding(5) var<storage, read_write> counters: Counters;
@group(0) @binding(6) var<storage, read_write> draw: DrawIndirect;
@group(0) @binding(7) var<storage, read_write> seen: array<Seen>;

var<workgroup> group_alive: atomic<u32>;
var<workgroup> group_base: u32;
var<workgroup> sort_keys: array<f32, SORTED>;
var<workgroup> sort_indices: array<u32, SORTED>;

// ------------------------------------------------------------------------------------------------------ random, noise

// PCG; the state is advanced in place.
fn random_bits(seed: ptr<function, Seed>) -> u32 {
    let state = *seed * 747796405u + 2891336453u;
    *seed = state;
    let word = ((state >> ((state >> 28u) + 4u)) ^ state) * 277803737u;
    return (word >> 22u) ^ word;
}

fn random(seed: ptr<function, Seed>) -> f32 {
    return f32(random_bits(seed) >> 8u) / 16777216.0;
}

fn random_in_sphere(seed: ptr<function, Seed>) -> vec3<f32> {
    var p: vec3<f32>;
    for (var tries = 0; tries < 8; tries++) {
        p = 2.0 * vec3<f32>(random(seed), random(seed), random(seed)) - 1.0;
        if dot(p, p) <= 1.0 {
            break;
        }
    }
    return p;
}

fn hash3(p: vec3<i32>) -> vec3<f32> {
    var h = vec3<u32>(p) * vec3<u32>(1664525u, 22695477u, 134775813u) + 1013904223u;
    h.x += h.y * h.z;
    h.y += h.z * h.x;
    h.z += h.x * h.y;
    h ^= h >> vec3<u32>(16u);
    return vec3<f32>(h & vec3<u32>(0xffffu)) / 32768.0 - 1.0;
}

fn noise(p: vec3<f32>) -> vec3<f32> {
    let cell = vec3<i32>(floor(p));
    let f = fract(p);
    let w = f * f * (3.0 - 2.0 * f);
    var sum = vec3<f32>();
    for (var corner = 0u; corner < 8u; corner++) {
        let o = vec3<u32>(corner, corner >> 1u, corner >> 2u) & vec3<u32>(1u);
        let weight = mix(1.0 - w, w, vec3<f32>(o));
        sum += weight.x * weight.y * weight.z * hash3(cell + vec3<i32>(o));
    }
    return sum;
}

// --------------------------------------------------------------------------------------------------------- simulation

fn forces(p: ptr<function, Particle>) -> vec3<f32> {
    switch (*p).kind {
        case KIND_SMOKE: {
            let turbulence = noise((*p).position * 0.5 + vec3<f32>(0.0, frame.time, 0.0));
            return -0.1 * frame.gravity + frame.wind + 2.0 * turbulence;
        }
        case KIND_RAIN: {
            return frame.gravity + 0.5 * frame.wind;
        }
        case KIND_SPARK, KIND_DEBRIS, default: {
            return frame.gravity;
        }
    }
}

fn collide(p: ptr<function, Particle>, plane: Plane) -> bool {
    let distance = dot((*p).position, plane.normal) - plane.offset;
    let speed = dot((*p).velocity, plane.normal);
    if distance > (*p).size || speed >= 0.0 {
        return false;
    }
    let into = speed * plane.normal;
    let along = (*p).velocity - into;
    (*p).velocity = along * (1.0 - plane.friction) - into * plane.bounce;
    (*p).position += ((*p).size - distance) * plane.normal;
    return true;
}

// Moves a particle; false when its life is over.
fn advance(p: ptr<function, Particle>) -> bool {
    (*p).age += frame.delta;
    if (*p).age >= (*p).lifetime {
        return false;
    }
    (*p).velocity += forces(p) * frame.delta;
    (*p).position += (*p).velocity * frame.delta;
    if !COLLISIONS {
        return true;
    }
    for (var i = 0u; i < frame.plane_count; i++) {
        let hit = collide(p, planes[i]);
        if !hit {
            continue;
        }
        if (*p).kind == KIND_RAIN {
            return false;
        }
        (*p).spin *= 0.5;
    }
    return true;
}

fn grow_bounds(position: vec3<f32>) {
    let low = vec3<i32>(floor(position * 16.0));
    let high = vec3<i32>(ceil(position * 16.0));
    for (var axis = 0; axis < 3; axis++) {
        atomicMin(&counters.bounds_low[axis], low[axis]);
        atomicMax(&counters.bounds_high[axis], high[axis]);
    }
}

fn spawn(emitter: ptr<storage, Emitter>, seed: Seed) -> Particle {
    var state = seed;
    var p = Particle();
    p.kind = emitter.kind;
    p.position = emitter.origin + emitter.radius * random_in_sphere(&state);
    let direction = normalize(emitter.direction + emitter.spread * random_in_sphere(&state));
    p.velocity = direction * mix(emitter.speed.x, emitter.speed.y, random(&state));
    p.color = emitter.color;
    p.lifetime = 1.0 + 4.0 * random(&state);
    p.size = select(0.02, 0.5, p.kind == KIND_SMOKE) * (0.5 + random(&state));
    p.spin = (random(&state) - 0.5) * PI;
    p.seed = state;
    return p;
}

// Keeps the living ones of a workgroup together: one atomic on the global counter for each workgroup.
fn append(thread: u32, keep: bool, p: Particle) {
    if thread == 0u {
        atomicStore(&group_alive, 0u);
    }
    workgroupBarrier();
    var slot = 0u;
    if keep {
        slot = atomicAdd(&group_alive, 1u);
    }
    workgroupBarrier();
    if thread == 0u {
        group_base = atomicAdd(&counters.alive, atomicLoad(&group_alive));
    }
    let base = workgroupUniformLoad(&group_base);
    if base >= MAX_PARTICLES {
        return;
    }
    if keep && base + slot < MAX_PARTICLES {
        survivors[base + slot] = p;
    }
}

@compute @workgroup_size(1)
fn begin_frame() {
    counters.alive_before = atomicExchange(&counters.alive, 0u);
    atomicStore(&counters.emitted, 0u);
    atomicStore(&counters.killed, 0u);
    for (var axis = 0; axis < 3; axis++) {
        atomicStore(&counters.bounds_low[axis], 0x7fffffff);
        atomicStore(&counters.bounds_high[axis], -0x7fffffff);
    }
}

@compute @workgroup_size(GROUP)
fn emit(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
    @builtin(global_invocation_id) id: vec3<u32>,
) {
    // One row of workgroups for each emitter.
    if group.y >= min(frame.emitter_count, arrayLength(&emitters)) {
        return;
    }
    let emitter = &emitters[group.y];
    let wanted = id.x < emitter.rate;
    var seed = (id.x * 9781u + group.y * 6271u) ^ (frame.frame * 26699u);
    _ = random_bits(&seed);
    let p = spawn(emitter, seed);
    append(thread, wanted, p);
    if wanted {
        atomicAdd(&counters.emitted, 1u);
    }
}

@compute @workgroup_size(GROUP)
fn simulate(
    @builtin(local_invocation_index) thread: u32,
    @builtin(global_invocation_id) id: vec3<u32>,
) {
    var p: Particle;
    var alive = id.x < counters.alive_before;
    if alive {
        p = particles[id.x];
        alive = advance(&p);
        if alive {
            grow_bounds(p.position);
        } else {
            atomicAdd(&counters.killed, 1u);
        }
    }
    append(thread, alive, p);
}

// Far to near, for blending. One workgroup sorts SORTED entries: four for each thread.
@compute @workgroup_size(GROUP)
fn sort_seen(@builtin(local_invocation_index) thread: u32) {
    for (var i = thread; i < SORTED; i += GROUP) {
        let entry = seen[i];
        sort_keys[i] = -entry.depth;
        sort_indices[i] = entry.index;
    }
    for (var block = 2u; block <= SORTED; block <<= 1u) {
        for (var distance = block >> 1u; distance > 0u; distance >>= 1u) {
            workgroupBarrier();
            for (var i = thread; i < SORTED; i += GROUP) {
                let j = i ^ distance;
                if j <= i { continue; }
                let up = (i & block) == 0u;
                let swap = (sort_keys[i] > sort_keys[j]) == up;
                if swap {
                    let key = sort_keys[i];
                    sort_keys[i] = sort_keys[j];
                    sort_keys[j] = key;
                    let index = sort_indices[i];
                    sort_indices[i] = sort_indices[j];
                    sort_indices[j] = index;
                }
            }
        }
    }
    workgroupBarrier();
    for (var i = thread; i < SORTED; i += GROUP) {
        seen[i] = Seen(-sort_keys[i], sort_indices[i]);
    }
}

@compute @workgroup_size(1)
fn end_frame() {
    draw = DrawIndirect(4u, min(atomicLoad(&counters.alive), MAX_PARTICLES), 0u, 0u);
}

// ------------------------------------------------------------------------------------------------------------ drawing

struct Varyings {
    @builtin(position) clip: vec4<f32>,
    @location(0) uv: vec2<f32>,
    @location(1) color: vec4<f32>,
    @location(2) depth: f32,
    @location(3) @interpolate(flat, either) kind: u32,
}

struct Target {
    @location(0) color: vec4<f32>,
    @location(1) velocity: vec2<f32>,
    @builtin(frag_depth) depth: f32,
}

@group(1) @binding(0) var<storage, read> drawn: array<Particle>;
@group(1) @binding(1) var atlas: texture_2d_array<f32>;
@group(1) @binding(2) var smooth_sampler: sampler;
@group(1) @binding(3) var scene_depth: texture_depth_2d;
@group(1) @binding(4) var ramp: texture_1d<f32>;

@vertex
fn particle_vertex(
    @builtin(vertex_index) corner: u32,
    @builtin(instance_index) instance: u32,
    @location(0) tint: vec4<f32>,
) -> Varyings {
    let p = &drawn[instance];
    let life = (*p).age / max((*p).lifetime, 0.001);
    let angle = (*p).spin * (*p).age;
    let turn = mat2x2<f32>(cos(angle), sin(angle), -sin(angle), cos(angle));
    let offset = turn * QUAD[corner] * (*p).size * (1.0 + life);
    var view = frame.view * vec4<f32>((*p).position, 1.0);
    view = vec4<f32>(view.xy + offset, view.zw);

    var out: Varyings;
    out.clip = frame.projection * view;
    out.uv = QUAD[corner] * 0.5 + 0.5;
    out.color = (*p).color * tint;
    out.color.a *= 1.0 - life;
    out.depth = -view.z;
    out.kind = (*p).kind;
    return out;
}

fn linear_depth(d: f32) -> f32 {
    let near = frame.near_far.x;
    let far = frame.near_far.y;
    return near * far / (far - d * (far - near));
}

fn soft_edge(pixel: vec2<f32>, depth: f32) -> f32 {
    let behind = linear_depth(textureLoad(scene_depth, vec2<i32>(pixel), 0));
    return smoothstep(0.0, SOFTNESS, behind - depth);
}

fn sprite(uv: vec2<f32>, kind: u32) -> vec4<f32> {
    return textureSample(atlas, smooth_sampler, uv, kind);
}

@fragment
fn particle_fragment(in: Varyings, @builtin(front_facing) front: bool) -> Target {
    var texel = sprite(in.uv, in.kind);
    let motion = vec2<f32>(dpdx(in.depth), dpdyCoarse(in.depth));
    switch in.kind {
        case KIND_SPARK: {
            let heat = saturate(in.color.a * 2.0);
            texel *= textureSampleLevel(ramp, smooth_sampler, heat, 0.0);
        }
        case KIND_SMOKE: {
            texel.a *= soft_edge(in.clip.xy, in.depth);
        }
        default: {
            if texel.a < 0.5 || !front { discard; }
            texel.a = 1.0;
        }
    }
    return Target(texel * in.color, motion, in.clip.z);
}
