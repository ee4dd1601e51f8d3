"""The console as a browser without scripts: pages, links and forms over plain HTTP."""

from __future__ import annotations

import html
import re
from html.parser import HTMLParser

import httpx

from tests.http.conftest import PATIENCE_S, Called

CONSOLE = "/console"


class Page(HTMLParser):
    """What matters of a page: its tags with their attributes, and its text."""

    def __init__(self, written: str) -> None:
        super().__init__()
        self.written = written
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.text = ""
        self._forms: list[tuple[str, dict[str, str]]] = []
        self.feed(written)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        self.tags.append((tag, values))
        if tag == "form":
            self._forms.append((values.get("action", ""), {}))
        elif tag == "input" and values.get("type") == "hidden":
            self._forms[-1][1][values["name"]] = values["value"]

    def handle_data(self, data: str) -> None:
        self.text += data

    def all(self, tag: str) -> list[dict[str, str]]:
        return [found for name, found in self.tags if name == tag]

    def marked(self) -> str:
        """What is marked in it."""
        found = re.findall(r"<mark>(.*?)</mark>", self.written, re.DOTALL)
        return html.unescape("\n".join(found))

    def fields(self, address: str | None = None) -> dict[str, str]:
        """The hidden fields of the first form that is sent there, else of all forms together."""
        own = next((fields for action, fields in self._forms if action == address), None)
        shared = {name: value for _, fields in self._forms for name, value in fields.items()}
        return shared if own is None else own


class Browser:
    """A session of the console."""

    def __init__(self, called: Called, token: str | None = None) -> None:
        self.client = httpx.Client(
            base_url=called.url,
            headers={"origin": called.url},  # as a browser says of each form
            timeout=PATIENCE_S,
            follow_redirects=True,
        )
        self.signed_in = self.sign_in(called.token if token is None else token)

    def __enter__(self) -> Browser:
        return self

    def __exit__(self, *_: object) -> None:
        self.client.close()

    def sign_in(self, token: str) -> httpx.Response:
        form = Page(self.client.get(f"{CONSOLE}/sign-in").text).fields()
        return self.client.post(f"{CONSOLE}/sign-in", data=form | {"token": token})

    def open(self, path: str, **headers: str) -> Page:
        answer = self.client.get(path, headers=headers)
        assert answer.status_code == 200, (path, answer.text)
        return Page(answer.text)

    def send(self, page: str, path: str, **fields: str) -> httpx.Response:
        """Send a form that stands on ``page``."""
        form = self.open(page).fields(path) | fields
        headers = {"referer": f"{self.client.base_url}{page}"}
        return self.client.post(path, data=form, headers=headers)


def check_inert(page: Page) -> None:
    """Scripts are files of ours, and no attribute holds code."""
    text = page.written
    assert text.count("<script") == text.count('<script src="/console/static/')
    assert "<style" not in text
    for _, attributes in page.tags:
        assert not [name for name in attributes if name.startswith(("on", "hx-on", "style"))]
        assert not [it for it in attributes.values() if it.startswith(("js:", "javascript:"))]
