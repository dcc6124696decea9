"""Lists the links in a folder's pages whose file or anchor does not exist. Usage: links.py FOLDER."""

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    """The links of a page, and its anchors."""

    def __init__(self, path):
        super().__init__()
        self.links, self.places = [], {"", "top"}
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        for name, value in attrs:
            if name == "id":
                self.places.add(value)
            elif name in ("href", "src") and value:
                self.links.append(value)


folder = Path(sys.argv[1]).resolve()
pages = {path: Page(path) for path in folder.rglob("*.html")}
faults, count = [], 0
for path, page in pages.items():
    for link in page.links:
        parts = urlsplit(link)
        # The page for missing addresses has links from the root of a site.
        if parts.scheme or parts.netloc or path.name == "404.html":
            continue
        count += 1
        goal = (path.parent / unquote(parts.path)).resolve() if parts.path else path
        if not goal.exists() or folder not in goal.parents:
            faults.append(f"{path.name}: {link} is not in the book")
        elif goal in pages and unquote(parts.fragment) not in pages[goal].places:
            faults.append(f"{path.name}: {link} is not an anchor of that page")
if faults:
    sys.exit("\n".join(sorted(set(faults))))
print(f"{folder}: {len(pages)} pages, {count} links, each with a target")
