"""A headless Chromium that a test drives, through a pipe in its debugging protocol: nothing has to be installed for it.

Every request but that for the page itself, every message on the console and every exception is kept, to be asserted on.
"""
import base64
import json
import os
import shutil
import subprocess
import tempfile
import time

PROGRAM = next(filter(None, map(shutil.which, ["chromium", "chromium-browser", "google-chrome"])), None)
ANSWER_SECONDS = 60
KEYS = {"Tab": 9, "Enter": 13, "Home": 36, "End": 35, "PageDown": 34, "PageUp": 33, "ArrowDown": 40, "ArrowUp": 38}


class Browser:
    def __init__(self):
        self.profile = tempfile.mkdtemp()
        to_child, self.output = os.pipe()
        self.input, from_child = os.pipe()
        flags = ["--headless=new", "--remote-debugging-pipe", "--no-sandbox", "--disable-gpu", "--no-first-run",
                 "--disable-dev-shm-usage", "--disable-background-networking", "--hide-scrollbars",
                 f"--user-data-dir={self.profile}"]
        # The protocol's descriptors are 3 and 4; the shell puts them there.
        command = f'exec "$@" 3<&{to_child} 4>&{from_child}'
        self.process = subprocess.Popen(["bash", "-c", command, "bash", PROGRAM, *flags], pass_fds=[to_child, from_child],
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_child)
        os.close(from_child)
        self.pending, self.number, self.session = b"", 0, None
        self.events, self.complaints, self.requests = [], [], []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ["Page", "Runtime", "Log", "Network"]:
            self.call(f"{domain}.enable")

    def close(self):
        try:
            self.session = None
            self.call("Browser.close")
        except (OSError, RuntimeError):
            self.process.kill()
        self.process.wait(timeout=30)
        os.close(self.output)
        os.close(self.input)
        shutil.rmtree(self.profile, ignore_errors=True)

    # ---- the protocol ----

    def message(self):
        while b"\0" not in self.pending:
            piece = os.read(self.input, 1 << 20)
            if not piece:
                raise RuntimeError("the browser has ended")
            self.pending += piece
        line, self.pending = self.pending.split(b"\0", 1)
        return json.loads(line)

    def take_event(self, event):
        method, values = event["method"], event["params"]
        self.events.append(method)
        if method == "Runtime.exceptionThrown":
            self.complaints.append(values["exceptionDetails"].get("exception", {}).get("description", "exception"))
        elif method == "Runtime.consoleAPICalled":
            self.complaints.append(" ".join(str(a.get("value", a)) for a in values["args"]))
        elif method == "Log.entryAdded":
            self.complaints.append(values["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            self.requests.append(values["request"]["url"])

    def call(self, method, **values):
        self.number += 1
        request = {"id": self.number, "method": method, "params": values}
        if self.session:
            request["sessionId"] = self.session
        os.write(self.output, json.dumps(request).encode() + b"\0")
        end = time.monotonic() + ANSWER_SECONDS
        while time.monotonic() < end:
            answer = self.message()
            if "method" in answer:
                self.take_event(answer)
            elif answer["id"] == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]
        raise RuntimeError(f"{method}: no answer")

    # ---- what a test does ----

    def open(self, path, route="/"):
        """A page from disk, loaded and drawn."""
        self.complaints, self.requests, self.events = [], [], []
        self.call("Page.navigate", url="about:blank")
        url = f"file://{path}#{route}"
        self.call("Page.navigate", url=url)
        self.wait("document.readyState === 'complete' && document.querySelector('h1')")
        self.requests = [request for request in self.requests
                         if request.split("#")[0] not in (url.split("#")[0], "about:blank")
                         and not request.startswith("data:")]

    def go(self, route):
        self.run(f"location.hash = {json.dumps(route)}")
        self.settle()

    def run(self, script):
        """The value of an expression, which may be a promise."""
        done = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in done:
            raise RuntimeError(done["exceptionDetails"].get("exception", {}).get("description", script))
        return done["result"].get("value")

    def settle(self):
        """Until what was asked for has been drawn."""
        self.run("new Promise(done => requestAnimationFrame(() => setTimeout(done, 20)))")

    def wait(self, condition, seconds=ANSWER_SECONDS):
        end = time.monotonic() + seconds
        while not self.run(f"Boolean({condition})"):
            if time.monotonic() > end:
                raise RuntimeError(f"it did not come to: {condition}")
            time.sleep(.02)

    def press(self, key, shift=False):
        code = KEYS.get(key, 0)
        text = {"text": "\r"} if key == "Enter" else {}
        how = dict(key=key, code=key, windowsVirtualKeyCode=code, modifiers=8 if shift else 0)
        self.call("Input.dispatchKeyEvent", type="keyDown", **how, **text)
        self.call("Input.dispatchKeyEvent", type="keyUp", **how)
        self.settle()

    def type(self, text):
        self.call("Input.insertText", text=text)
        self.settle()

    def look(self, width=1280, height=800, dark=False, scale=1):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale,
                  mobile=width < 600)
        self.call("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        self.settle()

    def screenshot(self, path, full=False):
        picture = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=full)
        with open(path, "wb") as out:
            out.write(base64.b64decode(picture["data"]))

    def print_pages(self, path):
        pages = self.call("Page.printToPDF", printBackground=True)
        with open(path, "wb") as out:
            out.write(base64.b64decode(pages["data"]))
