// Exclusive prefix sum over u32 in a single pass: chained scan with decoupled look-back.
//
// Each workgroup takes one tile in the order in which workgroups start, scans it in shared memory,
// publishes the tile's total, and sums the totals of its predecessors while they arrive.
// A tile's state is one word, so that the value and its status become visible together:
// the two lowest bits are the status, the rest is the value.

alias Status = u32;

const STATUS_EMPTY: Status = 0u;
const STATUS_TOTAL: Status = 1u;   // the sum of the tile alone
const STATUS_PREFIX: Status = 2u;  // the sum of the tile and of all tiles before it
const STATUS_BITS = 2u;
const STATUS_MASK = (1u << STATUS_BITS) - 1u;

const ITEMS_PER_THREAD = 4u;
override THREADS: u32 = 256u;
override SPIN_LIMIT: u32 = 1u << 16u;
override INCLUSIVE: bool = false;

struct Params {
  length: u32,
  tile_count: u32,
  seed: u32,
  flags: u32,
}

struct TileScan {
  items: vec4<u32>,
  total: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> source: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read_write> result: array<vec4<u32>>;
@group(0) @binding(3) var<storage, read_write> states: array<atomic<u32>>;
@group(0) @binding(4) var<storage, read_write> next_tile: atomic<u32>;

var<workgroup> tile_index: u32;
var<workgroup> tile_prefix: u32;
var<workgroup> partials: array<u32, THREADS>;

fn pack(value: u32, status: Status) -> u32 {
  return (value << STATUS_BITS) | status;
}

fn status_of(word: u32) -> Status {
  return word & STATUS_MASK;
}

fn value_of(word: u32) -> u32 {
  return word >> STATUS_BITS;
}

// Items past the end count as zero.
fn load_items(index: u32) -> vec4<u32> {
  let first = index * ITEMS_PER_THREAD;
  if first >= params.length {
    return vec4<u32>();
  }
  let lanes = vec4<u32>(first) + vec4<u32>(0u, 1u, 2u, 3u);
  return select(vec4<u32>(), source[index], lanes < vec4<u32>(params.length));
}

// Replaces the items by their exclusive prefix sums and returns their total.
fn scan_items(items: ptr<function, vec4<u32>>) -> u32 {
  let v = *items;
  var sum = 0u;
  for (var i = 0u; i < ITEMS_PER_THREAD; i++) {
    (*items)[i] = sum;
    sum += v[i];
  }
  return sum;
}

// Hillis and Steele: log2(THREADS) steps, two barriers each.
fn scan_partials(thread: u32) {
  for (var offset = 1u; offset < THREADS; offset <<= 1u) {
    workgroupBarrier();
    var left = 0u;
    if thread >= offset {
      left = partials[thread - offset];
    }
    workgroupBarrier();
    partials[thread] += left;
  }
  workgroupBarrier();
}

fn scan_tile(thread: u32, index: u32) -> TileScan {
  var scan: TileScan;
  scan.items = load_items(index);
  let own = scan_items(&scan.items);
  partials[thread] = own;
  scan_partials(thread);
  scan.items += vec4<u32>(partials[thread] - own);
  scan.total = partials[THREADS - 1u];
  return scan;
}

fn take_tile(thread: u32) -> u32 {
  if thread == 0u {
    tile_index = atomicAdd(&next_tile, 1u);
  }
  return workgroupUniformLoad(&tile_index);
}

// Walks back from the tile before `tile` until it meets one whose prefix is known.
fn look_back(tile: u32) -> u32 {
  var sum = 0u;
  var i = i32(tile) - 1;
  var spins = 0u;
  loop {
    if i < 0 || spins > SPIN_LIMIT {
      break;
    }
    let word = atomicLoad(&states[i]);
    switch status_of(word) {
      case STATUS_PREFIX: {
        sum += value_of(word);
        i = -1;
      }
      case STATUS_TOTAL: {
        sum += value_of(word);
        i--;
        spins = 0u;
      }
      default: {
        // Not there yet.
        spins++;
      }
    }
  }
  return sum;
}

fn publish(tile: u32, total: u32) -> u32 {
  if tile == 0u {
    atomicStore(&states[0], pack(total, STATUS_PREFIX));
    return 0u;
  }
  atomicStore(&states[tile], pack(total, STATUS_TOTAL));
  let before = look_back(tile);
  atomicStore(&states[tile], pack(before + total, STATUS_PREFIX));
  return before;
}

@compute @workgroup_size(THREADS)
fn clear(@builtin(global_invocation_id) id: vec3<u32>) {
  if id.x == 0u {
    atomicStore(&next_tile, 0u);
  }
  if id.x < arrayLength(&states) {
    atomicStore(&states[id.x], pack(0u, STATUS_EMPTY));
  }
}

@compute @workgroup_size(THREADS)
fn prefix_sum(@builtin(local_invocation_index) thread: u32) {
  let tile = take_tile(thread);
  if tile >= params.tile_count {
    return;
  }

  let index = tile * THREADS + thread;
  let scan = scan_tile(thread, index);
  if thread == THREADS - 1u {
    tile_prefix = publish(tile, scan.total);
  }
  let before = workgroupUniformLoad(&tile_prefix);

  if index * ITEMS_PER_THREAD >= params.length {
    return;
  }
  var sums = scan.items + vec4<u32>(before);
  if INCLUSIVE {
    sums += source[index];
  }
  result[index] = sums;
}
