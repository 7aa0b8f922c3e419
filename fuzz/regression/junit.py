"""A replay as JUnit XML, which CI systems show: a test case for each case and oracle."""

import re
from collections.abc import Mapping
from xml.etree import ElementTree as ET

from wgsl_fuzz.fuzz.regression.replay import CaseResult, Replay

_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML 1.0 cannot hold, not even escaped (its production 2); compilers print such bytes."""


def element(tag: str, attributes: Mapping[str, object], *inner: ET.Element, text: str = "") -> ET.Element:
    """An element of a report; characters that XML cannot hold are replaced."""
    made = ET.Element(tag, {name: clean(str(value)) for name, value in attributes.items()})
    made.text = clean(text) or None
    made.extend(inner)
    return made


def document(root: ET.Element) -> bytes:
    """The file of a report."""
    return bytes(ET.tostring(root, encoding="utf-8", xml_declaration=True)) + b"\n"


def junit_xml(done: Replay, seconds: float) -> bytes:
    """The document. CHANGED and NEW are failures; a file that cannot be judged is an error."""
    failures = sum(result.fails for result in done.results)
    counts = {"tests": len(done.results) + len(done.unreadable), "failures": failures, "errors": len(done.unreadable)}
    cases = list(map(_case, done.results))
    for path, problem in done.unreadable.items():
        error = element("error", {"message": problem})
        cases.append(element("testcase", {"classname": "reference", "name": path}, error))
    attributes = {"name": "wgsl-fuzz replay", "time": f"{seconds:.3f}", **counts}
    return document(element("testsuites", {}, element("testsuite", attributes, *cases)))


def _case(result: CaseResult) -> ET.Element:
    outcome = element("system-out", {}, text=sentence(result))
    if result.fails:
        attributes = {"message": sentence(result), "type": result.word.value}
        outcome = element("failure", attributes, text="\n".join(account_lines(result)))
    names = {"classname": result.oracle, "name": result.case.name, "file": result.case.path}
    return element("testcase", names, outcome)


def sentence(result: CaseResult) -> str:
    """A result in one line: `NEW: accepts; the reference rejects (too-lenient)`."""
    return f"{result.word.name}: {result_words(result)}"


def result_words(result: CaseResult) -> str:
    """The same without the word."""
    text = result.said
    if result.said != result.expected or result.fails:
        text += f", expected {result.expected}"
    if result.recorded is not None and result.recorded != result.said:
        text += f", recorded {result.recorded}"
    if result.record not in (None, result.oracle):
        text += f" (by the record of {result.record})"
    if result.disagrees:
        text += f"; {result.bucket or result.kind}"
    return text if result.issue is None else f"{text}; {result.issue}"


def account_lines(result: CaseResult) -> list[str]:
    """All that is to be said of a result that fails: the case, why it is there, the shader, what was found."""
    case = result.case
    lines = [f"{result.oracle} on {result.case.name}: {sentence(result)}"]
    if case.filed:
        lines += [f"The case ({case.origin}): {case.why}"]
    lines += [
        "",
        f"{result.case.path}:",
        *(f"  {n:3}  {line}" for n, line in enumerate(result.case.text.splitlines(), 1)),
    ]
    if result.case.second is not None:
        lines += [
            "",
            f"{result.case.second.file}:",
            *(f"       {line}" for line in result.case.second.text.splitlines()),
        ]
    return [*lines, "", *result.details] if result.details else lines


def clean(text: str) -> str:
    """The text without what XML cannot hold."""
    return _FORBIDDEN.sub("�", text)
