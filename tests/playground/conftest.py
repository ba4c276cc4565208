"""One playground and one browser for all tests of a process."""

import shutil

import pytest
from window import Process, Visit

FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync"]


@pytest.fixture(scope="session")
def playground():
    process = Process()
    yield process
    process.kill()


@pytest.fixture
def started():
    """Starts playgrounds that a test may kill."""
    processes = []

    def start(*arguments):
        processes.append(Process(*arguments))
        return processes[-1]

    yield start
    for process in processes:
        process.kill()


@pytest.fixture(scope="session")
def browser():
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if not chromium:
        pytest.skip("no chromium here: the page is not looked at (Debian: apt install chromium)")
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed: the page is not looked at")
    with sync_api.sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        yield launched
        launched.close()


@pytest.fixture(scope="session")
def visits(browser):
    """One window for each size and colour scheme, used by all tests."""
    made = {}
    yield made
    for visit in made.values():
        visit.context.close()


@pytest.fixture
def visit(browser, visits, playground):
    def make(link="", server=playground, size="laptop", scheme="light"):
        if (size, scheme) not in visits:
            visits[size, scheme] = Visit(browser, size, scheme)
        return visits[size, scheme].open(link, server.address)

    return make
