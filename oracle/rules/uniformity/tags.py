"""The tags of a function (15.2.3): the summary that the analysis of its callers uses."""

from wgsl_fuzz.tinywgsl.ast import node
from wgsl_fuzz.wgsl.builtins import Rule
from wgsl_fuzz.wgsl.diagnostics import Severity

TriggerRules = frozenset[Rule]
NO_RULES: TriggerRules = frozenset()


@node
class Required:
    """The tag CallSiteRequiredToBeUniform.S or ParameterRequiredToBeUniform.S, with its potential-trigger set."""

    severity: Severity
    rules: TriggerRules


@node
class Origin:
    """A parameter that a value depends on: its value or address, or with `contents` also what it points to."""

    parameter: int
    contents: bool = False


@node
class ParameterTags:
    """The tags of one parameter; `contents` variants exist for pointers in the `function` address space only."""

    required: Required | None = None
    """ParameterRequiredToBeUniform.S, or with `of_contents` ParameterContentsRequiredToBeUniform.S."""
    of_contents: bool = False
    returned: bool = False
    """ParameterReturnContentsRequiredToBeUniform: the result depends on it."""
    returned_contents: bool = False
    """The result depends on what it points to."""
    written_non_uniform: bool = False
    """PointerParameterMayBeNonUniform: what it points to may be non-uniform when the function returns."""
    written_from: tuple[Origin, ...] = ()
    """The parameters that its contents depend on when the function returns."""


@node
class FunctionTags:
    """All tags of one function in one scope."""

    call_site: Required | None
    """CallSiteRequiredToBeUniform.S."""
    result_non_uniform: bool
    """ReturnValueMayBeNonUniform."""
    parameters: tuple[ParameterTags, ...]


NO_TAGS = FunctionTags(None, False, ())
"""The tags of a function without parameters that requires nothing."""
