"""Chromium over the DevTools protocol and Firefox over WebDriver BiDi, headless, as far as the tests need them."""
import base64
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
import urllib.request

from websocket import WebSocket


class BrowserError(Exception):
    pass


class Browser:
    """A running browser with a profile of its own; `close` ends it with all that it started."""

    def __init__(self, arguments, environment=None):
        self.profile = tempfile.mkdtemp(prefix="tiffin-live-browser-")
        self.log = open(os.path.join(self.profile, "log"), "w+b")
        self.process = subprocess.Popen(
            [argument.replace("PROFILE", self.profile) for argument in arguments], stdout=self.log, stderr=self.log,
            env=dict(os.environ, HOME=self.profile, **(environment or {})), start_new_session=True)

    def find(self, pattern, seconds=60):
        """Waits until the browser has printed this; the first group."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            with open(self.log.name, errors="replace") as log:
                text = log.read()
            if found := re.search(pattern, text):
                return found.group(1)
            if self.process.poll() is not None:
                break
            time.sleep(0.05)
        raise BrowserError(f"the browser did not start: {text[-2000:]}")

    def close(self):
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()
        self.log.close()
        shutil.rmtree(self.profile, ignore_errors=True)


class Connection:
    """Commands with numbers; what the browser tells by itself is passed over."""

    def __init__(self, url):
        host, port, path = re.fullmatch(r"ws://([^:/]+):(\d+)(/.*)", url).groups()
        self.socket, self.number = WebSocket(host, int(port), path), 0

    def send(self, method, **parameters):
        self.number += 1
        self.socket.send(json.dumps({"id": self.number, "method": method, "params": parameters}))
        while True:
            message = json.loads(self.socket.next())
            if message.get("id") == self.number:
                if "error" in message:
                    raise BrowserError(f"{method}: {message}")
                return message["result"]


class Chromium(Browser):
    name = "chromium"

    def __init__(self):
        super().__init__([
            "chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
            "--no-proxy-server", "--disable-background-networking", "--disable-component-update", "--disable-sync",
            "--user-data-dir=PROFILE/data", "--remote-debugging-port=0", "about:blank"])
        self.port = int(self.find(r"DevTools listening on ws://127\.0\.0\.1:(\d+)/"))

    def open(self, url):
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}/json/new?about:blank", method="PUT")
        with urllib.request.urlopen(request, timeout=60) as response:
            target = json.load(response)
        return ChromiumPage(self.port, target, url)


class ChromiumPage:
    def __init__(self, port, target, url):
        self.port, self.id = port, target["id"]
        self.connection = Connection(target["webSocketDebuggerUrl"])
        self.connection.send("Page.navigate", url=url)
        # The document of before may still answer.
        wait(lambda: self.evaluate("document.readyState === 'complete' && location.href !== 'about:blank'"), "the page")

    def evaluate(self, expression):
        answer = self.connection.send(
            "Runtime.evaluate", expression=awaited(expression), awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            raise BrowserError(json.dumps(answer["exceptionDetails"])[:1000])
        return value(answer)

    def look(self, width, height, scheme, path=None):
        """Sets the size and the colour scheme, and takes a picture when a path is given."""
        self.connection.send(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 700)
        self.connection.send("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        if path:
            picture = self.connection.send("Page.captureScreenshot", captureBeyondViewport=width < 700)
            with open(path, "wb") as file:
                file.write(base64.b64decode(picture["data"]))

    def close(self):
        urllib.request.urlopen(f"http://127.0.0.1:{self.port}/json/close/{self.id}", timeout=60).close()
        self.connection.socket.close()


class Firefox(Browser):
    name = "firefox-esr"

    def __init__(self):
        super().__init__(
            ["firefox-esr", "--headless", "--no-remote", "--profile", "PROFILE", "--remote-debugging-port=0", "about:blank"],
            {"MOZ_HEADLESS": "1"})
        port = self.find(r"WebDriver BiDi listening on ws://127\.0\.0\.1:(\d+)")
        self.connection = Connection(f"ws://127.0.0.1:{port}/session")
        self.connection.send("session.new", capabilities={})

    def open(self, url):
        return FirefoxPage(self.connection, url)


class FirefoxPage:
    def __init__(self, connection, url):
        self.connection = connection
        self.context = connection.send("browsingContext.create", type="tab")["context"]
        connection.send("browsingContext.navigate", context=self.context, url=url, wait="complete")

    def evaluate(self, expression):
        answer = self.connection.send(
            "script.evaluate", target={"context": self.context}, awaitPromise=True,
            expression=awaited(expression))
        if answer["type"] != "success":
            raise BrowserError(json.dumps(answer)[:1000])
        return value(answer)

    def close(self):
        self.connection.send("browsingContext.close", context=self.context)


def awaited(expression):
    """An expression, which may be a promise, whose value is what it comes to, as JSON."""
    return f"(async () => JSON.stringify(await ({expression})))()"


def value(answer):
    text = answer["result"].get("value")
    return None if text is None else json.loads(text)


def wait(condition, what, seconds=60):
    """Waits until the condition holds; its value. The limit is a net for what never comes, not a measure."""
    end = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > end:
            raise AssertionError(f"it did not come about: {what}")
        time.sleep(0.05)
