diagnostic(off, derivative_uniformity);

struct type_5 {
    member: vec3<u32>,
    member_1: f32,
}

struct type_7 {
    member: array<type_5>,
}

struct type_9 {
    member: array<atomic<i32>, 4>,
    member_1: array<array<vec4<f32>, 2>, 3>,
}

@group(0) @binding(0)
var<storage, read_write> global: type_7;
@group(0) @binding(1)
var<storage, read_write> global_1: type_9;
var<workgroup> global_2: array<u32, 64>;
var<private> global_3: vec3<u32>;
var<private> global_4: u32;

fn function_(param: ptr<function, u32>, param_1: u32) -> u32 {
    var local: u32;
    var local_1: bool;
    var phi_25_: u32;
    var phi_31_: bool;

    let _e5 = (*param);
    phi_25_ = _e5;
    phi_31_ = false;
    local = 0u;
    loop {
        let _e12 = phi_25_;
        let _e14 = phi_31_;
        local_1 = _e14;
        if !((_e12 < param_1)) {
            break;
        }
        var local_2: u32 = _e12;
        loop {
            let _e19 = local_2;
            if !((_e19 != 0u)) {
                break;
            }
            let _e23 = local;
            local = (_e23 + (_e19 & 1u));
            if ((_e23 > 100u) && !(_e14)) {
                continue;
            }
            switch bitcast<i32>(_e19) {
                case 1: {
                    break;
                }
                case 2, 3: {
                    local = (local ^ 0x55u);
                }
                case -1: {
                }
                default: {
                    if (local == 77u) {
                        return 77u;
                    }
                }
            }
            continuing {
                let _e33 = local_2;
                local_2 = (_e33 >> 1u);
                break if (_e33 == 0xffffffffu);
            }
        }
        continue;
        continuing {
            phi_25_ = (_e12 + 1u);
            phi_31_ = (((_e12 % 2u) == 0u) || local_1);
        }
    }
    let _e41 = local;
    (*param) = _e41;
    return _e41;
}

fn function_1() {
    var local: u32;
    var local_3: array<vec4<f32>, 2>;
    var phi_50_: f32;
    var phi_51_: f32;

    let _e9 = global_3;
    let _e11 = global_4;
    local = _e9.x;
    let _e13 = function_((&local), 16u);
    global_2[_e11] = _e13;
    workgroupBarrier();
    let _e16 = workgroupUniformLoad((&global_2[0]));
    switch (0u) {
        default: {
            if (_e16 == 0u) {
                break;
            }
            phi_50_ = 0.0f;
            {
                var v: u32 = 0u;
                loop {
                    let _e20 = v;
                    let _e21 = arrayLength((&global.member));
                    let _e22 = min(4u, _e21);
                    if ((_e20 >= _e22)) {
                        break;
                    }
                    let _e25 = (&global.member[_e20]);
                    let _e27 = (*(_e25)).member_1;
                    phi_51_ = (phi_50_ + _e27);
                    phi_50_ = phi_51_;
                    {
                        v = (v + 1u);
                    }
                }
            }
            workgroupBarrier();
            break;
        }
    }
    local_3 = global_1.member_1[(_e9.x % 3u)];
    let v_1 = (&(local_3[1i]));
    (*(v_1)).x = phi_50_;
    let v_2 = atomicAdd((&(global_1.member[(_e16 & 3u)])), -(1i));
    let v_3 = atomicCompareExchangeWeak((&(global_1.member[0i])), v_2, 7i);
    let v_4 = v_3.exchanged;
    if (v_4) {
        global.member[_e9.x].member.y = u32(v_3.old_value);
    } else {
        if ((any((_e9 == vec3<u32>(0u, 0u, 0u))) != false)) {
            global.member[_e9.x] = type_5(vec3<u32>(1u, 2u, 3u), (local_3[0i]).w);
        } else {
        }
    }
    return;
}

@compute @workgroup_size(64, 1, 1)
fn tint_symbol(@builtin(global_invocation_id) param: vec3<u32>, @builtin(local_invocation_index) param_1: u32) {
    global_3 = param;
    global_4 = param_1;
    function_1();
}
