"""A playground in a process of its own, and a window of a browser on it."""

import contextlib
import json
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

SIZES = {
    "phone": (360, 740),
    "tall phone": (390, 844),
    "laptop": (1280, 800),
    "projector": (1920, 1080),
    "lecture": (1366, 650),
    "lecture at 200 %": (683, 325),
    "projector at 200 %": (960, 540),
}
READY = "Boolean(document.body && !document.body.hasAttribute('aria-busy') && window.rosenblatt?.page.charts)"
# Words that are smaller than 20 px.
SMALL = """() => [...document.querySelectorAll("body *")]
    .filter((node) => node.checkVisibility() && !node.closest(".unseen"))
    .filter((node) => [...node.childNodes].some((child) => child.nodeType === 3 && child.textContent.trim()))
    .map((node) => [node.textContent.slice(0, 30), parseFloat(getComputedStyle(node).fontSize)])
    .filter(([, size]) => size < 20)"""

IMPATIENT = """
from rosenblatt.playground.guard import Patience
from rosenblatt.playground.server import Playground, listen, serve
listener = listen(0)
print(f"http://127.0.0.1:{{listener.getsockname()[1]}}/", flush=True)
serve(Playground(patience={patience!r}), listener)
"""


class Process:
    """`rosenblatt play` on a port; it can be killed and started again."""

    def __init__(self, *arguments, patience=None):
        self.arguments, self.patience = arguments, patience
        self.port = 0
        self.start()

    def start(self):
        command = [sys.executable, "-m", "rosenblatt", "play", "-q", "--port", str(self.port), *self.arguments]
        if self.patience is not None:  # which is no option of the command
            command = [sys.executable, "-c", IMPATIENT.format(patience=self.patience)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        printed = self.process.stdout.readline().strip()
        self.address = (json.loads(printed)["address"] if printed.startswith("{") else printed).partition("#")[0]
        assert self.address, self.process.stderr.read()
        self.port = int(self.address.rstrip("/").rpartition(":")[2])
        for _ in range(100):
            with contextlib.suppress(OSError), urllib.request.urlopen(f"{self.address}healthz", timeout=2):
                return
            time.sleep(0.05)
        raise AssertionError("the playground does not answer")

    def memory(self):
        """Resident bytes of the server, as soon as it has nothing to do any more."""
        place, before = Path(f"/proc/{self.process.pid}"), None
        while before != (before := place.joinpath("stat").read_text().rpartition(")")[2].split()[11:13]):  # its time
            time.sleep(0.2)
        status = place.joinpath("status").read_text()
        return 1024 * int(next(line for line in status.splitlines() if line.startswith("VmRSS")).split()[1])

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.communicate()


class Visit:
    """A page of the playground, and what it said and asked for meanwhile."""

    def __init__(self, browser, size="laptop", scheme="light"):
        width, height = SIZES[size]
        self.context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
        self.page = self.context.new_page()
        self.errors, self.requests = [], []
        self.page.on("console", lambda message: self.errors.append(message.text) if message.type == "error" else None)
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))

    def open(self, link="", address=None):
        self.address = address or self.address
        self.page.goto("about:blank")
        self.errors.clear()
        self.requests.clear()
        self.page.goto(f"{self.address}{link}")
        self.ready()
        return self

    def ready(self):
        self.until(READY)

    def until(self, expression, seconds=20):
        """Waits until it holds; playwright's own way of waiting evaluates texts, which the page's policy forbids."""
        end = time.monotonic() + seconds
        while not self.page.evaluate(f"() => {{ const page = window.rosenblatt?.page; return {expression}; }}"):
            assert time.monotonic() < end, f"never came true: {expression}"
            self.page.wait_for_timeout(20)

    def run(self, expression, argument=None):
        """The value of an expression over `page`, the page's own object."""
        return self.page.evaluate(f"(argument) => {{ const page = window.rosenblatt.page; return {expression}; }}", argument)

    def settle(self):
        """Until the run that the last change asked for is there."""
        self.page.wait_for_timeout(50)
        self.ready()
