"""Language features that a compiler lacks: each is found by one probe, and constructs of it are `unsupported`.

A build that is older than a feature refuses what is written with it. That is no fault of its front end.
"""

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from wgsl_fuzz.oracle.targets.probes import VALID
from wgsl_fuzz.oracle.targets.protocol import NamedTarget, Target
from wgsl_fuzz.oracle.verdict import Answer, Verdict
from wgsl_fuzz.wgsl import builtins as b
from wgsl_fuzz.wgsl import syntax as w
from wgsl_fuzz.wgsl.parser import parse
from wgsl_fuzz.wgsl.problems import WgslError
from wgsl_fuzz.wgsl.walk import descendants

LACKS = "it lacks "
"""So begins an answer that names features, up to a colon."""
_MATRIX = "enable chromium_experimental_subgroup_matrix;\n"
_IMPLIED, _TIER_1 = "subgroup_matrix_implies_subgroups", "texture_formats_tier1"
_OF_SUBGROUPS = {row.name for row in b.FUNCTIONS.values() if row.extension == "subgroups"}
_OF_SUBGROUPS |= {row.name for row in b.INPUTS.values() if row.extension == "subgroups"}
_NEW = [row for row in b.FUNCTIONS.values() if row.since]
"""Each is a feature by itself. Where an example needs variables, the probe is written below."""
_STORAGE = "@group(0) @binding(0) var t: texture_storage_2d<{}>;\n"

PROBES: Mapping[str, str] = {
    **{row.name: f"enable {row.extension};\nfn f() {{ _ = {row.called('1u', '1u')}; }}\n" for row in _NEW},
    b.STORAGE_TEXTURES: _STORAGE.format("r32uint, read_write"),
    "packed_4x8_integer_dot_product": "fn f(x: u32) -> u32 { return dot4U8Packed(x, x); }\n",
    "unrestricted_pointer_parameters": "fn f(p: ptr<workgroup, u32>) {}\n",
    "subgroup_id": "enable subgroups;\n"
    "@compute @workgroup_size(4) fn f(@builtin(subgroup_id) x: u32, @builtin(num_subgroups) y: u32) {}\n",
    "texture_and_sampler_let": "@group(0) @binding(0) var s: sampler;\nfn f() { let x = s; }\n",
    _TIER_1: _STORAGE.format("r8unorm, write"),
    "linear_indexing": "@compute @workgroup_size(4) fn f(@builtin(workgroup_index) x: u32) {}\n",
    "immediate_address_space": "var<immediate> x: u32;\n",
    "fragment_depth": "@fragment fn f() -> @builtin(frag_depth, less) f32 { return 0.0; }\n",
    "buffer_view": "@group(0) @binding(0) var<storage, read> b: buffer;\n",
    "bufferArrayView": "@group(0) @binding(0) var<storage, read> b: buffer;\n"
    "fn f() { _ = bufferArrayView<array<u32>>(&b, 0, 8)[0]; }\n",
    "swizzle_assignment": "fn f() { var v = vec3u(); v.xy = vec2u(); }\n",
    "subgroup_matrix_scalars": _MATRIX
    + "fn f(m: subgroup_matrix_left<f32, 8, 8>) { _ = subgroupMatrixScalarAdd(m, 1.0); }\n",
    "subgroup_matrix_majorness": _MATRIX + "var<workgroup> a: array<f32, 64>;\n"
    "fn f() { _ = subgroupMatrixLoad<subgroup_matrix_left<f32, 8, 8>, row_major>(&a, 0, 8); }\n",
    _IMPLIED: _MATRIX + "fn f() { _ = subgroupAdd(1u); }\n",
    "texel_buffers": "@group(0) @binding(0) var t: texel_buffer<r32uint, read>;\n",
    "sized_binding_array": "@group(0) @binding(0) var t: binding_array<texture_2d<f32>, 2>;\n",
    "chromium_print": "fn f() { print(1); }\n",
}
"""A valid shader of each feature whose constructs can be told by their syntax. Of a directive, itself is the probe."""

_FEATURES = b.LANGUAGE_FEATURES | b.PROPOSED_FEATURES
_NAMES = {name: row.extension for name, row in b.FUNCTIONS.items() if row.extension in _FEATURES}
_NAMES |= {name: extension for name, extension in b.TYPE_EXTENSIONS.items() if extension in _FEATURES}
_NAMES |= dict.fromkeys((n for n in b.FUNCTIONS if "MatrixScalar" in n), "subgroup_matrix_scalars")
_NAMES |= dict.fromkeys(b.MAJORNESS, "subgroup_matrix_majorness")
_NAMES |= {row.name: row.name for row in _NEW}
_INPUTS = {row.name: row.extension for row in b.INPUTS.values() if row.extension in b.LANGUAGE_FEATURES}
_INPUTS |= dict.fromkeys(("subgroup_id", "num_subgroups"), "subgroup_id")


def probe_of(feature: str) -> str:
    """The shader that is valid with this feature, or behind this directive, and without it is not."""
    return PROBES.get(feature, feature + "\n") + VALID


def all_probes() -> list[str]:
    """What asks a compiler about each feature and each directive that we know."""
    names = [f"enable {name};" for name in sorted(b.EXTENSIONS | b.PROPOSED_EXTENSIONS)]
    names += [f"requires {name};" for name in sorted(b.LANGUAGE_FEATURES | b.PROPOSED_FEATURES)]
    return [probe_of(name) for name in (*PROBES, *names)]


def used(text: str) -> frozenset[str]:
    """The language features of a text, and its directives `enable X;` and `requires X;`; none if it is no WGSL."""
    try:
        module = parse(text)
    except WgslError:
        return frozenset()
    handles = {d.name for d in module.declarations if isinstance(d, w.Variable) and not d.template}
    found = {one for node in descendants(module) if (one := _of_node(node, handles)) is not None}
    named = [one for one in module.directives if isinstance(one, w.Enable | w.Requires)]
    directives = {f"{type(one).__name__.lower()} {name};" for one in named for name in one.names}
    if _MATRIX.strip() not in directives or "enable subgroups;" in directives:
        found.discard(_IMPLIED)
    return frozenset(found) | directives


def _of_node(node: w.Node, handles: set[str]) -> str | None:
    """The feature that one node needs; `handles` are the textures and samplers of the module."""
    match node:
        case w.Identifier("ptr", (w.Identifier("storage" | "uniform" | "workgroup"), *_)):
            return "unrestricted_pointer_parameters"
        case w.Identifier("buffer"):
            return "buffer_view"
        case w.Identifier(name, (w.Identifier(texels), w.Identifier(access))) if name.startswith("texture_storage"):
            return b.STORAGE_TEXTURES if access != "write" else _TIER_1 if texels in b.TIER_1_FORMATS else None
        case w.Identifier(name):
            return _NAMES.get(name, _IMPLIED if name in _OF_SUBGROUPS else None)
        case w.Attribute("builtin", (w.Identifier(name), *more)):
            return "fragment_depth" if more else _INPUTS.get(name)
        case w.Variable(template=(w.Identifier("immediate"), *_)):
            return "immediate_address_space"
        case w.Let(value=w.Identifier(name) | w.Index(w.Identifier(name))) if name in handles:
            return "texture_and_sampler_let"
        case w.Assign(left=w.Member(name=name)) if len(name) > 1 and (set(name) <= {*"xyzw"} or set(name) <= {*"rgba"}):
            return "swizzle_assignment"
    return None


@dataclass(slots=True, eq=False)
class FeatureTarget(NamedTarget):
    """A target whose refusal of a construct is `unsupported` if it refuses the probe of its feature, too.

    A probe is sent when the first text that needs its feature is refused, behind what is in flight.
    """

    _texts: deque[tuple[str, ...]] = field(default_factory=deque)
    """The batches in flight."""
    _ahead: deque[list[Answer]] = field(default_factory=deque)
    """The answers to the oldest of them, where a probe had to wait for them."""
    _lacks: dict[str, bool] = field(default_factory=dict)

    def submit(self, texts: Sequence[str]) -> None:
        """Hands over a batch of WGSL texts."""
        self._texts.append(tuple(texts))
        self.target.submit(texts)

    def collect(self) -> list[Answer]:
        """The answers to the oldest batch submitted, in order."""
        answers = self._ahead.popleft() if self._ahead else self.target.collect()
        texts = self._texts.popleft()
        refused = {i: used(texts[i]) for i, answer in enumerate(answers) if answer.verdict is Verdict.INVALID}
        self._probe(sorted(frozenset[str]().union(*refused.values()) - self._lacks.keys()))
        for i, features in refused.items():
            if lacking := sorted(one for one in features if self._lacks[one]):
                told = f"{LACKS}{', '.join(lacking)}: {answers[i].message}"
                answers[i] = replace(answers[i], verdict=Verdict.UNSUPPORTED, message=told)
        return answers

    def _probe(self, features: Sequence[str]) -> None:
        """Finds out which of the features the target lacks."""
        if not features:
            return
        self.target.submit([probe_of(one) for one in features])
        while len(self._ahead) < len(self._texts):
            self._ahead.append(self.target.collect())
        said = zip(features, self.target.collect(), strict=True)
        self._lacks.update((one, answer.verdict in (Verdict.INVALID, Verdict.UNSUPPORTED)) for one, answer in said)


def with_features(target: Target) -> Target:
    """The target, whose answers tell what it lacks from what it gets wrong."""
    return FeatureTarget(target.name, target)
