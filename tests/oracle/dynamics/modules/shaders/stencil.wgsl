// A stencil of three dimensions; the barrier is inside the branch of inner cells.
struct Grid { nx: i32, ny: i32, nz: i32, halo: i32, }
@group(0) @binding(0) var<uniform> grid: Grid;
@group(0) @binding(1) var<storage, read> before: array<f32>;
@group(0) @binding(2) var<storage, read_write> after_: array<f32>;
var<workgroup> block: array<array<array<f32, 6>, 6>, 6>;
@compute @workgroup_size(4, 4, 4)
fn stencil(@builtin(workgroup_id) g: vec3u, @builtin(local_invocation_id) l: vec3u) {
  let p = vec3i(g * 4u + l);
  let inner = all(p >= vec3i(grid.halo)) && all(p < vec3i(grid.nx, grid.ny, grid.nz) - grid.halo);
  if (inner) {
    let at = (p.z * grid.ny + p.y) * grid.nx + p.x;
    block[l.z + 1u][l.y + 1u][l.x + 1u] = before[at];
    workgroupBarrier();
    let s = block[l.z][l.y + 1u][l.x + 1u] + block[l.z + 2u][l.y + 1u][l.x + 1u];
    after_[at] = s * 0.5;
  }
}
