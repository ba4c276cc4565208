"""SIGINT and SIGKILL at any moment of `rosenblatt train FILE -o MODEL`: the old file or the new, and a true word about it.

Signals start where the command line begins, in `rosenblatt.__main__`: what comes before is Python's own start.
"""

import os
import random
import select
import signal
import subprocess
import sys
import threading
import time

import pytest

from rosenblatt import load

FULL = os.environ.get("ROSENBLATT_TESTS") == "full"
INTERRUPTS, KILLS = (200, 150) if FULL else (4, 4)
PARTS = 10 if FULL else 1  # of a count, shared by the workers
LONGEST = 300  # seconds, after which a run counts as hanging
# No system can put a file without a name in the place of another: a new model that replaces an old one has a name of its own
# for some microseconds. A kill right then leaves it, whole, until a later save removes it. No byte must make that longer.
STEPS = {signal.SIGINT: "fsync link replace", signal.SIGKILL: "fsync"}
pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals are those of POSIX")

# Writes a byte where the command line begins to import, and one around every step of a save that is named.
START = """
import builtins, os, sys
tell, steps, found = int(sys.argv.pop(1)), sys.argv.pop(1), builtins.__import__
def told(function):
    def telling(*args, **keywords):
        os.write(tell, b"s")
        try:
            return function(*args, **keywords)
        finally:
            os.write(tell, b"s")
    return telling
def importing(name, *rest):
    if name == "rosenblatt.cli":
        builtins.__import__ = found
        os.write(tell, b"i")
    return found(name, *rest)
from rosenblatt.__main__ import main
for step in steps.split():
    setattr(os, step, told(getattr(os, step)))
builtins.__import__ = importing
main()
"""


@pytest.fixture(scope="module")
def setting(tmp_path_factory):
    """A table, the model that training makes of it, and how long that takes."""
    folder = tmp_path_factory.mktemp("signals")
    table = folder / "rows.csv"
    table.write_text("a,b,y\n" + "".join(f"{i},{i * i % 97},{'no' if i % 3 else 'yes'}\n" for i in range(500)))
    started = time.perf_counter()
    process, steps = begin(table, folder / "model", "")
    with process, steps:
        assert process.wait() == 0
    return table, (folder / "model").stat().st_size, time.perf_counter() - started


def begin(table, model, steps):
    """The process of a training run, and the end of a pipe that tells how far it is."""
    heard, tell = os.pipe()
    command = [sys.executable, "-c", START, str(tell), steps, "train", str(table), "-o", str(model), "--target", "y"]
    process = subprocess.Popen(command, pass_fds=[tell], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    os.close(tell)
    return process, os.fdopen(heard, "rb", buffering=0)


def send(which, process, steps, draw, longest):
    """Sends the signal at a random moment: of the imports, of the whole run, or of the save."""
    watchdog = threading.Timer(LONGEST, process.kill)
    watchdog.start()
    with process, steps:
        assert steps.read(1) == b"i"
        moment = draw.choice(["import", "run", "save", "save"])
        if moment == "save":
            for _ in range(draw.randint(1, 10 if which == signal.SIGINT else 4)):
                steps.read(1)
            time.sleep(draw.choice([0, 0, draw.uniform(0, 0.003)]))
        else:
            # A wait that ends early when the process does.
            end = time.monotonic() + draw.uniform(0, 0.2 * longest if moment == "import" else longest)
            while (left := end - time.monotonic()) > 0 and select.select([steps], [], [], left)[0] and steps.read(1):
                pass
        process.send_signal(which)
        message = process.stderr.read().decode()
        code = process.wait()
    assert watchdog.is_alive(), f"{moment}: no answer within {LONGEST} s"
    watchdog.cancel()
    return moment, code, message


def is_model(path, size):
    """Is it a whole model? Only the seconds that training took differ from run to run."""
    return path.exists() and abs(path.stat().st_size - size) < 100


def attacked(which, number, setting, folder):
    """One run under attack: exit code, message, was there an old file, is the new one there."""
    table, size, longest = setting
    draw = random.Random(number)
    model = folder / f"model{number}"
    old = draw.random() < 0.5
    if old:
        model.write_bytes(b"old")
    moment, code, message = send(which, *begin(table, model, STEPS[which]), draw, longest)
    new = is_model(model, size)
    others = [path for path in folder.iterdir() if path != model]
    if which == signal.SIGKILL and old and not new and len(others) == 1 and others[0].match(".rosenblatt-*.tmp"):
        load(others[0])
        others.pop().unlink()
    story = f"run {number}, {moment}, old file: {old}, exit code {code}: {message}"
    assert others == [], story
    assert new or (model.read_bytes() == b"old" if old else not model.exists()), story
    if new:
        load(model)  # every byte is covered by its checksum
    model.unlink(missing_ok=True)
    return code, message, model, new, story


def test_an_interrupt_within_an_import_does_not_wait_for_the_thread_that_imports():
    """Python's lock of imports stays taken where an interrupt comes between taking it and looking after it."""
    code = """
import _imp
from rosenblatt.data.reading import importing_meanwhile
_imp.acquire_lock()
try:
    with importing_meanwhile("xml.dom.minidom"):
        raise KeyboardInterrupt
except KeyboardInterrupt:
    print("answered")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (0, "answered\n"), done.stderr


def test_an_interrupt_while_a_thread_imports_does_not_end_in_a_crash(tmp_path):
    """Python's own end, with a thread in the middle of an import, died of SIGSEGV in one of seven runs."""
    (tmp_path / "rows.csv").write_text("a,y\n1,no\n2,yes\n")
    code = """
import sys
import rosenblatt.cli.train
import rosenblatt.data.reading
from rosenblatt.__main__ import main
def interrupted(*_):
    raise KeyboardInterrupt
rosenblatt.data.reading.read_with = interrupted
main()
"""
    for _ in range(60 if FULL else 6):
        command = [sys.executable, "-c", code, "train", str(tmp_path / "rows.csv"), "--target", "y"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=LONGEST)
        assert (done.returncode, done.stderr.strip()) == (130, "Interrupted: no file was written.")


@pytest.mark.parametrize("part", range(PARTS))
def test_an_interrupt_is_answered_with_the_truth(setting, tmp_path, part):
    for number in range(part, INTERRUPTS, PARTS):
        code, message, model, new, story = attacked(signal.SIGINT, number, setting, tmp_path)
        assert "Traceback" not in message, story
        assert "ignored" not in message, story
        assert "bug" not in message, story
        if code == 0:  # it came when all was done
            assert new, story
            assert "Interrupted" not in message, story
        else:
            assert code == 130, story
            expected = (
                f"Interrupted: {model.resolve()} was written before.\n" if new else "Interrupted: no file was written.\n"
            )
            assert message.endswith(expected), story


@pytest.mark.parametrize("part", range(PARTS))
def test_a_killed_process_leaves_the_old_file_or_the_new(setting, tmp_path, part):
    for number in range(part, KILLS, PARTS):
        code, _, _, new, story = attacked(signal.SIGKILL, 10_000 + number, setting, tmp_path)
        assert code in (0, -signal.SIGKILL), story
        assert code or new, story


@pytest.mark.parametrize("which", [signal.SIGTERM, signal.SIGHUP])
def test_rows_on_disk_are_gone_when_a_run_is_ended(which, tmp_path):
    """`kill`, a time limit or a closed terminal: what --stream holds in the folder for temporary files may be many GB."""
    held = tmp_path / "held"
    held.mkdir()
    table = tmp_path / "rows.csv"
    table.write_text("a,b,y\n" + "".join(f"{i % 89},{i * i % 97},{'no' if i % 3 else 'yes'}\n" for i in range(5000)))
    command = [sys.executable, "-m", "rosenblatt", "train", str(table), "-t", "y", "--stream", "-e", "10000000", "-q"]
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "TMPDIR": str(held)},
        preexec_fn=lambda: signal.signal(which, signal.SIG_DFL),  # below `nohup` it would be ignored, and is to be
    )
    watchdog = threading.Timer(LONGEST, process.kill)
    watchdog.start()
    while process.poll() is None and not any(held.glob("*/*")):
        time.sleep(0.02)
    process.send_signal(which)
    out, err = process.communicate()
    watchdog.cancel()
    assert (process.returncode, out) == (128 + which, b"")
    assert b"Interrupted: no file was written" in err
    assert b"Traceback" not in err
    assert list(held.iterdir()) == []
