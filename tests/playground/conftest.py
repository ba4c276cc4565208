"""One playground for all tests of a process."""

import json
import shutil
import subprocess

import pytest
from window import Process, Visit

from rosenblatt.playground.static_page import modules

RUNNER = """
import { readFileSync, writeFileSync } from "node:fs";
import { descend } from "./descent.js";
import { parse, task } from "./state.js";
import { grid, trace } from "./trace.js";
const { tasks, verb } = JSON.parse(readFileSync("tasks.json", "utf8"));
const request = (link) => task(parse(link).state);
const answers = tasks.map((asked) => {
  try { return { descend, grid, request, trace }[verb](asked); } catch (problem) { return { error: problem.message }; }
});
writeFileSync("answers.json", JSON.stringify(answers));
"""


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


@pytest.fixture(scope="session")
def in_node(tmp_path_factory):
    """Asks the page's own modules, in node."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed")
    folder = tmp_path_factory.mktemp("modules")
    for name, text in {**modules(), "runner.js": RUNNER, "package.json": '{"type": "module"}'}.items():
        folder.joinpath(name).write_text(text, encoding="utf-8")

    def ask(tasks, verb="trace"):
        folder.joinpath("tasks.json").write_text(json.dumps({"tasks": tasks, "verb": verb}), encoding="utf-8")
        subprocess.run([node, "runner.js"], cwd=folder, check=True, timeout=600)
        return json.loads(folder.joinpath("answers.json").read_text(encoding="utf-8"))

    ask.folder, ask.node = folder, node
    return ask
