"""A user's own rule set: a Python file that names the variants it wants, overrides rules, or both.

    from wgsl_fuzz.oracle.rules.uniformity.analysis import ScopeAnalysis

    VARIANTS = ["10a", "before-2025-12-01/joins-at-exit"]

    class Rules(ScopeAnalysis):
        def has_back_edge(self, b1):
            return True

A class `Behaviours`, which derives from `BehaviourAnalysis` of `wgsl/behaviours.py`, overrides rules of section 9.7
likewise. A method of the file's own, which overrides none, has a name that begins with `_`.
"""

import inspect
import sys
import traceback
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from wgsl_fuzz.oracle.rules.rule_set import Direction, Rules, Variant
from wgsl_fuzz.oracle.rules.uniformity.analysis import FunctionResult, ScopeAnalysis
from wgsl_fuzz.oracle.rules.uniformity.revisions import ALIASES, named_variants
from wgsl_fuzz.oracle.verdict import OracleError
from wgsl_fuzz.wgsl.behaviours import BehaviourAnalysis
from wgsl_fuzz.wgsl.problems import WgslError

SUFFIX = ".py"
_BASES: Mapping[str, type] = {"Rules": ScopeAnalysis, "Behaviours": BehaviourAnalysis}
"""What a file may define, and what that derives from."""


class RuleFileError(OracleError):
    """A file is no rule set, or one of its rules fails: one line for the user."""


@cache
def load_rules(path: str) -> Rules:
    """The rule set of a file; equal for equal paths. Raises RuleFileError."""
    defined = vars(_module(path))
    if not {"VARIANTS", *_BASES} & defined.keys():
        raise RuleFileError(f"{path}: no rule set: it defines none of VARIANTS, {', '.join(_BASES)}")
    named = list(_named(path, defined.get("VARIANTS", [])))
    own = tuple(_checked(path, name, defined[name], base) for name, base in _BASES.items() if name in defined)
    # Its own rules go by the path's name; a guard is there to say whose rules fail, and so if there are any.
    guard = type("Guard", (_Guard,), {"path": path})
    does = f"has its own {', '.join(f'`{name}`' for cls in own for name in _overridden(cls))}"
    about = " ".join((defined.get("__doc__") or "").split())
    mine = [Variant(path, "", "", Direction.EITHER, (*own, guard), does=does, about=about)] if own else []
    return Rules((*named, *mine))


def _module(path: str) -> ModuleType:
    """The file, run as a module; nothing is written beside it."""
    module = ModuleType(f"rules of {path}")
    module.__file__ = path
    try:
        text = Path(path).read_bytes()
    except OSError as error:
        raise RuleFileError(f"cannot read {path}: {error.strerror}") from error
    try:
        sys.modules[module.__name__] = module  # as dataclasses want it
        exec(compile(text, path, "exec"), module.__dict__)
    except SyntaxError as error:
        raise RuleFileError(f"{path}:{error.lineno}: {error.msg}") from error
    except (Exception, SystemExit) as error:
        raise RuleFileError(_told(path, error)) from error
    return module


def _named(path: str, names: Any) -> Iterator[Variant]:
    """The variants that a file names."""
    if not isinstance(names, (list, tuple)) or not all(isinstance(name, str) for name in names):
        raise RuleFileError(f"{path}: VARIANTS is no list of names")
    known = named_variants()
    for name in names:
        full = ALIASES.get(name, name)
        if full not in known:
            raise RuleFileError(f"{path}: there is no variant {name!r}{_nearest(name, [*ALIASES, *known])}")
        yield known[full]


def _checked(path: str, name: str, cls: Any, base: type) -> type:
    """A class of a file, each of whose methods overrides one of `base` that takes as many arguments."""
    if not isinstance(cls, type) or not issubclass(cls, base):
        raise RuleFileError(f"{path}: {name} is no class derived from {base.__name__} of {base.__module__}")
    for method in _overridden(cls):
        known = getattr(base, method, None)
        if known is None:
            raise RuleFileError(f"{path}: {name}.{method} overrides nothing{_nearest(method, dir(base))}")
        taken, given = (list(inspect.signature(f).parameters) for f in (vars(cls)[method], known))
        if len(taken) != len(given):
            raise RuleFileError(f"{path}: {name}.{method} takes ({', '.join(taken)}), not ({', '.join(given)})")
    return cls


def _overridden(cls: type) -> list[str]:
    """The names of the methods that a class of a file overrides."""
    return [name for name, member in vars(cls).items() if not name.startswith("_") and callable(member)]


def _nearest(name: str, known: Any) -> str:
    near = get_close_matches(name, known, 1, 0.4)
    return f"; did you mean {near[0]}?" if near else ""


def _told(path: str, error: BaseException) -> str:
    """An error in one line, with the last line of the file that it came through, if any."""
    lines = [f":{f.lineno}" for f in traceback.extract_tb(error.__traceback__) if f.filename == path]
    return f"{path}{''.join(lines[-1:])}: {type(error).__name__}: {' '.join(str(error).split())}"


class _Guard(ScopeAnalysis):
    """The outermost class of a user's rules: an exception within them says whose they are."""

    path: str

    def module(self) -> list[FunctionResult]:
        """The functions. Raises RuleFileError."""
        try:
            return super().module()
        except (RuleFileError, WgslError, RecursionError):
            raise
        except (Exception, SystemExit) as error:
            raise RuleFileError(_told(self.path, error)) from error
