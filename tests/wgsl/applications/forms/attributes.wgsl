enable f16, clip_distances, dual_source_blending, subgroups, primitive_index,;
requires readonly_and_readwrite_storage_textures, pointer_composite_access, packed_4x8_integer_dot_product;
requires unrestricted_pointer_parameters;
diagnostic(warning, derivative_uniformity);
diagnostic(info, subgroup_uniformity,);
diagnostic(off, chromium.unreachable_code);

;
@id(0x10) override width: u32 = 8u;
@id(1 + 1,) override height: u32;
override depth = width * 2u;

struct Layout {
  @align(16) @size(32) a: f32,
  @size(16, ) @align(16) b: vec3<f16>,
  c: mat2x3<f32>,
  @align(32)
  @size(64)
  d: array<vec4<f32>, 2>,
};

@group(0) @binding(0) var<uniform> packed_layout: Layout;
@binding(0 + 1) @group(1 - 1) var<storage, read_write> counters: array<atomic<i32>, 4>;
@group(0,) @binding(2,) var written: texture_storage_2d<rgba8unorm, write>;
@group(0) @binding(3) var readwrite: texture_storage_2d<r32uint, read_write>;
@group(0) @binding(4) var sampled: texture_2d<f32>;
@group(0) @binding(5) var sampler_: sampler;
@group(0) @binding(6) var video: texture_external;
@group(0) @binding(7) var multi: texture_depth_multisampled_2d;

struct VertexIn {
  @builtin(vertex_index) index: u32,
  @builtin(instance_index) instance: u32,
  @location(0) position: vec4<f32>,
  @location(1) half: vec2<f16>,
  @location(2) whole: vec2<i32>,
}

struct VertexOut {
  @invariant @builtin(position) position: vec4<f32>,
  @builtin(clip_distances) clip: array<f32, 2>,
  @location(0) @interpolate(perspective, center) a: vec4<f32>,
  @interpolate(linear, sample) @location(1) b: vec2<f32>,
  @location(2) @interpolate(flat, first) c: vec2<i32>,
  @location(3) @interpolate(flat, either,) d: u32,
  @location(4) @interpolate(linear, centroid) e: f32,
  @location(1 * 5) @interpolate(perspective) f: f32,
  @location(6) @interpolate(flat) g: vec3<u32>,
}

struct FragmentIn {
  @builtin(position) @invariant position: vec4<f32>,
  @builtin(front_facing) front: bool,
  @builtin(sample_index) sample: u32,
  @builtin(sample_mask) mask: u32,
  @builtin(primitive_index) primitive: u32,
  @builtin(subgroup_size) subgroup_size: u32,
  @builtin(subgroup_invocation_id) lane: u32,
  @location(0) @interpolate(perspective, center) a: vec4<f32>,
  @location(3) @interpolate(flat, either) d: u32,
}

struct FragmentOut {
  @location(0) @blend_src(0) color: vec4<f32>,
  @location(0) @blend_src(1) blend: vec4<f32>,
  @builtin(frag_depth) depth: f32,
  @builtin(sample_mask) mask: u32,
}

@must_use
fn answer() -> i32 { return 42; }

@must_use @diagnostic(off, derivative_uniformity)
fn slope(x: f32,) -> f32 @diagnostic(warning, subgroup_uniformity) {
  return dpdx(x) + dpdyFine(x) + fwidthCoarse(x);
}

@vertex
fn vertex_main(in: VertexIn, @location(3) extra: f32) -> VertexOut {
  var out: VertexOut;
  out.position = in.position + packed_layout.d[in.index & 1u];
  out.clip[0] = extra;
  out.b = vec2<f32>(in.half);
  out.c = in.whole;
  return out;
}

@fragment
@diagnostic(off, derivative_uniformity)
fn fragment_main(in: FragmentIn,) -> FragmentOut {
  var color = vec4<f32>();
  @diagnostic(error, derivative_uniformity) @diagnostic(off, subgroup_uniformity) {
    color = textureSampleBias(sampled, sampler_, in.a.xy, 0.5);
  }
  @diagnostic(off, derivative_uniformity) if (in.front) @diagnostic(info, derivative_uniformity) {
    color += textureSample(sampled, sampler_, in.a.xy);
  } else if (in.primitive == 0u) @diagnostic(off, subgroup_uniformity) {
    color.x = subgroupAdd(color.x);
  } else @diagnostic(off, derivative_uniformity) {
    color.y = slope(in.a.z);
  }
  @diagnostic(off, derivative_uniformity) switch (in.d) @diagnostic(info, derivative_uniformity) {
    case 0u: @diagnostic(off, derivative_uniformity) { color.z = dpdxCoarse(color.z); }
    default @diagnostic(off, derivative_uniformity) { color.w = fwidth(color.w); }
  }
  @diagnostic(off, derivative_uniformity) for (var i = 0u; i < in.d; i++) @diagnostic(off, subgroup_uniformity) {
    color.x += dpdx(color.y);
  }
  @diagnostic(off, derivative_uniformity) while (color.x < f32(answer())) @diagnostic(off, subgroup_uniformity) {
    color.x += 1.0 + dpdy(color.y);
  }
  @diagnostic(off, derivative_uniformity) loop @diagnostic(off, subgroup_uniformity) {
    color.y += 1.0;
    continuing @diagnostic(off, subgroup_uniformity) {
      color.x += dpdyCoarse(color.x);
      break if color.y > 3.0;
    }
  }
  let depth = textureLoad(multi, vec2<u32>(in.position.xy), 0);
  color += textureSampleBaseClampToEdge(video, sampler_, in.a.xy);
  return FragmentOut(color, quadSwapX(color), depth, in.mask & (1u << in.sample));
}

@fragment fn single(@location(0) @interpolate(flat) x: i32, @builtin(position) @invariant p: vec4<f32>) -> @location(0) @interpolate(flat) vec4<i32> {
  return vec4<i32>(vec3(x), answer());
}

@workgroup_size(width, height, 1,) @compute
fn compute_main(@builtin(local_invocation_id) local: vec3<u32>, @builtin(local_invocation_index) index: u32,
                @builtin(global_invocation_id) global: vec3<u32>, @builtin(workgroup_id) group: vec3<u32>,
                @builtin(num_workgroups) groups: vec3<u32>, @builtin(num_subgroups) subgroups: u32,
                @builtin(subgroup_id,) subgroup: u32) @diagnostic(off, subgroup_uniformity) {
  if (all(group == groups)) {
    textureBarrier();
    storageBarrier();
  }
  let old = textureLoad(readwrite, global.xy);
  textureStore(readwrite, global.xy, old + vec4<u32>(dot4U8Packed(index, subgroup)));
  textureStore(written, local.xy, unpack4x8unorm(old.x));
  atomicMax(&counters[index % 4u], i32(subgroups));
}
