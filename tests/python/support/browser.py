"""A headless Chromium, driven through the DevTools protocol over two pipes: a page is opened, clicked and asked as a person would."""

import base64
import contextlib
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome", "headless_shell")


def find():
    """The browser's path; None where there is none. QUERN_CHROMIUM names another one."""
    return os.environ.get("QUERN_CHROMIUM") or next((path for path in map(shutil.which, NAMES) if path), None)


@contextlib.contextmanager
def opened(page, width=1200, height=800):
    """A :class:`Page` of a file. Skips the test where there is no Chromium."""
    path = find()
    if path is None:
        pytest.skip("there is no Chromium on this machine: apt-get install chromium")
    to_browser, ours_out = os.pipe()
    ours_in, from_browser = os.pipe()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        # The browser reads its descriptor 3 and writes to its 4; as root it has no sandbox.
        options = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--remote-debugging-pipe", "--no-first-run",
                   f"--user-data-dir={folder}", f"--window-size={width},{height}", "about:blank"]  # fmt: skip
        script = f'exec "$0" "$@" 3<&{to_browser} 4>&{from_browser}'
        process = subprocess.Popen(["bash", "-c", script, path, *options], pass_fds=(to_browser, from_browser),
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # fmt: skip
        os.close(to_browser)
        os.close(from_browser)
        try:
            yield Page(ours_in, ours_out, page)
        finally:
            process.kill()
            process.wait()
            os.close(ours_in)
            os.close(ours_out)


class Page:
    """One page; ``errors`` are what its console and its scripts complained of, ``requests`` what it asked for."""

    def __init__(self, from_browser, to_browser, path):
        self._in, self._out, self._buffer, self._number = from_browser, to_browser, b"", 0
        self.errors, self.requests = [], []
        self._loaded = False
        target = self.call("Target.createTarget", session=None, url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", session=None, targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")
        self.call("Page.navigate", url="file://" + os.path.abspath(path))
        end = time.monotonic() + 60
        while not self._loaded:
            self._read(end)

    def call(self, method, session="", **parameters):
        """One call of the protocol; returns its result."""
        self._number += 1
        number = self._number
        message = {"id": number, "method": method, "params": parameters}
        if session is not None:
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        end = time.monotonic() + 60
        while True:
            answer = self._read(end)
            if answer.get("id") == number:
                assert "error" not in answer, answer["error"]
                return answer["result"]

    def _read(self, end):
        while b"\0" not in self._buffer:
            assert select.select([self._in], [], [], max(end - time.monotonic(), 0))[0], "the browser does not answer"
            some = os.read(self._in, 1 << 20)
            assert some, "the browser is gone"
            self._buffer += some
        text, _, self._buffer = self._buffer.partition(b"\0")
        message = json.loads(text)
        kind, told = message.get("method"), message.get("params", {})
        if kind == "Page.loadEventFired":
            self._loaded = True
        elif kind == "Network.requestWillBeSent":
            self.requests.append(told["request"]["url"])
        elif kind == "Runtime.exceptionThrown":
            self.errors.append(told["exceptionDetails"].get("exception", {}).get("description") or told["exceptionDetails"]["text"])
        elif kind == "Runtime.consoleAPICalled" and told["type"] in ("error", "warning", "assert"):
            self.errors.append(" ".join(str(one.get("value", one.get("description"))) for one in told["args"]))
        elif kind == "Log.entryAdded" and told["entry"]["level"] in ("error", "warning"):
            self.errors.append(told["entry"]["text"])
        return message

    def ask(self, expression):
        """The value of an expression of JavaScript."""
        found = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    def text(self, selector):
        """What stands in an element."""
        return self.ask(f"document.querySelector({selector!r}).innerText")

    def center(self, selector):
        """Where an element is seen."""
        return self.ask(f"(e => {{ e.scrollIntoView({{block: 'center'}}); const r = e.getBoundingClientRect();"
                        f" return [r.x + r.width / 2, r.y + r.height / 2]; }})(document.querySelector({selector!r}))")  # fmt: skip

    def click(self, where):
        """Presses the mouse on an element, or at a place."""
        x, y = self.center(where) if isinstance(where, str) else where
        for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
            button = {} if kind == "mouseMoved" else {"button": "left", "clickCount": 1}
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **button)

    def move(self, x, y):
        """Moves the mouse."""
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def wheel(self, x, y, by):
        """Turns the wheel there; up is negative."""
        self.call("Input.dispatchMouseEvent", type="mouseWheel", x=x, y=y, deltaX=0, deltaY=by)

    def picture(self, path):
        """Writes what is seen as a PNG."""
        with open(path, "wb") as f:
            f.write(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))
