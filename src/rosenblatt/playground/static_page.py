"""The playground as one file without a server: the page's own sources, and the engine translated to JavaScript.

The served page asks the server through net.js; here in-browser.js stands in its place, and answers by itself. The rest is
the same text. The modules become one script, since browsers load none from a file, and the page's own policy forbids every
connection.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from importlib.resources import files
from typing import Any

from rosenblatt.playground.learners import as_javascript
from rosenblatt.playground.points import Points
from rosenblatt.playground.translation import engine_in_javascript

ENTRY = "main.js"
IMPORT = re.compile(r'^import \{([^}]*)\} from "\./([\w.-]+)";\n', re.MULTILINE)
EXPORTED = re.compile(r"^export (?:async )?(?:const|let|function\*?|class) (\w+)", re.MULTILINE)
EXPORTED_AGAIN = re.compile(r"^export \{([^}]*)\};\n", re.MULTILINE)


def static_page(points: Points | None = None, in_notebook: bool = False) -> str:
    """The whole page; `points` are those of a file, which it then holds. In a notebook it tells its frame what is chosen."""
    page = read("static", "index.html")
    style = "\n".join(read("static", name) for name in stylesheets(page))
    script = bundle(modules(points), ENTRY)
    if "</script" in script or "</style" in style:
        raise ValueError("A source of the page ends its own element: write <\\/script in JavaScript.")
    icon = base64.b64encode(read("static", "icon.svg").encode()).decode()
    page = re.sub(r'  <link rel="stylesheet"[^>]*>\n', "", page)
    if points is not None:  # a page that holds a file begins with it
        page = page.replace("<html ", '<html data-start="data=file" ', 1)
    if in_notebook:
        page = page.replace("<html ", "<html data-notebook ", 1)
    page = page.replace('href="icon.svg"', f'href="data:image/svg+xml;base64,{icon}"')
    head = f'{policy(style, script)}\n  <style>{style}</style>\n  <script type="module">{script}</script>'
    return re.sub(r'  <script type="module"[^>]*></script>', lambda match: f"  {head}", page)


def policy(style: str, script: str) -> str:
    """What the browser lets this page do: run this script, use this style, and connect to nothing."""
    allowed = {"script-src": script, "style-src": style}
    rules = [
        f"{what} 'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
        for what, text in allowed.items()
    ]
    content = "; ".join(["default-src 'none'", *rules, "img-src data: blob:", "base-uri 'none'", "form-action 'none'"])
    return f'<meta http-equiv="Content-Security-Policy" content="{content}">'


def stylesheets(page: str) -> list[str]:
    return re.findall(r'<link rel="stylesheet" href="([\w.-]+)">', page)


def modules(points: Points | None = None) -> dict[str, str]:
    """Every module of the page by name, with in-browser.js for net.js."""
    written = {
        file.name: file.read_text(encoding="utf-8")
        for folder in ("static", "browser")
        for file in files("rosenblatt.playground").joinpath(folder).iterdir()
        if file.name.endswith(".js") and file.name != "net.js"
    }
    written |= {"learners.js": as_javascript().decode(), "engine.js": engine_in_javascript()}
    if points is not None:
        written["file.js"] = f"export const FILE = {as_literal(file_facts(points))};\n"
    return {name: text.replace('from "./net.js"', 'from "./in-browser.js"') for name, text in written.items()}


def file_facts(points: Points) -> dict[str, Any]:
    """The points of a file as recipes.js gives them; the page holds these columns of it and no others."""
    return {
        "x": points.x.tolist(),
        "y": points.y.tolist(),
        "names": points.names,
        "classes": points.classes,
        "letters": points.letters,
        "columns": points.chosen,
        "chosen": points.chosen,
        "notes": points.notes,
    }


def as_literal(value: Any) -> str:
    """A value as JavaScript that can stand in a page, whatever its texts hold.

    >>> as_literal({"name": "</script>"})
    '{"name": "\\\\u003c/script>"}'
    """
    return json.dumps(value, allow_nan=False).replace("<", "\\u003c")


def bundle(sources: dict[str, str], entry: str) -> str:
    """Modules as one script: each a function that runs once, after those that it imports.

    >>> print(bundle({"a.js": 'import { two } from "./b.js";\\n\\nf(two);\\n', "b.js": "export const two = 2;\\n"}, "a.js"))
    const b_module = (() => {
    const two = 2;
    return { two };
    })();
    <BLANKLINE>
    const a_module = (() => {
    const { two } = b_module;
    <BLANKLINE>
    f(two);
    return {  };
    })();
    <BLANKLINE>
    """
    done: dict[str, str] = {}
    under_way: list[str] = []

    def add(name: str) -> None:
        if name in done:
            return
        if name in under_way:
            raise ValueError(f"Modules import each other in a circle: {' → '.join([*under_way, name])}.")
        under_way.append(name)
        for _, other in IMPORT.findall(sources[name]):
            add(other)
        under_way.pop()
        done[name] = wrapped(name, sources[name])

    add(entry)
    return "\n".join(done.values())


def wrapped(name: str, source: str) -> str:
    """A module as a constant that holds what it exports."""
    again = [one.strip() for names in EXPORTED_AGAIN.findall(source) for one in names.split(",")]
    exported = [*EXPORTED.findall(source), *again]
    body = EXPORTED_AGAIN.sub("", IMPORT.sub(lambda match: f"const {{{match[1]}}} = {constant(match[2])};\n", source))
    body = re.sub(r"^export ", "", body, flags=re.MULTILINE)
    return f"const {constant(name)} = (() => {{\n{body.rstrip()}\nreturn {{ {', '.join(exported)} }};\n}})();\n"


def constant(name: str) -> str:
    """The name of a module's constant."""
    return f"{name.removesuffix('.js').replace('-', '_')}_module"


def read(folder: str, name: str) -> str:
    return files("rosenblatt.playground").joinpath(folder).joinpath(name).read_text(encoding="utf-8")
