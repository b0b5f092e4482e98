"""A headless Chromium that a test drives through its DevTools protocol, with nothing but the standard library."""

from __future__ import annotations

import base64
import contextlib
import itertools
import json
import os
import shutil
import socket
import struct
import subprocess
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

_NAMES = ("chromium", "chromium-browser", "google-chrome")
_START_LIMIT_S, _ANSWER_LIMIT_S = 60, 60
_KEY_CODES = {
    "ArrowRight": 39,
    "ArrowLeft": 37,
    "ArrowUp": 38,
    "ArrowDown": 40,
    "Home": 36,
    "End": 35,
    "PageDown": 34,
    "PageUp": 33,
    " ": 32,
    "Tab": 9,
    "Enter": 13,
    "Escape": 27,
    ".": 190,
}


def find_chromium() -> str | None:
    return next((path for path in map(shutil.which, _NAMES) if path), None)


class Browser:
    """One tab. errors: the errors of its console and its scripts since the last open(); requests: the addresses that
    pages requested.
    """

    def __init__(self, port: int) -> None:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/json", timeout=_ANSWER_LIMIT_S) as answer:
            target = next(entry for entry in json.load(answer) if entry["type"] == "page")
        self._socket = _WebSocket(port, target["webSocketDebuggerUrl"].split(str(port), 1)[1])
        self._numbers = itertools.count(1)
        self.errors: list[str] = []
        self.requests: list[str] = []
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.call("Performance.enable", timeDomain="threadTicks")
        self.call("Emulation.setFocusEmulationEnabled", enabled=True)

    def open(self, file: Path) -> None:
        """Returns when the page is loaded."""
        self.open_address(file.resolve().as_uri())

    def open_address(self, address: str) -> None:
        """The same for a page of a web server."""
        self.errors, self.requests = [], []
        self.call("Page.navigate", url=address)
        limit_s = time.monotonic() + _ANSWER_LIMIT_S
        while self.evaluate("document.readyState + location.href") != f"complete{address}":
            if time.monotonic() > limit_s:
                raise TimeoutError(f"{address} was not opened")
            time.sleep(0.02)

    def evaluate(self, expression: str) -> Any:
        """The value of a JavaScript expression; of a promise, its result. Raises RuntimeError if it throws."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            raise RuntimeError(details.get("exception", {}).get("description") or details["text"])
        return answer["result"].get("value")

    def busy_s(self) -> float:
        """The time of the page's scripts, styles and layout so far. It is thread time, so other programs on the machine
        do not count. Painting does not count either, because a test's browser paints without a GPU.
        """
        parts = ("ScriptDuration", "LayoutDuration", "RecalcStyleDuration")
        metrics = self.call("Performance.getMetrics")["metrics"]
        return sum(metric["value"] for metric in metrics if metric["name"] in parts)

    def press(self, key: str, times: int = 1, shift: bool = False) -> None:
        text = {"text": key} if len(key) == 1 else {"text": "\r"} if key == "Enter" else {}
        text["modifiers"] = 8 if shift else 0
        code = _KEY_CODES.get(key, ord(key[0].upper()))
        for _ in range(times):
            self.call("Input.dispatchKeyEvent", type="keyDown", key=key, windowsVirtualKeyCode=code, **text)
            self.call("Input.dispatchKeyEvent", type="keyUp", key=key, windowsVirtualKeyCode=code)

    def resize(self, width: int, height: int = 1000) -> None:
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def prefer(self, **features: str) -> None:
        """Media features, such as prefers_reduced_motion="reduce"; without any, the defaults."""
        named = [{"name": name.replace("_", "-"), "value": value} for name, value in features.items()]
        self.call("Emulation.setEmulatedMedia", features=named)

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        number = next(self._numbers)
        self._socket.send(json.dumps({"id": number, "method": method, "params": parameters}))
        while True:
            message = json.loads(self._socket.receive())
            if message.get("id") == number:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']}")
                return message["result"]
            self._note(message)

    def _note(self, event: dict[str, Any]) -> None:
        method, parameters = event.get("method"), event.get("params", {})
        if method == "Runtime.exceptionThrown":
            self.errors.append(str(parameters["exceptionDetails"]))
        elif method == "Runtime.consoleAPICalled" and parameters["type"] in ("error", "warning", "assert"):
            self.errors.append(str(parameters["args"]))
        elif method == "Log.entryAdded" and parameters["entry"]["level"] in ("error", "warning"):
            self.errors.append(parameters["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            self.requests.append(parameters["request"]["url"])


@contextlib.contextmanager
def browser() -> Iterator[Browser]:
    """Starts Chromium, and ends it. Raises FileNotFoundError if it is not installed."""
    program = find_chromium()
    if program is None:
        raise FileNotFoundError("Chromium is not installed: apt-get install chromium")
    with _folder() as folder:
        # Without a sandbox: root cannot use one, and the pages are our own.
        options = ["--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-port=0", "--no-first-run"]
        options += ["--disable-background-networking", "--disable-dev-shm-usage", f"--user-data-dir={folder}"]
        quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        process = subprocess.Popen([program, *options, "about:blank"], **quiet)
        try:
            yield Browser(_port(Path(folder) / "DevToolsActivePort", process))
        finally:
            process.terminate()
            try:
                process.wait(_START_LIMIT_S)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


@contextlib.contextmanager
def _folder() -> Iterator[str]:
    """Like TemporaryDirectory; the browser's processes may still write into it when it is removed."""
    folder = tempfile.mkdtemp(prefix="workbook_browser_")
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _port(file: Path, process: subprocess.Popen[bytes]) -> int:
    limit_s = time.monotonic() + _START_LIMIT_S
    while time.monotonic() < limit_s:
        if process.poll() is not None:
            raise RuntimeError(f"Chromium ended with {process.returncode}")
        if file.exists() and len(file.read_text().splitlines()) == 2:
            return int(file.read_text().splitlines()[0])
        time.sleep(0.05)
    raise TimeoutError("Chromium did not start")


class _WebSocket:
    """The part of RFC 6455 that DevTools needs: text messages without compression."""

    def __init__(self, port: int, path: str) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=_ANSWER_LIMIT_S)
        key = base64.b64encode(os.urandom(16)).decode()
        lines = [f"GET {path} HTTP/1.1", f"Host: 127.0.0.1:{port}", "Upgrade: websocket", "Connection: Upgrade"]
        lines += [f"Sec-WebSocket-Key: {key}", "Sec-WebSocket-Version: 13", "", ""]
        self._socket.sendall("\r\n".join(lines).encode())
        self._received = b""
        while b"\r\n\r\n" not in self._received:
            self._receive_more()
        head, self._received = self._received.split(b"\r\n\r\n", 1)
        if b" 101 " not in head.splitlines()[0]:
            raise ConnectionError(head.decode(errors="replace"))

    def send(self, text: str) -> None:
        data, mask = text.encode(), os.urandom(4)
        length = len(data)
        if length < 126:
            head = struct.pack(">BB", 0x81, 0x80 | length)
        elif length < 1 << 16:
            head = struct.pack(">BBH", 0x81, 0x80 | 126, length)
        else:
            head = struct.pack(">BBQ", 0x81, 0x80 | 127, length)
        self._socket.sendall(head + mask + bytes(byte ^ mask[n % 4] for n, byte in enumerate(data)))

    def receive(self) -> str:
        message = b""
        while True:
            first, second = self._take(2)
            length = second & 0x7F
            if length == 126:
                length = struct.unpack(">H", self._take(2))[0]
            elif length == 127:
                length = struct.unpack(">Q", self._take(8))[0]
            data = self._take(length)
            if first & 0x0F == 8:
                raise ConnectionError("Chromium closed the connection")
            if first & 0x0F in (0, 1):
                message += data
                if first & 0x80:
                    return message.decode()

    def _take(self, count: int) -> bytes:
        while len(self._received) < count:
            self._receive_more()
        taken, self._received = self._received[:count], self._received[count:]
        return taken

    def _receive_more(self) -> None:
        received = self._socket.recv(1 << 16)
        if not received:
            raise ConnectionError("Chromium closed the connection")
        self._received += received
