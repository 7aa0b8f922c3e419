// Bitonic sort of key/value pairs. Three entry points:
//   sort_local    sorts blocks of 2 * THREADS pairs, alternately up and down
//   merge_global  one compare-exchange step whose distance exceeds a block
//   merge_local   all remaining steps of a merge, in shared memory
// Keys are u32, i32 or f32: they are mapped to u32 so that unsigned order is the wanted order.

override THREADS: u32 = 128;
@id(1) override KEY_KIND: u32 = KIND_UINT;
@id(2) override DESCENDING: bool = false;

const KIND_UINT = 0u;
const KIND_INT = 1u;
const KIND_FLOAT = 2u;
const SIGN = 0x80000000u;
const PADDING = 0xffffffffu;

struct Pair { key: u32, value: u32 }

struct Step {
  count: u32,      // pairs in all, not padded
  block: u32,      // length of the sequences that this merge produces
  distance: u32,   // of the two pairs that are compared
}

struct Statistics {
  swaps: atomic<u32>,
  inversions: atomic<u32>,
}

@group(0) @binding(0) var<uniform> step: Step;
@group(0) @binding(1) var<storage, read_write> pairs: array<Pair>;
@group(0) @binding(2) var<storage, read_write> statistics: Statistics;

var<workgroup> block_pairs: array<Pair, 2 * THREADS>;
var<workgroup> any_swap: atomic<u32>;
var<private> swap_count: u32 = 0;

fn to_ordered(raw: u32) -> u32 {
  var bits = raw;
  switch KEY_KIND {
    case KIND_INT { bits ^= SIGN; }
    case KIND_FLOAT {
      if (raw & SIGN) != 0 { bits = ~raw; } else { bits |= SIGN; }
    }
    case KIND_UINT, default {}
  }
  return select(bits, ~bits, DESCENDING);
}

fn from_ordered(ordered: u32) -> u32 {
  var bits = ordered;
  if DESCENDING { bits = ~bits; }
  switch KEY_KIND {
    case KIND_UINT { return bits; }
    case KIND_INT { return bits ^ SIGN; }
    default { break; }
  }
  let negative = (bits & SIGN) == 0;
  return select(bits & ~SIGN, ~bits, negative);
}

fn read_pair(index: u32) -> Pair {
  if index < step.count {
    let p = pairs[index];
    return Pair(to_ordered(p.key), p.value);
  }
  return Pair(PADDING, PADDING);
}

fn write_pair(index: u32, pair: Pair) {
  if index >= step.count { return; }
  pairs[index] = Pair(from_ordered(pair.key), pair.value);
}

// Puts two pairs into order; says whether it had to swap them.
fn order(a: ptr<function, Pair>, b: ptr<function, Pair>, up: bool) -> bool {
  let wrong = (*a).key > (*b).key;
  if wrong != up { return false; }
  let t = *a;
  *a = *b;
  *b = t;
  return true;
}

// The lower of the two indices that thread `i` compares at `distance`, a power of two.
fn lower_index(i: u32, distance: u32) -> u32 {
  let low = i & (distance - 1);
  return ((i - low) << 1) | low;
}

fn exchange_local(thread: u32, distance: u32, up: bool) {
  let i = lower_index(thread, distance);
  let j = i + distance;
  var a = block_pairs[i];
  var b = block_pairs[j];
  if order(&a, &b, up) {
    block_pairs[i] = a;
    block_pairs[j] = b;
    swap_count++;
  }
}

fn load_block(thread: u32, first: u32) {
  block_pairs[thread] = read_pair(first + thread);
  block_pairs[thread + THREADS] = read_pair(first + thread + THREADS);
  workgroupBarrier();
}

fn store_block(thread: u32, first: u32) {
  workgroupBarrier();
  write_pair(first + thread, block_pairs[thread]);
  write_pair(first + thread + THREADS, block_pairs[thread + THREADS]);
}

// Steps of one merge, from `distance` down to 1.
fn merge_block(thread: u32, distance: u32, up: bool) {
  var d = distance;
  loop {
    exchange_local(thread, d, up);
    workgroupBarrier();
    continuing {
      d >>= 1u;
      break if d == 0;
    }
  }
}

fn count_swaps() {
  if swap_count > 0 {
    atomicAdd(&statistics.swaps, swap_count);
    atomicOr(&any_swap, 1);
  }
}

@compute @workgroup_size(THREADS)
fn sort_local(
  @builtin(local_invocation_index) thread: u32,
  @builtin(workgroup_id) group: vec3u,
) {
  let first = group.x * 2 * THREADS;
  load_block(thread, first);
  for (var block = 2u; block <= 2 * THREADS; block *= 2) {
    // The last merge goes the way of the whole block.
    let last = block == 2 * THREADS;
    let i = lower_index(thread, block / 2);
    let up = select((i & block) == 0, (group.x & 1) == 0, last);
    merge_block(thread, block / 2, up);
  }
  store_block(thread, first);
  count_swaps();
}

@compute @workgroup_size(THREADS)
fn merge_global(@builtin(global_invocation_id) id: vec3u) {
  let i = lower_index(id.x, step.distance);
  let j = i + step.distance;
  if j >= step.count { return; }
  var a = read_pair(i);
  var b = read_pair(j);
  if order(&a, &b, (i & step.block) == 0) {
    write_pair(i, a);
    write_pair(j, b);
    atomicAdd(&statistics.swaps, 1);
  }
}

@compute @workgroup_size(THREADS)
fn merge_local(
  @builtin(local_invocation_index) thread: u32,
  @builtin(workgroup_id) group: vec3u,
) {
  let first = group.x * 2 * THREADS;
  let up = (first & step.block) == 0;
  load_block(thread, first);
  merge_block(thread, THREADS, up);
  count_swaps();
  if workgroupUniformLoad(&any_swap) == 0 {
    // Nothing moved, so nothing is written back.
    return;
  }
  store_block(thread, first);
}

@compute @workgroup_size(THREADS)
fn check_order(@builtin(global_invocation_id) id: vec3u) {
  if id.x + 1 < step.count {
    let here = read_pair(id.x);
    let next = read_pair(id.x + 1);
    if here.key > next.key { _ = atomicAdd(&statistics.inversions, 1u); }
  }
}
