// Statistics of a large array of floats in two dispatches: sum, minimum, maximum and variance.
// Subgroup operations do the work; shared memory only carries one value for each subgroup.

enable subgroups;

requires subgroup_id, subgroup_uniformity;

// Subgroups have at least 4 invocations, so 256 threads are at most 64 subgroups.
const MAX_SUBGROUPS = 64u;
const WORKGROUP_SIZE = 256u;
const ITEMS: u32 = 8;
const LARGEST = 3.40282e38f;

struct Moments {
    sum: f32,
    sum_of_squares: f32,
    smallest: f32,
    largest: f32,
    count: u32,
}

struct Settings {
    length: u32,
    stride: u32,
    partial_count: u32,
    // 0: everything, 1: sums only, 2: bounds only
    mode: u32,
}

@group(0) @binding(0) var<storage, read> values: array<f32>;
@group(0) @binding(1) var<uniform> settings: Settings;
@group(0) @binding(2) var<storage, read_write> partials: array<Moments>;
@group(0) @binding(3) var<storage, read_write> total: Moments;

var<workgroup> shared_moments: array<Moments, MAX_SUBGROUPS>;
var<workgroup> finished: atomic<u32>;

fn empty_moments() -> Moments {
    return Moments(0, 0, LARGEST, -LARGEST, 0);
}

fn accumulate(m: ptr<function, Moments>, x: f32) {
    m.sum += x;
    m.sum_of_squares = fma(x, x, m.sum_of_squares);
    m.smallest = min(m.smallest, x);
    m.largest = max(m.largest, x);
    m.count++;
}

fn merge(into: ptr<function, Moments>, other: Moments) {
    (*into).sum += other.sum;
    (*into).sum_of_squares += other.sum_of_squares;
    (*into).smallest = min((*into).smallest, other.smallest);
    (*into).largest = max((*into).largest, other.largest);
    (*into).count += other.count;
}

fn reduce_sums(m: Moments) -> Moments {
    var r = m;
    r.sum = subgroupAdd(m.sum);
    r.sum_of_squares = subgroupAdd(m.sum_of_squares);
    r.count = subgroupAdd(m.count);
    return r;
}

fn reduce_bounds(m: Moments) -> Moments {
    return Moments(m.sum, m.sum_of_squares, subgroupMin(m.smallest), subgroupMax(m.largest), m.count);
}

fn reduce_subgroup(m: Moments) -> Moments {
    switch settings.mode {
        case 1 { return reduce_sums(m); }
        case 2 { return reduce_bounds(m); }
        default { return reduce_bounds(reduce_sums(m)); }
    }
}

// One Moments for each subgroup goes through shared memory; the first subgroup folds them.
fn reduce_workgroup(m: Moments, subgroup: u32, lane: u32, subgroup_size: u32, subgroups: u32) -> Moments {
    let own = reduce_subgroup(m);
    if subgroupElect() {
        shared_moments[subgroup] = own;
    }
    workgroupBarrier();

    var folded = own;
    if subgroup == 0 {
        folded = empty_moments();
        for (var i = lane; i < subgroups; i += subgroup_size) {
            merge(&folded, shared_moments[i]);
        }
        folded = reduce_subgroup(folded);
    }
    workgroupBarrier();
    return folded;
}

fn gather(first: u32) -> Moments {
    var m = empty_moments();
    var index = first;
    for (var k = 0u; k < ITEMS; k++) {
        if index >= settings.length { break; }
        accumulate(&m, values[index]);
        index += settings.stride;
    }
    return m;
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn reduce_values(
    @builtin(global_invocation_id) id: vec3u,
    @builtin(workgroup_id) group: vec3u,
    @builtin(local_invocation_index) local: u32,
    @builtin(subgroup_id) subgroup: u32,
    @builtin(num_subgroups) subgroups: u32,
    @builtin(subgroup_size) subgroup_size: u32,
    @builtin(subgroup_invocation_id) lane: u32,
) {
    let mine = gather(id.x);
    let all = reduce_workgroup(mine, subgroup, lane, subgroup_size, subgroups);
    if local == 0 {
        partials[group.x] = all;
    }
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn reduce_partials(
    @builtin(local_invocation_index) local: u32,
    @builtin(subgroup_id) subgroup: u32,
    @builtin(num_subgroups) subgroups: u32,
    @builtin(subgroup_size) subgroup_size: u32,
    @builtin(subgroup_invocation_id) lane: u32,
) {
    var mine = empty_moments();
    var i = local;
    while i < settings.partial_count {
        merge(&mine, partials[i]);
        i += WORKGROUP_SIZE;
    }
    let all = reduce_workgroup(mine, subgroup, lane, subgroup_size, subgroups);
    if local == 0 {
        total = all;
    }
}

// Inclusive ranks of the values above a threshold, compacted per subgroup: uses ballots instead of sums.
@group(1) @binding(0) var<storage, read_write> selected: array<u32>;
@group(1) @binding(1) var<storage, read_write> selected_count: atomic<u32>;
override THRESHOLD: f32 = 0.5;

fn bits_before(mask: vec4u, lane: u32) -> u32 {
    var count = 0u;
    for (var word = 0u; word < 4; word++) {
        let start = word * 32;
        if lane >= start + 32 {
            count += countOneBits(mask[word]);
        } else if lane > start {
            count += countOneBits(extractBits(mask[word], 0, lane - start));
        }
    }
    return count;
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn select_values(
    @builtin(global_invocation_id) id: vec3u,
    @builtin(subgroup_invocation_id) lane: u32,
) {
    let inside = id.x < settings.length;
    var wanted = false;
    if inside {
        wanted = values[id.x] > THRESHOLD;
    }
    let mask = subgroupBallot(wanted);
    let bits = countOneBits(mask);
    let count = bits.x + bits.y + bits.z + bits.w;

    var base = 0u;
    if subgroupElect() {
        base = atomicAdd(&selected_count, count);
    }
    base = subgroupBroadcastFirst(base);
    if wanted {
        selected[base + bits_before(mask, lane)] = id.x;
    }
}
