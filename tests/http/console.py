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
        self.feed(written)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, {name: value or "" for name, value in attrs}))

    def handle_data(self, data: str) -> None:
        self.text += data

    def all(self, tag: str) -> list[dict[str, str]]:
        return [found for name, found in self.tags if name == tag]

    def marked(self) -> str:
        """What is marked in it."""
        found = re.findall(r"<mark>(.*?)</mark>", self.written, re.DOTALL)
        return html.unescape("\n".join(found))

    def fields(self) -> dict[str, str]:
        """The hidden fields that its forms share."""
        return {it["name"]: it["value"] for it in self.all("input") if it.get("type") == "hidden"}


class Browser:
    """A session of the console."""

    def __init__(self, called: Called, token: str | None = None) -> None:
        self.client = httpx.Client(base_url=called.url, timeout=PATIENCE_S, follow_redirects=True)
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
        form, headers = (
            self.open(page).fields() | fields,
            {"referer": f"{self.client.base_url}{page}"},
        )
        return self.client.post(path, data=form, headers=headers)
