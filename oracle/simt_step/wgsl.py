"""Structured shaders and litmus tests as WGSL with subgroups, for real devices.

Each register is a local of type u32, each array a storage buffer of atomics. The registers that tell the outcome are
stored to buffers of their names at the end, a cell for each thread. A subgroup is a workgroup of as many threads: in
it no others take part, whatever the size of the device's subgroups.
"""

from collections.abc import Iterator, Mapping

from wgsl_fuzz.oracle.simt_step.litmus import Litmus
from wgsl_fuzz.oracle.simt_step.shader import BUILTINS, Address, Atomic, Load, Local, Operand, Return, SGOp, Store
from wgsl_fuzz.oracle.simt_step.structured import Body, Break, Continue, If, Loop, Stmt, lower

_HEAD = """enable subgroups;
diagnostic(off, subgroup_uniformity);
"""
_MAIN = """
@compute @workgroup_size({size})
fn main(@builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) workgroup: vec3u) {{
  const sg_size = {size}u;
  let sg = workgroup.x;
  let tid = sg * sg_size + lane;
"""
_COMPARISONS = ("==", "!=", "<")
_LOGIC = {"and": "&&", "or": "||"}
_ATOMIC = {"add": "atomicAdd", "max": "atomicMax", "exchange": "atomicExchange"}
_SUBGROUP = {
    "add": "subgroupAdd({v})",
    "all": "select(0u, 1u, subgroupAll({v} != 0u))",
    "any": "select(0u, 1u, subgroupAny({v} != 0u))",
    "all_equal": "select(0u, 1u, subgroupMin({v}) == subgroupMax({v}))",
    "ballot": "subgroupBallot({v} != 0u).x",
    "broadcast": "subgroupBroadcast({v}, {lane}u)",
    "elect": "select(0u, 1u, subgroupElect())",
    "barrier": "subgroupAdd(0u)",
}


def buffers_of(litmus: Litmus) -> Mapping[str, int]:
    """The buffers of the printed test, in the order of their bindings, with the number of their cells."""
    n = litmus.subgroups * litmus.size
    return {**litmus.arrays, **{f"out_{r}": n for r in told(litmus)}}


def print_litmus(litmus: Litmus) -> str:
    """The test as a module of WGSL, to be run in as many workgroups as the test has subgroups."""
    ends: Body = tuple(Store(Address(f"out_{r}", "tid"), r) for r in told(litmus))
    stated = " and ".join(
        f"all of {k if k in litmus.arrays else f'out_{k}'} is {v}" for k, v in litmus.synchronous.items()
    )
    head = f"// {litmus.name}: {litmus.what}. Workgroups: {litmus.subgroups}. Synchronous: {stated}.\n"
    return head + print_body((*litmus.body, *ends), buffers_of(litmus), litmus.size)


def told(litmus: Litmus) -> list[str]:
    """The registers that tell the outcome."""
    return [r for r in litmus.synchronous if r not in litmus.arrays]


def print_body(body: Body, arrays: Mapping[str, int], size: int) -> str:
    """The module for a body, its arrays by name and length, and workgroups of `size` threads.

    Raises ShaderError if the body has no control flow graph.
    """
    buffers = "".join(
        f"@group(0) @binding({place}) var<storage, read_write> {array}: array<atomic<u32>, {length}>;\n"
        for place, (array, length) in enumerate(arrays.items())
    )
    registers = [r for r in lower(body, arrays).registers if r not in BUILTINS]
    locals_ = "".join(f"  var {r}: u32;\n" for r in registers)
    lines = "".join(f"  {line}\n" for line in _Printer(arrays).lines(body))
    return f"{_HEAD}{buffers}{_MAIN.format(size=size)}{locals_}{lines}}}\n"


class _Printer:
    def __init__(self, arrays: Mapping[str, int]) -> None:
        self._arrays = arrays

    def lines(self, body: Body) -> Iterator[str]:
        """The statements, a line each, those of inner blocks indented."""
        for s in body:
            match s:
                case If():
                    yield f"if ({_operand(s.c)} != 0u) {{"
                    yield from self._indented(s.then)
                    if s.orelse:
                        yield "} else {"
                        yield from self._indented(s.orelse)
                    yield "}"
                case Loop():
                    yield from self._loop(s)
                case _:
                    yield self._simple(s)

    def _indented(self, body: Body) -> Iterator[str]:
        return (f"  {line}" for line in self.lines(body))

    def _loop(self, s: Loop) -> Iterator[str]:
        yield "loop {"
        yield from self._indented(s.body)
        yield "  continuing {"
        yield from (f"    {line}" for line in self.lines(s.continuing))
        if s.break_if is not None:
            yield f"    break if {_operand(s.break_if)} != 0u;"
        yield "  }"
        yield "}"

    def _simple(self, s: Stmt) -> str:
        match s:
            case Local():
                return f"{s.r} = {_local(s)};"
            case Load():
                return f"{s.r} = atomicLoad({self._address(s.a)});"
            case Store():
                return f"atomicStore({self._address(s.a)}, {_operand(s.value)});"
            case Atomic():
                return f"{s.r} = {_ATOMIC[s.op]}({self._address(s.a)}, {_operand(s.value)});"
            case SGOp():
                return f"{s.r} = {_SUBGROUP[s.op].format(v=_operand(s.operand), lane=s.lane)};"
            case Break():
                return "break;"
            case Continue():
                return "continue;"
        assert isinstance(s, Return), "the others have inner statements"
        return "return;"

    def _address(self, a: Address) -> str:
        """Addresses beyond the end are taken modulo the length, as in the model."""
        index = a.index if isinstance(a.index, int) else f"{a.index} % {self._arrays[a.array]}u"
        return f"&{a.array}[{index}]"


def _local(s: Local) -> str:
    operands = [_operand(o) for o in s.operands]
    if s.op == "copy":
        return operands[0]
    if s.op == "not":
        return f"select(0u, 1u, {operands[0]} == 0u)"
    left, right = operands
    if s.op in _LOGIC:
        return f"select(0u, 1u, {left} != 0u {_LOGIC[s.op]} {right} != 0u)"
    if s.op in _COMPARISONS:
        return f"select(0u, 1u, {left} {s.op} {right})"
    return f"{left} {s.op} {right}"


def _operand(o: Operand) -> str:
    return o if isinstance(o, str) else f"{o}u"
