"""A real Chromium without a window, told what to do over its own protocol.

Chosen: the protocol itself over a WebSocket, which needs one small library. Decided against:
drivers (Playwright, Selenium), which bring a browser or a server of their own.
"""

from __future__ import annotations

import base64
import json
import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
from websockets.sync.client import ClientConnection, connect

from infra.runtime.local.process import wait_until
from tests.packages import find_program

PACKAGES = ("chromium", "fonts-dejavu-core")
PATIENCE_S = 30
FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run")
NAMED_KEYS = {
    "Tab": 9,
    "Enter": 13,
    "Escape": 27,
    "End": 35,
    "Home": 36,
    "ArrowLeft": 37,
    "ArrowRight": 39,
}


class Tab:
    """A tab; ``reports`` are what the page itself complains about, refusals of its policy too."""

    def __init__(self, socket: ClientConnection, url: str, pictures: Path) -> None:
        self._socket, self._url, self._pictures = socket, url, pictures
        self._asked = 0
        self.reports: list[str] = []
        for domain in ("Page", "Log", "Runtime"):
            self.tell(f"{domain}.enable")

    def tell(self, method: str, **params: Any) -> Any:
        """What the browser answers."""
        message = self._ask(method, params)
        assert "error" not in message, message
        return message["result"]

    def _ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """The answer; what the browser says meanwhile is noted."""
        self._asked += 1
        self._socket.send(json.dumps({"id": self._asked, "method": method, "params": params}))
        while True:
            message: dict[str, Any] = json.loads(self._socket.recv(timeout=PATIENCE_S))
            if message.get("id") == self._asked:
                return message
            self._note(message)

    def _note(self, message: dict[str, Any]) -> None:
        match message.get("method"):
            case "Log.entryAdded" if message["params"]["entry"]["level"] == "error":
                self.reports.append(message["params"]["entry"]["text"])
            case "Runtime.exceptionThrown":
                self.reports.append(str(message["params"]["exceptionDetails"]))

    def run(self, script: str) -> Any:
        """The value of ``script``; a promise is waited for."""
        asked = {"expression": script, "awaitPromise": True, "returnByValue": True}
        answer = self.tell("Runtime.evaluate", **asked)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def wait_for(self, condition: str) -> None:
        """Until ``condition`` holds in the page, which may be another one by then, and is whole.

        Keys are heard once the scripts of a page have run. A hidden page loads no pictures.
        """
        assert wait_until(lambda: self._holds(condition), timeout_s=PATIENCE_S), condition

    def _holds(self, condition: str) -> bool:
        whole = "['complete', document.hidden && 'interactive'].includes(document.readyState)"
        holds = f"{whole} && Boolean({condition})"
        asked = {"expression": holds, "returnByValue": True}
        message = self._ask("Runtime.evaluate", asked)  # an error while one page follows another
        return message.get("result", {}).get("result", {}).get("value") is True

    def open(self, path: str) -> None:
        """A page of the service, or of a folder by its `file:` address."""
        url = path if path.startswith("file:") else self._url + path
        answer = self.tell("Page.navigate", url=url)
        assert "errorText" not in answer, answer
        shown = json.dumps(urlsplit(url).path)
        self.wait_for(f"location.pathname === {shown}")

    @contextmanager
    def open_beside(self, path: str, *, is_hidden: bool = False) -> Iterator[Tab]:
        """A page in another window of the same browser, or in a tab behind this one."""
        asked = {"background": True} if is_hidden else {"newWindow": True}
        target = self.tell("Target.createTarget", url="about:blank", **asked)["targetId"]
        host, port = self._socket.remote_address[:2]
        address = f"ws://{host}:{port}/devtools/page/{target}"
        with connect(address, max_size=None) as socket:
            tab = Tab(socket, self._url, self._pictures)
            tab.open(path)
            yield tab
            self.tell("Target.closeTarget", targetId=target)

    def press(self, *keys: str, control: bool = False) -> None:
        """Press keys one after the other, as a person does."""
        for key in keys:
            code = NAMED_KEYS.get(key) or ord(key.upper())
            text = "\r" if key == "Enter" else "" if key in NAMED_KEYS else key
            said = {"key": key, "windowsVirtualKeyCode": code, "modifiers": 2 if control else 0}
            begun = {"text": text} if text and not control else {}
            self.tell("Input.dispatchKeyEvent", type="keyDown", **said, **begun)
            self.tell("Input.dispatchKeyEvent", type="keyUp", **said)

    def write(self, text: str) -> None:
        """Write into what has the focus."""
        self.tell("Input.insertText", text=text)

    def drag(self, selector: str, begin: float, end: float) -> None:
        """Take hold of what matches at ``begin``, and let go at ``end``: shares of its width."""
        box = f"document.querySelector({json.dumps(selector)}).getBoundingClientRect().toJSON()"
        at = self.run(box)
        for kind, share in (("Pressed", begin), ("Moved", end), ("Released", end)):
            place = {"x": at["x"] + share * at["width"], "y": at["y"] + at["height"] / 2}
            held = {"button": "left", "buttons": int(kind != "Released"), "clickCount": 1}
            self.tell("Input.dispatchMouseEvent", type=f"mouse{kind}", **place, **held)

    def look(self, *, width: int = 1400, theme: str = "light", zoom: int = 1) -> None:
        """Have the page drawn that wide and that much larger, for somebody who likes that theme."""
        size = {"width": width // zoom, "height": 900 // zoom, "deviceScaleFactor": zoom}
        self.tell("Emulation.setDeviceMetricsOverride", mobile=width < 700, **size)
        liked = [
            {"name": "prefers-color-scheme", "value": theme},
            {"name": "prefers-reduced-motion", "value": "reduce"},
        ]
        self.tell("Emulation.setEmulatedMedia", features=liked)

    def keep(self, name: str) -> None:
        """Keep a picture of the page in the folder of the test's output."""
        picture = self.tell("Page.captureScreenshot", format="png")
        self._pictures.mkdir(parents=True, exist_ok=True)
        (self._pictures / f"{name}.png").write_bytes(base64.b64decode(picture["data"]))


@contextmanager
def chromium(url: str, profile: Path, pictures: Path) -> Iterator[Tab]:
    """A tab of a browser that is gone afterwards."""
    told = ("--remote-debugging-port=0", f"--user-data-dir={profile}", "about:blank")
    command = [find_program("chromium", *PACKAGES), *FLAGS, *told]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, start_new_session=True)
    try:
        assert process.stderr
        lines = iter(process.stderr)
        place = next(found[1] for line in lines if (found := re.search(r"ws://([^/]+)/", line)))
        tabs = httpx.get(f"http://{place}/json", timeout=PATIENCE_S).json()
        (tab,) = (it for it in tabs if it["type"] == "page")
        with connect(tab["webSocketDebuggerUrl"], max_size=None) as socket:
            yield Tab(socket, url, pictures)
    finally:
        process.terminate()
        process.wait(PATIENCE_S)
        if process.stderr:
            process.stderr.close()
