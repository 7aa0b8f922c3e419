// c = a * b, for one row of a in each workgroup; a tile of the row is kept for all columns.
struct Sizes { rows: u32, inner: u32, columns: u32 }

@group(0) @binding(0) var<uniform> sizes: Sizes;
@group(0) @binding(1) var<storage, read> a: array<f32>;
@group(0) @binding(2) var<storage, read> b: array<f32>;
@group(0) @binding(3) var<storage, read_write> c: array<f32>;

const TILE = 128u;
var<workgroup> tile: array<f32, TILE>;

@compute @workgroup_size(128, 1, 1)
fn main(@builtin(global_invocation_id) gid: vec3u, @builtin(local_invocation_id) lid: vec3u) {
    if gid.y >= sizes.rows {
        return;
    }
    let row = gid.y * sizes.inner;
    var sum = 0.0;
    for (var first = 0u; first < sizes.inner; first += TILE) {
        let k = first + lid.x;
        tile[lid.x] = select(0.0, a[row + k], k < sizes.inner);
        workgroupBarrier();
        let count = min(TILE, sizes.inner - first);
        if gid.x < sizes.columns {
            for (var i = 0u; i < count; i++) {
                sum = fma(tile[i], b[(first + i) * sizes.columns + gid.x], sum);
            }
        }
        workgroupBarrier();
    }
    if gid.x < sizes.columns {
        c[gid.y * sizes.columns + gid.x] = sum;
    }
}
