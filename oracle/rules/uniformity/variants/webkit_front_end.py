"""What WebKit's front end does not know: its rule sets have no verdict on it (docs/webkit-analysis.md, 6)."""

from typing import ClassVar

from wgsl_fuzz.oracle.rules.uniformity.analysis import SUBGROUPS, FunctionResult, ScopeAnalysis
from wgsl_fuzz.wgsl import syntax as w
from wgsl_fuzz.wgsl.builtins import Rule, words
from wgsl_fuzz.wgsl.problems import ResolveProblem, Unsupported
from wgsl_fuzz.wgsl.walk import descendants

_EXTENSIONS = words("f16 clip_distances")
_FEATURES = words(
    """readonly_and_readwrite_storage_textures packed_4x8_integer_dot_product unrestricted_pointer_parameters
    pointer_composite_access"""
)
_BUILTIN_VALUES = words(
    """vertex_index instance_index position front_facing frag_depth sample_index sample_mask local_invocation_id
    local_invocation_index global_invocation_id workgroup_id num_workgroups clip_distances"""
)
_OF_SUBGROUPS = words("num_subgroups subgroup_size subgroup_id subgroup_invocation_id")
_BUFFER_VIEWS = words("bufferView bufferArrayView bufferLength")


class FrontEnd(ScopeAnalysis):
    """The analysis behind a front end that refuses what it does not know, and behaviours that are not allowed."""

    extensions: ClassVar[frozenset[str]] = _EXTENSIONS | {SUBGROUPS}
    builtin_values: ClassVar[frozenset[str]] = _BUILTIN_VALUES | _OF_SUBGROUPS

    def module(self) -> list[FunctionResult]:
        """Raises Unsupported in place of a verdict."""
        module = self.resolution.module
        for node in (n for part in (*module.directives, *module.declarations) for n in descendants(part)):
            unknown = self.unknown(node)
            if unknown:
                raise Unsupported(f"WebKit's front end is not known to read {unknown}", node.start)
        try:
            return super().module()
        except ResolveProblem as problem:
            raise Unsupported(f"WebKit's front end refuses this: {problem.message}", problem.start) from None

    def unknown(self, node: w.Node) -> str:
        """What the front end does not know about a node itself; empty if it knows it."""
        match node:
            case w.Enable():
                return ", ".join(sorted({*node.names} - self.extensions))
            case w.Requires():
                return ", ".join(sorted({*node.names} - _FEATURES))
            case w.Attribute(name="builtin", arguments=(w.Identifier(name=name),)) if name not in self.builtin_values:
                return f"@builtin({name})"
            case w.Call() if (row := self.resolution.builtin(node)) is not None:
                unknown = row.name in _BUFFER_VIEWS or (row.rule is Rule.SUBGROUP and SUBGROUPS not in self.extensions)
                return row.name if unknown else ""
            case w.For():
                return _unknown_in_for(node)
            case _:
                return ""


class FrontEnd92829e9(FrontEnd):
    """That of revision 92829e9, without subgroups."""

    extensions = _EXTENSIONS
    builtin_values = _BUILTIN_VALUES


def _unknown_in_for(s: w.For) -> str:
    for part in (s.initial, s.update):
        if isinstance(part, w.CallStatement | w.Phony):
            return "a call or a phony assignment in the head of a 'for'"
        if isinstance(part, w.Assign | w.Increment):
            left = part.left
            while isinstance(left, w.Member | w.Index):
                left = left.base
            if not isinstance(left, w.Identifier) or left.start > part.start:
                return "a left side in the head of a 'for' that does not begin with a name"
    return ""
