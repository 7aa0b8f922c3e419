// As a translator from GLSL writes it: inputs and outputs in private variables, main_1, conditions by constants.

struct MaterialBlock {
    u_diffuse: vec4<f32>,
    u_specular: vec4<f32>,
    u_shininess: f32,
    u_alphaTest: f32,
    u_flags: i32,
    u_padding: i32,
}

struct LightBlock {
    u_lightCount: i32,
    u_lightPosition: array<vec4<f32>, 4>,
    u_lightColor: array<vec4<f32>, 4>,
    u_fogColor: vec4<f32>,
    u_fogRange: vec2<f32>,
}

struct FragmentOutput {
    @location(0) o_color: vec4<f32>,
    @location(1) o_bright: vec4<f32>,
}

const USE_FOG: bool = true;
const USE_NORMAL_MAP: bool = false;
const USE_SPECULAR: bool = true;
@id(0) override QUALITY: i32 = 2i;

var<private> v_position_1: vec3<f32>;
var<private> v_normal_1: vec3<f32>;
var<private> v_uv_1: vec2<f32>;
var<private> v_color_1: vec4<f32>;
var<private> o_color: vec4<f32>;
var<private> o_bright: vec4<f32>;
var<private> gl_FragCoord_1: vec4<f32>;
var<private> gl_FrontFacing_1: bool;
@group(0) @binding(0)
var<uniform> material: MaterialBlock;
@group(0) @binding(1)
var<uniform> lighting: LightBlock;
@group(1) @binding(0)
var t_diffuse: texture_2d<f32>;
@group(1) @binding(1)
var s_diffuse: sampler;
@group(1) @binding(2)
var t_normal: texture_2d<f32>;

fn mod_(x: f32, y: f32) -> f32 {
    var x_1: f32;
    var y_1: f32;

    x_1 = x;
    y_1 = y;
    let _e4 = x_1;
    let _e5 = y_1;
    let _e6 = x_1;
    let _e7 = y_1;
    return (_e4 - (_e5 * floor((_e6 / _e7))));
}

fn addLight(position: vec3<f32>, normal: vec3<f32>, index: i32, diffuse: ptr<function, vec3<f32>>, specular: ptr<function, vec3<f32>>) {
    var position_1: vec3<f32>;
    var normal_1: vec3<f32>;
    var index_1: i32;
    var l: vec3<f32>;
    var attenuation: f32 = 1f;

    position_1 = position;
    normal_1 = normal;
    index_1 = index;
    let _e14 = lighting.u_lightPosition[index_1];
    let _e16 = position_1;
    l = (_e14.xyz - _e16);
    let _e21 = length(l);
    attenuation = (1f / (1f + (0.1f * (_e21 * _e21))));
    l = normalize(l);
    let _e28 = max(dot(normal_1, l), 0f);
    let _e31 = (*diffuse);
    (*diffuse) = (_e31 + ((lighting.u_lightColor[index_1].xyz * _e28) * attenuation));
    if USE_SPECULAR {
        {
            let _e44 = normalize((l - normalize(position_1)));
            let _e50 = pow(max(dot(normal_1, _e44), 0f), material.u_shininess);
            let _e51 = (*specular);
            (*specular) = (_e51 + ((material.u_specular.xyz * vec3(_e50)) * attenuation));
            return;
        }
    } else {
        return;
    }
}

fn applyFog(color: vec3<f32>) -> vec3<f32> {
    var color_1: vec3<f32>;
    var f: f32;

    color_1 = color;
    if !(USE_FOG) {
        let _e8 = color_1;
        return _e8;
    }
    f = clamp(((lighting.u_fogRange.y - gl_FragCoord_1.z) / (lighting.u_fogRange.y - lighting.u_fogRange.x)), 0f, 1f);
    let _e22 = f;
    return mix(lighting.u_fogColor.xyz, color_1, vec3(_e22));
}

fn main_1() {
    var normal_2: vec3<f32>;
    var texel: vec4<f32>;
    var diffuse_1: vec3<f32> = vec3(0f);
    var specular_1: vec3<f32> = vec3(0f);
    var i: i32 = 0i;
    var local: vec3<f32>;

    normal_2 = normalize(v_normal_1);
    let _e24 = textureSample(t_diffuse, s_diffuse, v_uv_1);
    texel = _e24;
    if USE_NORMAL_MAP {
        let _e29 = textureSample(t_normal, s_diffuse, v_uv_1);
        normal_2 = normalize((normal_2 + ((2f * _e29.xyz) - vec3(1f))));
    }
    if ((material.u_flags & 1i) != 0i) {
        if (texel.w < material.u_alphaTest) {
            discard;
        }
    }
    if !(gl_FrontFacing_1) {
        normal_2 = -(normal_2);
    }
    loop {
        let _e55 = i;
        if !((_e55 < lighting.u_lightCount)) {
            break;
        }
        {
            let _e60 = i;
            addLight(v_position_1, normal_2, _e60, (&diffuse_1), (&specular_1));
        }
        continuing {
            let _e66 = i;
            i = (_e66 + 1i);
        }
    }
    switch QUALITY {
        case 0: {
            local = texel.xyz;
            break;
        }
        case 1: {
            local = (texel.xyz * diffuse_1);
            break;
        }
        default: {
            local = ((texel.xyz * diffuse_1) + specular_1);
        }
    }
    let _e83 = local;
    let _e84 = applyFog((_e83 * v_color_1.xyz));
    o_color = vec4<f32>(_e84.x, _e84.y, _e84.z, (texel.w * material.u_diffuse.w));
    let _e97 = mod_(gl_FragCoord_1.x, 2f);
    o_color.x += (_e97 * 0.001f);
    o_bright = select(vec4(0f), o_color, (o_color > vec4(1f)));
    return;
}

@fragment
fn main(@location(0) v_position: vec3<f32>, @location(1) v_normal: vec3<f32>, @location(2) v_uv: vec2<f32>, @location(3) v_color: vec4<f32>, @builtin(position) gl_FragCoord: vec4<f32>, @builtin(front_facing) gl_FrontFacing: bool) -> FragmentOutput {
    v_position_1 = v_position;
    v_normal_1 = v_normal;
    v_uv_1 = v_uv;
    v_color_1 = v_color;
    gl_FragCoord_1 = gl_FragCoord;
    gl_FrontFacing_1 = gl_FrontFacing;
    main_1();
    let _e27 = o_color;
    let _e29 = o_bright;
    return FragmentOutput(_e27, _e29);
}
