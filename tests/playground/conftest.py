"""One playground for all tests of a process."""

import pytest
from window import Process, Visit


@pytest.fixture(scope="session")
def playground():
    process = Process()
    yield process
    process.kill()


@pytest.fixture
def started():
    """Starts playgrounds that a test may kill."""
    processes = []

    def start(*arguments, patience=None):
        processes.append(Process(*arguments, patience=patience))
        return processes[-1]

    yield start
    for process in processes:
        process.kill()


@pytest.fixture(scope="session")
def visits(browser):
    """One window for each size and colour scheme, used by all tests."""
    windows = {}
    yield windows
    for visit in windows.values():
        visit.context.close()


@pytest.fixture
def visit(browser, visits, playground):
    def make(link="", server=playground, size="laptop", scheme="light"):
        if (size, scheme) not in visits:
            visits[size, scheme] = Visit(browser, size, scheme)
        return visits[size, scheme].open(link, server.address)

    return make
