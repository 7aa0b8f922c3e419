"""Motifs of proposals: calls of subgroup matrices, which need several uniform values, and matrices that differ.

A matrix that is not uniform is a uniform one that only some invocations keep, take, store or get as a result.
"""

from typing import NamedTuple

from wgsl_fuzz.strategies.generate.motifs.drawing import MotifDrawer

_SIDES = ("left", "right", "result")
_COMPONENTS = ("f32", "f32", "f32", "u32", "i32", "i8", "u8")
_SCALARS = {"i8": "i32", "u8": "u32"}
"""What a component is in the shader, where that is another type."""
_MEMORY = {"f32": ("cells", "grid"), "u32": ("tiles", "tiles")}
"""What a matrix of these may be loaded from: workgroup memory, and a buffer."""
_RULES = (*["chromium.subgroup_matrix_uniformity"] * 3, "derivative_uniformity", "subgroup_uniformity")


class Matrix(NamedTuple):
    """A type of subgroup matrices, all of 8 by 8."""

    side: str
    component: str

    @property
    def scalar(self) -> str:
        """The type of a component in the shader."""
        return _SCALARS.get(self.component, self.component)

    @property
    def type(self) -> str:
        """The text of the type."""
        return f"subgroup_matrix_{self.side}<{self.component}, 8, 8>"

    def of(self, side: str) -> "Matrix":
        """The other matrix of a product."""
        return Matrix(side, self.scalar if side == "result" else self.component)


def _matrix(d: MotifDrawer, *sides: str) -> Matrix:
    m = Matrix(d.pick(*sides or _SIDES), d.pick(*_COMPONENTS))
    return m.of("result") if m.side == "result" else m


def _value(m: Matrix, e: str) -> str:
    """A matrix whose components are a u32."""
    return f"{m.type}({m.scalar}({e}))"


def _made(d: MotifDrawer, m: Matrix) -> str:
    """A matrix that is uniform where control flow is."""
    memory = _MEMORY.get(m.component)
    if memory is not None and d.chance(25):
        return _load(d, m, memory, d.pick("0u", d.uniform()), d.pick("8u", "16u"))
    return d.pick(f"{m.type}()", _value(m, d.uniform()))


def _load(d: MotifDrawer, m: Matrix, memory: tuple[str, ...], offset: str, stride: str) -> str:
    pointer = f"&{d.pick(*memory)}"
    if d.chance(20):
        return f"subgroupMatrixLoad<{m.type}>({pointer}, {offset}, {d.pick('true', 'false')}, {stride})"
    return f"subgroupMatrixLoad<{m.type}, {d.pick('row_major', 'col_major')}>({pointer}, {offset}, {stride})"


def _store(d: MotifDrawer, m: Matrix, value: str, offset: str = "0u", stride: str = "8u", memory: str = "") -> str:
    pointer = f"&{memory or d.pick(*_MEMORY[m.component])}"
    if d.chance(20):
        return f"subgroupMatrixStore({pointer}, {offset}, {value}, {d.pick('true', 'false')}, {stride});"
    return f"subgroupMatrixStore<{d.pick('row_major', 'col_major')}>({pointer}, {offset}, {value}, {stride});"


def _use(d: MotifDrawer, m: Matrix, e: str) -> str:
    """A statement that needs a matrix to be uniform, as each of its operands."""
    left, right, result = (e if side == m.side else f"{m.of(side).type}()" for side in _SIDES)
    ways = [f"_ = subgroupMatrixScalar{d.pick('Add', 'Subtract', 'Multiply')}({e}, {m.scalar}(2));"]
    if m.component in _MEMORY:
        ways += [_store(d, m, e)] * 2
    if m.side != "result":
        ways.append(f"_ = subgroupMatrixMultiply<{m.scalar}>({left}, {right});")
    ways.append(f"_ = subgroupMatrixMultiplyAccumulate({left}, {right}, {result});")
    return d.pick(*ways)


def _pair(d: MotifDrawer, m: Matrix) -> tuple[str, str, str]:
    """The names of two uniform matrices, the first a variable, and their declarations."""
    x, y = d.name("m"), d.name("m")
    return x, y, f"var {x} = {_made(d, m)}; let {y} = {_made(d, m)};"


def _by_some(d: MotifDrawer, statement: str) -> str:
    """What only some invocations do, in each form of control flow."""
    return d.pick(
        f"if {d.doubt()} {{ {statement} }}",
        f"if {d.guess()} {{}} else if {d.doubt()} {{}} else {{ {statement} }}",
        f"switch {d.suspect()} {{ case 1u {{ {statement} }} default {{}} }}",
        f"while {d.doubt()} {{ {statement} break; }}",
        f"for (var i = 0u; i < {d.suspect()}; i++) {{ {statement} }}",
        f"loop {{ {statement} continuing {{ break if {d.doubt()}; }} }}",
        f"loop {{ if {d.doubt()} {{ break; }} {statement} continuing {{ break if {d.guess()}; }} }}",
    )


def matrix_by_some(d: MotifDrawer) -> str:
    """A call with uniform arguments in control flow that decides, or a zero there, at once or in a function."""
    m = _matrix(d)
    statement = d.require_matrix() if d.chance(50) else _use(d, m, f"{m.type}()")
    if d.chance(40):
        f = d.name("f")
        result = d.some(" -> bool")
        d.declare(f"fn {f}(){result} {{ {statement} {result and 'return true;'} }}")
        if result and d.chance(50):
            return f"_ = {d.doubt()} {d.pick('&&', '||')} {f}();"
        statement = f"{'_ = ' if result else ''}{f}();"
    return f"if {d.doubt()} {{ return; }} {statement}" if d.chance(15) else _by_some(d, statement)


def matrix_argument(d: MotifDrawer) -> str:
    """A value that decides is an argument: a component, an offset, a stride or the memory."""
    m, e = Matrix(d.pick(*_SIDES), d.pick(*_MEMORY)), d.suspect()
    memory = _MEMORY[m.component]
    before = ""
    if d.chance(30):
        e = d.name("v")
        before = f"var {e} = {d.uniform()}; {_by_some(d, f'{e} = {d.number()};')}"
    offset, stride = d.source.pick(((e, "8u"), ("0u", f"(8u + ({e} & 1u))")))
    use = d.pick(
        f"_ = {_value(m, e)};",
        f"_ = {_load(d, m, memory, offset, stride)};",
        _store(d, m, f"{m.type}()", offset, stride),
        f"_ = subgroupMatrixScalar{d.pick('Add', 'Subtract', 'Multiply')}({m.type}(), {m.scalar}({e}));",
        f"_ = {_load(d, Matrix(m.side, 'f32'), (f'rows[{e} & 1u]',), '0u', '8u')};",
        _store(d, Matrix(m.side, "f32"), f"{Matrix(m.side, 'f32').type}()", memory=f"rows[{e} & 1u]"),
    )
    return f"{before} {use}"


def matrix_kept_by_some(d: MotifDrawer) -> str:
    """Some invocations assign another matrix to a variable, an element, a member, or through a pointer."""
    m = _matrix(d)
    x, y, before = _pair(d, m)
    if d.chance(40):
        return f"{before} {_by_some(d, f'{x} = {y};')} {_use(d, m, x)}"
    whole = d.name("w")
    kind = d.pick("array", "struct", "pointer", "called")
    if kind == "array":
        target, read = d.pick("0", "1", f"({d.suspect()} & 1u)"), d.pick("0", "1")
        made = f"var {whole} = array<{m.type}, 2>({x}, {y});"
        assign = f"{whole}[{target}] = {y};"
        some = assign if "u)" in target and d.chance(60) else _by_some(d, assign)
        return f"{before} {made} {some} {_use(d, m, f'{whole}[{read}]')}"
    if kind == "struct":
        s = d.name("Of")
        d.declare(f"struct {s} {{ a: {m.type}, b: {m.type}, c: u32 }}")
        made = f"var {whole}: {s}; {whole}.a = {x};" if d.chance(50) else f"var {whole} = {s}({x}, {y}, 1u);"
        assign = d.pick(f"{whole}.a = {y};", f"{whole} = {s}({y}, {y}, 2u);", f"{whole}.c = {d.suspect()};")
        return f"{before} {made} {_by_some(d, assign)} {_use(d, m, whole + d.pick('.a', '.b'))}"
    if kind == "pointer":
        return f"{before} let {whole} = &{x}; {_by_some(d, f'*{whole} = {y};')} {_use(d, m, d.pick(x, f'*{whole}'))}"
    f = d.name("f")
    d.declare(f"fn {f}(p: ptr<function, {m.type}>, other: {m.type}, n: u32) {{ if n == 1u {{ *p = other; }} }}")
    call = f"{f}(&{x}, {y}, {d.suspect()});"
    return f"{before} {call if d.chance(60) else _by_some(d, call)} {_use(d, m, x)}"


def matrix_chosen(d: MotifDrawer) -> str:
    """A matrix is an element that is not the same for all, or the result of a function that returns one of two."""
    m = _matrix(d)
    x, y, before = _pair(d, m)
    if d.chance(50):
        whole = d.name("w")
        made = f"{d.pick('let', 'var')} {whole} = array<{m.type}, 2>({x}, {y});"
        return f"{before} {made} {_use(d, m, f'{whole}[{d.suspect()} & 1u]')}"
    f = d.name("f")
    d.declare(f"fn {f}(n: u32, a: {m.type}, b: {m.type}) -> {m.type} {{ if n == 1u {{ return a; }} return b; }}")
    return f"{before} {_use(d, m, f'{f}({d.suspect()}, {x}, {y})')}"


def matrix_required_of_caller(d: MotifDrawer) -> str:
    """A function needs its matrix, or what a pointer leads to, to be uniform; some callers' is not."""
    m = _matrix(d)
    x, y, before = _pair(d, m)
    f, pointer = d.name("f"), d.chance(40)
    parameter = f"ptr<function, {m.type}>" if pointer else m.type
    through = d.pick("*p", "(*p)") if pointer else "p"
    with d.helper():
        d.declare(f"fn {f}(p: {parameter}) {{ {d.padding()} {_use(d, m, through)} }}")
    if d.chance(25):
        g, f = f, d.name("g")
        d.declare(f"fn {f}(p: {parameter}) {{ {g}(p); }}")
    return f"{before} {_by_some(d, f'{x} = {y};')} {f}({'&' if pointer else ''}{x});"


def accumulated(d: MotifDrawer) -> str:
    """A loop that multiplies and accumulates, with a trip count that decides, or that some leave early."""
    m = _matrix(d, "left")
    x, y, a, i = d.name("l"), d.name("r"), d.name("acc"), d.name("i")
    right, result = m.of("right"), m.of("result")
    before = f"let {x} = {_made(d, m)}; let {y} = {_made(d, right)}; var {a} = {_made(d, result)};"
    step = f"{a} = subgroupMatrixMultiplyAccumulate({x}, {y}, {a});"
    other = f"var {d.name('b')} = {a};"
    loop = d.pick(
        f"for (var {i} = 0u; {i} < {d.suspect()}; {i}++) {{ {step} }}",
        f"for (var {i} = 0u; {i} < {d.uniform()}; {i}++) {{ {step} if {d.doubt()} {{ break; }} }}",
        f"for (var {i} = 0u; {i} < {d.uniform()}; {i}++) {{ {step} if {d.doubt()} {{ continue; }} {other} }}",
        f"var {i} = 0u; loop {{ {i}++; {step} continuing {{ break if {i} > {d.suspect()}; }} }}",
    )
    return f"{before} {loop} {d.some(_use(d, result, a), 70)}"


def filtered_matrix(d: MotifDrawer) -> str:
    """A filter takes the edge off one rule: of matrices or another; what comes out of it may count behind it."""
    m = _matrix(d)
    x, y, before = _pair(d, m)
    attribute = f"@diagnostic({d.pick('off', 'warning', 'info')}, {d.pick(*_RULES)})"
    inside = d.pick(_use(d, m, y), f"{x} = {_value(m, d.suspect())};", f"var {d.name('z')}: {m.type};")
    if d.chance(25):
        f = d.name("f")
        d.declare(f"{attribute} fn {f}() {{ {d.require_matrix()} }}")
        return _by_some(d, f"{f}();")
    return f"{before} {attribute} if {d.doubt()} {{ {inside} }} {d.some(_use(d, m, x), 40)}"


def matrices_settled(d: MotifDrawer) -> str:
    """Accepted, though some invocations copy matrices, and one that differs is replaced before it counts."""
    m = _matrix(d)
    x, y, before = _pair(d, m)
    copy = d.pick(f"let {d.name('c')} = {y};", f"let {d.name('c')} = array<{m.type}, 2>({x}, {y});", f"_ = {y};")
    some = f"if {d.test(d.varying())} {{ {d.pick(copy, f'{x} = {y};')} }}"
    return f"{before} {some} {x} = {y}; {_use(d, m, x)}"


def texel_or_picture(d: MotifDrawer) -> str:
    """What a texel buffer or an element of a binding array gives decides; a 64-bit atomic changes nothing."""
    texels = "fixed_texels" if d.calm or d.chance(40) else "shared_texels"
    access = "read" if texels == "fixed_texels" else "read_write"
    x, t = d.name("x"), d.name("t")
    if d.chance(30):
        with d.helper():
            d.declare(f"fn {x}(t: texel_buffer<r32uint, {access}>, i: u32) -> u32 {{ return textureLoad(t, i).x; }}")
        return d.guarded(d.test(f"{x}({texels}, {d.uniform()})"))
    picture = f"pictures[{d.suspect()} & 3u]"
    e = d.pick(
        f"textureLoad({texels}, {d.uniform() if texels == 'shared_texels' else d.suspect()}).x",
        f"textureDimensions({texels})",
        f"u32(textureLoad({picture}, vec2u(), 0).x)",
        f"u32(textureLoad({t}, vec2u(), 0).x)",
    )
    before = f"let {t} = {picture};" if f"{t}," in e else ""
    effect = d.pick(
        f"atomicStoreMin(&wide[{d.index()}], vec2u({d.varying()}, 1u));",
        f"atomicStoreMax(&wide[{d.index()}], vec2u({d.varying()}, 1u));",
        f"print({d.varying()});",
    )
    some = d.pick(effect, f"if {d.test(d.varying())} {{ {effect} }}")
    return f"{before} let {x} = {e}; {d.some(some, 60)} {d.guarded(d.test(x))}"


PROPOSED = (
    matrix_by_some,
    matrix_by_some,
    matrix_argument,
    matrix_argument,
    matrix_kept_by_some,
    matrix_kept_by_some,
    matrix_kept_by_some,
    matrix_chosen,
    matrix_required_of_caller,
    accumulated,
    filtered_matrix,
    matrices_settled,
    texel_or_picture,
)
ACCEPTED_PROPOSALS = (*PROPOSED, *[matrices_settled] * 4)
