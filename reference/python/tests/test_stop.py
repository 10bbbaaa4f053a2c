"""Extraction stops soon, and without a crash, where Ctrl-C or the end of Python asks for it."""

import os
import signal
import subprocess
import sys
import threading
import time

import pytest
import spexbench
from spexbench import _core

#: Starts an extraction that would take many seconds, in `how` a thread, and says so.
SCRIPT = """
import sys, threading, time
from concurrent.futures import ThreadPoolExecutor
import spexbench

def work():
    spexbench.extract({preproc!r}, {psf!r}, method="eigh", milestone="baseline", threads=2,
                      progress=lambda done, total: began.set())
    print("extracted")

began = threading.Event()
"""
DAEMON = """
threading.Thread(target=work, daemon=True).start()
began.wait()
print("began", flush=True)
"""
POOL = """
pool = ThreadPoolExecutor(1)
pool.submit(work)
began.wait()
print("began", flush=True)
pool.submit(work)
"""
EXTRACTOR = """
with spexbench.Extractor(threads=2) as extractor:
    futures = [extractor.submit({preproc!r}, {psf!r}, method="eigh", milestone="baseline",
                                progress=lambda done, total: began.set()) for _ in range(3)]
    began.wait()
    print("began", flush=True)
    futures[0].result()
"""


def start(night, script):
    text = (SCRIPT + script).format(preproc=str(night.preproc), psf=str(night.psf))
    return subprocess.Popen(
        [sys.executable, "-c", text], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def ended(process, seconds=20):
    """Exit status, output and errors; how long the end took."""
    begin = time.monotonic()
    out, err = process.communicate(timeout=seconds)
    return process.returncode, out, err, time.monotonic() - begin


def test_python_ends_during_an_extraction(night):
    process = start(night, DAEMON)
    assert process.stdout.readline() == "began\n"
    status, out, err, seconds = ended(process)
    assert (status, out) == (0, ""), err
    assert "Fatal" not in err
    assert "leaked" not in err
    assert seconds < 3


def test_an_error_is_raised_without_python_code():
    """In Python code a thread could lose the lock, and be killed within C++ if Python then ends."""
    calls, error = [], None
    sys.setprofile(lambda frame, event, _: calls.append((event, frame.f_code.co_name)))
    try:
        _core.read_psf("missing.fits", True)
    except spexbench.DataError as caught:
        error = caught
    finally:
        sys.setprofile(None)
    assert "missing.fits" in str(error)
    assert [name for event, name in calls if event == "call"] == []


def test_exit_hooks_may_extract(night):
    """Those that were registered before the import run after the package's own."""
    script = (
        "import atexit\n"
        "def last():\n"
        f"    frame = spexbench.extract({str(night.preproc)!r}, {str(night.psf)!r}, nspec=5,\n"
        "        wavelength=(5760, 5800, 0.8), threads=2)\n"
        "    print(frame.nspec)\n"
        "atexit.register(last)\n"
        "import spexbench\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "5\n"), done.stderr


def test_interrupts_end_a_pool(night):
    """The first interrupts Python's wait for the pool's threads."""
    process = start(night, POOL)
    assert process.stdout.readline() == "began\n"
    time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    status, out, err, seconds = ended(process)
    assert (status >= 0, out) == (True, ""), err
    assert "KeyboardInterrupt" in err
    assert seconds < 3


def test_interrupt_of_an_extractor(night):
    process = start(night, EXTRACTOR)
    assert process.stdout.readline() == "began\n"
    process.send_signal(signal.SIGINT)
    status, out, err, seconds = ended(process)
    assert (status, out) == (-signal.SIGINT, ""), err
    assert err.splitlines()[-1] == "KeyboardInterrupt"
    assert seconds < 3


def test_frames_of_an_extractor_after_sys_exit(night):
    with pytest.raises(SystemExit), spexbench.Extractor() as extractor:
        began = threading.Event()
        future = extractor.submit(
            night.preproc, night.psf, milestone="baseline", progress=lambda *_: began.set()
        )
        began.wait(20)
        sys.exit(3)
    with pytest.raises(spexbench.StoppedError, match="was stopped"):
        future.result()


def test_a_child_of_a_fork_ends(night):
    """Threads of its parent do not exist in the child."""
    began, go_on = threading.Event(), threading.Event()

    def work():
        spexbench.extract(
            night.preproc, night.psf, nspec=5, progress=lambda *_: (began.set(), go_on.wait(20))
        )

    thread = threading.Thread(target=work)
    thread.start()
    began.wait(20)
    child = os.fork()
    if child == 0:
        try:
            _core.wait_for_work()
            os._exit(3)
        finally:
            os._exit(4)
    go_on.set()
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 3
    thread.join()
