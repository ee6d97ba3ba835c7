"""What tests read from the pages of ``novikoff.report``."""

import json
import re
from html.parser import HTMLParser

HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(2)>"  # as a name of a class or column


class Reader(HTMLParser):
    """The elements of a page and the texts of its headings and captions; checks that elements are well nested."""

    VOID = frozenset(("meta", "link", "br", "img", "hr", "input", "wbr"))

    def __init__(self, page):
        super().__init__()
        self.stack, self.tags, self.ids, self.headings, self.captions = [], [], [], [], []
        self.feed(page)
        assert self.stack == []

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.ids += [value for name, value in attributes if name == "id"]
        if tag not in self.VOID:
            self.stack.append(tag)

    def handle_endtag(self, tag):
        assert self.stack.pop() == tag

    def handle_data(self, data):
        if self.stack and self.stack[-1] in ("h1", "h2", "h3"):
            self.headings.append((self.stack[-1], data))
        if self.stack and self.stack[-1] == "caption":
            self.captions.append(data)


def figures(page):
    """Return data and layouts of the figures by name, as the script of the page reads them."""
    found = json.loads(re.search(r'id="figures">(.*?)</script>', page, re.S)[1])
    return {name.removeprefix("figure-"): figure for name, figure in found.items()}


def body(page):
    """Return the page without its scripts and styles."""
    return re.sub(r"<(script|style)[^>]*>.*?</\1>", "", page, flags=re.S)
