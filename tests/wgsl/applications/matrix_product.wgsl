// C = activation(A * B + bias), A and B in half precision, accumulated in single precision.
// A workgroup computes a 64 x 64 block of C; a thread computes a 4 x 4 piece of it.

enable f16;

const BLOCK = 64u;
const DEPTH = 16u;
const PIECE = 4u;
const THREADS_X = BLOCK / PIECE;
const THREADS_Y = BLOCK / PIECE;
const THREADS = THREADS_X * THREADS_Y;
const VECTORS_PER_ROW = DEPTH / 4u;

override ACTIVATION: u32 = 0u;
override LEAK = 0.01f;
override TRANSPOSED_B: bool = false;

alias half4 = vec4<f16>;
alias Piece = array<vec4<f32>, PIECE>;

struct Shape {
	m: u32,
	n: u32,
	k: u32,
	batches: u32,
	@size(16) alpha: f32,
};

@group(0) @binding(0) var<uniform> shape: Shape;
@group(0) @binding(1) var<storage, read> a: array<half4>;
@group(0) @binding(2) var<storage, read> b: array<half4>;
@group(0) @binding(3) var<storage, read> bias: array<f32>;
@group(0) @binding(4) var<storage, read_write> c: array<half4>;

var<workgroup> tile_a: array<array<half4, VECTORS_PER_ROW>, BLOCK>;
var<workgroup> tile_b: array<array<half4, BLOCK / 4u>, DEPTH>;

fn load_a(row: u32, vector: u32, batch: u32) -> half4 {
	let columns = shape.k / 4u;
	if (row >= shape.m || vector >= columns) {
		return half4(0.0h);
	}
	return a[(batch * shape.m + row) * columns + vector];
}

fn load_b(row: u32, vector: u32, batch: u32) -> half4 {
	let columns = shape.n / 4u;
	if (row >= shape.k || vector >= columns) {
		return half4(0.0h);
	}
	if (TRANSPOSED_B) {
		// Four scattered reads; the host transposes B for anything large.
		var v: half4;
		for (var i: u32 = 0u; i < 4u; i += 1u) {
			let at = (batch * shape.n + vector * 4u + i) * shape.k + row;
			v[i] = b[at / 4u][at % 4u];
		}
		return v;
	}
	return b[(batch * shape.k + row) * columns + vector];
}

// 256 threads bring 64 x 4 vectors of A and 16 x 16 vectors of B: one of each for a thread.
fn fill_tiles(thread: u32, origin: vec2<u32>, depth: u32, batch: u32) {
	let ar = thread / VECTORS_PER_ROW;
	let av = thread % VECTORS_PER_ROW;
	tile_a[ar][av] = load_a(origin.y + ar, depth / 4u + av, batch);

	let br = thread / (BLOCK / 4u);
	let bv = thread % (BLOCK / 4u);
	tile_b[br][bv] = load_b(depth + br, origin.x / 4u + bv, batch);
}

fn multiply_tiles(local: vec2<u32>, piece: ptr<function, Piece>) {
	for (var k = 0u; k < DEPTH; k++) {
		let row = vec4<f32>(tile_b[k][local.x]);
		for (var i = 0u; i < PIECE; i++) {
			let factor = f32(tile_a[local.y * PIECE + i][k / 4u][k % 4u]);
			(*piece)[i] = fma(vec4<f32>(factor), row, (*piece)[i]);
		}
	}
}

fn sigmoid(x: vec4<f32>) -> vec4<f32> {
	return 1.0 / (1.0 + exp(-x));
}

fn activate(x: vec4<f32>) -> vec4<f32> {
	switch (ACTIVATION) {
		case 0u: { return x; }
		case 1u: { return max(x, vec4<f32>(0.0)); }
		case 2u: { return select(LEAK * x, x, x > vec4<f32>(0.0)); }
		case 3u: { return x * sigmoid(x); }
		case 4u, 5u: {
			// GELU; 5 is the variant without the cubic term.
			let cubic = select(0.0, 0.044715, ACTIVATION == 4u);
			return 0.5 * x * (1.0 + tanh(0.7978845608 * (x + cubic * x * x * x)));
		}
		default: {}
	}
	return tanh(x);
}

fn store_piece(piece: ptr<function, Piece>, row: u32, column: u32, batch: u32) {
	let offset = vec4<f32>(bias[column], bias[column + 1u], bias[column + 2u], bias[column + 3u]);
	for (var i = 0u; i < PIECE && row + i < shape.m; i++) {
		let at = ((batch * shape.m + row + i) * shape.n + column) / 4u;
		c[at] = half4(activate(shape.alpha * (*piece)[i] + offset));
	}
}

@compute @workgroup_size(THREADS_X, THREADS_Y)
fn matrix_product(
	@builtin(workgroup_id) group: vec3<u32>,
	@builtin(local_invocation_id) local: vec3<u32>,
	@builtin(local_invocation_index) thread: u32
) {
	let origin = group.xy * BLOCK;
	let batch = group.z;
	var piece: Piece;

	for (var depth = 0u; depth < shape.k; depth += DEPTH) {
		fill_tiles(thread, origin, depth, batch);
		workgroupBarrier();
		multiply_tiles(local.xy, &piece);
		workgroupBarrier();
	}

	let row = origin.y + local.y * PIECE;
	let column = origin.x + local.x * PIECE;
	if (row < shape.m && column < shape.n) {
		store_piece(&piece, row, column, batch);
	}
}

// Matrix times vector: each workgroup computes one row, in f32, with a tree in shared memory.
@group(1) @binding(0) var<storage, read> x: array<half4>;
@group(1) @binding(1) var<storage, read_write> y: array<f32>;

var<workgroup> sums: array<f32, THREADS>;

fn fold_sums(thread: u32) -> f32 {
	var width = THREADS / 2u;
	while (width > 0u) {
		workgroupBarrier();
		if (thread < width) {
			sums[thread] += sums[thread + width];
		}
		width /= 2u;
	}
	return workgroupUniformLoad(&sums[0]);
}

@compute @workgroup_size(THREADS)
fn matrix_vector(
	@builtin(workgroup_id) group: vec3<u32>,
	@builtin(num_workgroups) groups: vec3<u32>,
	@builtin(local_invocation_index) thread: u32
) {
	let vectors = shape.k / 4u;
	for (var row = group.x; row < shape.m; row += groups.x) {
		var sum = 0.0f;
		for (var i = thread; i < vectors; i += THREADS) {
			sum += dot(vec4<f32>(a[row * vectors + i]), vec4<f32>(x[i]));
		}
		sums[thread] = sum;
		let whole = fold_sums(thread);
		if (whole != whole) {
			// A NaN spoils the rest: stop, all together.
			y[row] = 0.0;
			break;
		}
		if (thread == 0u) {
			y[row] = activate(vec4<f32>(shape.alpha * whole + bias[row])).x;
		}
	}
}
