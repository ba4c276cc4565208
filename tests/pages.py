"""Reads an HTML page as a browser would, with the standard library: which elements there are, and what text they show."""

from html.parser import HTMLParser

EMPTY = {"meta", "img", "br", "wbr", "link", "hr", "input"}
HARMLESS = {
    "html", "head", "meta", "title", "style", "body", "header", "main", "footer", "section", "h1", "h2", "h3", "p", "div",
    "span", "b", "bdi", "code", "pre", "ul", "li", "dl", "dt", "dd", "table", "caption", "thead", "tbody", "tr", "th", "td",
    "figure", "figcaption", "img", "wbr", "svg", "defs", "g", "path", "use", "text", "tspan", "clippath", "rect",
}  # fmt: skip


class Page(HTMLParser):
    """`elements` are (tag, attributes, text inside) in the order in which they begin."""

    def __init__(self, source):
        super().__init__(convert_charrefs=True)
        self.elements, self.open = [], []
        self.feed(source)
        self.close()

    def handle_starttag(self, tag, attributes):
        element = (tag, dict(attributes), [])
        self.elements.append(element)
        if tag not in EMPTY:
            self.open.append(element)

    def handle_startendtag(self, tag, attributes):
        self.elements.append((tag, dict(attributes), []))

    def handle_endtag(self, tag):
        assert self.open, f"</{tag}> closes nothing"
        assert self.open[-1][0] == tag, f"</{tag}> closes <{self.open[-1][0]}>"
        self.open.pop()

    def handle_data(self, data):
        for element in self.open:
            element[2].append(data)

    def texts(self, tag, **attributes):
        """The text of every such element."""
        return [
            "".join(inside) for name, has, inside in self.elements
            if name == tag and all(has.get(key.strip("_")) == value for key, value in attributes.items())
        ]  # fmt: skip

    @property
    def text(self):
        return "".join(self.texts("html"))


def assert_alone(source):
    """No script, nothing that acts, and no address but images in the page itself and names within it."""
    page = Page(source)
    for tag, attributes, inside in page.elements:
        assert tag in HARMLESS, f"<{tag}>"
        if tag == "style":
            assert "@import" not in "".join(inside)
            assert "url(" not in "".join(inside)
        for name, value in attributes.items():
            assert not name.startswith("on"), f"<{tag} {name}>"
            assert name not in ("srcset", "action", "formaction", "background", "ping", "poster", "data", "srcdoc")
            if name in ("src", "href", "xlink:href"):
                assert value.startswith(("data:image/png;base64,", "#")), f"<{tag} {name}={value}>"
            if name in ("style", "clip-path", "fill"):
                assert "url(" not in value.replace("url(#", ""), f"<{tag} {name}={value}>"
    return page
