// Tokens: literals, comments, blank space, names. White space is part of the test: do not reformat.
enable f16;
/* block */ /* nested /* twice /* deep */ */ // not a line comment */ const after_comment = 1;
/**/const/**/no_blanks/* " */=/***/1/* ; */;
const comment_end = 1; // a carriage return alone ends a lineconst after_return = 1; // so does a line feed
const a1 = 1; // both together count once
const a2 = 1; // vertical tabconst a3 = 1; // form feedconst a4 = 1; // next lineconst a5 = 1;
const a6 = 1; // line separator const a7 = 1; // paragraph separator const a8 = 1; // end
const	b1‎=‏1;constb2 = 1;
const all_ends = after_comment + no_blanks + comment_end + after_return + a1 + a2 + a3 + a4 + a5 + a6 + a7 + a8 + b1 + b2;

// names
const _a = 1; const a_ = 1; const _1 = 1; const a__b = 1; const A = 1; const a = 2;
const Δέλτα = 1; const réflexion = 1; const изображение = 1; const 朝焼け = 1; const سلام = 1; const 검정 = 1; const שָׁלוֹם = 1;
const गुलाबी = 1; const փիրուզ = 1; const 𐐀𐐁 = 1; const x·y = 1; const é = 1; const é = 2;
const names = _a + a_ + _1 + a__b + A + a + Δέλτα + réflexion + изображение + 朝焼け + سلام + 검정 + שָׁלוֹם + गुलाबी + փիրուզ + 𐐀𐐁 + x·y + é + é;

// abstract integers, i32, u32
const i0 = 0; const i1 = 1234567890; const i2 = 9223372036854775807; const i3 = -9223372036854775807 - 1; const i4 = 0x7FFFffff;
const i5 = 0i; const i6 = 2147483647i; const i7 = 0x7fi; const i8 = 0X1Fi; const i9 = -2147483647i;
const u0 = 0u; const u1 = 4294967295u; const u2 = 0xFFFFFFFFu; const u3 = 0x0; const u4 = 0x0u; const u5 = 0Xabcdefu;
const i10 = 0x00ff; const i11 = 0x1i; const i12 = 0xdeadbeef; const i13 = 0xe1 + 1; const i14 = 0xf1; const i15 = 0x1f;

// abstract floats, f32, f16
const f0 = 0.; const f1 = .0; const f2 = 0.0; const f3 = 01.5; const f4 = 1e0; const f5 = 1E+10; const f6 = 1.5e-10; const f7 = .5e3;
const f8 = 5.e3; const f9 = 0f; const f10 = 12f; const f11 = 1.f; const f12 = .1f; const f13 = 1e3f; const f14 = 1.5E3f;
const h0 = 0h; const h1 = 12h; const h2 = 1.h; const h3 = .5h; const h4 = 1e3h; const h5 = 1.25e-2h;
const x0 = 0x.8; const x1 = 0x1.; const x2 = 0x1.8; const x3 = 0X1.8P1; const x4 = 0x1p4; const x5 = 0xap-3; const x6 = 0x.8p+1;
const x7 = 0x1p1f; const x8 = 0x1.8p1f; const x9 = 0xa.p1h; const x10 = 0xF.8p-2h; const x11 = 0x1.fffffep127f;
const f15 = 007.5; const f16_ = 00e1; const f17 = 00.0f; const f18 = 1e+0; const f19 = 123456789012345678901234567890.0;
const t = true; const f = false;

// the longest token is taken, where a template list does not end
const l0 = 1-1; const l1 = 1--1; const l2 = 1+-1; const l3 = 3&1&~1; const l4 = -(-1); const l5 = - -1; const l6 = 1<<1u;
const l7 = vec2<f32>(1)==vec2<f32>(1); const l8 = array<vec2<i32>,2>(vec2<i32>(),vec2<i32>())[0].x<1;
const l9: vec2<f32>=vec2<f32>(); const l10: array<vec2<f32>,2>=array<vec2<f32>,2>(); const l11 = 8>>1u>=4; const l12 = (1<2)==(3>2);
const l13 = select(1,2,3>=2)>=1; const l14 = vec3(1<2,2>1,true); const l15 = vec4<f32>(1).x<vec4<f32>(2).y;

fn tokens(n: u32) -> u32 {
  var v=n;v+=1;v-=1;v*=2;v/=2;v%=9;v&=7;v|=8;v^=1;v<<=1;v>>=1;v++;v--;
  var w: array<vec2<u32>,2>=array<vec2<u32>,2>();
  let less=v<n;let more=v>n;let at_least=v>=n;let at_most=v<=n;let left=v<<n;let right=v>>n;
  if((less&&more)||(at_least&&at_most)){w[0]=vec2<u32>(left,right);}else{w[1].x++;}
  if v<n{return w[0].x;}else if v>n{return w[0].y;}
  let p=&v;*p=*p**p;let q=v&*&v;let r=!less;let s=!(!more)&&!!r;
  return select(q,v,s)/*/ slash star slash */-/* */1;
}
