"""What a resolution says about the nodes of a module: declarations, spaces, roots, stages."""

import re
import tomllib
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.wgsl.current_tint import ask_tint, refused_by_tint
from tests.wgsl.trees import modules
from wgsl_fuzz.oracle.verdict import Verdict
from wgsl_fuzz.wgsl import syntax
from wgsl_fuzz.wgsl.behaviours import BehaviourAnalysis
from wgsl_fuzz.wgsl.parser import parse
from wgsl_fuzz.wgsl.problems import ResolveProblem, Unsupported, WgslError
from wgsl_fuzz.wgsl.resolution import Resolution
from wgsl_fuzz.wgsl.resolve import read, resolve
from wgsl_fuzz.wgsl.walk import descendants

MODULE = """
struct Inner { xy: vec2u, count: u32 }
struct Outer { inner: Inner, list: array<Inner, 4>, v: vec4f }
alias Alias = Outer;
alias Pointer = ptr<storage, Alias, read_write>;
var<private> own: Outer;
var<workgroup> work: array<Outer, 2>;
@group(0) @binding(0) var<storage> ro: Outer;
@group(0) @binding(1) var<storage, read_write> rw: Alias;
@group(0) @binding(2) var<uniform> un: vec4f;
@group(0) @binding(3) var tex: texture_2d<f32>;
@group(0) @binding(4) var store: texture_storage_2d<r32uint, read_write>;
@group(0) @binding(5) var<storage, read_write> bytes: buffer;
var<workgroup> counts: array<atomic<u32>, 2>;
var<immediate> imm: u32;
const constant = 3;
fn make() -> Outer { return own; }
fn main(pf: ptr<function, vec4f>, ps: Pointer, value: Outer) {
    var local: Outer;
    var inferred = make();
    var vector = vec4f();
    var grid = array(array(make(), make()), array(make(), make()));
    let whole = &local;
    let again = whole;
    let part = &local.list[constant];
    let deep = &(*part).xy;
    let view = bufferView<Outer>(&bytes, 0);
    let copy = local;
    let handle = store;
    %s
}
"""


def probe(*expressions: str) -> tuple[Resolution, list[syntax.Expression]]:
    """The module, and some expressions at the end of `main`."""
    module = parse(MODULE % "\n".join(f"_ = {text};" for text in expressions))
    main = module.declarations[-1]
    assert isinstance(main, syntax.Function)
    values = [s.value for s in main.body.statements if isinstance(s, syntax.Phony)]
    return resolve(module), values


ROOTS_BY_NAME = """
local     local   (local)   &local   *whole   whole   again.v   (*again).v.x   &(*part).count   deep   (*deep)[0]
work      work[1].inner   &work
ro        ro
rw        rw.list[2].xy   rw.list[2].xy.x
un        un.x
imm       imm
pf        pf   *pf   pf[1]
ps        ps.inner.xy   &(*ps).list
bytes     view   view.list[0].xy   *bufferView<u32>(&bytes, 4)   bufferArrayView<array<u32>>(&bytes, 4, 8)[1]
tex       tex
store     store
vector    vector.x
inferred  inferred.inner.xy
grid      grid[0][1].list[2].xy
-         vector.xy   vector.xyzw.x   vector.rgb   un.zz   (*pf).xy   pf.xy   rw.list[2].xy.yx   deep.xy   copy
-         copy.inner.xy   value.list[0].xy   handle   make().inner   constant   1 + imm   -un   vec4f()
-         atomicLoad(&counts[0])
"""
"""The variable that is read, and the expressions that read it; - stands for none."""
ROWS = [re.split("  +", line) for line in ROOTS_BY_NAME.strip().splitlines()]
ROOTS = {text: None if root == "-" else root for root, *texts in ROWS for text in texts}


def test_roots() -> None:
    resolution, values = probe(*ROOTS)
    found = {}
    for text, value in zip(ROOTS, values, strict=True):
        root = resolution.root(value)
        found[text] = root.name if root is not None else None
    assert found == ROOTS


def test_current_tint_takes_all_of_them() -> None:
    texts = [MODULE % f"_ = {text};" for text in ROOTS]
    assert refused_by_tint(texts) == []


# ------------------------------------------------------------------------------------------------ names and functions


@given(st.permutations(range(6)), st.data())
def test_the_order_of_declarations_does_not_matter(order: list[int], data: st.DataObject) -> None:
    """Functions that call earlier ones only, in any order of the text: callees come first, each once."""
    calls = {i: data.draw(st.lists(st.integers(0, max(0, i - 1)), max_size=3)) if i else [] for i in range(6)}
    text = "\n".join(f"fn f{i}() {{ {' '.join(f'f{j}();' for j in calls[i])} }}" for i in order)
    resolution = read(text)
    place = {f.name: i for i, f in enumerate(resolution.functions)}
    assert sorted(place) == [f"f{i}" for i in range(6)]
    for function in resolution.functions:
        callees = [f.name for f in resolution.callees(function)]
        assert callees == list(dict.fromkeys(f"f{j}" for j in calls[int(function.name[1:])]))
        assert all(place[name] < place[function.name] for name in callees)


UNKNOWN = ["enable chromium_something;", "requires something;", "enable f16, chromium_disable_uniformity_analysis;"]
BEHIND = ["", "fn f() { let x = 1u }", "@something var x: u32;", "fn f() -> something {}", "fn f() { # }", "enable ;"]


@pytest.mark.parametrize("directive", UNKNOWN)
@pytest.mark.parametrize("behind", BEHIND)
def test_behind_an_unknown_extension_nothing_is_invalid(directive: str, behind: str) -> None:
    with pytest.raises(Unsupported, match=re.findall(r"\w+", directive)[-1]):
        read(f"/* */ {directive} {behind}")
    with suppress(WgslError):
        read(f"enable f16; {behind}")
        assert behind == ""


# -------------------------------------------------------------------------------------------------------------- depth

LONG, DEEP = 5000, 400


def chain(link: str) -> str:
    """Many copies of a text, with `#` for a number and `@` for the next one."""
    return " ".join(link.replace("#", str(i)).replace("@", str(i + 1)) for i in range(LONG))


@pytest.mark.parametrize(
    "text",
    [
        "fn f() { var v = 1; let p0 = &v; " + chain("let p@ = &*p#;") + "}",
        "fn f() { let a0 = vec4f(); " + chain("let a@ = a#;") + "}",
        chain("const a# = a@;") + f"const a{LONG} = 1;",
        chain("alias a# = a@;") + f"alias a{LONG} = u32; var<private> x: a0;",
        chain("fn f#() { f@(); }") + f"fn f{LONG}() {{}}",
        "fn f() { if true {} " + "else if true {}" * DEEP + "}",
        "fn f() { " + "{" * DEEP + "}" * DEEP + "}",
        "fn f() { let x = " + "array(" * DEEP + "1" + ")" * DEEP + "; }",
        "fn f() { let x = 1; let y = x" + " + x" * DEEP + "; }",
    ],
    ids=["pointers", "lets", "constants", "aliases", "functions", "else-ifs", "blocks", "calls", "operators"],
)
def test_long_chains_and_deep_nests(text: str) -> None:
    resolution = read(text)
    for node in descendants(resolution.module):
        if isinstance(node, syntax.Let):
            assert resolution.is_pointer(node.value) == (resolution.root(node.value) is not None and "&" in text)


@given(modules)
def test_random_trees_raise_nothing_else(module: syntax.Module) -> None:
    """And the mutated texts of `test_names_mutated.py`, which have more names that mean something."""
    with suppress(WgslError):
        resolve(syntax.Module((), module.declarations))


# ------------------------------------------ Small modules that name resolution accepts or refuses, as current Tint does


TABLES: dict[str, dict[str, Any]] = tomllib.loads(Path(__file__).with_name("names.toml").read_text(encoding="utf-8"))
DIFFERS = TABLES["differs"]
TEXTS = {name: table for name, table in TABLES.items() if name != "differs"}
ACCEPTED: list[str] = [text for table in TEXTS.values() for text in table["accepted"]]
REFUSED: list[tuple[str, str]] = [(text, problem) for table in TEXTS.values() for text, problem in table["refused"]]
REFUSED_BY_TINT: list[str] = [text for text, _ in DIFFERS["refused_by_tint"]]
ACCEPTED_BY_BOTH: list[str] = [*ACCEPTED, *DIFFERS["accepted_by_tint"]]


def check(text: str) -> None:
    resolution = read(text)
    analysis = BehaviourAnalysis()
    for function in resolution.functions:
        analysis.check(function)


@pytest.mark.parametrize("text", [*ACCEPTED_BY_BOTH, *REFUSED_BY_TINT])
def test_accepted(text: str) -> None:
    check(text)


@pytest.mark.parametrize(("text", "problem"), REFUSED)
def test_refused(text: str, problem: str) -> None:
    with pytest.raises(ResolveProblem) as raised:
        check(text)
    assert raised.value.message == problem
    assert 0 <= raised.value.start < len(text)


def test_current_tint_agrees() -> None:
    refused = [*REFUSED_BY_TINT, *(text for text, _ in REFUSED)]
    answers = ask_tint([*ACCEPTED_BY_BOTH, *refused])
    expected = [False] * len(ACCEPTED_BY_BOTH) + [True] * len(refused)
    differing = [
        (text, answer.message)
        for text, answer, invalid in zip([*ACCEPTED_BY_BOTH, *refused], answers, expected, strict=True)
        if (answer.verdict is Verdict.INVALID) != invalid
    ]
    assert differing == []
