"""Pages of HTML, as tests look at them."""

import re
from html.parser import HTMLParser

VOID = {"meta", "link", "input", "img", "br", "hr"}


class Page(HTMLParser):
    """A page as a browser sees it: its elements, what it loads, its links, IDs and headings.

    It holds that tags match, and that no ID is there twice.
    """

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.loads: list[str] = []
        self.links: list[str] = []
        self.ids: dict[str, str] = {}
        """Each with the classes of its element."""
        self.headings: list[int] = []
        self.policy = ""
        self.text = ""
        self._open: list[str] = []
        self.feed(text)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        has = {name: value or "" for name, value in attrs}
        self.tags.append(tag)
        self.loads += [has[name] for name in ("src", "srcset", "data", "action", "poster") if name in has]
        self.loads += [has[name] for name in ("href",) if tag in ("link", "use", "image") and name in has]
        self.loads += [tag] * (tag in ("iframe", "base"))
        self.links += [has[name] for name in ("href", "xlink:href") if tag == "a" and name in has]
        if "id" in has:
            assert has["id"] not in self.ids
            self.ids[has["id"]] = has.get("class", "")
        self.headings += [int(level) for level in re.findall(r"^h(\d)$", tag)]
        self.policy += has.get("content", "") * (has.get("http-equiv") == "Content-Security-Policy")
        assert not [name for name in has if name.startswith("on")]
        if tag not in VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        if not self._open or self._open[-1] not in ("script", "style"):
            self.text = " ".join(f"{self.text}{data}".split()) + " " * data[-1:].isspace()
