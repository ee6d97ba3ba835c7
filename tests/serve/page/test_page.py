import asyncio
import json
import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import httpx
import pytest
from starlette.applications import Starlette

from novikoff.serve.page import page

FOLDER = Path(page.__file__).parent
NAMES = sorted(page.FILES.values())
MODULES = [name for name in NAMES if name.endswith(".js")]
SVG = "http://www.w3.org/2000/svg"  # a name, which nothing loads


class Client:
    """Sends requests to the routes in this process."""

    app = Starlette(routes=page.routes())

    def request(self, method, path, headers=None):
        async def send():
            transport = httpx.ASGITransport(self.app)
            async with httpx.AsyncClient(transport=transport, base_url="http://server") as client:
                return await client.request(method, path, headers=headers)

        return asyncio.run(send())

    def get(self, path, headers=None):
        return self.request("GET", path, headers)


@pytest.fixture(scope="module")
def client():
    return Client()


class Elements(HTMLParser):
    """All elements with their attributes, and the text inside scripts and styles."""

    def __init__(self, text):
        super().__init__()
        self.found, self.inline, self.inside = [], "", ""
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.found.append((tag, dict(attributes)))
        self.inside = tag

    def handle_endtag(self, tag):
        self.inside = ""

    def handle_data(self, data):
        if self.inside in ("script", "style"):
            self.inline += data.strip()


@pytest.fixture(scope="module")
def elements():
    return Elements((FOLDER / "index.html").read_text())


def test_every_file_of_the_page_is_served():
    assert {path.name for path in FOLDER.iterdir() if path.suffix in (".html", ".css", ".js", ".svg")} == set(NAMES)


@pytest.mark.parametrize("path", page.FILES)
def test_files_have_their_type_and_policy(client, path):
    answer = client.get(path)
    name = page.FILES[path]
    assert answer.status_code == 200
    assert answer.content == (FOLDER / name).read_bytes()
    assert answer.headers["content-type"] == page.CONTENT_TYPES[name.rpartition(".")[2]]
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["referrer-policy"] == "no-referrer"
    assert answer.headers["content-security-policy"] == (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )


def test_a_file_that_the_browser_has_is_not_sent_again(client):
    first = client.get("/page/main.js")
    tag = first.headers["etag"]
    assert re.fullmatch(r'"[0-9a-f]{32}"', tag)
    for wanted in (tag, f"W/{tag}", f'"other", {tag}', "*"):
        answer = client.get("/page/main.js", headers={"If-None-Match": wanted})
        assert (answer.status_code, answer.content, answer.headers["etag"]) == (304, b"", tag)
        assert answer.headers["content-security-policy"] == page.POLICY
    for wanted in ('"other"', "", tag.strip('"')):
        assert client.get("/page/main.js", headers={"If-None-Match": wanted}).status_code == 200
    assert client.get("/page/text.js").headers["etag"] != tag


def test_head_is_answered_without_content_and_other_methods_are_not(client):
    answer = client.request("HEAD", "/")
    assert (answer.status_code, answer.content) == (200, b"")
    assert int(answer.headers["content-length"]) > 1000
    assert client.request("POST", "/").status_code == 405
    assert client.get("/page/page.py").status_code == 404
    assert client.get("/page/../page.py").status_code == 404


def test_nothing_is_inline(elements):
    assert elements.inline == ""
    for tag, attributes in elements.found:
        assert "style" not in attributes, tag
        assert not [name for name in attributes if name.startswith("on")], tag


def test_the_page_loads_only_its_own_files(client, elements):
    addresses = [
        attributes[name] for tag, attributes in elements.found for name in ("src", "href") if name in attributes
    ]
    files = [address for address in addresses if not address.startswith("#") and address not in ("docs", "metrics")]
    assert files
    for address in files:
        assert client.get(f"/{address}").status_code == 200
    for name in MODULES:
        for imported in re.findall(r'from "\./(.+?)"', (FOLDER / name).read_text()):
            assert client.get(f"/page/{imported}").status_code == 200


@pytest.mark.parametrize("name", NAMES)
def test_no_file_names_another_server_or_makes_markup_from_text(name):
    text = (FOLDER / name).read_text().replace(SVG, "")
    assert not re.search(r"https?:|//[a-z]|\burl\((?!#)|@import", text)
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function", text)
    assert "localStorage" not in text
    assert "cookie" not in text


@pytest.mark.parametrize("name", NAMES)
def test_files_are_short(name):
    lines = (FOLDER / name).read_text().splitlines()
    assert len(lines) <= 400
    if name.endswith(".js"):
        assert max(map(len, lines)) <= 120


def test_every_element_that_scripts_look_up_exists(elements):
    ids = [attributes["id"] for _, attributes in elements.found if "id" in attributes]
    assert len(set(ids)) == len(ids)
    wanted = {name for module in MODULES for name in re.findall(r'byId\("(.+?)"\)', (FOLDER / module).read_text())}
    assert wanted <= set(ids)


needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed (apt-get install nodejs)")


@needs_node
@pytest.mark.parametrize("name", MODULES)
def test_modules_are_syntactically_correct(name):
    command = ["node", "--input-type=module", "--check"]
    found = subprocess.run(command, input=(FOLDER / name).read_bytes(), capture_output=True, timeout=60, check=False)
    assert found.returncode == 0, found.stderr.decode()


@needs_node
def test_shadows_are_compared_with_the_model_in_the_same_examples(tmp_path):
    for name in MODULES:
        shutil.copy(FOLDER / name, tmp_path)
    (tmp_path / "package.json").write_text('{"type": "module"}')
    own = {"name": "m", "learner": "perceptron", "mistakes": 50, "examples": 1000}
    shadows = {
        "same": {"mistakes": 40, "examples": 1000, "model_mistakes": 50},
        "late": {"mistakes": 3, "examples": 100, "model_mistakes": 5},
        "late and equal": {"mistakes": 5, "examples": 100, "model_mistakes": 5},
        "late and unknown": {"mistakes": 3, "examples": 100, "model_mistakes": None},
        "stopped": {"mistakes": 3, "examples": 100, "model_mistakes": 5, "stopped": "too large"},
    }
    rows = [{"name": name, "learner": "arow"} | counts for name, counts in shadows.items()]
    (tmp_path / "test.js").write_text(
        'import { compared, verdict } from "./tables.js";\n'
        f"const [own, rows] = [{json.dumps(own)}, {json.dumps(rows)}];\n"
        "console.log(JSON.stringify([rows.map((row) => compared(row, own)), verdict(own, rows.slice(0, 2)), "
        "verdict(own, rows.slice(2, 4))]));"
    )
    found = subprocess.run(["node", tmp_path / "test.js"], capture_output=True, timeout=60, check=True)
    words, best, none = json.loads(found.stdout)
    over = "over 100 examples"
    assert words == ["10 fewer", f"2 fewer {over}", f"same {over}", over, "stopped: too large"]
    assert best == "late (arow) would have made the fewest mistakes: 2 fewer in the same examples."
    assert none == "None would have made fewer mistakes."
