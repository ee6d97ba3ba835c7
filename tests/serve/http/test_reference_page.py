"""The page /docs."""

import re
from html.parser import HTMLParser

from novikoff.serve.http.openapi import document
from novikoff.serve.http.operations import OPERATIONS
from novikoff.serve.http.reference_page import reference_page
from novikoff.serve.settings import Settings


class Tags(HTMLParser):
    def __init__(self):
        super().__init__()
        self.found, self.open = [], []

    def handle_starttag(self, tag, attributes):
        self.found.append((tag, dict(attributes)))
        if tag not in ("meta", "link", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_the_page_has_every_operation_and_nothing_from_a_network(local):
    answer = local.ask("GET", "/docs")
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    tags = Tags()
    tags.feed(answer.body.decode())
    assert tags.open == []
    ids = [attributes["id"] for _, attributes in tags.found if "id" in attributes]
    assert len(ids) == len(set(ids))
    assert {operation.name for operation in OPERATIONS} <= set(ids)
    links = [attributes["href"] for _, attributes in tags.found if "href" in attributes]
    assert all(link[1:] in ids if link.startswith("#") else link.startswith("/") for link in links)
    assert not any(tag == "script" or "style" in attributes or "src" in attributes for tag, attributes in tags.found)


def test_its_policy_forbids_what_is_not_its_own(local):
    policy = local.ask("GET", "/docs").headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert local.ask("GET", "/docs/style.css").headers["content-type"] == "text/css; charset=utf-8"


def test_text_is_escaped():
    found = document(Settings())
    found["info"]["title"] = "<script>"
    page = reference_page(found)
    assert "<script>" not in page
    assert re.search("<title>&lt;script&gt;", page)
