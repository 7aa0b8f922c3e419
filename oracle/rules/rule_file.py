"""A user's own rule set: a Python file that names the variants it wants, overrides rules, or both.

    from wgsl_fuzz.oracle.rules.analysis import UniformityAnalysis

    VARIANTS = ["10a", "joins-at-exit"]

    class Rules(UniformityAnalysis):
        def has_back_edge(self, b1):
            return True

A class `Behaviours(BehaviourAnalysis)` overrides rules of Fig. 8 likewise. A method of the file's own, which overrides
none, has a name that begins with `_`.

Rules of the whole language are written alike: `Rules` derives from `ScopeAnalysis` then, `Behaviours` from the class of
`wgsl/behaviours.py`, and the variants are those of the whole language. One file is about one of the two.
"""

import inspect
import sys
import traceback
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from wgsl_fuzz.oracle.rules.analysis import Analysis, UniformityAnalysis
from wgsl_fuzz.oracle.rules.rule_set import Effect, Rules, Variant
from wgsl_fuzz.oracle.rules.uniformity.analysis import FunctionResult, ScopeAnalysis
from wgsl_fuzz.oracle.rules.uniformity.revisions import all_variants
from wgsl_fuzz.oracle.rules.variants import VARIANTS
from wgsl_fuzz.tinywgsl.ast import Shader
from wgsl_fuzz.tinywgsl.behaviour import BehaviourAnalysis
from wgsl_fuzz.wgsl.behaviours import BehaviourAnalysis as ModuleBehaviourAnalysis
from wgsl_fuzz.wgsl.problems import WgslError

SUFFIX = ".py"
_TINY: dict[str, type] = {"Rules": UniformityAnalysis, "Behaviours": BehaviourAnalysis}
"""What a file may define, and what that derives from."""
_WHOLE: dict[str, type] = {"Rules": ScopeAnalysis, "Behaviours": ModuleBehaviourAnalysis}
"""The same for the whole language."""


class RuleFileError(Exception):
    """A file is no rule set, or one of its rules fails: one line for the user."""


@dataclass(frozen=True, slots=True)
class RuleFile:
    """The rule set of a file, and whether it is one of the whole language."""

    rules: Rules
    whole: bool


@cache
def load_rules(path: str) -> RuleFile:
    """The rule set of a file; equal for equal paths. Raises RuleFileError."""
    defined = vars(_module(path))
    if not {"VARIANTS", *_TINY} & defined.keys():
        raise RuleFileError(f"{path}: no rule set: it defines none of VARIANTS, {', '.join(_TINY)}")
    names = _names(path, defined.get("VARIANTS", []))
    whole = _is_whole(defined, names)
    bases, known = (_WHOLE, all_variants()) if whole else (_TINY, VARIANTS)
    named = list(_named(path, names, known))
    own = tuple(_checked(path, name, defined[name], base) for name, base in bases.items() if name in defined)
    # Its own rules go by the path's name; a guard is there to say whose rules fail, and so if there are any.
    guard = type("Guard", (_WholeGuard if whole else _Guard,), {"path": path})
    mine = [Variant(path, "", "", Effect.EITHER, (*own, guard))] if own or not whole else []
    return RuleFile(Rules((*named, *mine)), whole)


def _is_whole(defined: Mapping[str, Any], names: Sequence[str]) -> bool:
    """Whether a class of a file is about the whole language, or without a class all that it names."""
    classes = [defined[name] for name in _WHOLE if isinstance(defined.get(name), type)]
    if any(issubclass(cls, (*_WHOLE.values(), *_TINY.values())) for cls in classes):
        return any(issubclass(cls, tuple(_WHOLE.values())) for cls in classes)
    return bool(names) and not any(name in VARIANTS for name in names) and any(name in all_variants() for name in names)


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


def _names(path: str, names: Any) -> Sequence[str]:
    if not isinstance(names, (list, tuple)) or not all(isinstance(name, str) for name in names):
        raise RuleFileError(f"{path}: VARIANTS is no list of names")
    return names


def _named(path: str, names: Sequence[str], known: Mapping[str, Variant]) -> Iterator[Variant]:
    """The variants that a file names."""
    for name in names:
        if name not in known:
            other = name in VARIANTS or name in all_variants()
            language = "the whole language" if known is not VARIANTS else "TinyWGSL"
            said = f"among those of {language}" if other else _nearest(name, known)
            raise RuleFileError(f"{path}: there is no variant {name!r}{' ' if other else ''}{said}")
        yield known[name]


def _checked(path: str, name: str, cls: Any, base: type) -> type:
    """A class of a file, each of whose methods overrides one of `base` that takes as many arguments."""
    if not isinstance(cls, type) or not issubclass(cls, base):
        raise RuleFileError(f"{path}: {name} is no class derived from {base.__name__}")
    for method, function in vars(cls).items():
        if method.startswith("_") or not callable(function):
            continue
        known = getattr(base, method, None)
        if known is None:
            raise RuleFileError(f"{path}: {name}.{method} overrides nothing{_nearest(method, dir(base))}")
        taken, given = (list(inspect.signature(f).parameters) for f in (function, known))
        if len(taken) != len(given):
            raise RuleFileError(f"{path}: {name}.{method} takes ({', '.join(taken)}), not ({', '.join(given)})")
    return cls


def _nearest(name: str, known: Any) -> str:
    near = get_close_matches(name, known, 1, 0.4)
    return f"; did you mean {near[0]}?" if near else ""


def _told(path: str, error: BaseException) -> str:
    """An error in one line, with the last line of the file that it came through, if any."""
    lines = [f":{f.lineno}" for f in traceback.extract_tb(error.__traceback__) if f.filename == path]
    return f"{path}{''.join(lines[-1:])}: {type(error).__name__}: {' '.join(str(error).split())}"


class _Guard(UniformityAnalysis):
    """The outermost class of a user's rules: an exception within them says whose they are."""

    path: str

    def shader(self, shader: Shader) -> Analysis:
        """UG_shader. Raises RuleFileError."""
        try:
            return super().shader(shader)
        except RuleFileError:
            raise
        except Exception as error:
            raise RuleFileError(_told(self.path, error)) from error


class _WholeGuard(ScopeAnalysis):
    """The same for rules of the whole language."""

    path: str

    def module(self) -> list[FunctionResult]:
        """The functions. Raises RuleFileError."""
        try:
            return super().module()
        except (RuleFileError, WgslError, RecursionError):
            raise
        except Exception as error:
            raise RuleFileError(_told(self.path, error)) from error
