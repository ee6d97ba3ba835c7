"""The page /docs: the OpenAPI document for people, without scripts and without a network."""

from __future__ import annotations

import json
from html import escape
from typing import Any

STYLE = """
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h2 { margin-top: 2.5rem; overflow-wrap: anywhere; }
code, pre { font: 0.9rem/1.4 ui-monospace, monospace; }
code, pre { white-space: pre-wrap; overflow-wrap: anywhere; }
pre { overflow: auto; padding: 0.75rem; border: 1px solid currentColor; border-radius: 0.25rem; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: 0.25rem 0.75rem 0.25rem 0; border-bottom: 1px solid #8888; }
nav li { overflow-wrap: anywhere; }
"""
STYLE_PATH = "/docs/style.css"


def reference_page(document: dict[str, Any]) -> str:
    """Return the page.

    Parameters
    ----------
    document : dict
        The OpenAPI document.
    """
    info = document["info"]
    operations = [
        (method.upper(), path, operation)
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
    ]
    links = "".join(
        f'<li><a href="#{operation["operationId"]}"><code>{method} {escape(path)}</code></a></li>'
        for method, path, operation in operations
    )
    sections = "".join(_section(document, *entry) for entry in operations)
    schemas = "".join(
        f'<h3 id="schema-{name}">{name}</h3><pre tabindex="0">{_json(schema)}</pre>'
        for name, schema in document["components"]["schemas"].items()
    )
    title = f"{escape(info['title'])} {escape(info['version'])}"
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<link rel="stylesheet" href="{STYLE_PATH}"></head><body><main><h1>{title}</h1>'
        f"<p>{_marked(info['description'])} The same for programs: "
        '<a href="/openapi.json">openapi.json</a>.</p>'
        f"<nav aria-label='Calls'><ul>{links}</ul></nav>{sections}<h2>Schemas</h2>{schemas}</main></body></html>"
    )


def _section(document: dict[str, Any], method: str, path: str, operation: dict[str, Any]) -> str:
    parts = [f'<h2 id="{operation["operationId"]}"><code>{method} {escape(path)}</code></h2>']
    parts.append(f"<p>{_marked(operation['summary'])}</p>")
    if operation["description"]:
        parts.append(f"<p>{_marked(operation['description'])}</p>")
    rows = [
        (f"{parameter['name']} ({parameter['in']})", parameter["description"], parameter["schema"])
        for parameter in operation["parameters"]
    ]
    if rows:
        cells = "".join(
            f"<tr><td>{escape(name)}</td><td>{_marked(text)} {_type(schema)}</td></tr>" for name, text, schema in rows
        )
        parts.append(f"<h3>Parameters</h3><table>{cells}</table>")
    if "requestBody" in operation:
        parts.append(f"<h3>Body</h3><table>{_contents(operation['requestBody']['content'])}</table>")
    answers = "".join(
        f"<tr><td>{status}</td><td>{_marked(found['description'])}<table>{_contents(found['content'])}</table></td></tr>"
        for status, found in ((s, _resolved(document, a)) for s, a in operation["responses"].items())
    )
    parts.append(f"<h3>Answers</h3><table>{answers}</table>")
    return f"<section>{''.join(parts)}</section>"


def _resolved(document: dict[str, Any], answer: dict[str, Any]) -> dict[str, Any]:
    if "$ref" not in answer:
        return answer
    found: dict[str, Any] = document["components"]["responses"][answer["$ref"].rpartition("/")[2]]
    return found


def _contents(content: dict[str, Any]) -> str:
    return "".join(
        f"<tr><td><code>{escape(media)}</code></td><td>{_type(entry.get('schema', {}))}"
        + (f"<pre tabindex='0'>{escape(entry['example'])}</pre>" if "example" in entry else "")
        + "</td></tr>"
        for media, entry in content.items()
    )


def _type(schema: dict[str, Any]) -> str:
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f'<a href="#schema-{name}">{name}</a>'
    return f"<code>{_json(schema)}</code>" if schema else ""


def _json(value: Any) -> str:
    return escape(json.dumps(value, indent=2, ensure_ascii=False))


def _marked(text: str) -> str:
    """Return text for HTML, with ``code`` between backquotes as code."""
    parts = escape(text).split("`")
    return "".join(part if place % 2 == 0 else f"<code>{part}</code>" for place, part in enumerate(parts))
