// Forward+ with clusters. The view frustum is cut into CLUSTERS.x * CLUSTERS.y * CLUSTERS.z cells.
//   build_clusters   bounds of every cell, when the projection changes
//   cull_lights      which lights touch which cell, one workgroup for each slice of depth
//   mesh_vertex, mesh_fragment   shading with the lights of the fragment's cell
//   debug_fragment   the number of lights as a heat map

const CLUSTERS = vec3u(16, 9, 24);
const SLICE = CLUSTERS.x * CLUSTERS.y;
const CLUSTER_COUNT = SLICE * CLUSTERS.z;
const LIGHTS_PER_CLUSTER = 64u;
const LIGHTS_PER_BATCH = 144u;
const CASCADES = 4;
const PI = radians(180.0);
const F0_DIELECTRIC = vec3f(0.04);

// Poisson disk for soft shadows.
const DISK = array(
    vec2f(-0.9420, -0.3991), vec2f(0.9456, -0.7689), vec2f(-0.0942, -0.9294), vec2f(0.3450, 0.2939),
    vec2f(-0.9159, 0.4577), vec2f(-0.8154, -0.8791), vec2f(-0.3828, 0.2768), vec2f(0.9748, 0.7565),
);

@id(10) override SHADOW_TAPS: i32 = 8;
@id(11) override USE_NORMAL_MAP: bool = true;
@id(12) override ALPHA_CUTOFF: f32 = 0.5;

const LIGHT_POINT = 0u;
const LIGHT_SPOT = 1u;
const LIGHT_TUBE = 2u;

struct Camera {
    view: mat4x4f,
    projection: mat4x4f,
    inverse_projection: mat4x4f,
    position: vec3f,
    near: f32,
    size: vec2f,
    far: f32,
    time: f32,
}

struct Light {
    position: vec3f,
    range: f32,
    color: vec3f,
    kind: u32,
    direction: vec3f,
    cone: f32,
}

struct Lights {
    ambient: vec3f,
    count: u32,
    items: array<Light>,
}

struct Box {
    low: vec3f,
    high: vec3f,
}

struct Cluster {
    offset: u32,
    count: u32,
}

struct ClusterLights {
    next: atomic<u32>,
    clusters: array<Cluster, CLUSTER_COUNT>,
    indices: array<u32>,
}

struct ClusterLightsRead {
    next: u32,
    clusters: array<Cluster, CLUSTER_COUNT>,
    indices: array<u32>,
}

struct Sun {
    direction: vec3f,
    intensity: f32,
    splits: vec4f,
    matrices: array<mat4x4f, CASCADES>,
}

@group(0) @binding(0) var<uniform> camera: Camera;
@group(0) @binding(1) var<storage, read> lights: Lights;
@group(0) @binding(2) var<storage, read_write> boxes: array<Box, CLUSTER_COUNT>;
@group(0) @binding(3) var<storage, read_write> cluster_lights: ClusterLights;

// ------------------------------------------------------------------------------------------------------------ clusters

// Slices get thicker with depth, exponentially.
fn slice_depth(slice: u32) -> f32 {
    return camera.near * pow(camera.far / camera.near, f32(slice) / f32(CLUSTERS.z));
}

fn slice_of(depth: f32) -> u32 {
    let scale = f32(CLUSTERS.z) / log2(camera.far / camera.near);
    return u32(clamp(log2(depth / camera.near) * scale, 0.0, f32(CLUSTERS.z - 1)));
}

fn to_view(pixel: vec2f) -> vec3f {
    let ndc = vec2f(2, -2) * (pixel / camera.size - 0.5);
    let v = camera.inverse_projection * vec4f(ndc, 1, 1);
    return v.xyz / v.w;
}

fn at_depth(ray: vec3f, depth: f32) -> vec3f {
    return ray * (depth / -ray.z);
}

@compute @workgroup_size(CLUSTERS.x, CLUSTERS.y, 1)
fn build_clusters(@builtin(global_invocation_id) id: vec3u) {
    let tile = camera.size / vec2f(CLUSTERS.xy);
    let near = slice_depth(id.z);
    let far = slice_depth(id.z + 1);
    var box = Box(vec3f(1e30), vec3f(-1e30));
    for (var corner = 0u; corner < 4; corner++) {
        let offset = vec2u(corner & 1, corner >> 1);
        let ray = to_view(vec2f(id.xy + offset) * tile);
        let a = at_depth(ray, near);
        let b = at_depth(ray, far);
        box.low = min(box.low, min(a, b));
        box.high = max(box.high, max(a, b));
    }
    boxes[dot(id, vec3u(1, CLUSTERS.x, SLICE))] = box;
}

// ------------------------------------------------------------------------------------------------------------- culling

struct Sphere {
    center: vec3f,
    radius: f32,
}

var<workgroup> batch: array<Sphere, LIGHTS_PER_BATCH>;
var<workgroup> batch_size: atomic<u32>;
var<private> visible: array<u32, LIGHTS_PER_CLUSTER>;
var<private> visible_count: u32;

fn touches(s: Sphere, box: ptr<function, Box>) -> bool {
    let nearest = clamp(s.center, (*box).low, (*box).high);
    let d = s.center - nearest;
    return dot(d, d) <= s.radius * s.radius;
}

fn bounding_sphere(light: Light) -> Sphere {
    var center = (camera.view * vec4f(light.position, 1)).xyz;
    var radius = light.range;
    if light.kind == LIGHT_SPOT && light.cone > 0.5 {
        // A narrow cone fits a sphere of half the size.
        center += (camera.view * vec4f(light.direction, 0)).xyz * radius * 0.5;
        radius *= 0.5 / light.cone;
    }
    return Sphere(center, radius);
}

fn load_batch(thread: u32, first: u32) {
    let index = first + thread;
    if index < lights.count {
        batch[thread] = bounding_sphere(lights.items[index]);
        atomicMax(&batch_size, thread + 1);
    }
}

fn test_batch(first: u32, size: u32, box: ptr<function, Box>) {
    for (var i = 0u; i < size; i++) {
        if visible_count >= LIGHTS_PER_CLUSTER {
            return;
        }
        if touches(batch[i], box) {
            visible[visible_count] = first + i;
            visible_count += 1;
        }
    }
}

@compute @workgroup_size(CLUSTERS.x, CLUSTERS.y, 1)
fn cull_lights(
    @builtin(workgroup_id) group: vec3u,
    @builtin(local_invocation_index) thread: u32,
) {
    let cluster = group.z * SLICE + thread;
    var box = boxes[cluster];
    var first = 0u;
    loop {
        if first >= lights.count { break; }
        if thread == 0 {
            atomicStore(&batch_size, 0);
        }
        workgroupBarrier();
        load_batch(thread, first);
        let size = workgroupUniformLoad(&batch_size);
        test_batch(first, size, &box);

        continuing {
            first += LIGHTS_PER_BATCH;
        }
    }

    let offset = atomicAdd(&cluster_lights.next, visible_count);
    let space = arrayLength(&cluster_lights.indices);
    if offset + visible_count > space {
        visible_count = select(0u, space - offset, offset < space);
    }
    for (var i = 0u; i < visible_count; i += 1) {
        cluster_lights.indices[offset + i] = visible[i];
    }
    cluster_lights.clusters[cluster] = Cluster(offset, visible_count);
}

// ------------------------------------------------------------------------------------------------------------- shading

struct Material {
    base_color: vec4f,
    emissive: vec3f,
    roughness: f32,
    metallic: f32,
    flags: u32,
}

const FLAG_MASKED = 1u;
const FLAG_TWO_SIDED = 2u;
const FLAG_EMISSIVE = 4u;

@group(1) @binding(0) var<uniform> material: Material;
@group(1) @binding(1) var base_map: texture_2d<f32>;
@group(1) @binding(2) var normal_map: texture_2d<f32>;
@group(1) @binding(3) var surface_map: texture_2d<f32>;
@group(1) @binding(4) var repeat_sampler: sampler;
@group(2) @binding(0) var<uniform> sun: Sun;
@group(2) @binding(1) var shadow_maps: texture_depth_2d_array;
@group(2) @binding(2) var shadow_sampler: sampler_comparison;
@group(2) @binding(3) var environment: texture_cube<f32>;
@group(2) @binding(4) var environment_sampler: sampler;
@group(2) @binding(5) var<storage, read> clustered: ClusterLightsRead;

struct MeshVertex {
    @location(0) position: vec3f,
    @location(1) normal: vec3f,
    @location(2) uv: vec2f,
    @location(3) row0: vec4f,
    @location(4) row1: vec4f,
    @location(5) row2: vec4f,
}

struct MeshFragment {
    @builtin(position) clip: vec4f,
    @location(0) world: vec3f,
    @location(1) normal: vec3f,
    @location(2) @interpolate(perspective, centroid) uv: vec2f,
    @location(3) view_depth: f32,
}

struct Surface {
    position: vec3f,
    normal: vec3f,
    to_eye: vec3f,
    albedo: vec3f,
    f0: vec3f,
    alpha: f32,
}

@vertex
fn mesh_vertex(in: MeshVertex) -> MeshFragment {
    let model = transpose(mat3x4f(in.row0, in.row1, in.row2));
    let world = model * vec4f(in.position, 1);
    let view = camera.view * vec4f(world, 1);
    return MeshFragment(
        camera.projection * view,
        world,
        model * vec4f(in.normal, 0),
        in.uv,
        -view.z,
    );
}

fn ggx(n_h: f32, alpha: f32) -> f32 {
    let a2 = alpha * alpha;
    let d = n_h * n_h * (a2 - 1) + 1;
    return a2 / (PI * d * d);
}

fn smith(n_v: f32, n_l: f32, alpha: f32) -> f32 {
    let k = alpha / 2;
    return 0.25 / ((n_v * (1 - k) + k) * (n_l * (1 - k) + k));
}

fn fresnel(cosine: f32, f0: vec3f) -> vec3f {
    let f = pow(1 - cosine, 5.0);
    return f0 + (1 - f0) * f;
}

fn reflectance(s: ptr<function, Surface>, l: vec3f) -> vec3f {
    let n_l = dot(s.normal, l);
    if n_l <= 0 {
        return vec3f();
    }
    let h = normalize(l + s.to_eye);
    let n_v = max(dot(s.normal, s.to_eye), 1e-3);
    let f = fresnel(saturate(dot(h, l)), s.f0);
    let specular = f * ggx(saturate(dot(s.normal, h)), s.alpha) * smith(n_v, n_l, s.alpha);
    return ((1 - f) * s.albedo / PI + specular) * n_l;
}

// The perturbed normal, from derivatives: meshes carry no tangents.
fn map_normal(in: MeshFragment) -> vec3f {
    let n = normalize(in.normal);
    if !USE_NORMAL_MAP {
        return n;
    }
    let t = textureSample(normal_map, repeat_sampler, in.uv).xyz * 2 - 1;
    let p1 = dpdx(in.world);
    let p2 = dpdy(in.world);
    let u1 = dpdx(in.uv);
    let u2 = dpdy(in.uv);
    let c1 = cross(p2, n);
    let c2 = cross(n, p1);
    let tangent = c1 * u1.x + c2 * u2.x;
    let bitangent = c1 * u1.y + c2 * u2.y;
    let scale = inverseSqrt(max(dot(tangent, tangent), dot(bitangent, bitangent)));
    return normalize(mat3x3f(tangent * scale, bitangent * scale, n) * t);
}

fn cascade_of(depth: f32) -> i32 {
    for (var i = 0; i < CASCADES; i++) {
        if depth < sun.splits[i] { return i; }
    }
    return CASCADES;
}

fn shadow(world: vec3f, depth: f32, pixel: vec2f) -> f32 {
    let cascade = cascade_of(depth);
    if cascade == CASCADES {
        return 1.0;
    }
    let p = sun.matrices[cascade] * vec4f(world, 1);
    let angle = fract(52.9829189 * fract(dot(pixel, vec2f(0.06711056, 0.00583715)))) * 2 * PI;
    let turn = mat2x2f(vec2f(cos(angle), sin(angle)), vec2f(-sin(angle), cos(angle)));
    var lit = 0.0;
    for (var i = 0; i < SHADOW_TAPS; i++) {
        let uv = p.xy + turn * DISK[i & 7] * 0.002;
        lit += textureSampleCompareLevel(shadow_maps, shadow_sampler, uv, cascade, p.z);
    }
    return lit / f32(SHADOW_TAPS);
}

fn local_light(light: ptr<storage, Light, read>, s: ptr<function, Surface>) -> vec3f {
    var to_light = light.position - s.position;
    if light.kind == LIGHT_TUBE {
        // The nearest point of the tube stands for all of it.
        let along = clamp(dot(-to_light, light.direction), -light.cone, light.cone);
        to_light += along * light.direction;
    }
    let distance = length(to_light);
    if distance >= light.range {
        return vec3f(0);
    }
    let l = to_light / distance;
    let window = saturate(1 - pow(distance / light.range, 4.0));
    var intensity = window * window / (distance * distance + 0.01);
    switch light.kind {
        case LIGHT_SPOT {
            let cosine = dot(-l, light.direction);
            if cosine < light.cone { break; }
            intensity *= smoothstep(light.cone, mix(light.cone, 1.0, 0.2), cosine);
        }
        case LIGHT_POINT, LIGHT_TUBE {}
        default { intensity = 0; }
    }
    return light.color * intensity * reflectance(s, l);
}

fn cluster_of(in: MeshFragment) -> u32 {
    let tile = vec2u(in.clip.xy / camera.size * vec2f(CLUSTERS.xy));
    return slice_of(in.view_depth) * SLICE + tile.y * CLUSTERS.x + tile.x;
}

fn all_local_lights(in: MeshFragment, s: ptr<function, Surface>) -> vec3f {
    let cluster = clustered.clusters[cluster_of(in)];
    var sum = vec3f();
    for (var i = 0u; i < cluster.count; i++) {
        let index = clustered.indices[cluster.offset + i];
        let light = &lights.items[index];
        sum += local_light(light, s);
    }
    return sum;
}

fn image_light(s: ptr<function, Surface>) -> vec3f {
    let levels = f32(textureNumLevels(environment));
    let r = reflect(-s.to_eye, s.normal);
    let sharp = textureSampleLevel(environment, environment_sampler, r, s.alpha * levels).rgb;
    let diffuse = textureSampleLevel(environment, environment_sampler, s.normal, levels - 1).rgb;
    let f = fresnel(saturate(dot(s.normal, s.to_eye)), s.f0);
    return mix(diffuse * s.albedo, sharp, f) + lights.ambient * s.albedo;
}

fn make_surface(in: MeshFragment, base: vec3f, front: bool) -> Surface {
    let orm = textureSample(surface_map, repeat_sampler, in.uv);
    let metallic = material.metallic * orm.b;
    let roughness = clamp(material.roughness * orm.g, 0.05, 1.0);
    var s: Surface;
    s.position = in.world;
    s.normal = map_normal(in);
    if (material.flags & FLAG_TWO_SIDED) != 0 && !front {
        s.normal = -s.normal;
    }
    s.to_eye = normalize(camera.position - in.world);
    s.albedo = base * (1 - metallic);
    s.f0 = mix(F0_DIELECTRIC, base, metallic);
    s.alpha = roughness * roughness;
    return s;
}

@fragment
fn mesh_fragment(in: MeshFragment, @builtin(front_facing) front: bool) -> @location(0) vec4f {
    let base = material.base_color * textureSample(base_map, repeat_sampler, in.uv);
    var surface = make_surface(in, base.rgb, front);
    if (material.flags & FLAG_MASKED) != 0 {
        // Keeps thin parts as wide in the distance as near by.
        let sharp = (base.a - ALPHA_CUTOFF) / max(fwidth(base.a), 1e-4) + 0.5;
        if sharp < 0.5 { discard; }
    }
    var color = image_light(&surface);
    color += sun.intensity * shadow(in.world, in.view_depth, in.clip.xy) * reflectance(&surface, -sun.direction);
    color += all_local_lights(in, &surface);
    if (material.flags & FLAG_EMISSIVE) != 0 {
        color += material.emissive;
    }
    return vec4f(color, base.a);
}

@fragment
fn debug_fragment(in: MeshFragment) -> @location(0) vec4f {
    let count = clustered.clusters[cluster_of(in)].count;
    let heat = f32(count) / f32(LIGHTS_PER_CLUSTER);
    var color = vec3f(heat, 1 - abs(2 * heat - 1), 1 - heat);
    if count == LIGHTS_PER_CLUSTER @diagnostic(off, derivative_uniformity) {
        // Stripes where lights were dropped. Wrong at the borders of cells, which nobody minds here.
        color *= step(0.5, fract(in.uv.x / fwidth(in.uv.x) / 8));
    }
    return vec4f(color, 1);
}
